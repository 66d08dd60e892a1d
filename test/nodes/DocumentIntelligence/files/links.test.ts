import { gzipSync } from 'node:zlib';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf, useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { type ScriptedServer, startScriptedServer } from '../../scriptedServer';
import { failureOf, goOn, useService } from '../../service';
import { MB, pdfOfSize, sampleBytes, sha256 } from '../../samples';

const service = useService();
let files: ScriptedServer;

beforeAll(async () => {
	files = await startScriptedServer();
});
beforeEach(() => {
	jest.restoreAllMocks();
	files.received.length = 0;
});
afterAll(() => files.close());

const invoice = sampleBytes('invoice-us.pdf');
const asPdf = { 'content-type': 'application/pdf' };
const asHtml = { 'content-type': 'text/html' };
const page = '<!DOCTYPE html><html><body>Sign in to see invoice.pdf</body></html>';

const good = () => files.serve('/good.pdf', { headers: asPdf, body: invoice });
const other = () =>
	files.serve('/other.pdf', { headers: asPdf, body: sampleBytes('invoice-de.pdf') });

const fromLink = async (
	fileUrl: unknown,
	parameters: IDataObject = {},
	items: INodeExecutionData[] = [{ json: {} }],
	more = {},
) =>
	await service.run(
		{ operation: 'extract', inputSource: 'fileUrl', fileUrl: fileUrl as string, ...parameters },
		items,
		more,
	);

/** All that the node says about parameters that are expected to fail. */
async function failed(fileUrl: unknown, parameters: IDataObject = {}): Promise<string> {
	const { items } = await fromLink(fileUrl, parameters, [{ json: {} }], goOn);
	expect(items).toHaveLength(1);
	const { message, description } = failureOf(items[0]);
	expect(description).not.toBe('');
	expect(await service.calls()).toEqual([]);
	return `${message} ${description}`;
}

const namesOf = (items: INodeExecutionData[]) =>
	items.map(({ json }) => json.fileName ?? (json.error as IDataObject).message);

test.each<BinaryMode>(['filesystem', 'default'])(
	'a file behind a link reaches Cogneris and the next node byte for byte, and its server sees no key (%s)',
	async (mode) => {
		await useBinaryMode(mode);
		const { items } = await fromLink(good(), { operation: 'classify' });
		const { data } = items[0]?.binary ?? {};
		expect(items[0]).toMatchObject({ json: { fileName: 'good.pdf' }, pairedItem: { item: 0 } });
		expect(data).toMatchObject({ fileName: 'good.pdf', mimeType: 'application/pdf' });
		expect(data && sha256(await readFileOf(data))).toBe(sha256(invoice));
		expect(await service.files()).toMatchObject([
			{ fileName: 'good.pdf', contentType: 'application/pdf', sha256: sha256(invoice) },
		]);
		expect(files.received).toHaveLength(1);
		expect(files.received[0]?.headers).not.toHaveProperty('authorization');
		expect(JSON.stringify(files.received)).not.toContain(service.credential.apiKey);
		await useBinaryMode('filesystem');
	},
);

test.each<[string, Record<string, string>, string]>([
	['/%C3%9Cbersicht%20%E2%80%93.pdf', asPdf, 'Übersicht –.pdf'],
	['/100%.pdf?token=abc&name=x.exe', asPdf, '100%.pdf'],
	['/d', { ...asPdf, 'content-disposition': 'attachment; filename="../a;b.pdf"' }, 'a;b.pdf'],
	['/invoice.php', { 'content-type': 'Application/PDF; charset=binary' }, 'invoice.php.pdf'],
	['/', { 'content-type': 'application/octet-stream' }, 'file.pdf'],
	['/page.pdf', { 'content-type': 'text/html; charset=utf-8' }, 'page.pdf'],
])('a file from %s with %j is sent as %j, %j', async (path, headers, expected) => {
	await fromLink(files.serve(path, { headers, body: invoice }));
	expect(await service.files()).toMatchObject([
		{ fileName: expected, contentType: 'application/pdf' },
	]);
});

describe('Several links', () => {
	test.each<[string, () => string]>([
		['separated by white space', () => `\n${good()}\r\n\r\n  ${other()} ${good()}\n`],
		['with blanks inside', () => `${good()}?name=My Invoice 7.pdf   ${other()}?x=a http file`],
		['in a list by expression', () => `={{ ['${good()}', '${other()}'] }}`],
	])('%s are documents of their own in that order, each fetched once', async (_, links) => {
		const { items } = await fromLink(links());
		expect(namesOf(items)).toEqual(['good.pdf', 'other.pdf']);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
		expect(files.received).toHaveLength(2);
	});

	test('are read for each item, and one that fails leaves the others their results', async () => {
		const lost = files.serve('/lost.pdf', { status: 404 });
		const links = [[good(), lost, other()], 'nonsense', good()];
		const items = links.map((link) => ({ json: { link } }));
		const { items: results } = await fromLink('={{ $json.link }}', {}, items, goOn);
		expect(results.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 0, 1, 2].map((item) => ({ item })),
		);
		const [first, second, third, fourth, fifth] = namesOf(results);
		expect([first, third, fifth]).toEqual(['good.pdf', 'other.pdf', 'good.pdf']);
		expect(`${second as string} ${fourth as string}`).toMatch(/\/lost\.pdf .*"nonsense"/);
	});

	test('unsupported files behind them are skipped with a hint if the option is on', async () => {
		const calendar = { headers: { 'content-type': 'text/calendar' }, body: 'BEGIN:' };
		const link = files.serve('/meeting.ics', calendar);
		const options = { ignoreUnsupportedFiles: true };
		const { items, hints } = await fromLink(`${good()} ${link}`, { options });
		expect(namesOf(items)).toEqual(['good.pdf']);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('"meeting.ics"')]);
	});
});

test('an empty File URL says so, and with File Names, its item has no output', async () => {
	expect(await failed('={{ $json.nothing }}')).toMatch(
		/^'File URL' is empty Enter the link to the file\. If an AI agent .* Let the AI fill in 'File URL'/,
	);
	const options = { fileNames: '*.pdf' };
	const { items, hints } = await fromLink('={{ $json.nothing }}', { options });
	expect(items).toEqual([]);
	expect(hints.map(({ message }) => message)).toEqual(['1 file skipped: an item (no file)']);
});

const NOBODY = 'http://127.0.0.1:1';
const CONTENT = `czNjcjN0\r\n${'s3cr3t+/\r\n'.repeat(1000)}`;

test.each<[string, string, RegExp]>([
	['ftp', 'ftp://ann:s3cr3t/x@a.com/a.pdf?s3cr3t', /^"ftp:\/\/a\.com\/a\.pdf" in 'File URL' is/],
	['base64 in lines', CONTENT, /^\(\d+ characters of text\) in 'File URL' is not a valid link /],
	['a long path', `${NOBODY}/${'a'.repeat(400)}s3cr3t`, /^The file at http:\S+:1\/a+… could/],
	['a token', `${NOBODY}/file/bot1:s3cr3t/a.pdf`, /^The file at \S+:1\/…\/a\.pdf could/],
])('the message about %s shows no user, query or content', async (_, link, expected) => {
	const shown = await failed(link);
	expect(shown).toMatch(expected);
	expect(shown).not.toMatch(/s3cr3t|ann/);
	expect(files.received).toEqual([]);
});

describe('A link that leads to no document', () => {
	const packed = gzipSync(Buffer.alloc(50 * MB));
	const asGzip = { ...asPdf, 'content-encoding': 'gzip' };

	test.each<[string, object, RegExp]>([
		['404', { status: 404, body: 'x' }, /responded with status 404 .*private browser window/],
		['a page', { body: page }, /leads to a web page .*must open or download the file itself/],
		['a part of a page', { headers: asHtml, body: '<div>Sign in</div>' }, /leads to a web page/],
		['JSON', { headers: asPdf, body: '{"error":"expired"}' }, /^"invoice\.pdf" contains JSON inst/],
		['an empty file', { headers: asPdf, body: '' }, /^"invoice\.pdf" is empty/],
		[
			'50 MB of zeros, packed',
			{ headers: asGzip, body: packed },
			/10 MB Reduce .* not sent to Cog/,
		],
	])('%s', async (_, served, expected) => {
		const link = files.serve('/share/invoice.pdf', served);
		const shown = await failed(`${link.replace('http://', 'http://ann:p4ss@')}?sig=s3cr3t`);
		expect(shown).toMatch(expected);
		expect(shown).toContain('invoice.pdf');
		expect(shown).not.toMatch(/s3cr3t|p4ss/);
	});

	test('because the connection breaks in the middle', async () => {
		const link = files.serve('/half.pdf', (response) => {
			response.writeHead(200, { ...asPdf, 'content-length': invoice.length });
			response.write(invoice.subarray(0, 1000), () => response.destroy());
		});
		expect(await failed(link)).toMatch(/half\.pdf.*the connection failed or was lost/);
	});

	test("because n8n's disk is full, which is not blamed on the link", async () => {
		jest
			.spyOn(Container.get(BinaryDataService), 'store')
			.mockRejectedValue(new Error('no space left on device'));
		expect(await failed(good())).toMatch(
			/good\.pdf could not be downloaded: n8n could not store it: no space left on device Check that n8n's storage for files has free space\./,
		);
	});

	test('in time', async () => {
		const deadline = new AbortController();
		const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
		const link = files.serve('/slow.pdf', (response) => {
			response.writeHead(200, asPdf).write('%PDF-', () => deadline.abort());
		});
		const shown = await failed(link, { options: { timeout: 7 } });
		expect(shown).toMatch(/it took longer than 7 seconds Raise the option 'Timeout \(Seconds\)'/);
		expect(timeout).toHaveBeenCalledWith(7000);
	});
});

test('11 MB of unknown size are too large for Extract, not for Split', async () => {
	const link = files.serve('/eleven.pdf', (response) => {
		response.writeHead(200, asPdf);
		response.end(pdfOfSize(11 * MB));
	});
	expect(await failed(link)).toMatch(/larger than 10 MB/);
	await service.standIn.queueFaults([{ kind: 'answer', data: { segments: [{ pages: '1' }] } }]);
	const { items } = await fromLink(link, { operation: 'split', output: 'fields' });
	expect(items[0]?.json.sourceFileName).toBe('eleven.pdf');
});

describe('Redirects', () => {
	const chain = (length: number, end: string) => {
		for (let step = 1; step <= length; step++) {
			const location = step === length ? end : `/step-${step + 1}`;
			files.serve(`/step-${step}`, { status: 302, headers: { location } });
		}
		return `${files.url}/step-1`;
	};

	test('five are followed, also to another server, without the key', async () => {
		const elsewhere = await startScriptedServer();
		const link = chain(5, elsewhere.serve('/final.pdf', { headers: asPdf, body: invoice }));
		const { items } = await fromLink(link).finally(() => elsewhere.close());
		expect(items[0]?.json.fields).toMatchObject({ invoiceNumber: 'INV-2026-0117' });
		const seen = [...files.received, ...elsewhere.received];
		expect(seen.map(({ headers }) => headers.authorization)).toEqual(Array(6).fill(undefined));
	});

	test.each<[string, () => string, RegExp]>([
		['six', () => chain(6, good()), /step-1 could not be downloaded/],
		['to a file of the server', () => chain(1, 'file:///etc/passwd'), /could not be downloaded/],
		['to a page', () => chain(1, files.serve('/login', { body: page })), /leads to a web page/],
	])('%s lead to no document', async (_, link, expected) => {
		expect(await failed(link())).toMatch(expected);
		expect(files.received.map(({ url }) => url)).not.toContain('/good.pdf');
	});
});
