import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import {
	cellsIn,
	cellsOf,
	documentRow,
	layOut,
	lineItemRows,
	type Row,
} from '../../../../nodes/DocumentIntelligence/results/rows';

/** The rows of one document, with the lists of its doubts as the review names them. */
function shown(rows: Array<Omit<Row, 'additions'>>, additions: object = {}) {
	return layOut(rows.map((row) => ({ ...row, additions: cellsOf(additions) }))).rows;
}

const EMPTY_LIST = { lowConfidenceFields: [] };

/** A row of as many cells as that, in columns of its own where a letter is given. */
function rowOf(cells: number, letter = 'c'): Row {
	const entries = Array.from({ length: cells }, (_, number) => [`${letter}${number}`, 1] as const);
	return { document: cellsOf(Object.fromEntries(entries)), additions: new Map() };
}

describe('One row per document', () => {
	test('has the fields behind everything else', () => {
		const columnsOf = (metadata: object) =>
			Object.keys(shown([documentRow(readMetadata(metadata), false)])[0] ?? {});
		expect(columnsOf({ fields: { b: 1 }, a: 2 })).toEqual(['a', 'b']);
		expect(columnsOf({ fields: 5, a: 2 })).toEqual(['fields', 'a']);
		expect(columnsOf({ c: 1, a: 2 })).toEqual(['c', 'a']);
	});

	test('names what is doubtful by its column, and what has none by its path', () => {
		const metadata = readMetadata({
			documentType: 'Invoice',
			fields: { total: 1, lines: [{ a: 1 }, { a: 2 }], address: { city: 'X' } },
		});
		const doubts = {
			lowConfidenceFields: [
				['documentType'],
				['fields', 'total'],
				['fields', 'lines', 1, 'a'],
				['fields', 'address', 'city'],
				['fields', 'gone'],
			],
			uncertainFields: undefined,
		};
		const row = documentRow(metadata, false, doubts);
		expect(Object.keys(row.doubts ?? {})).toEqual(['lowConfidenceFields']);
		expect(shown([row], EMPTY_LIST)).toEqual([
			{
				documentType: 'Invoice',
				total: 1,
				lines: '[{"a":1},{"a":2}]',
				address_city: 'X',
				lowConfidenceFields: '["documentType","total","lines[1].a","address_city","fields.gone"]',
			},
		]);
	});

	test('has confidence, page and box where details are wanted', () => {
		const metadata = readMetadata({ a: { value: 1, confidence: 90, page: 2, bbox: [0, 0, 1, 1] } });
		expect(shown([documentRow(metadata, false)])).toEqual([{ a: 1 }]);
		expect(shown([documentRow(metadata, true)])).toEqual([
			{ a: 1, a_confidence: 90, a_page: 2, a_boundingBox: '[0,0,1,1]' },
		]);
	});
});

describe('One row per line item', () => {
	const metadata = readMetadata({
		number: 'N1',
		fields: {
			lines: [{ a: 1, b: 2 }, null, { a: 3, b: 4 }],
			taxes: [{ rate: 7 }, { rate: 19 }],
			linesOf: { page: 1 },
		},
	});

	test('names what is doubtful in the document on each row, and in a row on this one', () => {
		const lowConfidenceFields = [
			['number'],
			['fields', 'taxes', 0, 'rate'],
			['fields', 'taxes', 1, 'rate'],
			['fields', 'lines', 0, 'a'],
			['fields', 'lines', 2, 'a'],
			['fields', 'lines', 2, 'b'],
		];
		const rows = shown(lineItemRows(metadata, '', false, { lowConfidenceFields }), EMPTY_LIST);
		expect(rows.map((row) => [row.rowNumber, row.a, row.lowConfidenceFields])).toEqual([
			[1, 1, '["number","taxes","a"]'],
			[2, 3, '["number","taxes","a","b"]'],
		]);
	});

	test('is one row where there is no table, and its doubts are those of the document', () => {
		const lowConfidenceFields = [['number'], ['fields', 'lines', 0, 'a']];
		const rows = lineItemRows(metadata, 'no such table', false, { lowConfidenceFields });
		expect(shown(rows, EMPTY_LIST)).toMatchObject([
			{ number: 'N1', rowNumber: 1, lowConfidenceFields: '["number","lines"]' },
		]);
		expect(lineItemRows(metadata, 'lines', false)).toMatchObject([{ doubts: {} }, { doubts: {} }]);
	});
});

test('the cells of a tree are its values, unless details are asked for', () => {
	const tree = readMetadata({
		a: { value: { value: 1, confidence: 2 }, confidence: 3 },
		b: [],
		c: null,
	});
	expect([...cellsIn(tree)]).toEqual([
		['.a', 1],
		['.b', '[]'],
		['.c', null],
	]);
	expect([...cellsIn(tree, { details: true })]).toEqual([
		['.a', 1],
		['.a#value#confidence', 2],
		['.a#value#page', null],
		['.a#value#boundingBox', null],
		['.a#confidence', 3],
		['.a#page', null],
		['.a#boundingBox', null],
		['.b', '[]'],
		['.c', null],
	]);
});

describe('All columns on each row', () => {
	test('are there while at most two million cells are empty', () => {
		// The first row fills its columns, and a thousand others none.
		const laidOut = (columns: number) =>
			layOut([rowOf(columns), ...Array.from({ length: 1000 }, () => rowOf(0))]);
		const complete = laidOut(2000);
		expect(complete).toMatchObject({ columnCount: 2000, isComplete: true });
		expect(Object.keys(complete.rows.at(-1) ?? {})).toHaveLength(2000);
		const { rows, ...rest } = laidOut(2001);
		expect(rest).toEqual({ columnCount: 2001, isComplete: false });
		expect(rows.map((row) => Object.keys(row).length)).toEqual([
			2001,
			...Array<number>(1000).fill(0),
		]);
	});

	test('are else on the first one only, and the others have their own', () => {
		const { rows } = layOut([
			rowOf(1, 'a'),
			...Array.from({ length: 1500 }, (_, number) => rowOf(1, `b${number}_`)),
		]);
		expect(rows.slice(0, 3).map((row) => Object.keys(row).length)).toEqual([1501, 1, 1]);
	});
});
