import { compareFaces, isComparison } from '../../../../nodes/DocumentIntelligence/results/faces';

interface Match {
	sourceDocumentId: unknown;
	selfieDocumentId: string;
	score: unknown;
	matched: unknown;
	tooManyFaces: boolean;
}

const match = (sourceDocumentId: unknown, more: Partial<Match> = {}): Match => ({
	...{ sourceDocumentId, selfieDocumentId: 's', score: 0.9, matched: true, tooManyFaces: false },
	...more,
});

const face = (sourceDocumentId: unknown, hasFace: unknown = true) => ({
	sourceDocumentId,
	hasFace,
});

/** `a- b* c:x`: a does not match, b shows several faces, and c is compared with x in place of the selfie s. */
const matchesIn = (text: string) =>
	[...text.matchAll(/(\w+)([-*]?)(?::(\w*))?/g)].map(([, id, mark, selfieDocumentId = 's']) =>
		match(id, { selfieDocumentId, matched: mark !== '-', tooManyFaces: mark === '*' }),
	);

/** `a b!`: b shows no face. */
const facesIn = (text: string) =>
	[...text.matchAll(/(\w+)(!?)/g)].map(([, id, mark]) => face(id, mark === ''));

type Listed = string | unknown[];

function compared(faces: Listed, matches: Listed, isEvery = true, skipped = 0) {
	const data = {
		requestId: 'r',
		extractions: typeof faces === 'string' ? facesIn(faces) : faces,
		matches: typeof matches === 'string' ? matchesIn(matches) : matches,
	};
	return compareFaces(data, 2 - skipped, skipped, isEvery);
}

/** Of two documents: how many have matched, how many have no face, and why a person should decide. */
type Outcome = [documentsMatched: number, documentsWithoutFace: number, ...reasons: string[]];

const NO_FACE = '1 of 2 documents shows no face';
const ONE_MISSING = '1 of 2 documents is not in the response';
const ALL_MISSING = '2 of 2 documents are not in the response';
const SEVERAL_FACES = '1 of 2 documents shows several faces';
const NO_SELFIE: Outcome = [0, 0, 'the selfie shows no face'];
const UNCLEAR: Outcome = [0, 0, 'the response does not show which documents it compares'];

test.each<[string, Listed, Listed, Outcome]>([
	['both match', 'a b', 'a b', [2, 0]],
	['one does not', 'a b', 'a b-', [1, 0]],
	['neither does', 'a b', 'a- b-', [0, 0]],
	['both match, without a list of faces', '', 'a b', [2, 0]],
	['both match, by numbers as IDs', [face(1), face('2')], [match('1'), match(2)], [2, 0]],
	['both match, and the selfie is listed', 's a b', 'a b', [2, 0]],
	['one has no face', 'a b!', 'a', [1, 1, NO_FACE]],
	['one has no face, and matches', 'a b!', 'a b', [1, 1, NO_FACE]],
	['a face that cannot be read', [face('a'), face('b', '?')], 'a b', [1, 1, NO_FACE]],
	['one has no entry', 'a b', 'a', [1, 0, ONE_MISSING]],
	['one is not in the list of faces', 'a', 'a b', [1, 0, ONE_MISSING]],
	['one is mentioned nowhere', 'a', [match('a'), null], [1, 0, ONE_MISSING]],
	['one does not match, one is mentioned nowhere', 'a', 'a-', [0, 0, ONE_MISSING]],
	['one has an entry that names no selfie', 'a b', 'a b:', [1, 0, ONE_MISSING]],
	['one shows several faces', 'a b', 'a b*', [2, 0, SEVERAL_FACES]],
	['one has entries that contradict each other', 'a b', 'a b b-', [1, 0, SEVERAL_FACES]],
	['one ID in two spellings', '', [match('A'), match('a ')], [1, 0, SEVERAL_FACES, ONE_MISSING]],
	['nothing is said', '', '', [0, 0, ALL_MISSING]],
	['nothing but null is said', '', [null], [0, 0, ALL_MISSING]],
	['a selfie without a face', 's! a b', 'a b', NO_SELFIE],
	['two documents match each other', 'a b', 'a- b- a:b b:a', UNCLEAR],
	['a second selfie', 'a b', 'a b:other', UNCLEAR],
	['a document in place of the selfie', 'a b', 'a:b', UNCLEAR],
	['the selfie matches itself', '', 'a s', UNCLEAR],
	['the selfie in place of a document, in capitals', 'S a', 'a S', UNCLEAR],
	['more documents than were sent', 'a b', 'a b x', UNCLEAR],
	['a document listed twice', 'a b b!', 'a b', UNCLEAR],
	['an entry of no document', 'a b', [match('a'), match('b'), match('')], UNCLEAR],
])('%s', (_, faces, matches, [documentsMatched, documentsWithoutFace, ...reviewReasons]) => {
	for (const isEvery of [true, false]) {
		const comparison = compared(faces, matches, isEvery);
		expect(comparison).toMatchObject({
			matched: isEvery ? documentsMatched === 2 : documentsMatched > 0,
			needsReview: reviewReasons.length > 0,
			...{ reviewReasons, documentsSent: 2, documentsMatched },
		});
		const isUnclear = reviewReasons[0] === UNCLEAR[2];
		if (!isUnclear) expect(comparison).toMatchObject({ documentsWithoutFace });
	}
});

test.each([true, false])('a skipped document has not matched (every: %s)', (isEvery) => {
	expect(compared('a', 'a', isEvery, 1)).toMatchObject({
		matched: !isEvery,
		needsReview: true,
		...{ documentsSent: 1, documentsMatched: 1 },
		reviewReasons: ['1 of 2 documents was not sent: unsupported file type'],
	});
});

test('one of two documents has 130,000 entries', () => {
	const matches = [...Array<object>(130_000).fill(match('a')), match('b')];
	const expected = { matched: true, bestScore: 0.9, reviewReasons: [SEVERAL_FACES] };
	expect(compared('a b', matches)).toMatchObject(expected);
});

test.each<[unknown]>([['true'], ['yes'], [1], [{}], [[true]], [null], [undefined]])(
	'an entry with matched as %j has not matched',
	(matched) => {
		const comparison = compared('a b', [match('a'), match('b', { matched })]);
		expect(comparison).toMatchObject({ matched: false, needsReview: true, documentsMatched: 1 });
	},
);

test.each<[string, unknown[], number | null]>([
	['texts are read', [match('a', { score: '0.95' }), match('b', { score: 0.5 })], 0.95],
	['what is no number is not a score', [match('a', { score: 'high' })], null],
	['zero is a score', [match('a', { matched: false, score: 0 })], 0],
	[
		'that of another comparison does not count',
		[match('a', { score: 0.5 }), match('b', { score: 1, selfieDocumentId: '' })],
		0.5,
	],
])('bestScore: %s', (_, matches, bestScore) => {
	expect(compared('a b', matches)).toMatchObject({ bestScore });
});

test.each<[object]>([
	[{ isMatch: true, similarity: 0.93 }],
	[{ extractions: 'x', matches: { length: 2 } }],
	[{ extractions: null, matches: [{ matched: true }] }],
	[{ extractions: 'x', matches: [match('a')] }],
	[{ matches: { a: match('a') } }],
	[{ extractions: [face('a')], matches: [match('a', { matched: 'yes' })] }],
	[{ matches: [{ sourceDocumentId: 'a', selfieDocumentId: 's', isMatch: true }] }],
])('%j is no comparison that can be read', (data) => {
	expect(isComparison({ ...data })).toBe(false);
});
