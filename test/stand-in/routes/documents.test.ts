import { useStandIn } from '../useStandIn';

const service = useStandIn();

test.each(['two-cards.jpg', 'letter.docx'])(
	'Split takes %s, and finds one segment',
	async (name) => {
		const { data } = await service.upload('/Document/split', name);
		expect(data).toMatchObject({ metadata: { segments: [{ startPage: 1, endPage: 1 }] } });
	},
);
