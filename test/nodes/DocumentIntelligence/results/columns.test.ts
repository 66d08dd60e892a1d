import * as fc from 'fast-check';

import {
	detailOf,
	inside,
	nameColumns,
	ROOT,
	rowOfTable,
} from '../../../../nodes/DocumentIntelligence/results/columns';
import { numRuns } from '../../numRuns';

const name = fc.oneof(
	fc.constantFrom('a', 'b', 'a_b', 'fields', 'a_', '', '.', '#', '[]', '\\', 'a.b', 'fields_a'),
	fc.string({ unit: 'binary', maxLength: 2 }),
);
const path = fc.array(name, { minLength: 1, maxLength: 3 });

/** A way to a value, and the place that stands for it. */
const way = fc
	.record({
		table: fc.option(path),
		path,
		detail: fc.option(fc.constantFrom('confidence', 'page')),
	})
	.map((parts) => {
		const { table, path: own, detail } = parts;
		const start = table === null ? ROOT : rowOfTable(table.reduce(inside, ROOT));
		const place = own.reduce(inside, start);
		return { key: JSON.stringify(parts), place: detail === null ? place : detailOf(place, detail) };
	});
const ways = fc.array(way, { minLength: 1, maxLength: 12, size: 'max' });
const taken = fc.array(name, { maxLength: 3 });

test('different ways are different places', () => {
	fc.assert(
		fc.property(ways, (several) => {
			const keys = new Set(several.map(({ key }) => key));
			expect(new Set(several.map(({ place }) => place)).size).toBe(keys.size);
		}),
		numRuns(2000),
	);
});

test('each place has a name of its own, whatever comes first', () => {
	const shuffled = ways.chain((several) => {
		const places = [...new Set(several.map(({ place }) => place))];
		return fc.tuple(fc.constant(places), fc.shuffledSubarray(places, { minLength: places.length }));
	});
	fc.assert(
		fc.property(shuffled, taken, ([places, otherOrder], inUse) => {
			const used = new Set(inUse);
			const names = nameColumns(places, used);
			expect([...names.keys()]).toEqual(places);
			const all = [...names.values(), ...new Set(inUse)];
			expect(new Set(all).size).toBe(all.length);
			expect(used).toEqual(new Set(all));
			const permuted = nameColumns(otherOrder, new Set(inUse));
			for (const place of places) expect(permuted.get(place)).toBe(names.get(place));
		}),
		numRuns(2000),
	);
});

test.each([
	['a', '.a'],
	['a.b', '.a\\.b'],
	['#', '.\\#'],
	['[]', '.\\[\\]'],
	['\\', '.\\\\'],
	['', '.'],
])('the place of %j is %j', (name, place) => {
	expect(inside(ROOT, name)).toBe(place);
	expect(detailOf(ROOT, name)).toBe(place.replace('.', '#'));
});

test.each<[string[], string[]]>([
	[['.fields.total'], ['total']],
	[['.fields'], ['fields']],
	[['.fields#page'], ['fields_page']],
	[['.fields.lineItems[].total'], ['total']],
	[['.fields.lineItems[]#page'], ['page']],
	[['.a.fields.b'], ['a_fields_b']],
	[['.fields\\.a'], ['fields.a']],
	[
		['.fields.total', '.fields.lineItems[].total'],
		['fields_total', 'total'],
	],
	// The shortest path keeps the name, wherever it stands.
	[
		['.total', '.fields.total'],
		['total', 'fields_total'],
	],
	[
		['.fields.total', '.total'],
		['fields_total', 'total'],
	],
	// Of equals, none keeps it.
	[
		['.a[].total', '.b[].total', '.c[].total'],
		['a_total', 'b_total', 'c_total'],
	],
	[
		['.fields.a[].total', '.b.a[].total'],
		['fields_a_total', 'b_a_total'],
	],
	[
		['.x.a[].b', '.y.a[].b', '.a[].b'],
		['x_a_b', 'y_a_b', 'a_b'],
	],
	// Rows of a table in a row count from the first table.
	[['.a[].b[].c'], ['b_c']],
	[
		['.a[].b[].c', '.b.c'],
		['a_b_c', 'b_c'],
	],
	// What is equal at full length is distinguished by underscores, the shortest path first.
	[
		['.a.b', '.a_b'],
		['a_b_', 'a_b'],
	],
	[
		['.a_b.c', '.a.b_c', '.a.b.c', '.a_b_c'],
		['a_b_c__', 'a_b_c_', 'a_b_c___', 'a_b_c'],
	],
	[
		['.b\\.c', '.b\n', '.\\\\', '.'],
		['b.c', 'b\n', '\\', ''],
	],
])('%j is called %j', (places, names) => {
	const used = new Set<string>();
	expect([...nameColumns(places, used).values()]).toEqual(names);
});

test('a name that is taken is given to none', () => {
	const taken = new Set(['total']);
	const places = ['.fields.total', '.fields.lineItems[].total', '.number'];
	expect([...nameColumns(places, taken).values()]).toEqual([
		'fields_total',
		'lineItems_total',
		'number',
	]);
	expect([...nameColumns(['.number'], taken).values()]).toEqual(['number_']);
	expect([...nameColumns(['.a', '.a_'], new Set(['a'])).values()]).toEqual(['a__', 'a_']);
	expect([...nameColumns(['.a_', '.a'], new Set(['a', 'a_'])).values()]).toEqual(['a___', 'a__']);
});
