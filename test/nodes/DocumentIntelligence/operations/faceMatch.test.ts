import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { failureOf, useService } from '../../service';

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

/** What the node says of a selfie and documents, of which two are sent unless told otherwise. */
async function decided(
	data: unknown,
	parameters: IDataObject = {},
	documentsField = 'front, back',
): Promise<IDataObject> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const { items } = await service.run(
		{ operation: 'faceMatch', documentsField, ...parameters },
		[{ json: { when: 'any' }, binary }],
		{ onError: 'continueRegularOutput' },
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	expect(await service.calls()).toHaveLength(1);
	return items[0]?.json ?? {};
}

/** Its decision and its counts: sent, matched, without a face. */
const counted = ({
	matched,
	documentsSent,
	documentsMatched,
	documentsWithoutFace,
}: IDataObject) => [matched, documentsSent, documentsMatched, documentsWithoutFace];

describe('Match Faces: every document sent counts', () => {
	test('one of two has no face and no entry in matches: not matched, and the item says why', async () => {
		const data = {
			requestId: 'r',
			extractions: [extraction('a', true), extraction('b', false)],
			matches: [match('a', true)],
		};
		expect(await decided(data)).toEqual({
			matched: false,
			bestScore: 0.9,
			documentsSent: 2,
			documentsMatched: 1,
			documentsWithoutFace: 1,
			requestId: 'r',
			matches: [
				{
					matched: true,
					score: 0.9,
					tooManyFaces: false,
					hasFace: true,
					documentType: 'Identity Card',
					sourceDocumentId: 'a',
				},
				{
					matched: false,
					score: null,
					tooManyFaces: false,
					hasFace: false,
					documentType: 'Identity Card',
					sourceDocumentId: 'b',
				},
			],
			creditsConsumed: 1,
		});
	});

	test.each<[string, object, unknown[]]>([
		[
			'both match',
			{ extractions: bothWithFace, matches: [match('a', true), match('b', true)] },
			[true, 2, 2, 0],
		],
		[
			'both match, and of one the service lists no face',
			{ extractions: [extraction('b', true)], matches: [match('a', true), match('b', true)] },
			[false, 2, 1, 0],
		],
		[
			'both match, and the service lists no document at all',
			{ extractions: [], matches: [match('a', true), match('b', true)] },
			[true, 2, 2, 0],
		],
		[
			'more documents are listed than were sent',
			{
				extractions: [...bothWithFace, extraction('x', true)],
				matches: [match('a', true), match('x', true)],
			},
			[false, 2, 0, 0],
		],
		[
			'more entries than documents, some of them of documents listed',
			{
				extractions: bothWithFace,
				matches: [match('a', true), match('b', true), match('x', false)],
			},
			[false, 2, 0, 0],
		],
		[
			'both match, by numbers as ids',
			{
				extractions: [extraction(1, true), extraction('2', true)],
				matches: [match('1', true), match(2, true)],
			},
			[true, 2, 2, 0],
		],
		[
			'both match, and the selfie is among the extractions',
			{
				extractions: [extraction('s', true), ...bothWithFace],
				matches: [match('a', true), match('b', true)],
			},
			[true, 2, 2, 0],
		],
		[
			'one of two is mentioned nowhere',
			{ extractions: [extraction('a', true)], matches: [match('a', true)] },
			[false, 2, 1, 0],
		],
		[
			'one of two has a null entry',
			{ extractions: bothWithFace, matches: [match('a', true), null] },
			[false, 2, 1, 0],
		],
		[
			'one document with two entries is one document',
			{ extractions: bothWithFace, matches: [match('a', true), match('a', true)] },
			[false, 2, 1, 0],
		],
		[
			'entries of one document that contradict each other',
			{
				extractions: bothWithFace,
				matches: [match('a', true), match('b', true), match('a', false)],
			},
			[false, 2, 1, 0],
		],
		[
			'matched although the document has no face',
			{
				extractions: [extraction('a', true), extraction('b', false)],
				matches: [match('a', true), match('b', true)],
			},
			[false, 2, 1, 1],
		],
		[
			'an entry that belongs to no document sent',
			{ extractions: bothWithFace, matches: [match('a', true), match('x', true)] },
			[false, 2, 1, 0],
		],
		[
			'more entries than documents, and nothing says which belong to them',
			{ matches: [match('a', true), match('b', true), match('x', true)] },
			[false, 2, 0, 0],
		],
		[
			'entries without an id, as many as documents',
			{ matches: [match(null, true), match(undefined, true)] },
			[false, 2, 0, 0],
		],
		[
			'entries without any id, as many as documents',
			{ matches: [{ matched: true }, { matched: true }] },
			[false, 2, 0, 0],
		],
		[
			'the selfie matches itself',
			{ matches: [match('a', true), match('s', true)] },
			[false, 2, 1, 0],
		],
		[
			'a document listed twice, once without a face',
			{
				extractions: [...bothWithFace, extraction('b', false), extraction('b', true)],
				matches: [match('a', true), match('b', true)],
			},
			[false, 2, 1, 1],
		],
		[
			'entries without an id, more than documents',
			{ matches: [match(null, true), match(null, true), match(null, true)] },
			[false, 2, 0, 0],
		],
		[
			'entries without an id beside extractions that have one',
			{ extractions: bothWithFace, matches: [match(null, true), match(null, true)] },
			[false, 2, 0, 0],
		],
		['no lists', { extractions: null, matches: null }, [false, 2, 0, 0]],
		['lists that are none', { extractions: 'x', matches: { length: 2 } }, [false, 2, 0, 0]],
		['empty lists', { extractions: [], matches: [] }, [false, 2, 0, 0]],
		['entries that are none', { matches: [true, 'matched', 1, [true]] }, [false, 2, 0, 0]],
		[
			'no face on either',
			{
				extractions: bothWithFace.map(({ sourceDocumentId }) =>
					extraction(sourceDocumentId, false),
				),
			},
			[false, 2, 0, 2],
		],
	])('%s', async (_, data, expected) => {
		expect(counted(await decided(data))).toEqual(expected);
	});

	test.each<[unknown]>([['true'], ['yes'], [1], [{}], [[true]], [null], [undefined]])(
		'matched as %j is not true, for either choice of Match When',
		async (matched) => {
			const data = { extractions: [extraction('a', true)], matches: [match('a', matched)] };
			expect(counted(await decided(data, {}, 'front'))).toEqual([false, 1, 0, 0]);
			await service.standIn.reset();
			expect(counted(await decided(data, { matchWhen: 'any' }, 'front'))).toEqual([false, 1, 0, 0]);
		},
	);

	test.each<[string, unknown[], number | null]>([
		[
			'texts are read',
			[match('a', true, { score: '0.95' }), match('b', true, { score: 0.5 })],
			0.95,
		],
		[
			'what is no number is not a score',
			[match('a', true, { score: 'high' }), match('b', true, { score: null })],
			null,
		],
		[
			'that of a document that was not sent does not count',
			[match('a', true, { score: 0.5 }), match('x', true, { score: 0.99 })],
			0.5,
		],
		['zero is a score', [match('a', false, { score: 0 })], 0],
	])('bestScore: %s', async (_, matches, bestScore) => {
		expect(await decided({ extractions: bothWithFace, matches })).toMatchObject({ bestScore });
	});

	test.each([null, [], 'matched', true])(
		'data that is no object (%j) is a failed item, not a decision',
		async (data) => {
			expect(failureOf({ json: await decided(data) }).message).toMatch(
				/^The response for "portrait\.png" \(with "id-card\.png", "two-cards\.jpg"\)/,
			);
		},
	);
});

describe('Match When: Any Document Matches', () => {
	test.each<[string, object, unknown[]]>([
		[
			'the back of the card has no face',
			{
				extractions: [extraction('a', true), extraction('b', false)],
				matches: [match('a', true)],
			},
			[true, 2, 1, 1],
		],
		[
			'one of two does not match',
			{ extractions: bothWithFace, matches: [match('a', false), match('b', true)] },
			[true, 2, 1, 0],
		],
		[
			'none matches',
			{ extractions: bothWithFace, matches: [match('a', false), match('b', false)] },
			[false, 2, 0, 0],
		],
		['nothing is said', {}, [false, 2, 0, 0]],
		[
			'only an entry that belongs to no document sent says so',
			{ extractions: bothWithFace, matches: [match('a', false), match('x', true)] },
			[false, 2, 0, 0],
		],
		[
			'nothing says which entries belong to the documents',
			{ matches: [match('a', false), match('b', false), match('x', true)] },
			[false, 2, 0, 0],
		],
		[
			'the only one that says so has no face',
			{
				extractions: [extraction('a', true), extraction('b', false)],
				matches: [match('a', false), match('b', true)],
			},
			[false, 2, 0, 1],
		],
	])('%s', async (_, data, expected) => {
		expect(counted(await decided(data, { matchWhen: 'any' }))).toEqual(expected);
	});

	const oneOfTwo = { extractions: bothWithFace, matches: [match('a', true), match('b', false)] };

	test.each([
		[undefined, false],
		['every', false],
		['any', true],
		['={{ $json.when }}', true],
		['={{ $json.nothing }}', false],
		['={{ "ANY of them" }}', false],
		['={{ true }}', false],
	])('as %j, one match of two is %j', async (matchWhen, matched) => {
		expect(await decided(oneOfTwo, matchWhen === undefined ? {} : { matchWhen })).toMatchObject({
			matched,
		});
	});
});

test('A selfie with the front and the back of a card: what the user chose decides', async () => {
	const run = async (matchWhen: string) =>
		(
			await service.run({ operation: 'faceMatch', documentsField: 'front, back', matchWhen }, [
				{ json: {}, binary: { ...binary, back: await storedSample('form.pdf') } },
			])
		).items.map(({ json }) => counted(json));
	expect(await run('every')).toEqual([[false, 2, 1, 1]]);
	expect(await run('any')).toEqual([[true, 2, 1, 1]]);
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

	test('so not every document has matched', async () => {
		expect(await skippedBack('every')).toMatchObject({
			matched: false,
			documentsSent: 1,
			documentsMatched: 1,
			documentsSkipped: 1,
		});
	});

	test('and any of the others may have', async () => {
		expect(await skippedBack('any')).toMatchObject({ matched: true, documentsSkipped: 1 });
	});
});

describe('An answer that leaves open which documents it compares decides nothing', () => {
	const selfieless = { selfieDocumentId: null };
	test.each<[string, unknown]>([
		[
			'documents without ids, one of them without a face',
			{
				extractions: [extraction(null, true), extraction(null, false)],
				matches: [match(null, true), match(null, true)],
			},
		],
		[
			'the selfie among the documents, in entries that do not name it',
			{
				extractions: [extraction('s', true), extraction('a', true)],
				matches: [match('s', true, selfieless), match('a', true, selfieless)],
			},
		],
		[
			'the selfie in capitals',
			{
				extractions: [extraction('S', true), extraction('a', true)],
				matches: [match('a', true), match('S', true)],
			},
		],
		['one id in two spellings', { matches: [match('A', true), match('a ', true)] }],
		['entries without ids', { matches: [match(null, true), match(null, true)] }],
		[
			'a face that cannot be read',
			{
				extractions: [extraction('a', 'no'), extraction('b', true)],
				matches: [match('a', true), match('b', true)],
			},
		],
		[
			'extractions that are no list',
			{ extractions: { a: true }, matches: [match('a', true), match('b', true)] },
		],
	])('%s', async (_, data) => {
		expect((await decided(data)).matched).toBe(false);
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
