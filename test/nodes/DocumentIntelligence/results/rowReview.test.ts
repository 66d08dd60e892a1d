import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import {
	buildRows,
	type DocumentValues,
} from '../../../../nodes/DocumentIntelligence/results/rows';

describe('Where a person should look', () => {
	const metadata = {
		type: 'x',
		fields: {
			total: 9,
			seller: { city: 'Porto' },
			lines: [{ a: 1 }, null, { a: 2, b: { c: 3 }, total: 4 }],
			taxes: [{ rate: 5 }, { rate: 6 }],
			type: 'y',
		},
	};
	const doubts = {
		lowConfidenceFields: [
			['fields', 'total'],
			['fields', 'seller', 'city'],
			['fields', 'lines', 0, 'a'],
			['fields', 'lines', 2, 'b', 'c'],
			['fields', 'lines', 2, 'total'],
			['fields', 'taxes', 0, 'rate'],
			['fields', 'taxes', 1, 'rate'],
			['fields', 'type'],
			['fields', 'gone'],
		].map((path) => ({ path, why: 'is odd' })),
		uncertainFields: undefined,
	};
	const listed = (more: Partial<DocumentValues>) => {
		const document = { metadata: readMetadata(metadata), additions: {}, doubts, ...more };
		return buildRows([document]).rows.flatMap((rows) =>
			rows.map(({ lowConfidenceFields, ...row }) => {
				expect(row).not.toHaveProperty('uncertainFields');
				return lowConfidenceFields;
			}),
		);
	};
	const additions = { lowConfidenceFields: ['before'] };

	test('is on each line by its name: what the line repeats, another table as a whole, and what is its own', () => {
		const repeated = 'total, seller.city, taxes, type, gone';
		expect(listed({ additions, rowsFrom: 'lines' })).toEqual([
			`${repeated}, lines[0].a`,
			`${repeated}, lines[2].b.c, lines[2].total`,
		]);
	});

	test.each([
		['that is one row', undefined],
		['without the table', 'none'],
	])('is by its name in the row of a document %s', (_, rowsFrom) => {
		expect(listed({ additions, rowsFrom })).toEqual([
			'total, seller.city, lines[0].a, lines[2].b.c, lines[2].total, taxes[0].rate, taxes[1].rate, type, gone',
		]);
	});
});
