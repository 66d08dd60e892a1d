import * as fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import {
	cellsIn,
	buildRows,
	type DocumentValues,
} from '../../../../nodes/DocumentIntelligence/results/rows';
import { numRuns } from '../../numRuns';
import { field } from './printedField';

/** The layout of documents with this metadata, a row per line item, each of a file of its own. */
function laidOut(documents: object[], more: Partial<DocumentValues> = {}) {
	return buildRows(
		documents.map((metadata, number) => ({
			metadata: readMetadata(metadata),
			additions: { fileName: `${number}.pdf` },
			rowsFrom: '',
			...more,
		})),
	);
}

/** Rows as a sheet shows them: the columns, then a line for each row. All of them have the same columns. */
function sheetOf(rows: IDataObject[]): string[] {
	const columns = rows.map((row) => Object.keys(row).join());
	expect(new Set(columns).size).toBe(1);
	const lines = rows.map((row) => JSON.stringify(Object.values(row)).slice(1, -1));
	return [columns[0]!, ...lines];
}

/** The sheet of these documents without the column that is the same in all tests. */
function sheet(documents: object[], more: Partial<DocumentValues> = {}): string[] {
	const { rows } = laidOut(documents, more);
	return sheetOf(rows.flat().map(({ fileName, ...row }) => (fileName ? row : {})));
}

describe('The rows of a document', () => {
	const items = [
		{ description: field('A'), amount: field('60') },
		{ description: field('B'), amount: field('30') },
	];
	const asPrinted = {
		number: '0004021',
		sum: '1.005,55',
		text: '=1/2',
		blank: '',
		zero: 0,
		no: false,
	};

	test.each<[string, object, string[]]>([
		['no fields at all', {}, ['rowNumber', '1']],
		['a value named `fields`', { fields: 5, a: 2 }, ['rowNumber,fields,a', '1,5,2']],
		[
			'values stay as they are',
			{ ...asPrinted, none: null },
			[
				'rowNumber,number,sum,text,blank,zero,no,none',
				'1,"0004021","1.005,55","=1/2","",0,false,null',
			],
		],
		[
			'a table: what belongs to the document is on each row',
			{ documentType: 'Invoice', fields: { number: field('INV-1'), lineItems: { items } } },
			[
				'rowNumber,description,amount,documentType,number',
				'1,"A","60","Invoice","INV-1"',
				'2,"B","30","Invoice","INV-1"',
			],
		],
		['an empty table', { number: '1', lineItems: { items: [] } }, ['rowNumber,number', '1,"1"']],
		[
			'rows that differ among themselves',
			{ lineItems: [{ a: 1 }, { b: 2 }, {}] },
			['rowNumber,a,b', '1,1,null', '2,null,2', '3,null,null'],
		],
		[
			'a row that is null is skipped',
			{ lineItems: [{ a: 1 }, null, { a: 2 }, field(null, 0)] },
			['rowNumber,a', '1,1', '2,2'],
		],
		[
			'another table becomes JSON text',
			{ taxes: { items: [{ rate: field('20 %') }] }, lineItems: [{ amount: 6, net: 5 }] },
			['rowNumber,amount,net,taxes', '1,6,5,"[{\\"rate\\":\\"20 %\\"}]"'],
		],
		[
			'a list that is no table becomes JSON text',
			{ tags: ['a', field('b'), { c: 1 }], a: 1 },
			['rowNumber,tags,a', '1,"[\\"a\\",\\"b\\",{\\"c\\":1}]",1'],
		],
		[
			'names of nested objects are joined, and only the outermost `fields` is dropped',
			{ fields: { seller: { address: { city: field('Porto') } }, extra: { fields: { a: 1 } } } },
			['rowNumber,seller_address_city,extra_fields_a', '1,"Porto",1'],
		],
		[
			'a column of a table keeps its name, and the number of the row gets another',
			{ lineItems: [{ rowNumber: '10' }, { rowNumber: '20' }] },
			['rowNumber_,rowNumber', '1,"10"', '2,"20"'],
		],
	])('%s', (_, metadata, expected) => {
		expect(sheet([metadata])).toEqual(expected);
	});

	test('details stand beside their value, boxes as JSON text, and those of a list in its text', () => {
		const metadata = {
			fields: {
				number: { ...field('INV-1', 90), type: 'id' },
				note: 'plain',
				tags: [{ value: 'a', confidence: 80 }],
				lineItems: { items: [{ amount: { value: '60', confidence: 80 } }] },
			},
		};
		const number_boundingBox = '[0.1,0.2,0.3,0.4]';
		expect(laidOut([metadata], { withDetails: true }).rows.flat()).toEqual([
			{
				...{ number: 'INV-1', number_confidence: 90, number_page: 1, number_boundingBox },
				...{ number_bbox_confidence: 95, number_type: 'id', note: 'plain', rowNumber: 1 },
				tags: '[{"value":"a","confidence":80,"page":null,"boundingBox":null}]',
				...{ amount: '60', amount_confidence: 80, amount_page: null, amount_boundingBox: null },
				fileName: '0.pdf',
			},
		]);
	});
});

describe('A document in one row', () => {
	test('has its fields after everything else, and its tables as JSON text', () => {
		const metadata = { fields: { b: 1, lines: [{ c: 1 }, null] }, a: 2 };
		expect(sheet([metadata], { rowsFrom: undefined })).toEqual([
			'a,b,lines',
			'2,1,"[{\\"c\\":1},null]"',
		]);
	});

	test('has no cell that a spreadsheet does not hold', () => {
		const lines = (count: number) =>
			Array.from({ length: count }, () => ({ text: 'x'.repeat(90) }));
		const { rows, remarks } = laidOut(
			[
				{ lines: lines(300), text: 'y'.repeat(32_767), note: 'n' },
				{ lines: lines(400), note: 'z'.repeat(40_000) },
			],
			{ rowsFrom: undefined },
		);
		const [first = {}, second = {}] = rows.flat();
		expect(first.lines).toHaveLength(300 * 102 - 1 + 2);
		expect(first.text).toBe('y'.repeat(32_767));
		expect(second.lines).toBe('400 rows (too long for a cell)');
		expect(second.note).toMatch(/^z+ \(too long for a cell\)$/);
		expect(second.note).toHaveLength(32_767);
		expect(remarks).toEqual([
			'a value in "lines" is too long for a spreadsheet cell: Rows per Line Item shows its rows',
			'a value in "note" is too long for a spreadsheet cell',
		]);
	});
});

describe('Rows From', () => {
	const invoice = {
		fields: {
			taxes: { items: [{ sku: '7 %' }, { sku: '19 %' }] },
			lineItems: { items: [{ sku: 'A', quantity: 1 }] },
			payment: { parts: [{ sku: 'now' }, { sku: 'later' }, { sku: 'last' }] },
		},
	};
	const inOrder = { order: { lines: [{ sku: 'A' }, { sku: 'B' }] }, lines: [{ sku: 'C' }] };
	const twoTables = { lines: [{ sku: 'A' }], fields: { lines: [{ sku: 'C' }] } };
	const twoCases = { lines: [{ sku: 'A' }], LINES: [{ sku: 'C' }] };
	const long = { a: [{ sku: 'A' }], b: [{ sku: 'B' }, { sku: 'C' }] };

	test.each<[string, string, object, string[]]>([
		['empty: the table with the most columns', '', invoice, ['A']],
		['empty: of equal columns, the most rows', '', long, ['B', 'C']],
		['empty: of equal rows, the name', '', { b: [{ sku: 'B' }], a: [{ sku: 'A' }] }, ['A']],
		['a name', 'taxes', invoice, ['7 %', '19 %']],
		['a name in other letters', 'Line Items', invoice, ['A']],
		['a name of a table deep inside', 'parts', invoice, ['now', 'later', 'last']],
		['a path', 'payment.parts', invoice, ['now', 'later', 'last']],
		['a path before a name deep inside', 'lines', inOrder, ['C']],
		['a whole path', 'fields.lines', twoTables, ['C']],
		['the same letters before others', 'LINES', twoCases, ['C']],
	])('%s', (_, rowsFrom, document, expected) => {
		const rows = laidOut([document], { rowsFrom }).rows.flat();
		expect(rows.map(({ sku }) => sku)).toEqual(expected);
	});

	test('empty is one name for the run, whatever document comes first; a remark lists the others', () => {
		const documents = [
			{ fields: { taxes: [{ rate: 1 }, { rate: 2 }], lineItems: [{ sku: 'A', sum: 1 }] } },
			{ fields: { lineItems: [{ sku: 'B' }], positions: [{ sku: 'C' }] } },
			{ fields: { lineItems: [], taxes: [{ rate: 3 }] } },
			{ note: 'no table' },
		];
		const expected = [
			[{ taxes: '[{"rate":1},{"rate":2}]', rowNumber: 1, sku: 'A', sum: 1 }],
			[{ positions: '[{"sku":"C"}]', rowNumber: 1, sku: 'B' }],
			[{ taxes: '[{"rate":3}]', rowNumber: 1 }],
			[{ note: 'no table', rowNumber: 1 }],
		];
		const [first, reversed] = [laidOut(documents), laidOut(documents.toReversed())];
		expect(first.rows).toMatchObject(expected);
		expect(reversed.rows.toReversed()).toMatchObject(expected);
		const remark = `from "lineItems" (to use "taxes" or "positions" instead, set 'Rows From')`;
		expect([first.remarks, reversed.remarks]).toEqual([[remark], [remark]]);
	});

	test('a name that a document does not have gives one row that loses nothing, and a remark', () => {
		const documents = [{ lines: [{ sku: 'A' }] }, { positions: [{ sku: 'C' }] }];
		const { rows, remarks } = laidOut(documents, { rowsFrom: 'positions' });
		expect(sheetOf(rows.flat())).toEqual([
			'fileName,rowNumber,sku,lines',
			'"0.pdf",1,null,"[{\\"sku\\":\\"A\\"}]"',
			'"1.pdf",1,"C",null',
		]);
		expect(remarks).toEqual(['"0.pdf" has no table "positions"']);
		const rowsFrom = 'https://ann:p4ss@example.com/a?sig=p4ss';
		expect(laidOut([{}], { rowsFrom }).remarks).toEqual([
			'"0.pdf" has no table "https://example.com/a"',
		]);
	});
});

describe('All rows of a run', () => {
	test('have the columns of all documents, those in common together', () => {
		const lineItems = [{ sku: 'B', discount: 3 }];
		expect(
			sheet([
				{ documentType: 'Invoice', fields: { number: '1', lineItems: [{ sku: 'A', amount: 1 }] } },
				{ documentType: 'Contract', fields: { parties: ['X', 'Y'] } },
				{ documentType: 'Invoice', fields: { number: '2', due: 'soon', lineItems } },
			]),
		).toEqual([
			'rowNumber,sku,amount,discount,documentType,number,parties,due',
			'1,"A",1,null,"Invoice","1",null,null',
			'1,null,null,null,"Contract",null,"[\\"X\\",\\"Y\\"]",null',
			'1,"B",null,3,"Invoice","2",null,"soon"',
		]);
	});

	test('begin with the file, its line and whether to check it, and end with the JSON of tables and the ID', () => {
		const metadata = { taxes: [{ rate: 20 }], input_from: 'theirs', lines: [{ a: 1, b: 2 }] };
		const { rows } = laidOut([metadata], {
			additions: { extractionId: '7', fileName: '0.pdf', needsReview: false, missing: '' },
			input: cellsIn(readMetadata({ input_from: 'ann', input_seen: { at: 5 } })),
		});
		expect(sheetOf(rows.flat())).toEqual([
			'fileName,rowNumber,a,b,needsReview,input_from,missing,input_from_,input_seen_at,taxes,extractionId',
			'"0.pdf",1,1,2,false,"theirs","","ann",5,"[{\\"rate\\":20}]","7"',
		]);
	});

	test('have the short names for the document, although its columns come later', () => {
		const metadata = { fileName: 'theirs', needsReview: 'theirs', a: 1, lines: [{ a: 2, b: 3 }] };
		const additions = { fileName: '0.pdf', needsReview: true };
		expect(sheetOf(laidOut([metadata], { additions }).rows.flat())).toEqual([
			'fileName_,rowNumber,lines_a,b,needsReview_,fileName,needsReview,a',
			'"0.pdf",1,2,3,true,"theirs","theirs",1',
		]);
	});

	test('have a column for one table only, whatever other documents have in others', () => {
		const documents = [
			{ lineItems: [{ amount: 1 }, { amount: 2 }], taxes: [{ amount: 3 }] },
			{ lineItems: [{ amount: 4 }], taxes: [{ amount: 5, rate: 6 }, { amount: 7 }] },
		];
		const lines = [
			'1,3,null,"[{\\"amount\\":1},{\\"amount\\":2}]"',
			'1,5,6,"[{\\"amount\\":4}]"',
			'2,7,null,"[{\\"amount\\":4}]"',
		];
		expect(sheet(documents)).toEqual(['rowNumber,amount,rate,lineItems', ...lines]);
		const [, ...reversed] = sheet(documents.toReversed());
		expect(reversed.sort()).toEqual(lines.toSorted());
	});
});

const name = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.constantFrom('a', 'b', 'b_a', 'a_b', 'a_', 'rowNumber', 'fileName', 'input_a'),
	},
	// No `confidence`: an object with that and a value is a field, of which the confidence is no cell.
	fc.constantFrom('fields', 'items', 'value', '__proto__', 'toString'),
	fc.string({ maxLength: 3 }),
);
const numbers: { serial: number } = { serial: 0 };
/** Every text is another one, and none is part of another, so that each can be looked for. */
const text = fc.constant(null).map(() => `v${++numbers.serial};`);
const scalar = fc.oneof(
	{ weight: 4, arbitrary: text },
	fc.integer(),
	fc.boolean(),
	fc.constant(null),
);
const { object: document } = fc.letrec<{
	value: unknown;
	object: object;
	table: object[];
	fieldObject: object;
}>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 5 },
		scalar,
		tie('table'),
		tie('fieldObject'),
		fc.array(tie('value'), { maxLength: 3 }),
		tie('object'),
	),
	object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
	table: fc.array(tie('object'), { maxLength: 3 }),
	fieldObject: fc.record({ value: tie('value'), confidence: fc.constant(50) }),
}));
const documents = fc.array(document, { minLength: 1, maxLength: 8, size: 'max' });

test('metadata of any shape gives rows that are rectangular, flat, and lose nothing', () => {
	fc.assert(
		fc.property(documents, fc.boolean(), (metadata, withDetails) => {
			const { rows } = laidOut(metadata, { withDetails });
			expect(rows).toHaveLength(metadata.length);
			expect(new Set(rows.flat().map((row) => JSON.stringify(Object.keys(row)))).size).toBe(1);
			const cells = rows.flat().flatMap((row) => Object.values(row));
			expect(cells.filter((cell) => typeof cell === 'object' && cell !== null)).toEqual([]);
			for (const [number, document] of metadata.entries()) {
				const own = rows[number]?.map((row) => JSON.stringify(row)) ?? [];
				expect(textsIn(document).filter((value) => !own.join('').includes(value))).toEqual([]);
				expect(own.every((row) => row.includes(`"${number}.pdf"`))).toBe(true);
			}
		}),
		numRuns(300),
	);
});

/** The numbered texts of a document. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return /^v\d+;$/.test(value) ? [value] : [];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
