import { asDirectResult } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobResult';
import { parseJson } from '../../../../../nodes/DocumentIntelligence/text/parseJson';

test('the service’s own names get their direct spelling, at every depth', () => {
	const stored = {
		Results: [{ FileName: 'a.pdf', Pages: 2, Box: { Left: [{ X: 1 }] } }],
		Id: null,
	};
	expect(asDirectResult(stored)).toEqual({
		results: [{ fileName: 'a.pdf', pages: 2, box: { left: [{ x: 1 }] } }],
		id: null,
	});
});

test('names that the node reads are known without regard to case', () => {
	const stored = { METADATA: { TOTAL: 1 }, Quality: { OVERALL: 2 }, box2d: [], IMAGEURLS: null };
	expect(asDirectResult(stored)).toEqual({
		metadata: { TOTAL: 1 },
		quality: { overall: 2 },
		box2D: [],
		imageUrls: null,
	});
	expect(asDirectResult({ RESULTS: 1, Results: 2 })).toEqual({ results: 1, Results: 2 });
});

test('a result that is spelled directly stays as it is', () => {
	const direct = { id: '1', box2D: [1, 2], metadata: { Total: { Value: 1 } }, 'Ä x': { ß: 1 } };
	expect(asDirectResult({ ...direct })).toEqual({ ...direct, 'ä x': { ß: 1 }, 'Ä x': undefined });
});

test.each([['Metadata'], ['metadata']])(
	'%s is the template’s: what is in it stays as it is',
	(name) => {
		const metadata = { DocumentType: 'Invoice', Fields: { Total: { Value: '1' } }, Metadata: {} };
		expect(asDirectResult({ [name]: metadata })).toEqual({ metadata });
		expect(asDirectResult([{ Page: { [name]: metadata } }])).toEqual([{ page: { metadata } }]);
	},
);

test('of two spellings of a name both are kept', () => {
	expect(asDirectResult({ Pages: 1, pages: 2 })).toEqual({ Pages: 1, pages: 2 });
	expect(asDirectResult({ pages: 2, Pages: 1 })).toEqual({ Pages: 1, pages: 2 });
	const both = { Metadata: { Fields: 1 }, metadata: { Fields: 2 } };
	expect(asDirectResult(both)).toEqual(both);
});

test.each([[null], ['Text'], [1], [true], [[]], [['A', 1]]])('%j is passed on', (value) => {
	expect(asDirectResult(value)).toEqual(value);
});

test('a name of the language is a name like any other, and changes no prototype', () => {
	const stored = parseJson('{"__proto__":{"A":1},"Constructor":2,"ToString":3}') as object;
	const direct = asDirectResult(stored) as object;
	expect(Object.getPrototypeOf(direct)).toBe(Object.prototype);
	expect(Object.entries(direct)).toEqual([
		['__proto__', { a: 1 }],
		['constructor', 2],
		['toString', 3],
	]);
});

test('what was read is not changed', () => {
	const stored = { Results: [{ FileName: 'a' }] };
	asDirectResult(stored);
	expect(stored).toEqual({ Results: [{ FileName: 'a' }] });
});
