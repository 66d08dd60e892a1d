import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf, useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { startFileServer, type FileServer } from '../../fileServer';
import { MB, pdfOfSize, sampleBytes, sha256 } from '../../samples';
import { AVOIDED_WORDS, failureOf, thrownBy, useService } from '../../service';

const service = useService();
let files: FileServer;

beforeAll(async () => {
	files = await startFileServer();
});
beforeEach(() => {
	files.seen.length = 0;
});
afterAll(() => files.close());

const invoice = sampleBytes('invoice-us.pdf');
const asPdf = { 'content-type': 'application/pdf' };
const page =
	'<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in to see invoice.pdf</body></html>';

const fromLink = async (
	fileUrl: unknown,
	parameters: IDataObject = {},
	items: INodeExecutionData[] = [{ json: {} }],
	onError: 'continueRegularOutput' | 'stopWorkflow' = 'stopWorkflow',
) =>
	await service.run(
		{
			operation: 'extract',
			inputSource: 'fileUrl',
			fileUrl: fileUrl as IDataObject,
			...parameters,
		},
		items,
		{ onError },
	);

/** A link that is expected to fail, with all that the node says about it. */
async function failed(fileUrl: unknown, parameters: IDataObject = {}) {
	const { items } = await fromLink(fileUrl, parameters, [{ json: {} }], 'continueRegularOutput');
	expect(items).toHaveLength(1);
	const { message, description } = failureOf(items[0]);
	expect(`${message} ${description}`).not.toMatch(AVOIDED_WORDS);
	expect(description).not.toBe('');
	expect(await service.calls()).toEqual([]);
	return `${message} ${description}`;
}

/** The name the file had on its way to the service. */
async function uploadName(fileUrl: string): Promise<string | undefined> {
	await fromLink(fileUrl);
	return (await service.files())[0]?.fileName;
}

describe.each<BinaryMode>(['filesystem', 'default'])(
	'A file behind a link, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test('reaches the service byte for byte; its server sees no key', async () => {
			const { items } = await fromLink(
				files.serve('/docs/invoice-us.pdf', { headers: asPdf, body: invoice }),
			);
			expect(items).toMatchObject([
				{
					json: {
						documentType: 'Invoice',
						fields: { invoiceNumber: 'INV-2026-0117' },
						fileName: 'invoice-us.pdf',
					},
					pairedItem: { item: 0 },
				},
			]);
			expect(await service.files()).toMatchObject([
				{
					name: 'file',
					fileName: 'invoice-us.pdf',
					contentType: 'application/pdf',
					bytes: invoice.length,
					sha256: sha256(invoice),
				},
			]);
			expect(files.seen).toHaveLength(1);
			expect(files.seen[0]?.headers).not.toHaveProperty('authorization');
			expect(JSON.stringify(files.seen)).not.toContain(service.credential.apiKey);
		});

		test('is passed on where the next node needs it', async () => {
			const { items } = await fromLink(
				files.serve('/deal.pdf', { headers: asPdf, body: sampleBytes('contract.pdf') }),
				{ operation: 'classify' },
			);
			const { data } = items[0]?.binary ?? {};
			expect(items[0]?.json).toMatchObject({ fileName: 'deal.pdf', documentType: 'Contract' });
			expect(data).toMatchObject({ fileName: 'deal.pdf', mimeType: 'application/pdf' });
			expect(data && sha256(await readFileOf(data))).toBe(sha256(sampleBytes('contract.pdf')));
		});

		test('of 10 MB is taken, a byte more is not', async () => {
			await fromLink(files.serve('/largest.pdf', { headers: asPdf, body: pdfOfSize(10 * MB) }));
			expect((await service.files()).map(({ bytes }) => bytes)).toEqual([10 * MB]);
			await service.standIn.reset();
			expect(
				await failed(files.serve('/larger.pdf', { headers: asPdf, body: pdfOfSize(10 * MB + 1) })),
			).toMatch(/larger\.pdf.*larger than 10 MB/);
		});
	},
);

describe('The name of a file behind a link', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	test.each<[string, string, string | undefined, string]>([
		['is in the path', '/a/b/invoice.pdf', undefined, 'invoice.pdf'],
		[
			'is in the path, encoded',
			'/%C3%9Cbersicht%20%E2%80%93%202026.pdf',
			undefined,
			'Übersicht – 2026.pdf',
		],
		['is in the path, badly encoded', '/100%.pdf', undefined, '100%.pdf'],
		[
			'is not followed by its parameters',
			'/invoice.pdf?token=abc&name=x.exe',
			undefined,
			'invoice.pdf',
		],
		[
			'is said by the server',
			'/download?id=5',
			'attachment; filename="Invoice 5.pdf"',
			'Invoice 5.pdf',
		],
		['is said without quotes', '/download', 'attachment; filename=invoice.pdf', 'invoice.pdf'],
		[
			'is said without quotes, with more behind',
			'/download',
			'attachment; filename=invoice.pdf; size=5',
			'invoice.pdf',
		],
		[
			'is said in the encoded form, which goes first',
			'/download',
			'attachment; filename="U.pdf"; filename*=UTF-8\'\'%C3%9C.pdf',
			'Ü.pdf',
		],
		[
			'is said in the encoded form with a language',
			'/download',
			"attachment; filename*=utf-8'de'%C3%9C.pdf",
			'Ü.pdf',
		],
		[
			'is said in an encoding that is no UTF-8',
			'/download',
			'attachment; filename*=UTF-8\'\'%DC.pdf; filename="U.pdf"',
			'U.pdf',
		],
		['has a semicolon', '/download', 'attachment; filename="a;b.pdf"', 'a;b.pdf'],
		['is said in capitals', '/download', 'ATTACHMENT; FILENAME="A.PDF"', 'A.PDF'],
		[
			'is said with a path',
			'/download',
			'attachment; filename="../../etc/invoice.pdf"',
			'invoice.pdf',
		],
		['is not said by a header that says only how to show it', '/show.pdf', 'inline', 'show.pdf'],
		['has no extension', '/files/5', undefined, '5.pdf'],
		['has an extension of another kind', '/invoice.php', undefined, 'invoice.php.pdf'],
		['is nowhere', '/', undefined, 'file.pdf'],
	])('%s', async (_, path, disposition, expected) => {
		const headers = {
			...asPdf,
			...(disposition === undefined ? {} : { 'content-disposition': disposition }),
		};
		expect(await uploadName(files.serve(path, { headers, body: invoice }))).toBe(expected);
	});

	test.each([
		['as bytes of unknown type', 'application/octet-stream'],
		['without a type', undefined],
		['with parameters', 'application/pdf; charset=binary'],
		['in capitals', 'Application/PDF'],
	])('and its kind are found out when it comes %s', async (_, type) => {
		const link = files.serve('/d', {
			headers: type === undefined ? {} : { 'content-type': type },
			body: invoice,
		});
		await fromLink(link);
		expect(await service.files()).toMatchObject([
			{ fileName: 'd.pdf', contentType: 'application/pdf' },
		]);
	});
});

describe('Links', () => {
	const good = () => files.serve('/good.pdf', { headers: asPdf, body: invoice });
	const other = () =>
		files.serve('/other.pdf', { headers: asPdf, body: sampleBytes('invoice-de.pdf') });

	test.each<[string, () => unknown]>([
		['by spaces', () => `${good()} ${other()}`],
		['by line breaks, with empty lines', () => `\n${good()}\r\n\r\n  ${other()}\n`],
		['in a list by expression', () => `={{ ['${good()}', '${other()}'] }}`],
	])('several, separated %s, are documents of their own in that order', async (_, links) => {
		const { items } = await fromLink(links());
		expect(
			items.map(({ json, pairedItem }) => [
				json.fileName,
				(json.fields as IDataObject).invoiceNumber,
				pairedItem,
			]),
		).toEqual([
			['good.pdf', 'INV-2026-0117', { item: 0 }],
			['other.pdf', 'RE-2026-1148', { item: 0 }],
		]);
	});

	test('are read for each item', async () => {
		const items = [good(), other()].map((link) => ({ json: { link } }));
		const { items: results } = await fromLink('={{ $json.link }}', {}, items);
		expect(results.map(({ json, pairedItem }) => [json.fileName, pairedItem])).toEqual([
			['good.pdf', { item: 0 }],
			['other.pdf', { item: 1 }],
		]);
	});

	test('one that fails leaves the others their results, in their places', async () => {
		const lost = files.serve('/lost.pdf', { status: 404, body: 'Not found' });
		const { items } = await fromLink(
			'={{ $json.links }}',
			{},
			[
				{ json: { links: [good(), lost, other()] } },
				{ json: { links: 'nonsense' } },
				{ json: { links: good() } },
			],
			'continueRegularOutput',
		);
		expect(
			items.map(({ json, pairedItem }) => [
				json.fileName ?? (json.error as IDataObject).message,
				pairedItem,
			]),
		).toEqual([
			['good.pdf', { item: 0 }],
			[expect.stringContaining('/lost.pdf'), { item: 0 }],
			['other.pdf', { item: 0 }],
			[expect.stringContaining('"nonsense"'), { item: 1 }],
			['good.pdf', { item: 2 }],
		]);
	});

	test('one that fails in a shared request leaves the others theirs', async () => {
		const lost = files.serve('/lost.pdf', { status: 404 });
		const { items } = await fromLink(
			`${good()} ${lost} ${other()}`,
			{ operation: 'classify', options: { filesPerRequest: 20 } },
			[{ json: {} }],
			'continueRegularOutput',
		);
		expect(items.map(({ json }) => json.documentType ?? 'failed')).toEqual([
			'Invoice',
			'failed',
			'Invoice',
		]);
		expect((await service.calls()).map(({ parts }) => parts.length)).toEqual([2]);
	});

	test.each<[string, string, RegExp]>([
		['nothing', '', /^No link in File URL Enter the link to the file, or/],
		['blank', ' \n ', /^No link in File URL /],
		['an expression that gives nothing', '={{ $json.nothing }}', /^No link in File URL /],
		['no address', 'invoice.pdf', /^"invoice\.pdf" is not a valid link .*https:\/\//],
		[
			'another protocol',
			'ftp://example.com/a.pdf',
			/^"ftp:\/\/example\.com\/a\.pdf" is not a valid link/,
		],
		['a file of the server', 'file:///etc/passwd', /^"file:\/\/\/etc\/passwd" is not a valid link/],
		['a script', 'data:application/pdf,x', /is not a valid link/],
	])('%s is a message, and no request', async (_, link, expected) => {
		expect(await failed(link)).toMatch(expected);
		expect(files.seen).toEqual([]);
	});

	test('for Match Faces lead to selfie and documents', async () => {
		const png = (path: string, name: string) =>
			files.serve(path, { headers: { 'content-type': 'image/png' }, body: sampleBytes(name) });
		const selfie = png('/portrait.png', 'portrait.png');
		const cards = [png('/card.png', 'id-card.png'), png('/copy.png', 'id-card.png')];
		const { items } = await service.run(
			{
				operation: 'faceMatch',
				inputSource: 'fileUrl',
				selfieUrl: selfie,
				documentUrls: [...cards, ...cards].join(' '),
			},
			[{ json: {} }],
		);
		expect(items).toMatchObject([
			{
				json: { matched: true, matches: [{ matched: true }, { matched: true }] },
				pairedItem: { item: 0 },
			},
		]);
		expect((await service.files()).map(({ name, fileName }) => [name, fileName])).toEqual([
			['selfie', 'portrait.png'],
			['documents', 'card.png'],
			['documents', 'copy.png'],
		]);
	});

	test('for Match Faces: the one that is missing is named', async () => {
		const parameters = { operation: 'faceMatch', inputSource: 'fileUrl' };
		const missing = async (links: IDataObject) =>
			failureOf(
				(
					await service.run({ ...parameters, ...links }, [{ json: {} }], {
						onError: 'continueRegularOutput',
					})
				).items[0],
			).message;
		expect(await missing({ selfieUrl: good(), documentUrls: '' })).toBe('No link in Document URLs');
		expect(await missing({ selfieUrl: '', documentUrls: good() })).toBe('No link in Selfie URL');
		expect(await service.calls()).toEqual([]);
	});

	test('to unsupported files are skipped when that is asked for, with a hint', async () => {
		const calendar = files.serve('/meeting.ics', {
			headers: { 'content-type': 'text/calendar' },
			body: 'BEGIN:VCALENDAR',
		});
		const { items, hints } = await fromLink(
			`${good()} ${calendar}`,
			{ options: { ignoreUnsupportedFiles: true } },
			[{ json: {} }],
			'continueRegularOutput',
		);
		expect(items.map(({ json }) => json.fileName ?? (json.error as IDataObject).message)).toEqual([
			'good.pdf',
		]);
		expect(hints).toEqual([
			expect.objectContaining({ message: expect.stringContaining('"meeting.ics"') as string }),
		]);
	});

	test('given twice are fetched, sent and paid once', async () => {
		const [one, two] = [good(), other()];
		const { items } = await fromLink(`${one} ${two}\n${one}`, {}, [{ json: {} }]);
		expect(items.map(({ json }) => json.fileName)).toEqual(['good.pdf', 'other.pdf']);
		expect(files.seen).toHaveLength(2);
		expect(await service.calls()).toHaveLength(2);
	});

	test('of which none is left give no item, and the hint names them', async () => {
		const calendar = files.serve('/meeting.ics', {
			headers: { 'content-type': 'text/calendar' },
			body: 'BEGIN:VCALENDAR',
		});
		const { items, hints } = await fromLink(
			calendar,
			{ options: { ignoreUnsupportedFiles: true } },
			[{ json: {} }],
		);
		expect(items).toEqual([]);
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('"meeting.ics"')]);
		expect(await service.calls()).toEqual([]);
	});
});

describe('A link that leads to no document', () => {
	test.each([
		['404', { status: 404, body: 'x' }, /status 404/],
		['403', { status: 403, headers: { 'content-type': 'text/html' }, body: page }, /status 403/],
		['500', { status: 500, body: 'x' }, /status 500/],
		['nothing to say', { status: 204 }, /status 204/],
		[
			'a web page',
			{ headers: { 'content-type': 'text/html; charset=utf-8' }, body: page },
			/web page/,
		],
		[
			'a web page in capitals',
			{ headers: { 'content-type': 'TEXT/HTML' }, body: page },
			/web page/,
		],
		[
			'a web page as XHTML',
			{ headers: { 'content-type': 'application/xhtml+xml' }, body: page },
			/web page/,
		],
		['a web page without a type', { body: page }, /web page/],
		['a web page that says it is a PDF', { headers: asPdf, body: `\n  ${page}` }, /web page/],
		['an empty file', { headers: asPdf, body: '' }, /is empty/],
	])('%s', async (_, served, expected) => {
		const said = await failed(files.serve('/invoice.pdf', served));
		if ('status' in served) expect(said).toContain('private browser window');
		expect(said).toMatch(expected);
		expect(said).toContain('invoice.pdf');
	});

	test('is named without what may be secret in it', async () => {
		const link = files
			.serve('/share/invoice.pdf?signature=s3cr3t', { status: 403 })
			.replace('http://', 'http://ann:p4ss@');
		const said = await failed(link);
		expect(said).toContain('/share/invoice.pdf');
		expect(said).not.toMatch(/s3cr3t|p4ss/);
	});

	test('because nobody is there', async () => {
		const gone = await startFileServer();
		gone.close();
		expect(await failed(`${gone.url}/invoice.pdf`)).toMatch(
			/\/invoice\.pdf could not be downloaded: the connection failed/,
		);
	});

	test('because the connection breaks in the middle', async () => {
		const link = files.serve('/half.pdf', (response) => {
			response.writeHead(200, { ...asPdf, 'content-length': invoice.length });
			response.write(invoice.subarray(0, 1000), () => response.destroy());
		});
		expect(await failed(link)).toMatch(/half\.pdf.*the connection was lost/);
	});

	test('stops the run where it is meant to stop, with the item', async () => {
		const error = await thrownBy(
			fromLink('={{ $json.link }}', {}, [
				{ json: { link: files.serve('/none.pdf', { status: 404 }) } },
			]),
		);
		expect(error.message).toMatch(
			/none\.pdf could not be downloaded: the link was refused with status 404/,
		);
		expect(error).toMatchObject({ context: { itemIndex: 0 } });
	});
});

describe('Redirects', () => {
	const chain = (length: number, end: string) => {
		for (let step = 1; step <= length; step++) {
			files.serve(`/step-${step}`, {
				status: 302,
				headers: { location: step === length ? end : `/step-${step + 1}` },
			});
		}
		return `${files.url}/step-1`;
	};

	test('are followed, also to another server, without the key', async () => {
		const elsewhere = await startFileServer();
		try {
			const link = chain(5, elsewhere.serve('/final.pdf', { headers: asPdf, body: invoice }));
			const { items } = await fromLink(link);
			expect(items[0]?.json.fields).toMatchObject({ invoiceNumber: 'INV-2026-0117' });
			expect(
				[...files.seen, ...elsewhere.seen].map(({ headers }) => headers.authorization),
			).toEqual(Array.from({ length: 6 }, () => undefined));
		} finally {
			elsewhere.close();
		}
	});

	test('end after five', async () => {
		files.serve('/final.pdf', { headers: asPdf, body: invoice });
		expect(await failed(chain(6, '/final.pdf'))).toMatch(/step-1 could not be downloaded/);
		expect(files.seen.map(({ url }) => url)).not.toContain('/final.pdf');
	});

	test('in a circle end', async () => {
		files.serve('/round', { status: 302, headers: { location: '/round' } });
		expect(await failed(`${files.url}/round`)).toMatch(/round could not be downloaded/);
		expect(files.seen.length).toBeLessThan(10);
	});

	test('to a page for signing in are recognised as one', async () => {
		files.serve('/login', { headers: { 'content-type': 'text/html' }, body: page });
		expect(
			await failed(files.serve('/invoice.pdf', { status: 302, headers: { location: '/login' } })),
		).toMatch(/invoice\.pdf leads to a web page/);
	});

	test('to a file of the server lead nowhere', async () => {
		expect(
			await failed(
				files.serve('/local', { status: 302, headers: { location: 'file:///etc/passwd' } }),
			),
		).toMatch(/could not be downloaded/);
	});
});

test('A file that does not come in time is told from one that is refused', async () => {
	await useBinaryMode('filesystem');
	const link = files.serve(
		'/slow.pdf',
		(response) => void response.writeHead(200, asPdf).write('%PDF-'),
	);
	expect(await failed(link, { options: { timeout: 1 } })).toMatch(
		/slow\.pdf could not be downloaded: it took longer than 1 second Raise the Timeout option/,
	);
});

test('A file that arrives and is refused is named', async () => {
	const link = files.serve('/notes.txt', {
		headers: { 'content-type': 'text/plain' },
		body: 'some notes',
	});
	const { items } = await fromLink(link, {}, [{ json: {} }], 'continueRegularOutput');
	expect(failureOf(items[0]).details.fileName).toBe('notes.txt');
});

describe('The size limit', () => {
	/** Sends and sends, until the other side has had enough. */
	const endless = async (response: ServerResponse) => {
		const body = function* () {
			yield invoice;
			for (const chunk = Buffer.alloc(MB, 'x'); ;) yield chunk;
		};
		await pipeline(Readable.from(body()), response).catch(() => undefined);
	};

	test.each<BinaryMode>(['filesystem', 'default'])(
		'is enforced while a file of unknown size arrives (%s)',
		async (mode) => {
			await useBinaryMode(mode);
			const before = files.bytesSent();
			const link = files.serve('/endless.pdf', async (response) => {
				response.writeHead(200, asPdf);
				await endless(response);
			});
			expect(await failed(link)).toMatch(
				/endless\.pdf could not be downloaded: it is larger than 10 MB Reduce the size of the file\. Nothing was sent/,
			);
			// What lies in the buffers of the connection may come on top.
			expect(files.bytesSent() - before).toBeLessThan(30 * MB);
		},
	);

	test('11 MB of unknown size are too many for Extract, not for Split', async () => {
		const link = files.serve('/eleven.pdf', (response) => {
			response.writeHead(200, asPdf);
			response.end(Buffer.concat([sampleBytes('bundle.pdf'), Buffer.alloc(11 * MB, ' ')]));
		});
		expect(await failed(link)).toMatch(/larger than 10 MB/);
		const { items } = await fromLink(link, { operation: 'split' });
		expect(items).toHaveLength(5);
		expect(items[0]?.json.sourceFileName).toBe('eleven.pdf');
	});

	test('a file that says it is too large is not read', async () => {
		const before = files.bytesSent();
		const link = files.serve('/said.pdf', async (response) => {
			response.writeHead(200, { ...asPdf, 'content-length': 200 * MB });
			await endless(response);
		});
		expect(await failed(link)).toMatch(/larger than 10 MB/);
		expect(files.bytesSent() - before).toBeLessThan(10 * MB);
	});

	test('counts what a squeezed answer becomes', async () => {
		const link = files.serve('/bomb.pdf', {
			headers: { ...asPdf, 'content-encoding': 'gzip' },
			body: gzipSync(Buffer.alloc(50 * MB)),
		});
		expect(await failed(link)).toMatch(/larger than 10 MB/);
	});

	test('a squeezed file arrives whole', async () => {
		const link = files.serve('/squeezed.pdf', {
			headers: { ...asPdf, 'content-encoding': 'gzip' },
			body: gzipSync(invoice),
		});
		await fromLink(link);
		expect(await service.files()).toMatchObject([
			{ bytes: invoice.length, sha256: sha256(invoice) },
		]);
	});
});
