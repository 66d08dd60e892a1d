import {
	listsItsPages,
	pagesSaidIn,
	type Range,
} from '../../../../nodes/DocumentIntelligence/results/pageRanges';

const said = (entry: object, numberIsPage = false) => pagesSaidIn({ ...entry }, numberIsPage);
const rangesIn = (entry: object) => said(entry).ranges.map(({ from, to }: Range) => [from, to]);

/** An object in so many others, each under this name. */
function inside(name: string, levels: number, entry: unknown): object {
	return { [name]: levels === 1 ? entry : inside(name, levels - 1, entry) };
}

test('what says the pages is named, and whether only a number says where they end', () => {
	expect(said({ id: 1, firstPage: 2, lastPage: 4 })).toEqual({
		ranges: [{ from: 2, to: 4 }],
		names: ['firstPage', 'lastPage'],
		isCounted: false,
	});
	expect(said({ startPage: 2, pageCount: 3 })).toEqual({
		ranges: [{ from: 2, to: 4 }],
		names: ['startPage', 'pageCount'],
		isCounted: true,
	});
	expect(said({ page: 2 })).toEqual({
		ranges: [{ from: 2, to: 2 }],
		names: ['page'],
		isCounted: false,
	});
	expect(said({ pages: '2-4', page_range: [4, 2] })).toEqual({
		ranges: [{ from: 2, to: 4 }],
		names: ['pages', 'page_range'],
		isCounted: false,
	});
	expect(said({ location: { firstPage: 2, lastPage: 4 } })).toEqual({
		ranges: [{ from: 2, to: 4 }],
		names: [],
		isCounted: false,
	});
	expect(said({ id: 1 })).toEqual({ ranges: [], names: [], isCounted: false });
});

test('a number named pages is how many there are, or a page; a text is a page', () => {
	expect(said({ pages: 3 }).ranges).toEqual([]);
	expect(said({ pages: 3 }, true).ranges).toEqual([{ from: 3, to: 3 }]);
	expect(said({ pages: '3' }).ranges).toEqual([{ from: 3, to: 3 }]);
});

test.each([null, '', '  ', [], {}])('a value that is empty, %j, says nothing', (value) => {
	expect(rangesIn({ page: 1, pages: value })).toEqual([[1, 1]]);
	expect(rangesIn({ page: 1, lastPage: value })).toEqual([[1, 1]]);
});

test('a value that is not, does', () => {
	expect(rangesIn({ page: 1, pages: 'all' })).toEqual([]);
	expect(rangesIn({ page: 1, lastPage: 'the last' })).toEqual([]);
});

test('pages may be counted from 0, and there is no document of 0 pages', () => {
	expect(rangesIn({ firstPage: 0, lastPage: 2 })).toEqual([[0, 2]]);
	expect(rangesIn({ page: 1, pageCount: 0 })).toEqual([[1, 1]]);
	expect(rangesIn({ startPage: 4, pageCount: 0 })).toEqual([]);
});

test('one end alone, or one that is a range, is no range', () => {
	expect(rangesIn({ lastPage: 5 })).toEqual([]);
	expect(rangesIn({ firstPage: '1-3' })).toEqual([]);
	expect(rangesIn({ startPage: '1-3', lastPage: 5 })).toEqual([]);
});

test('the ends of a list may be said before it', () => {
	expect(rangesIn({ pageRange: '2-4', pages: [2, 4] })).toEqual([
		[2, 2],
		[4, 4],
	]);
	expect(rangesIn({ firstPage: 1, lastPage: 7, pages: '1, 3, 5-7' })).toEqual([
		[1, 1],
		[3, 3],
		[5, 7],
	]);
});

test('an end or a number of pages that contradicts a list leaves no pages', () => {
	expect(rangesIn({ pages: [1, 2, 3], lastPage: 5 })).toEqual([]);
	expect(rangesIn({ pages: [1, 2, 3], firstPage: 2 })).toEqual([]);
	expect(rangesIn({ pages: [1, 2, 3], pageCount: 4 })).toEqual([]);
	expect(rangesIn({ pages: [1, 2, 3], firstPage: 1, pageCount: 3 })).toEqual([
		[1, 1],
		[2, 2],
		[3, 3],
	]);
});

describe('Pages that are said in an object inside', () => {
	test('count where what is said beside it fits', () => {
		expect(rangesIn({ pageCount: 3, location: { startPage: 1, endPage: 3 } })).toEqual([[1, 3]]);
		expect(rangesIn({ pageCount: 5, location: { startPage: 1, endPage: 3 } })).toEqual([]);
		expect(rangesIn({ pageCount: 3, from: 1, to: 3 })).toEqual([[1, 3]]);
		expect(rangesIn({ pageCount: 5, from: 1, to: 3 })).toEqual([]);
	});

	test('count where all objects that say pages say the same', () => {
		const one = { firstPage: 1, lastPage: 3 };
		expect(rangesIn({ one, other: { pages: [1, 2, 3] }, more: { id: 1 } })).toEqual([[1, 3]]);
		expect(rangesIn({ one: { pages: '1-2, 5' }, other: { pages: '1-2' } })).toEqual([]);
		expect(rangesIn({ one: { pages: '1-2' }, other: { pages: '1-2, 5' } })).toEqual([]);
		expect(rangesIn({ one: { pages: '1, 5' }, other: { pages: '1, 7' } })).toEqual([]);
		expect(rangesIn({ one, other: { from: 5, to: 9 } })).toEqual([[1, 3]]);
	});

	test.each([
		['an object', (levels: number) => inside('more', levels, { firstPage: 1, lastPage: 1 })],
		['an object with a name that says pages', (levels: number) => inside('pages', levels + 1, '1')],
		[
			'a list of objects',
			(levels: number) => {
				let entry: object = { page: 1 };
				for (let level = 0; level < levels; level++) entry = { pages: [entry] };
				return entry;
			},
		],
	])('are found in %s, three levels deep', (_, nested) => {
		expect(rangesIn(nested(3))).toEqual([[1, 1]]);
		expect(rangesIn(nested(4))).toEqual([]);
	});
});

describe('A list', () => {
	test.each<[string, object, number[][]]>([
		[
			'of ranges under the name of pages',
			{
				pages: [
					{ from: 1, to: 2 },
					{ from: 4, to: 4 },
				],
			},
			[
				[1, 2],
				[4, 4],
			],
		],
		['of pages with places in their texts', { pages: [{ from: 1, to: 2, text: 'a' }] }, []],
		['of ranges with more', { ranges: [{ from: 1, to: 2, text: 'a' }] }, [[1, 2]]],
		[
			'of three pages under the name of a range',
			{ pageRange: [1, 2, 5] },
			[
				[1, 1],
				[2, 2],
				[5, 5],
			],
		],
		[
			'of a text and a number',
			{ pageRange: ['1', 6] },
			[
				[1, 1],
				[6, 6],
			],
		],
		[
			'of a number and a text',
			{ pageRange: [1, '6'] },
			[
				[1, 1],
				[6, 6],
			],
		],
		['that begins with no page', { pageRange: [1.5, 3] }, []],
		['that ends with no page', { pageRange: [1, 3.5] }, []],
	])('%s', (_, entry, ranges) => {
		expect(rangesIn(entry)).toEqual(ranges);
	});
});

test.each<[string, number[][]]>([
	['page 7', [[7, 7]]],
	[' (1-3) ', [[1, 3]]],
	['[ 3 ]', [[3, 3]]],
	['1, (2)', []],
	['(1), 2', []],
	['x(1)', []],
	['1e3', []],
	['1-100000', [[1, 100_000]]],
	['1-100001', []],
	['100001-1', []],
	['100001', []],
])('the text %j', (text, ranges) => {
	expect(rangesIn({ pages: text })).toEqual(ranges);
});

test.each<[object, boolean]>([
	[{ type: 'x', Pages: '1-3' }, true],
	[{ pages: [1, 2] }, true],
	[{ pages: 3 }, false],
	[{ pages: 3, other: '1-3' }, false],
	[{ pages: 'all' }, false],
	[{ pages: [] }, false],
	[{ pages: [[1, 3]] }, false],
])('whether %j lists its pages: %j', (entry, expected) => {
	expect(listsItsPages({ ...entry })).toBe(expected);
});
