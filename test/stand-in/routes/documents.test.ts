import { useStandIn } from '../useStandIn';

const service = useStandIn();

const segmentsOf = async (name: string) => {
	const { data } = await service.upload('/Document/split', name);
	const { segments } = data.metadata as {
		segments: Array<{ startPage: number; endPage: number }>;
	};
	return segments.map(({ startPage, endPage }) => [startPage, endPage]);
};

test.each<[string, number[][]]>([
	['two-cards.jpg', [[1, 1]]],
	['letter.docx', [[1, 1]]],
	[
		'bundle.pdf',
		[
			[1, 1],
			[2, 3],
			[4, 4],
			[5, 5],
			[6, 6],
		],
	],
])('Split takes %s, and finds its documents', async (name, segments) => {
	expect(await segmentsOf(name)).toEqual(segments);
});

test('Extract reads the lines of a table on several pages, and not its sums', async () => {
	const { data } = await service.upload('/Document/extraction', 'invoice-long.pdf');
	const { fields } = data.metadata as { fields: Record<string, { items: object[] }> };
	expect(fields.lineItems?.items).toHaveLength(40);
});

test.each([
	['portrait.png', true],
	['portrait-other.png', false],
])('Match Faces finds %s on the card: %s', async (selfie, matched) => {
	const { data } = await service.uploadAll('/Document/facematch', [
		['selfie', selfie],
		['documents', 'id-card.png'],
	]);
	expect(data.matches).toMatchObject([{ matched }]);
});
