import { readSegments, remarksOn } from '../../../../nodes/DocumentIntelligence/results/segments';

/** The only document of an answer that holds it in a list. */
function read(segment: object) {
	const segments = readSegments({ segments: [segment] });
	if (segments?.length !== 1) throw new Error('There is not one document.');
	return segments[0]!;
}

test.each<[string, object, number[]]>([
	['a list', { pages: [5, 4, 4] }, [4, 5]],
	['a list of texts', { pages: ['1', '3-4'] }, [1, 3, 4]],
	['a text', { pages: '1-3, 5' }, [1, 2, 3, 5]],
	['start and end', { startPage: 2, endPage: 4 }, [2, 3, 4]],
	['first and last', { firstPage: '2', lastPage: '4' }, [2, 3, 4]],
	['a range from and to', { pageRange: { from: 2, to: 4 } }, [2, 3, 4]],
	['a range as text', { pageRange: '1-3' }, [1, 2, 3]],
	['of ten and more, in no order', { pages: '10, 2-3, 9' }, [2, 3, 9, 10]],
	['pages from and to', { pages: { from: 2, to: 3 } }, [2, 3]],
	['a field object', { pages: { value: '1-3', confidence: 90 } }, [1, 2, 3]],
	['field objects', { pages: [{ value: 1 }, { Value: '3', Confidence: 9 }] }, [1, 3]],
	['a range with start and end', { pageRange: { start: 2, end: 4 } }, [2, 3, 4]],
	['the wrong way round', { startPage: 4, endPage: 2 }, [2, 3, 4]],
	['how many, and their range', { pages: 2, startPage: 1, endPage: 2 }, [1, 2]],
	['one end', { startPage: 3 }, []],
	['a list that is not all pages', { pages: [1, 'cover'] }, []],
	['a fraction', { firstPage: 1.5, lastPage: 2 }, []],
	['more than any file has, as text', { pages: '1-999999999' }, []],
	['beyond what numbers count', { pages: '9999999999999990-9999999999999999' }, []],
])('pages, %s', (_, said, pages) => {
	expect(read({ type: 'invoice', ...said })).toMatchObject({ documentType: 'invoice', pages });
});

test.each<[object, string | null]>([
	[{ documentType: 'Invoice' }, 'Invoice'],
	[{ detectedType: ' Invoice ' }, 'Invoice'],
	[{ type: 'Invoice', label: 'other' }, 'Invoice'],
	[{ DocumentType: 'Invoice' }, 'Invoice'],
	[{ type: { value: 'Invoice', confidence: 90 } }, 'Invoice'],
	[{ class: 'Invoice' }, null],
	[{ type: { name: 'Invoice' } }, null],
])('the type of %j', (said, documentType) => {
	expect(read({ pages: '1', ...said }).documentType).toBe(documentType);
});

test('whatever else is said is kept, under its own name', () => {
	const otherFields = { confidence: 0.9, label: 'x', startPage: 1, from: { a: [] } };
	expect(read({ Type: 'a', pages: '1-2', ...otherFields })).toEqual({
		...{ documentType: 'a', pages: [1, 2], isReversed: false, otherFields },
	});
	expect(read({ type: 'a', pages: 'all' }).otherFields).toEqual({ pages: 'all' });
	expect(read({ documentType: null, type: '', pages: '1' }).otherFields).toEqual({});
});

const two = [{ type: 'a', pages: '1' }, { type: 'b' }];

test.each<[string, unknown]>([
	['segments', { segments: two }],
	['documents', { documents: two }],
	['results', { results: two }],
	['metadata', { id: 'x', metadata: { Segments: two } }],
	['any name in the metadata', { metadata: { parts: two, warnings: [{ level: 1 }] } }],
	['any name beside the metadata', { id: 'x', parts: two, metadata: null }],
	['items', { metadata: { items: two } }],
	['items of a table', { metadata: { parts: { items: two, confidence: 90 } } }],
	['the value of a field object', { metadata: { parts: { value: two, confidence: 90 } } }],
	['the metadata', { metadata: two }],
	['all of the data', two],
	['a known name before others', { metadata: { Documents: two, parts: [{ type: 'x' }] } }],
	['null among them', { segments: [null, ...two, null] }],
	['another list before', { segments: [], documents: [{ id: 1 }], results: two }],
])('the list, %s', (_, data) => {
	expect(readSegments(data)?.map(({ documentType, pages }) => [documentType, pages])).toEqual([
		['a', [1]],
		['b', []],
	]);
});

test.each<[unknown]>([
	[null],
	['1-3'],
	[{ segments: [] }],
	[{ segments: [{ id: 'x' }] }],
	[{ segments: [...two, 'c'] }],
	[{ result: { segments: two } }],
	[{ metadata: { parts: two, others: [{ pages: '1' }] } }],
])('no list of documents in %j', (data) => {
	expect(readSegments(data)).toBeUndefined();
});

test.each<[string[], number | undefined, string[]]>([
	[['1-2', '3'], 3, []],
	[['1-2', '3'], undefined, []],
	[['1-2', '5'], 5, ['pages 3-4 in no document']],
	[['1-2', '4-9'], 6, [`pages 7-9 beyond the file's 6 pages`, 'page 3 in no document']],
	[['1-3', '2', '3'], 3, ['pages 2-3 in several documents']],
	[['3-1'], 3, ['a page range in reverse order']],
	[['1', 'all'], 9, ['no page numbers for 1 of 2 documents']],
	[['1', '3', '5', '7', '9', '11'], 12, ['pages 2, 4, 6, 8, 10, … in no document']],
])(
	'pages in no document, in several, or beyond the file are noted: %j of %j pages',
	(said, pageCount, remarks) => {
		const segments = readSegments({ segments: said.map((pages) => ({ type: 'x', pages })) });
		expect(remarksOn(segments ?? [], pageCount)).toEqual(remarks);
	},
);
