import * as fc from 'fast-check';

import { nameColumns } from '../../../../nodes/DocumentIntelligence/results/columns';
import { numRuns } from '../../numRuns';

const name = fc.oneof(
	fc.constantFrom('a', 'b', 'a_b', 'fields', 'a_', '', '.', '#', '[]', '\\', 'a.b', 'fields_a'),
	fc.string({ unit: 'binary', maxLength: 2 }),
);
const path = fc.array(name, { minLength: 1, maxLength: 3 });

/** Of a value of a document or of a table, or of a detail of it. */
const place = fc
	.record({
		table: fc.option(path),
		path,
		detail: fc.option(fc.constantFrom('confidence', 'page')),
	})
	.map(({ table, path: own, detail }) =>
		JSON.stringify([
			...(table === null ? [] : [...table, 0]),
			...own,
			...(detail === null ? [] : [[detail]]),
		]),
	);
const taken = fc.array(name, { maxLength: 3 });

test('each place has a name of its own, whatever comes first', () => {
	const places = fc.uniqueArray(place, { minLength: 1, maxLength: 12, size: 'max' });
	const shuffled = places.chain((several) =>
		fc.tuple(fc.constant(several), fc.shuffledSubarray(several, { minLength: several.length })),
	);
	fc.assert(
		fc.property(shuffled, taken, ([places, otherOrder], inUse) => {
			const used = new Set(inUse);
			const names = nameColumns(new Set(places), used);
			expect([...names.keys()]).toEqual(places);
			const all = [...names.values(), ...new Set(inUse)];
			expect(new Set(all).size).toBe(all.length);
			expect(used).toEqual(new Set(all));
			const permuted = nameColumns(new Set(otherOrder), new Set(inUse));
			for (const place of places) expect(permuted.get(place)).toBe(names.get(place));
		}),
		numRuns(2000),
	);
});

/** A place as it is written in these tests: `.` before a name, `#` before a detail, `[]` for the rows of a table. */
function placeAt(written: string): string {
	const steps = [...written.matchAll(/([.#]|\[\])([^.#[]*)/g)].map(([, kind, name]) => {
		if (kind === '[]') return 0;
		return kind === '#' ? [name] : name;
	});
	return JSON.stringify(steps);
}

test.each([
	['.fields.total', 'total'],
	['.fields#page', 'page'],
	['.fields.lineItems[].total', 'total'],
	['.a.fields.b', 'a_fields_b'],
	['.fields.total .fields.lineItems[].total', 'fields_total total'],
	// The shortest path keeps the name, wherever it stands.
	['.total .fields.total', 'total fields_total'],
	// Of equals, none keeps it.
	['.a[].total .b[].total .c[].total', 'a_total b_total c_total'],
	// Rows of a table in a row count from the first table.
	['.a[].b[].c', 'b_c'],
	// What is equal at full length is distinguished by underscores, the shortest path first.
	['.a_b.c .a.b_c .a.b.c .a_b_c', 'a_b_c__ a_b_c_ a_b_c___ a_b_c'],
	// A name that is taken is given to none.
	[
		'.fields.total .fields.lineItems[].total .number',
		'fields_total lineItems_total number',
		'total',
	],
	['.a_ .a', 'a___ a__', 'a a_'],
])('%s: the columns are called %s', (places, names, inUse = '') => {
	const taken = new Set(inUse.split(' '));
	const named = nameColumns(new Set(places.split(' ').map(placeAt)), taken);
	expect([...named.values()]).toEqual(names.split(' '));
});
