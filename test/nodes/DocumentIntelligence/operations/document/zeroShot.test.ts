import type { NodeResult } from '../../../../n8n-core/runNode';
import { invoiceItems } from '../../../samples';
import { useService } from '../../../service';
import { field } from '../../results/printedField';

const service = useService();

const ROWS = { operation: 'zeroShot', output: 'rows', options: { values: 'printed' } };

/** The rows of documents of which the service says this, one item each. */
async function run(found: object[], values = 'printed'): Promise<NodeResult> {
	// One after the other, so that the answers queued meet the documents in their order.
	await service.standIn.queueFaults(
		found.map((data) => ({ kind: 'answer', data, creditsConsumed: null })),
	);
	const items = await invoiceItems(found.length);
	return await service.run({ ...ROWS, options: { concurrency: 1, values } }, items);
}

describe('Rows of Discover Fields', () => {
	test('are the fields found, each with where it stands', async () => {
		const data = {
			documentType: 'Note',
			confidence: 60,
			metadata: {
				number: field('N-1', 90),
				plain: 'x',
				list: { items: [{ a: field('1') }] },
				group: { city: field('Porto') },
				none: { value: null, confidence: 0 },
			},
		};
		const { items: rows } = await run([
			data,
			{
				documentType: null,
				confidence: 1,
				metadata: { other: field('o') },
			},
		]);
		const blank = { confidence: null, page: null, boundingBox: null };
		const placed = { page: 1, boundingBox: '[0.1,0.2,0.3,0.4]' };
		const of = (item: number, documentType: string | null, field: string, cells: object) => ({
			json: { fileName: `${item}.pdf`, field, ...cells, documentType },
			pairedItem: { item },
		});
		expect(JSON.stringify(rows)).toBe(
			JSON.stringify([
				of(0, 'Note', 'number', { value: 'N-1', confidence: 90, ...placed }),
				of(0, 'Note', 'plain', { value: 'x', ...blank }),
				of(0, 'Note', 'list', { value: '[{"a":"1"}]', ...blank }),
				of(0, 'Note', 'group', { value: '{"city":"Porto"}', ...blank }),
				of(0, 'Note', 'none', { value: null, ...blank, confidence: 0 }),
				of(1, null, 'other', { value: 'o', confidence: 97, ...placed }),
			]),
		);
	});

	test('a document in which nothing was found is not lost', async () => {
		const { items: rows, hints } = await run([
			{ documentType: 'Note', confidence: 1, metadata: {} },
		]);
		expect(JSON.stringify([rows, hints])).toContain('0.pdf');
	});
});
