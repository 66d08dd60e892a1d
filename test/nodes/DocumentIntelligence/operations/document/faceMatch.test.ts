import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useBinaryMode, type BinaryMode } from '../../../../n8n-core/runNode';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, useService } from '../../../service';
import { filesIn, sampleBytes, storedSample } from '../../../samples';

// What a response decides is in results/faces.test.ts.

const service = useService();
let binary: NonNullable<INodeExecutionData['binary']>;

beforeAll(async () => {
	binary = await filesIn({ selfie: 'portrait.png', front: 'id-card.png', back: 'two-cards.jpg' });
});

const match = (sourceDocumentId: string, matched = true) => ({
	...{ sourceDocumentId, selfieDocumentId: 's', score: 0.9, matched, tooManyFaces: false },
});
const face = (sourceDocumentId: string, hasFace = true) => ({
	...{ sourceDocumentId, hasFace, documentType: 'Identity Card' },
	cropSignedUrl: hasFace ? 'https://crops.example/1' : null,
});

const ONE = { requestId: 'r', extractions: [face('a')], matches: [match('a')] };

/** A run on the files of an item, under an answer if there is one. */
async function run(parameters: IDataObject, files: INodeExecutionData['binary'], data?: unknown) {
	if (data !== undefined) await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const item = { json: { when: 'any' }, binary: files };
	const { items, hints } = await service.run(
		{ operation: 'faceMatch', ...parameters },
		[item],
		goOn,
	);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	return { item: items[0]!, hints: hints.map(({ message }) => message) };
}

const sent = async () => (await service.files()).map(({ name, fileName }) => [name, fileName]);

test('the item of a decision, and the warning that goes with it', async () => {
	const data = { ...ONE, extractions: [face('a'), face('b', false)] };
	const { item, hints } = await run({ documentsField: 'front, back' }, binary, data);
	const reason = '1 of 2 documents shows no face';
	const { matches, ...json } = item.json;
	expect(json).toEqual({
		...{ fileName: 'portrait.png', requestId: 'r', creditsConsumed: 1 },
		...{ matched: false, needsReview: true, reviewReasons: [reason], bestScore: 0.9 },
		...{ documentsSent: 2, documentsMatched: 1, documentsWithoutFace: 1 },
	});
	expect(matches).toMatchObject([
		{ matched: true, score: 0.9 },
		{ matched: false, score: null },
	]);
	expect(hints).toEqual([
		expect.stringContaining(
			`"portrait.png" (with "id-card.png", "two-cards.jpg"): ${reason} (send only sides that show a face)`,
		),
	]);
	const [call] = await service.calls();
	expect([call?.path, call?.parts.map(({ name }) => name)]).toEqual([
		'/Document/facematch',
		['selfie', 'documents', 'documents'],
	]);
});

test.each([
	[{}, false],
	[{ matchWhen: 'any' }, true],
	[{ matchWhen: '={{ $json.when }}' }, true],
])('with %j, one match of two is %j', async (parameters, matched) => {
	const matches = [match('a'), match('b', false)];
	const { item } = await run({ documentsField: 'front, back', ...parameters }, binary, { matches });
	expect(item.json).toMatchObject({ matched, needsReview: false });
});

const LINK = 'https://example.com/selfie.png?id=1';
const byLink = { inputSource: 'fileUrl', selfieUrl: LINK, documentUrls: LINK };
const NO_OTHER = 'There is no document besides the selfie';

test.each<[IDataObject, string, RegExp]>([
	[{ selfieField: 'selfie, front' }, 'The selfie must be a single file, but there are 2', /./],
	[{ selfieField: 'face' }, 'No file in the field "face"', /enter its name in 'Selfie Field'/],
	[
		{ documentsField: 'x' },
		'No file in the field "x"',
		/"selfie", "front", "copy"\. .*'Document Fields'/,
	],
	[{ documentsField: 'selfie' }, NO_OTHER, /different file/],
	[{ documentsField: 'copy' }, NO_OTHER, /different file/],
	[byLink, NO_OTHER, /different file/],
	[{ ...byLink, selfieUrl: '' }, "'Selfie URL' is empty", /./],
	[{ matchWhen: '={{ true }}' }, `Unknown value for 'Match When': "true"`, /./],
])('%j is refused before anything is sent: %s', async (parameters, message, description) => {
	const { selfie, front } = binary;
	const { item } = await run(parameters, { selfie: selfie!, front: front!, copy: { ...selfie! } });
	expect(failureOf(item).message).toBe(message);
	expect(failureOf(item).description).toMatch(description);
	expect(await service.calls()).toEqual([]);
});

// In memory, files have no ID, and the objects of an expression lack the bytes.
describe.each<BinaryMode>(['filesystem', 'default'])(
	'With files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));
		afterAll(async () => await useBinaryMode('filesystem'));

		test.each(['selfie', 'SELFIE', '={{ $binary.selfie }}'])(
			'the selfie %s is not compared with itself if * stands for it',
			async (selfieField) => {
				const own = await filesIn({ selfie: 'portrait.png', front: 'id-card.png' });
				// Document Fields is * by default.
				await run({ selfieField }, own, ONE);
				expect(await sent()).toEqual([
					['selfie', 'portrait.png'],
					['documents', 'id-card.png'],
				]);
			},
		);

		test('a copy of the selfie as the document is refused before anything is sent', async () => {
			const files = { selfie: 'portrait.png', card: 'id-card.png', passport: 'portrait.png' };
			const { item } = await run({ matchWhen: 'any' }, await filesIn(files));
			expect(failureOf(item).message).toBe('"portrait.png" is the same file as the selfie');
			expect(await service.calls()).toEqual([]);
		});
	},
);

describe('Of a file of another type', () => {
	const withNotes = async () => ({
		...{ selfie: binary.selfie!, front: binary.front! },
		notes: await storedSample('notes.txt'),
	});

	test('that is ignored, the output says that it is a document without a match', async () => {
		const options = { ignoreUnsupportedFiles: true };
		const { item } = await run({ options }, await withNotes(), ONE);
		expect(item.json).toMatchObject({ matched: false, documentsSent: 1, documentsSkipped: 1 });
	});

	test('that File Names leaves out, a note says that it is no document', async () => {
		const options = { ignoreUnsupportedFiles: true, fileNames: '!*.txt' };
		const { item, hints } = await run({ options }, await withNotes(), ONE);
		expect(item.json).toMatchObject({ matched: true, needsReview: false, documentsSent: 1 });
		expect(item.json).not.toHaveProperty('documentsSkipped');
		expect(hints).toEqual(['1 file skipped: "notes.txt" (not in \'File Names\', so no document)']);
	});
});

describe('Behind links', () => {
	let server: ScriptedServer;

	beforeAll(async () => {
		server = await startScriptedServer();
	});
	afterAll(() => server.close());

	const linkTo = (path: string, sample: string) =>
		server.serve(path, { body: sampleBytes(sample) });

	const matched = async (documentUrls: string[], options: IDataObject = {}) => {
		const selfieUrl = linkTo('/me', 'portrait.png');
		const links = { inputSource: 'fileUrl', selfieUrl, documentUrls: documentUrls.join(' ') };
		return await run({ ...links, options }, undefined);
	};

	test('each file is fetched and sent once, and all are added as input files', async () => {
		const links = [linkTo('/front', 'id-card.png'), linkTo('/back', 'two-cards.jpg')];
		await service.standIn.queueFaults([{ kind: 'answer', data: ONE }]);
		const { item } = await matched([...links, ...links], { includeInputFile: true });
		expect(await sent()).toEqual([
			['selfie', 'me.png'],
			['documents', 'front.png'],
			['documents', 'back.jpg'],
		]);
		const files = Object.entries(item.binary ?? {});
		expect(files.map(([field, { mimeType }]) => [field, mimeType])).toEqual([
			['selfie', 'image/png'],
			['documents', 'image/png'],
			['documents_', 'image/jpeg'],
		]);
	});

	test('a copy of the selfie is refused, too', async () => {
		const { item } = await matched([linkTo('/copy', 'portrait.png')]);
		expect(failureOf(item).message).toMatch(/^".+" is the same file as the selfie$/);
		expect(await service.calls()).toEqual([]);
	});
});
