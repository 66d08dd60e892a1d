import { useStandIn } from '../useStandIn';

const service = useStandIn();

test('with fraud screening, an extraction differs in nothing but its ID', async () => {
	const expected = { fraudBlocked: false, fraudRequestId: null, quality: null, metadata: {} };
	expect((await service.upload('/Document/extraction', 'invoice-us.pdf')).data).toMatchObject(
		expected,
	);
	await service.standIn.configure({ fraudScreening: true });
	expect((await service.upload('/Document/extraction', 'invoice-us.pdf')).data).toMatchObject({
		...expected,
		fraudRequestId: expect.any(String) as string,
	});
});

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

test('a comparison of faces can have a link to each face', async () => {
	const compare = async () =>
		(await service.compareFaces()).data as {
			extractions: Array<{ sourceDocumentId: string; cropSignedUrl: string | null }>;
			matches: Array<{ selfieDocumentId: string; matched: boolean }>;
		};
	expect((await compare()).extractions).toMatchObject([{ hasFace: true, cropSignedUrl: null }]);

	await service.standIn.configure({ faceCrops: true });
	const { extractions, matches } = await compare();
	expect(matches).toMatchObject([{ matched: true }]);
	const face = await fetch(extractions.at(-1)?.cropSignedUrl ?? '');
	expect([face.status, face.headers.get('content-type')]).toEqual([200, 'image/png']);
});
