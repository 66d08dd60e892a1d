import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Document } from '../../../../../nodes/DocumentIntelligence/document/document';
import { faceMatch } from '../../../../../nodes/DocumentIntelligence/operations/document/faceMatch';
import type { ResultContext } from '../../../../../nodes/DocumentIntelligence/operations/operation';
import { Notes } from '../../../../../nodes/DocumentIntelligence/text/notes';
import { useBinaryMode, type BinaryMode } from '../../../../n8n-core/runNode';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, useService } from '../../../service';
import { filesIn, sampleBytes, storedSample } from '../../../samples';

const service = useService();
let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = await filesIn({ selfie: 'portrait.png', front: 'id-card.png', back: 'two-cards.jpg' });
});

const match = (sourceDocumentId: unknown, matched: unknown = true, more: object = {}) => ({
	...{ sourceDocumentId, selfieDocumentId: 's', score: matched === true ? 0.9 : 0.1 },
	...{ matched, tooManyFaces: false, ...more },
});
const face = (sourceDocumentId: unknown, hasFace: unknown = true) => ({
	sourceDocumentId,
	hasFace,
	documentType: 'Identity Card',
	cropSignedUrl: hasFace === true ? 'https://crops.example/1' : null,
});
/** An answer about these faces and comparisons. */
const said = (extractions: unknown, matches: unknown) => ({ requestId: 'r', extractions, matches });
const both = [face('a'), face('b')];
const of = (selfieDocumentId: unknown) => ({ selfieDocumentId });

/** The decision over a selfie and documents, of which two are sent unless told otherwise, without a request. */
async function decisionOn(data: unknown, matchWhen = 'every', documentsSent = 2) {
	const notes = new Notes();
	const document = {
		subject: 'me',
		fileName: 'me.png',
		parts: Array(documentsSent + 1),
		skippedFiles: 0,
	};
	const context = {
		document: document as unknown as Document,
		notes,
		read: (name, usual) => (name === 'matchWhen' ? matchWhen : usual) as typeof usual,
	} as ResultContext;
	const result = faceMatch.parse(data, context);
	if (!result) throw new Error('Not a comparison.');
	const [output] = await faceMatch.toOutputs(result, context);
	if (output === undefined || !('json' in output)) throw new Error('No decision.');
	return { json: output.json, hints: notes.list.map(({ entry }) => entry) };
}

/** The same by a run of the node. */
async function decided(
	data: unknown,
	parameters: IDataObject = {},
): Promise<{ json: IDataObject; hints: string[] }> {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const { items, hints } = await service.run(
		{ operation: 'faceMatch', documentsField: 'front, back', ...parameters },
		[{ json: { when: 'any' }, binary }],
		goOn,
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	return { json: items[0]?.json ?? {}, hints: hints.map(({ message }) => message) };
}

const NO_FACE = '1 of 2 documents shows no face';
const NO_SELFIE = 'the selfie shows no face';
const UNCLEAR = 'the response does not show which documents it compares';
const ONE_MISSING = '1 of 2 documents is not in the response';
const ALL_MISSING = '2 of 2 documents are not in the response';
const SEVERAL_FACES = '1 of 2 documents shows several faces';

const LINK = 'https://example.com/selfie.png?id=1';

test.each<[string, IDataObject]>([
	['two fields hold one stored file', { documentsField: 'copy' }],
	[
		'a link stands in both places',
		{ inputSource: 'fileUrl', selfieUrl: LINK, documentUrls: LINK, options: {} },
	],
])('the selfie is not compared with itself if %s', async (_, parameters) => {
	const { selfie } = binary;
	const { items } = await service.run(
		{ operation: 'faceMatch', ...parameters },
		[{ json: {}, binary: { selfie: selfie!, copy: { ...selfie! } } }],
		goOn,
	);
	expect(failureOf(items[0]).message).toBe('There is no document besides the selfie');
	expect(await service.calls()).toEqual([]);
});

test('the item of a decision, and the warning that goes with it', async () => {
	const { json, hints } = await decided(said([face('a'), face('b', false)], [match('a')]));
	const card = { tooManyFaces: false, documentType: 'Identity Card' };
	expect(json).toEqual({
		fileName: 'portrait.png',
		matched: false,
		needsReview: true,
		reviewReasons: [NO_FACE],
		bestScore: 0.9,
		documentsSent: 2,
		documentsMatched: 1,
		documentsWithoutFace: 1,
		requestId: 'r',
		matches: [
			{
				...{ ...card, matched: true, score: 0.9, hasFace: true, sourceDocumentId: 'a' },
				faceUrl: 'https://crops.example/1',
			},
			{
				...{ ...card, matched: false, score: null, hasFace: false, sourceDocumentId: 'b' },
				faceUrl: null,
			},
		],
		creditsConsumed: 1,
	});
	expect(hints).toEqual([
		expect.stringContaining(
			`"portrait.png" (with "id-card.png", "two-cards.jpg"): ${NO_FACE} (send only sides that show a face)`,
		) as string,
	]);
	const [call] = await service.calls();
	expect([call?.path, call?.parts.map(({ name }) => name)]).toEqual([
		'/Document/facematch',
		['selfie', 'documents', 'documents'],
	]);
});

/** Of two documents: how many have matched, how many have no face, and why a person should decide. */
type Outcome = [documentsMatched: number, documentsWithoutFace: number, ...reasons: string[]];

const bothMatch = [match('a'), match('b')];

test.each<[string, object, Outcome]>([
	['both match', said(both, bothMatch), [2, 0]],
	['one does not', said(both, [match('a'), match('b', false)]), [1, 0]],
	['neither does', said(both, [match('a', false), match('b', false)]), [0, 0]],
	['both match, without a list of faces', said([], bothMatch), [2, 0]],
	['both match, by numbers as IDs', said([face(1), face('2')], [match('1'), match(2)]), [2, 0]],
	['both match, and the selfie is listed', said([face('s'), ...both], bothMatch), [2, 0]],
	['one has no face', said([face('a'), face('b', false)], [match('a')]), [1, 1, NO_FACE]],
	['one has no face, and matches', said([face('a'), face('b', false)], bothMatch), [1, 1, NO_FACE]],
	['a face that cannot be read', said([face('a'), face('b', '?')], bothMatch), [1, 1, NO_FACE]],
	['one has no entry', said(both, [match('a')]), [1, 0, ONE_MISSING]],
	['one is not in the list of faces', said([face('a')], bothMatch), [1, 0, ONE_MISSING]],
	['one is mentioned nowhere', said([face('a')], [match('a'), null]), [1, 0, ONE_MISSING]],
	[
		'one shows several faces',
		said(both, [match('a'), match('b', true, { tooManyFaces: true })]),
		[2, 0, SEVERAL_FACES],
	],
	[
		'one has entries that contradict each other',
		said(both, [...bothMatch, match('b', false)]),
		[1, 0, SEVERAL_FACES],
	],
	[
		'one has an entry that does not name the selfie',
		said(both, [match('a'), match('b', true, of(null))]),
		[1, 0, ONE_MISSING],
	],
	[
		'one ID in two spellings is one document',
		said(null, [match('A'), match('a ')]),
		[1, 0, SEVERAL_FACES, ONE_MISSING],
	],
	['nothing is said', said([], []), [0, 0, ALL_MISSING]],
	['nothing but null is said', said(null, [null]), [0, 0, ALL_MISSING]],
	[
		'one does not match, and the other is mentioned nowhere',
		said([face('a')], [match('a', false)]),
		[0, 0, ONE_MISSING],
	],
	[
		'two documents match each other',
		said(both, [
			...[match('a', false), match('b', false)],
			...[match('a', true, of('b')), match('b', true, of('a'))],
		]),
		[0, 0, UNCLEAR],
	],
	['a second selfie', said(both, [match('a'), match('b', true, of('other'))]), [0, 0, UNCLEAR]],
	['a document in place of the selfie', said(both, [match('a', true, of('b'))]), [0, 0, UNCLEAR]],
	['the selfie matches itself', said(null, [match('a'), match('s')]), [0, 0, UNCLEAR]],
	[
		'the selfie in place of a document, in capitals',
		said([face('S'), face('a')], [match('a'), match('S')]),
		[0, 0, UNCLEAR],
	],
	['more documents than were sent', said(both, [...bothMatch, match('x')]), [0, 0, UNCLEAR]],
	['a document listed twice', said([...both, face('b', false)], bothMatch), [0, 0, UNCLEAR]],
	['an entry of no document', said(both, [...bothMatch, match('', false)]), [0, 0, UNCLEAR]],
	['a selfie without a face', said([face('s', false), ...both], bothMatch), [0, 0, NO_SELFIE]],
])('%s', async (_, data, [documentsMatched, documentsWithoutFace, ...reasons]) => {
	for (const matchWhen of ['every', 'any']) {
		const { json, hints } = await decisionOn(data, matchWhen);
		expect(json).toMatchObject({
			matched: matchWhen === 'every' ? documentsMatched === 2 : documentsMatched > 0,
			needsReview: reasons.length > 0,
			documentsSent: 2,
			documentsMatched,
		});
		expect(json.reviewReasons).toEqual(reasons);
		if (!reasons.includes(UNCLEAR)) expect(json).toMatchObject({ documentsWithoutFace });
		const expected = expect.stringContaining(`: ${reasons.join('; ')}`) as string;
		expect(hints).toEqual(reasons.length > 0 ? [expected] : []);
	}
});

test('one of two documents has 130,000 entries', async () => {
	const matches = [...Array<object>(130_000).fill(match('a')), match('b')];
	const { json } = await decisionOn(said(both, matches));
	expect(json).toMatchObject({ matched: true, bestScore: 0.9, reviewReasons: [SEVERAL_FACES] });
});

test.each<[unknown]>([['true'], ['yes'], [1], [{}], [[true]], [null], [undefined]])(
	'of two entries, one with matched as %j has not matched',
	async (matched) => {
		const data = said(both, [match('a'), { ...match('b'), matched }]);
		const { json } = await decisionOn(data);
		expect(json).toMatchObject({ matched: false, needsReview: true, documentsMatched: 1 });
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
	expect((await decisionOn(said(both, matches))).json).toMatchObject({ bestScore });
});

test('data without anything in it is a failed item, not a decision', async () => {
	expect(failureOf({ json: (await decided([])).json }).message).toMatch(
		/^Cogneris returned no result for "portrait\.png" \(with "id-card\.png", "two-cards\.jpg"\)/,
	);
});

test.each<[object]>([
	[{ isMatch: true, similarity: 0.93 }],
	[said('x', { length: 2 })],
	[said(null, [{ matched: true }])],
	[said('x', [match('a')])],
	[{ matches: { a: match('a') } }],
	[said([face('a')], [{ ...match('a'), matched: 'yes' }])],
	[said(both, [{ sourceDocumentId: 'a', selfieDocumentId: 's', isMatch: true }])],
])(
	'%j is no comparison that can be read: nothing is decided, and nothing is lost',
	async (data) => {
		for (const matchWhen of ['every', 'any']) {
			const { json, hints } = await decided(data, { matchWhen });
			expect(json).toEqual({
				...data,
				matched: null,
				needsReview: true,
				reviewReasons: ['the response is in an unknown format'],
				fileName: 'portrait.png',
			});
			expect(hints).toEqual([expect.stringContaining('1 result in an unknown format') as string]);
		}
	},
);

describe('Match When', () => {
	const oneOfTwo = said(both, [match('a'), match('b', false)]);

	test.each([
		[{}, false],
		[{ matchWhen: '={{ $json.when }}' }, true],
	])('as %j, one match of two is %j', async (parameters, matched) => {
		expect((await decided(oneOfTwo, parameters)).json).toMatchObject({ matched });
	});

	test('a value that the list does not have is refused before anything is sent', async () => {
		const { json } = await decided(oneOfTwo, { matchWhen: '={{ true }}' });
		expect(failureOf({ json }).message).toBe(`Unknown value for 'Match When': "true"`);
		expect(await service.calls()).toEqual([]);
	});
});

test.each([
	['every', false],
	['any', true],
])(
	'an ignored unsupported file counts as a document without a match (%s): matched is %j',
	async (matchWhen, matched) => {
		const { selfie, front } = binary;
		const given = { selfie: selfie!, front: front!, back: await storedSample('notes.txt') };
		await service.standIn.queueFaults([{ kind: 'answer', data: said([face('a')], [match('a')]) }]);
		const options = { ignoreUnsupportedFiles: true };
		const parameters = { operation: 'faceMatch', documentsField: '*', matchWhen, options };
		const { items } = await service.run(parameters, [{ json: {}, binary: given }]);
		expect(items[0]?.json).toMatchObject({
			matched,
			needsReview: true,
			documentsSent: 1,
			documentsMatched: 1,
			documentsSkipped: 1,
			reviewReasons: ['1 of 2 documents was not sent: unsupported file type'],
		});
	},
);

test('a file that File Names leaves out is no document, and a note says so', async () => {
	const { selfie, front } = binary;
	const given = { selfie: selfie!, front: front!, notes: await storedSample('notes.txt') };
	const options = { ignoreUnsupportedFiles: true, fileNames: '!*.txt' };
	await service.standIn.queueFaults([{ kind: 'answer', data: said([face('a')], [match('a')]) }]);
	const parameters = { operation: 'faceMatch', documentsField: '*', options };
	const { items, hints } = await service.run(parameters, [{ json: {}, binary: given }]);
	expect(items[0]?.json).toMatchObject({ matched: true, needsReview: false, documentsSent: 1 });
	expect(items[0]?.json).not.toHaveProperty('documentsSkipped');
	expect(hints.map(({ message }) => message)).toEqual([
		'1 file skipped: "notes.txt" (not in \'File Names\', so no document)',
	]);
});

// In memory, files have no ID, and the objects of an expression lack the bytes.
test.each<BinaryMode>(['filesystem', 'default'])(
	'the selfie is not compared with itself if * stands for it (%s)',
	async (mode) => {
		await useBinaryMode(mode);
		const own = await filesIn({ selfie: 'portrait.png', front: 'id-card.png' });
		for (const selfieField of ['selfie', 'SELFIE', '={{ $binary.selfie }}']) {
			await service.standIn.reset();
			await service.standIn.queueFaults([{ kind: 'answer', data: said([], []) }]);
			// Document Fields is * by default.
			const parameters = { operation: 'faceMatch', selfieField };
			await service.run(parameters, [{ json: {}, binary: own }]);
			const sent = (await service.files()).map(({ name, fileName }) => [name, fileName]);
			expect(sent).toEqual([
				['selfie', 'portrait.png'],
				['documents', 'id-card.png'],
			]);
		}
		await useBinaryMode('filesystem');
	},
);

test.each<BinaryMode>(['filesystem', 'default'])(
	'a copy of the selfie as the document is refused before anything is sent (%s)',
	async (mode) => {
		await useBinaryMode(mode);
		const files = { selfie: 'portrait.png', card: 'id-card.png', passport: 'portrait.png' };
		const own = await filesIn(files);
		const parameters = { operation: 'faceMatch', documentsField: '*', matchWhen: 'any' };
		const { items } = await service.run(parameters, [{ json: {}, binary: own }], goOn);
		await useBinaryMode('filesystem');
		expect(failureOf(items[0]).message).toBe('"portrait.png" is the same file as the selfie');
		expect(await service.calls()).toEqual([]);
	},
);

describe('Behind links', () => {
	let server: ScriptedServer;

	beforeAll(async () => {
		server = await startScriptedServer();
	});
	afterAll(() => server.close());

	const linkTo = (path: string, sample: string) =>
		server.serve(path, { body: sampleBytes(sample) });

	const matched = async (selfieUrl: string, documentUrls: string[], options: IDataObject = {}) =>
		await service.run(
			{
				...{ operation: 'faceMatch', inputSource: 'fileUrl' },
				...{ selfieUrl, documentUrls: documentUrls.join(' '), options },
			},
			[{ json: {} }],
			goOn,
		);

	test('all documents are added as input files', async () => {
		const links = [linkTo('/front', 'id-card.png'), linkTo('/back', 'two-cards.jpg')];
		const selfie = linkTo('/me', 'portrait.png');
		const { items } = await matched(selfie, links, { includeInputFile: true });
		const files = Object.entries(items[0]?.binary ?? {});
		expect(files.map(([field, { mimeType }]) => [field, mimeType])).toEqual([
			['selfie', 'image/png'],
			['documents', 'image/png'],
			['documents_', 'image/jpeg'],
		]);
	});

	test('of twenty, at most five are followed at a time', async () => {
		const open = { now: 0, most: 0 };
		const links = Array.from({ length: 20 }, (_, number) =>
			server.serve(`/${number}`, async (response) => {
				open.most = Math.max(open.most, ++open.now);
				await sleep(20);
				open.now -= 1;
				response.end('no picture');
			}),
		);
		server.received.length = 0;
		await matched(linkTo('/me', 'portrait.png'), links);
		// A busy machine may open fewer.
		expect(open.most).toBeGreaterThan(1);
		expect(open.most).toBeLessThanOrEqual(5);
		expect(server.received).toHaveLength(21);
	});

	test('a copy of the selfie is refused, too', async () => {
		const [selfie, copy] = [linkTo('/me', 'portrait.png'), linkTo('/copy', 'portrait.png')];
		const { items } = await matched(selfie, [copy]);
		expect(failureOf(items[0]).message).toMatch(/^".+" is the same file as the selfie$/);
		expect(await service.calls()).toEqual([]);
	});
});
