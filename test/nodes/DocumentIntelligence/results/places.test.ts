import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import { placesOf } from '../../../../nodes/DocumentIntelligence/results/places';
import type { Path } from '../../../../nodes/DocumentIntelligence/results/paths';

const field = (value: unknown, bbox?: unknown, page: unknown = 1) => ({
	...{ value, confidence: 40, ...(bbox !== undefined && { page, bbox }) },
});

const metadata = {
	total: field('1', [0.1, 0.2, 0.3, 0.4], 2),
	split: field('1', [
		[0, 0, 0.5, 0.5],
		[0.5, 0.5, 1, 1],
	]),
	outside: field('1', [-0.5, 0.9, 0.5, 1.5]),
	beyond: field('1', [2, 2, 3, 3]),
	thousandths: field('1', [100, 200, 300, 400]),
	reversed: field('1', [0.3, 0.2, 0.1, 0.4]),
	text: field('1', ['a', 0, 1, 1]),
	short: field('1', [0, 0, 1]),
	noPage: field('1', [0, 0, 1, 1], null),
	zero: field('1', [0, 0, 1, 1], 0),
	half: field('1', [0, 0, 1, 1], 1.5),
	plain: 'x',
	rows: { items: [field({ a: field('1', [0, 0, 0.2, 0.2]), b: field('2') }, [0, 0, 1, 0.2])] },
};

const whole = [0, 0, 1, 0.2];

test.each<[string, Path, Array<[number, number[]]>]>([
	['a value', ['total'], [[2, [0.1, 0.2, 0.3, 0.4]]]],
	[
		'a value in two places',
		['split'],
		[
			[1, [0, 0, 0.5, 0.5]],
			[1, [0.5, 0.5, 1, 1]],
		],
	],
	['a box that leaves the page is cut off', ['outside'], [[1, [0, 0.9, 0.5, 1]]]],
	['a box outside of the page', ['beyond'], []],
	['what are no fractions', ['thousandths'], []],
	['edges in another order', ['reversed'], []],
	['text', ['text'], []],
	['three numbers', ['short'], []],
	['no page', ['noPage'], []],
	['page 0', ['zero'], []],
	['half a page', ['half'], []],
	['a plain value', ['plain'], []],
	['a field that is not there', ['missing', 'a'], []],
	['a cell', ['rows', 0, 'a'], [[1, [0, 0, 0.2, 0.2]]]],
	['a cell without a place has that of its row', ['rows', 0, 'b'], [[1, whole]]],
	['a row', ['rows', 0], [[1, whole]]],
])('%s', (_, path, expected) => {
	const places = placesOf(readMetadata(metadata), path);
	expect(places).toEqual(expected.map(([page, box]) => ({ page, box })));
});
