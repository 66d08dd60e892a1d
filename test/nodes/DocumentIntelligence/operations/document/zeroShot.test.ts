import type { IDataObject } from 'n8n-workflow';

import { invoiceItems, itemsWith, truth } from '../../../samples';
import { useService } from '../../../service';
import { field } from '../../results/printedField';

const service = useService();

/** The items for documents of which the service says this, one each. */
async function run(answers: object[], output = 'fields') {
	await service.standIn.queueFaults(
		answers.map((data) => ({ kind: 'answer', data, creditsConsumed: null })),
	);
	const options = { concurrency: 1, values: 'printed' };
	const items = await invoiceItems(answers.length);
	return (await service.run({ operation: 'zeroShot', output, options }, items)).items;
}

test('what is printed in a form is found', async () => {
	const { items } = await service.run({ operation: 'zeroShot' }, await itemsWith('form.pdf'));
	const { fields = {}, ...json } = items[0]!.json;
	expect(items).toHaveLength(1);
	expect(json).toEqual({
		...{ documentType: expect.stringMatching(/^membership application$/i) as string },
		...{ confidence: expect.any(Number) as number, fileName: 'form.pdf', creditsConsumed: 1 },
	});
	const printed = Object.values(truth['form.pdf']?.fields ?? {}).sort();
	expect(Object.values(fields as IDataObject).sort()).toEqual(printed);
	const [call] = await service.calls();
	expect([call?.path, call?.parts.map(({ name }) => name)]).toEqual([
		'/Document/zero-shot',
		['file'],
	]);
});

test('a confidence as text is read, and a type that is none is not', async () => {
	const [item] = await run([{ documentType: ['Note'], confidence: '40 %', metadata: { a: 'x' } }]);
	expect(item?.json).toMatchObject({ documentType: null, confidence: 40, fields: { a: 'x' } });
});

test('rows are the fields found, each with where it stands; a document without any is not lost', async () => {
	const metadata = {
		number: field('N-1', 90),
		plain: 'x',
		list: { items: [{ a: field('1') }] },
		group: { city: field('Porto') },
		none: { value: null, confidence: 0 },
	};
	const rows = await run(
		[
			{ documentType: 'Note', confidence: 60, metadata },
			{ documentType: null, confidence: 1, metadata: { other: field('o') } },
			{ documentType: 'Note', confidence: 1, metadata: {} },
		],
		'rows',
	);
	const blank = { confidence: null, page: null, boundingBox: null };
	const placed = { page: 1, boundingBox: '[0.1,0.2,0.3,0.4]' };
	const of = (item: number, documentType: string | null, field: string | null, cells: object) => ({
		json: { fileName: `${item}.pdf`, field, ...cells, documentType },
		pairedItem: { item },
	});
	// As text, which tells the order of the columns.
	expect(JSON.stringify(rows)).toBe(
		JSON.stringify([
			of(0, 'Note', 'number', { value: 'N-1', confidence: 90, ...placed }),
			of(0, 'Note', 'plain', { value: 'x', ...blank }),
			of(0, 'Note', 'list', { value: '[{"a":"1"}]', ...blank }),
			of(0, 'Note', 'group', { value: '{"city":"Porto"}', ...blank }),
			of(0, 'Note', 'none', { value: null, ...blank, confidence: 0 }),
			of(1, null, 'other', { value: 'o', confidence: 97, ...placed }),
			of(2, 'Note', null, { value: null, ...blank }),
		]),
	);
});
