import { asDirectResult } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobResult';
import { parseJson } from '../../../../../nodes/DocumentIntelligence/text/json';

test.each<[string, unknown, unknown]>([
	[
		'names of the service, at every depth',
		{ Results: [{ FileName: 'a.pdf', Box: { Left: [{ X: 1 }] } }], Id: null },
		{ results: [{ fileName: 'a.pdf', box: { left: [{ x: 1 }] } }], id: null },
	],
	[
		'names with other capitals, which keep them',
		{ QUALITY: { Overall: 2 }, Box2D: [], ImageUrls: null },
		{ QUALITY: { overall: 2 }, box2D: [], imageUrls: null },
	],
	[
		'names of a template, which stay',
		[{ Page: { Metadata: { DocumentType: 'Invoice', Metadata: {} } } }],
		[{ page: { metadata: { DocumentType: 'Invoice', Metadata: {} } } }],
	],
	['two spellings of a name', { pages: 2, Pages: 1 }, { pages: 2, Pages: 1 }],
	['no object', ['A', 1, null], ['A', 1, null]],
])('%s', (_, stored, direct) => {
	const before = structuredClone(stored);
	expect(asDirectResult(stored)).toEqual(direct);
	expect(stored).toEqual(before);
});

test('a name of the language is a name like any other, and changes no prototype', () => {
	const direct = asDirectResult(parseJson('{"__proto__":{"A":1},"Constructor":2}')) as object;
	expect(Object.getPrototypeOf(direct)).toBe(Object.prototype);
	expect(Object.entries(direct)).toEqual([
		['__proto__', { a: 1 }],
		['constructor', 2],
	]);
});
