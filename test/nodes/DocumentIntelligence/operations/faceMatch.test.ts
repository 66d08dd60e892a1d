import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, useService } from '../../service';

const service = useService();
let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	await useBinaryMode('filesystem');
	const [selfie, front, back] = await Promise.all(
		['portrait.png', 'id-card.png', 'two-cards.jpg'].map(async (name) => await storedSample(name)),
	);
	if (!selfie || !front || !back) throw new Error('Nothing was stored.');
	binary = { selfie, front, back };
});

const match = (sourceDocumentId: unknown, matched: unknown, more: object = {}) => ({
	...{ sourceDocumentId, selfieDocumentId: 's', score: matched === true ? 0.9 : 0.1 },
	...{ matched, tooManyFaces: false, ...more },
});
const extraction = (sourceDocumentId: unknown, hasFace: unknown) => ({
	sourceDocumentId,
	hasFace,
	documentType: 'Identity Card',
	cropSignedUrl: null,
});
const bothWithFace = [extraction('a', true), extraction('b', true)];

/** The decision of the node over a selfie and documents, of which two are sent unless told otherwise. */
async function decided(
	data: unknown,
	parameters: IDataObject = {},
	documentsField = 'front, back',
): Promise<{ json: IDataObject; hints: string[] }> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const { items, hints } = await service.run(
		{ operation: 'faceMatch', documentsField, ...parameters },
		[{ json: { when: 'any' }, binary }],
		{ onError: 'continueRegularOutput' },
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	for (const { message } of hints) expect(message).not.toMatch(AVOIDED_WORDS);
	return { json: items[0]?.json ?? {}, hints: hints.map(({ message }) => message) };
}

const NO_FACE =
	"1 document shows no face, so 'Every Document Matches' cannot be true: send only sides with a face, or set 'Match When' to Any Document Matches";
const UNCLEAR = 'the response leaves open which documents it compares';
const missing = (count: string) => `${count} without an entry in the response`;

test('the item of a decision, and the warning that goes with it', async () => {
	const { json, hints } = await decided({
		requestId: 'r',
		extractions: [extraction('a', true), extraction('b', false)],
		matches: [match('a', true)],
	});
	const card = { tooManyFaces: false, documentType: 'Identity Card' };
	expect(json).toEqual({
		matched: false,
		needsReview: true,
		bestScore: 0.9,
		documentsSent: 2,
		documentsMatched: 1,
		documentsWithoutFace: 1,
		requestId: 'r',
		matches: [
			{ ...card, matched: true, score: 0.9, hasFace: true, sourceDocumentId: 'a' },
			{ ...card, matched: false, score: null, hasFace: false, sourceDocumentId: 'b' },
		],
		creditsConsumed: 1,
	});
	expect(hints).toEqual([
		expect.stringContaining(
			`"portrait.png" (with "id-card.png", "two-cards.jpg"): ${NO_FACE}`,
		) as string,
	]);
});

/** Of two documents: how many have matched, how many have no face, and why a person should decide. */
type Outcome = [documentsMatched: number, documentsWithoutFace: number, doubts: string | undefined];

const bothMatch = [match('a', true), match('b', true)];

test.each<[string, object, Outcome]>([
	['both match', { extractions: bothWithFace, matches: bothMatch }, [2, 0, undefined]],
	[
		'one does not',
		{ extractions: bothWithFace, matches: [match('a', true), match('b', false)] },
		[1, 0, undefined],
	],
	[
		'neither does',
		{ extractions: bothWithFace, matches: [match('a', false), match('b', false)] },
		[0, 0, undefined],
	],
	[
		'both match, without a list of faces',
		{ extractions: [], matches: bothMatch },
		[2, 0, undefined],
	],
	[
		'both match, by numbers as IDs',
		{
			extractions: [extraction(1, true), extraction('2', true)],
			matches: [match('1', true), match(2, true)],
		},
		[2, 0, undefined],
	],
	[
		'both match, and the selfie is listed as well',
		{ extractions: [extraction('s', true), ...bothWithFace], matches: bothMatch },
		[2, 0, undefined],
	],
	[
		'one has no face',
		{ extractions: [extraction('a', true), extraction('b', false)], matches: [match('a', true)] },
		[1, 1, NO_FACE],
	],
	[
		'one has no face, and matches all the same',
		{ extractions: [extraction('a', true), extraction('b', false)], matches: bothMatch },
		[1, 1, NO_FACE],
	],
	[
		'a face that cannot be read',
		{ extractions: [extraction('a', true), extraction('b', 'perhaps')], matches: bothMatch },
		[1, 1, NO_FACE],
	],
	[
		'one has no entry',
		{ extractions: bothWithFace, matches: [match('a', true)] },
		[1, 0, missing('1 document')],
	],
	[
		'one has no entry in the list of faces',
		{ extractions: [extraction('a', true)], matches: bothMatch },
		[1, 0, missing('1 document')],
	],
	[
		'one is mentioned nowhere',
		{ extractions: [extraction('a', true)], matches: [match('a', true), null] },
		[1, 0, missing('1 document')],
	],
	[
		'one shows several faces',
		{
			extractions: bothWithFace,
			matches: [match('a', true), match('b', true, { tooManyFaces: true })],
		},
		[2, 0, '1 document shows several faces'],
	],
	[
		'one has entries that contradict each other',
		{ extractions: bothWithFace, matches: [...bothMatch, match('b', false)] },
		[1, 0, '1 document shows several faces'],
	],
	[
		'one has an entry that does not name the selfie',
		{
			extractions: bothWithFace,
			matches: [match('a', true), match('b', true, { selfieDocumentId: null })],
		},
		[1, 0, missing('1 document')],
	],
	[
		'one ID in two spellings is one document',
		{ matches: [match('A', true), match('a ', true)] },
		[1, 0, `1 document shows several faces; ${missing('1 document')}`],
	],
	['nothing is said', {}, [0, 0, missing('2 documents')]],
	[
		'lists that are none',
		{ extractions: 'x', matches: { length: 2 } },
		[0, 0, missing('2 documents')],
	],
	[
		'entries without IDs',
		{ matches: [{ matched: true }, { matched: true }] },
		[0, 0, missing('2 documents')],
	],
	[
		'two documents match each other',
		{
			extractions: bothWithFace,
			matches: [
				match('a', false),
				match('b', false),
				match('a', true, { selfieDocumentId: 'b' }),
				match('b', true, { selfieDocumentId: 'a' }),
			],
		},
		[0, 0, UNCLEAR],
	],
	[
		'a second selfie',
		{
			extractions: bothWithFace,
			matches: [match('a', true), match('b', true, { selfieDocumentId: 'other' })],
		},
		[0, 0, UNCLEAR],
	],
	[
		'a document in the place of the selfie',
		{ extractions: bothWithFace, matches: [match('a', true, { selfieDocumentId: 'b' })] },
		[0, 0, UNCLEAR],
	],
	['the selfie matches itself', { matches: [match('a', true), match('s', true)] }, [0, 0, UNCLEAR]],
	[
		'the selfie in the place of a document, in capitals',
		{
			extractions: [extraction('S', true), extraction('a', true)],
			matches: [match('a', true), match('S', true)],
		},
		[0, 0, UNCLEAR],
	],
	[
		'more documents than were sent',
		{ extractions: bothWithFace, matches: [...bothMatch, match('x', true)] },
		[0, 0, UNCLEAR],
	],
	[
		'a document that is listed twice',
		{ extractions: [...bothWithFace, extraction('b', false)], matches: bothMatch },
		[0, 0, UNCLEAR],
	],
])('%s', async (_, data, [documentsMatched, documentsWithoutFace, doubts]) => {
	for (const matchWhen of ['every', 'any']) {
		await service.standIn.reset();
		const { json, hints } = await decided(data, { matchWhen });
		expect(json).toMatchObject({
			matched: matchWhen === 'every' ? documentsMatched === 2 : documentsMatched > 0,
			needsReview: doubts !== undefined,
			documentsSent: 2,
			documentsMatched,
		});
		if (doubts !== UNCLEAR) expect(json).toMatchObject({ documentsWithoutFace });
		// Only a wish for every document is one that a document without a face cannot fulfil.
		const said = matchWhen === 'every' ? doubts : doubts?.replace(/, so .*/, '');
		const expected = said === undefined ? [] : [expect.stringContaining(`: ${said}`) as string];
		expect(hints).toEqual(expected);
	}
});

test.each<[unknown]>([['true'], ['yes'], [1], [{}], [[true]], [null], [undefined]])(
	'matched as %j is not true, and no decision',
	async (matched) => {
		const data = { extractions: [extraction('a', true)], matches: [match('a', matched)] };
		for (const matchWhen of ['every', 'any']) {
			await service.standIn.reset();
			const { json } = await decided(data, { matchWhen }, 'front');
			expect(json).toMatchObject({ matched: false, needsReview: true, documentsMatched: 0 });
		}
	},
);

test.each<[string, unknown[], number | null]>([
	['texts are read', [match('a', true, { score: '0.95' }), match('b', true, { score: 0.5 })], 0.95],
	['what is no number is not a score', [match('a', true, { score: 'high' })], null],
	['zero is a score', [match('a', false, { score: 0 })], 0],
	[
		'that of another comparison does not count',
		[match('a', true, { score: 0.5 }), match('b', true, { score: 1, selfieDocumentId: null })],
		0.5,
	],
])('bestScore: %s', async (_, matches, bestScore) => {
	expect((await decided({ extractions: bothWithFace, matches })).json).toMatchObject({ bestScore });
});

test.each([null, [], 'matched', true])(
	'data that is no object (%j) is a failed item, not a decision',
	async (data) => {
		expect(failureOf({ json: (await decided(data)).json }).message).toMatch(
			/^The response for "portrait\.png" \(with "id-card\.png", "two-cards\.jpg"\)/,
		);
	},
);

describe('Match When', () => {
	const oneOfTwo = { extractions: bothWithFace, matches: [match('a', true), match('b', false)] };

	test.each([
		[{}, false],
		[{ matchWhen: 'every' }, false],
		[{ matchWhen: 'any' }, true],
		[{ matchWhen: '={{ $json.when }}' }, true],
	])('as %j, one match of two is %j', async (parameters, matched) => {
		expect((await decided(oneOfTwo, parameters)).json).toMatchObject({ matched });
	});

	test.each(['={{ "some" }}', '={{ true }}'])(
		'%s, which the list does not have, is refused before anything is sent',
		async (matchWhen) => {
			const { message } = failureOf({ json: (await decided(oneOfTwo, { matchWhen })).json });
			expect(message).toMatch(/^Unknown Match When "(some|true)"$/);
			expect(await service.calls()).toEqual([]);
		},
	);
});

describe('A document that Ignore Unsupported Files skips was not compared', () => {
	const skippedBack = async (matchWhen: string) => {
		await service.standIn.queueFaults([
			{
				kind: 'answer',
				data: { extractions: [extraction('a', true)], matches: [match('a', true)] },
			},
		]);
		const { items } = await service.run(
			{
				operation: 'faceMatch',
				documentsField: '*',
				matchWhen,
				options: { ignoreUnsupportedFiles: true },
			},
			[
				{
					json: {},
					binary: {
						selfie: binary.selfie!,
						front: binary.front!,
						back: await storedSample('notes.txt'),
					},
				},
			],
		);
		return items[0]?.json ?? {};
	};

	test.each([
		['every', false],
		['any', true],
	])('%s: matched is %j, and a person should decide', async (matchWhen, matched) => {
		expect(await skippedBack(matchWhen)).toMatchObject({
			matched,
			needsReview: true,
			documentsSent: 1,
			documentsMatched: 1,
			documentsSkipped: 1,
		});
	});
});

describe('The selfie is not compared with itself', () => {
	test('where two fields hold one stored file', async () => {
		const { items } = await service.run(
			{ operation: 'faceMatch', documentsField: 'front' },
			[{ json: {}, binary: { selfie: binary.selfie!, front: { ...binary.selfie! } } }],
			{ onError: 'continueRegularOutput' },
		);
		expect(failureOf(items[0]).message).toBe('The selfie is the only file');
		expect(await service.calls()).toEqual([]);
	});

	test('where a link stands in both places', async () => {
		const link = 'https://example.com/selfie.png?id=1';
		const { items } = await service.run(
			{
				operation: 'faceMatch',
				inputSource: 'fileUrl',
				selfieUrl: link,
				documentUrls: link,
				options: {},
			},
			[{ json: {} }],
			{ onError: 'continueRegularOutput' },
		);
		expect(failureOf(items[0]).message).toBe('The selfie is the only file');
		expect(await service.calls()).toEqual([]);
	});
});
