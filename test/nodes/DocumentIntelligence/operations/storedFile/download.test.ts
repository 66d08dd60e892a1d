import { readFileOf } from '../../../../n8n-core/runNode';
import { fastLimiters } from '../../../clock';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { asInput, failureOf, goOn, useJobs } from '../../../service';
import { itemWith, sampleBytes } from '../../../samples';

const { service, storedFile, steps } = useJobs();

const byItem = { reference: '={{ $json.reference }}' };

const DAY_MS = 24 * 60 * 60_000;

test('gives each file with its name and type, paired', async () => {
	const { items: stored } = await storedFile('upload', [
		await itemWith('invoice-us.pdf', 'Rechnung März.pdf'),
		await itemWith('portrait.png'),
	]);
	// File Reference is that of the item by default.
	const { items, hints } = await storedFile('download', asInput(stored));
	expect(items.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
		stored.map(({ json: { reference, fileName, contentType, sizeBytes } }, item) => ({
			json: { reference, fileName, contentType, sizeBytes },
			pairedItem: { item },
		})),
	);
	const [first, second] = items.map(({ binary }) => binary?.data);
	expect(first).toMatchObject({ fileName: 'Rechnung März.pdf', mimeType: 'application/pdf' });
	expect(await readFileOf(first!)).toEqual(sampleBytes('invoice-us.pdf'));
	expect(await readFileOf(second!)).toEqual(sampleBytes('portrait.png'));
	expect(hints).toEqual([]);
	expect((await steps()).slice(2)).toEqual(['fetch', 'fetch']);
});

test.each([400, 404] as const)(
	'an unknown, another account’s and an expired file (%i): what to do',
	async (unreadableReference) => {
		await service.standIn.configure({ unreadableReference });
		const stored = async (more = {}) =>
			asInput((await storedFile('upload', [await itemWith('invoice-us.pdf')], {}, more)).items);
		const apiKey = 'xtkt_live_valid_other';
		const expired = await stored();
		await service.standIn.advanceClock(7 * DAY_MS);
		const foreign = await stored({ credential: { ...service.credential, apiKey } });
		const unknown = { json: { reference: 'artifact://stored/none' } };
		const input = [unknown, ...foreign, ...expired];
		const { items } = await storedFile('download', input, byItem, goOn);
		const said = items.map(failureOf).map(({ message, description }) => message + description);
		const check = 'Check the ID or reference, and that the credential belongs to the account';
		expect(said).toEqual([
			expect.stringContaining(`Cogneris cannot find "none"${check}`),
			expect.stringContaining(`Cogneris cannot find "invoice-us.pdf"${check}`),
			expect.stringMatching(/^Cogneris no longer keeps "invoice-us.pdf".*Upload the file again/),
		]);
	},
);

describe('Of what a server gives', () => {
	let server: ScriptedServer;
	beforeAll(async () => {
		server = await startScriptedServer();
	});
	afterAll(() => server.close());

	const fetched = async (headers: Record<string, string>, body: string) => {
		server.serve('/api/v1/artifacts/content', { headers, body });
		const credential = { ...service.credential, baseUrl: server.url };
		const given = { reference: 'artifact://1/name' };
		const more = { ...goOn, limiters: fastLimiters(), credential };
		return await storedFile('download', [{ json: {} }], given, more);
	};

	const PDF = 'application/pdf';

	// The extension is that of the bytes.
	test.each([
		[PDF, 'attachment; filename="../../etc/passwd"', '%PDF-1.7', 'passwd.pdf', PDF],
		[PDF, 'attachment; filename=".."', '%PDF-1.7', 'document.pdf', PDF],
		[PDF, '', '%PDF-1.7', 'name.pdf', PDF],
		['application/octet-stream', 'filename="letter.docx"', '%PDF-1.7', 'letter.pdf', PDF],
		['application/json', 'filename="result.json"', '{}', 'result.json', 'application/json'],
		['', 'filename="a.bin"', 'x', 'a.bin', 'application/octet-stream'],
	])('a file of type %j with the Content-Disposition %j (%s) is %s', async (...file) => {
		const [sentType, disposition, body, fileName, contentType] = file;
		const headers = { 'content-type': sentType, 'content-disposition': disposition };
		const { items } = await fetched(headers, body);
		expect(items[0]?.json).toMatchObject({ fileName, contentType, sizeBytes: body.length });
		expect(items[0]?.binary?.data).toMatchObject({ fileName, mimeType: contentType });
	});

	test.each([
		['a web page', 'text/html; charset=utf-8', '<html>Welcome</html>'],
		['nothing', PDF, ''],
	])('%s is no file', async (_, type, body) => {
		const { items } = await fetched({ 'content-type': type }, body);
		const failure = failureOf(items[0]);
		expect(failure.message).toBe('The response for "name" could not be read');
		expect(failure.description).not.toMatch(/billed, so/);
	});
});
