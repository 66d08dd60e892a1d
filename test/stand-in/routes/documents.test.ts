import { useStandIn } from '../useStandIn';

const service = useStandIn();

test('a blocked document is a 200 without fields, and a warning is one with fields', async () => {
	await service.standIn.queueFaults([{ kind: 'qualityBlock' }, { kind: 'qualityWarn' }]);
	const blocked = await service.upload('/Document/extraction', 'invoice-us.pdf');
	const warned = await service.upload('/Document/extraction', 'invoice-us.pdf');
	expect([blocked.status, warned.status]).toEqual([200, 200]);
	expect(blocked.data).toMatchObject({ metadata: null, quality: { overall: 2 } });
	expect(warned.data).toMatchObject({ metadata: {}, quality: { overall: 1 } });
});

describe('Split', () => {
	const split = async (name: string) => (await service.upload('/Document/split', name)).data;

	test.each(['two-cards.jpg', 'letter.docx'])('takes %s, and finds one segment', async (name) => {
		const segments = [{ startPage: 1, endPage: 1 }];
		expect(await split(name)).toMatchObject({ metadata: { segments } });
	});
});
