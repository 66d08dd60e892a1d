import { readFileOf } from '../../../../n8n-core/runNode';
import { fastLimiters } from '../../../clock';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { asInput, failureOf, goOn, useJobs } from '../../../service';
import { itemWith, sampleBytes } from '../../../samples';

const { service, storedFile, job, steps } = useJobs();

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

test('the result of a job is a file too', async () => {
	const { items: submitted } = await job('submit', [await itemWith('invoice-us.pdf')]);
	const { items: done } = await job('get', submitted, { jobId: '={{ $json.jobId }}' });
	const { items } = await storedFile('download', done, {
		reference: '={{ $json.outputReference }}',
	});
	expect(items[0]?.json).toMatchObject({ contentType: 'application/json' });
	const text = (await readFileOf(items[0]!.binary!.data!)).toString();
	expect(JSON.parse(text)).toHaveProperty('Metadata');
});

test.each([400, 404] as const)(
	'an unknown or another account’s file (%i): what to do',
	async (unreadableReference) => {
		await service.standIn.configure({ unreadableReference });
		const other = { credential: { ...service.credential, apiKey: 'xtkt_live_valid_other' } };
		const invoice = await itemWith('invoice-us.pdf');
		const { items: foreign } = await storedFile('upload', [invoice], {}, other);
		const input = [{ json: { reference: 'artifact://stored/none' } }, ...asInput(foreign)];
		const { items } = await storedFile('download', input, byItem, goOn);
		for (const [at, name] of ['none', 'invoice-us.pdf'].entries())
			expect(failureOf(items[at])).toMatchObject({
				message: `Cogneris cannot find "${name}"`,
				description: expect.stringMatching(
					/Check the ID or reference, and that the credential belongs to the account/,
				) as string,
			});
	},
);

test('an expired file: what to do', async () => {
	const { items: stored } = await storedFile('upload', [await itemWith('invoice-uk.pdf')]);
	await service.standIn.advanceClock(7 * DAY_MS);
	const { items, hints } = await storedFile('download', asInput(stored), byItem, goOn);
	expect(failureOf(items[0])).toMatchObject({
		message: 'Cogneris no longer keeps "invoice-uk.pdf"',
		details: { httpCode: 410, fileName: 'invoice-uk.pdf' },
		description: expect.stringMatching(/this one has expired\. Upload the file again/) as string,
	});
	expect(hints).toHaveLength(1);
});

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

	test('a web page is no file', async () => {
		const headers = { 'content-type': 'text/html; charset=utf-8' };
		const { items } = await fetched(headers, '<html>Welcome</html>');
		const failure = failureOf(items[0]);
		expect(failure.message).toBe('The response for "name" could not be read');
		expect(failure.description).not.toMatch(/billed, so/);
	});
});
