import type { ServerResponse } from 'node:http';
import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import sharp from 'sharp';

import { crop } from '../../../../../nodes/DocumentIntelligence/operations/document/crop';
import type { ResultContext } from '../../../../../nodes/DocumentIntelligence/operations/operation';
import { readFileOf } from '../../../../n8n-core/runNode';
import { type ScriptedServer, startScriptedServer } from '../../../scriptedServer';
import { failureOf, goOn, useService } from '../../../service';
import { itemOf, itemsWith, sampleBytes, truth } from '../../../samples';

const service = useService();
let images: ScriptedServer;
let png: Buffer;

beforeAll(async () => {
	images = await startScriptedServer();
	png = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#fff' } })
		.png()
		.toBuffer();
});
beforeEach(() => {
	images.received.length = 0;
});
afterAll(() => images.close());

/** A run on a picture under an answer that is made up. */
async function answered(data: unknown, options: IDataObject = {}, fileName = 'scan.jpg') {
	await service.standIn.queueFaults([{ kind: 'answer', data }]);
	const item = await itemOf(sampleBytes('two-cards.jpg'), fileName, 'image/jpeg');
	const result = await service.run({ operation: 'crop', options }, [item], goOn);
	for (const { pairedItem } of result.items) expect(pairedItem).toEqual({ item: 0 });
	return result;
}

/** Crop of a picture in which these images are found. */
async function cropped(
	links: string[],
	options: IDataObject = {},
	fileName?: string,
): Promise<INodeExecutionData[]> {
	const documents = links.map((imageUrl) => ({ type: 'card', confidence: 90, imageUrl }));
	return (await answered({ imageUrls: links, documents }, options, fileName)).items;
}

const served = (contentType = 'image/png') =>
	images.serve('/image?signature=s3cr3t', { headers: { 'content-type': contentType }, body: png });

test('each document that is found is an item with its image', async () => {
	const { items } = await service.run({ operation: 'crop' }, await itemsWith('two-cards.jpg'));
	const number = expect.any(Number) as number;
	const found = { type: expect.any(String) as string, side: 'front', confidence: number };
	expect(items).toEqual(
		[0, 1].map((index) => ({
			json: {
				...{ fileName: 'two-cards.jpg', index, ...found, box: [number, number, number, number] },
				imageUrl: expect.stringContaining('/images/') as string,
			},
			binary: {
				data: expect.objectContaining({
					...{ fileName: `two-cards-${index + 1}.png`, mimeType: 'image/png' },
				}) as object,
			},
			pairedItem: { item: 0 },
		})),
	);
	const { width = 0, height = 0 } = await sharp(
		await readFileOf(items[0]!.binary!.data!),
	).metadata();
	const { box: [left, top, right, bottom] = [] } = truth['two-cards.jpg']?.documents?.[0] ?? {};
	// The edges of a card are found to a few pixels.
	expect(Math.abs(width - (right! - left!))).toBeLessThan(20);
	expect(Math.abs(height - (bottom! - top!))).toBeLessThan(20);
	const [call] = await service.calls();
	expect([call?.path, call?.parts[0]?.name]).toEqual(['/Document/crop', 'file']);
});

test.each<[string, unknown, object[]]>([
	[
		'null among the documents loses no other',
		{ documents: [null, { type: 'card', imageUrl: 'u' }, 'x'] },
		[{ index: 0, type: 'card', imageUrl: 'u' }],
	],
	[
		'links without documents',
		{ documents: [], imageUrls: [null, 'u', {}] },
		[{ index: 0, imageUrl: 'u' }],
	],
	[
		'a confidence as text is a number, and what is no text or list is null',
		{ documents: [{ type: ['card'], side: 5, confidence: '87%', box2D: 'x', imageUrl: {} }] },
		[{ index: 0, side: '5', confidence: 87 }],
	],
	['a list', [{ imageUrl: 'u' }], [{ index: 0, imageUrl: 'u' }]],
])('of an answer, %s', async (_, data, expected) => {
	const { items } = await answered(data, { downloadImages: false });
	const unsaid = { type: null, side: null, confidence: null, box: null, imageUrl: null };
	expect(items).toEqual(
		expected.map((json) => ({
			json: { fileName: 'scan.jpg', ...unsaid, ...json },
			pairedItem: { item: 0 },
		})),
	);
});

test.each([[{ imageUrls: null, compositeImageUrl: null, documents: [] }], [{ documents: [] }]])(
	'if nothing is found (%j), there is no item, and a hint names the file',
	async (data) => {
		const { items, hints } = await answered(data);
		expect(items).toEqual([]);
		expect(hints).toMatchObject([
			{ type: 'warning', message: expect.stringContaining('"scan.jpg"') as string },
		]);
	},
);

test('a cropped image is fetched without the key, and its signed link is in imageUrl alone', async () => {
	const link = served('IMAGE/PNG; charset=binary');
	const [item] = await cropped([link], {}, 'Ausweis Müller – vorn.2026.jpeg');
	expect(images.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
	expect(item?.json.imageUrl).toBe(link);
	const file = { fileName: 'Ausweis Müller – vorn.2026-1.png', mimeType: 'image/png' };
	expect(item?.binary?.data).toMatchObject(file);
	expect(JSON.stringify(item?.binary)).not.toContain('s3cr3t');
});

test('an image that cannot be had leaves the others of the same picture', async () => {
	const refused = images.serve('/old?signature=s3cr3t', { status: 403 });
	const letter = images.serve('/letter', { body: '%PDF-1.4' });
	const items = await cropped([served(), refused, served(), letter]);
	const files = items.map(({ binary }) => binary?.data?.fileName);
	expect(files).toEqual(['scan-1.png', undefined, 'scan-3.png', undefined]);
	expect(failureOf(items[3]).message).toMatch(/the link does not lead to an image$/);
	const { message, description } = failureOf(items[1]);
	expect(message).toBe(
		'A cropped image of "scan.jpg" could not be downloaded: the server responded with status 403',
	);
	expect(description).toMatch(
		/^The link may have expired\. Execute again to get new links, or add/,
	);
	expect(JSON.stringify(items[1])).not.toContain('s3cr3t');
});

const onDisk = () => {
	const spy = jest.spyOn(Container.get(BinaryDataService), 'store');
	for (let tries = 0; tries < 4; tries++)
		spy.mockImplementationOnce(async (_location, content) => {
			const full = new Writable({
				write: (_chunk, _encoding, done) => done(new Error('no space left on device')),
			});
			await pipeline(content as Readable, full);
			throw new Error('It is stored.');
		});
	return served();
};
/** In two runs, each of which tries twice. */
const failing = (fail: (response: ServerResponse) => void) => () => {
	let tries = 0;
	return images.serve('/image', (response) => {
		tries += 1;
		if (tries <= 4) fail(response);
		else response.writeHead(200, { 'content-type': 'image/png' }).end(png);
	});
};
const withStatus = (status: number) => failing((response) => void response.writeHead(status).end());

const SENT_ANEW =
	'1 file was sent again and may be billed again, because the image links in its earlier result no longer work: "two-cards.jpg"';

test.each<[string, () => string, number]>([
	['its server is down', withStatus(503), 1],
	['its server has too many requests', withStatus(429), 1],
	[
		'the connection is lost in the middle',
		failing((response) => {
			response.writeHead(200, { 'content-type': 'image/png', 'content-length': png.length });
			response.write(png.subarray(0, 10), () => response.destroy());
		}),
		1,
	],
	["n8n's disk is full", onDisk, 1],
	['its link is refused', withStatus(403), 2],
	[
		'its link leads to a page',
		failing((response) => void response.end('<!DOCTYPE html><html><body>Sign in')),
		2,
	],
])(
	'a result whose image could not be passed on because %s: a later run passes it on',
	async (_, link, requests) => {
		const items = await itemsWith('two-cards.jpg');
		const documents = [{ type: 'card', imageUrl: link() }];
		await service.standIn.queueFaults([{ kind: 'answer', data: { documents }, times: 2 }]);
		const run = async () => await service.run({ operation: 'crop' }, items);
		// A full disk is not blamed on the image.
		const said = link === onDisk ? /passed on: n8n could not store it/ : /be downloaded: /;
		const then =
			requests === 1
				? /(^Wait until the server responds|free space\.).* Then execute again: the result is kept, and not paid for twice\.$/
				: /^The link may have expired\. Execute again .* may be billed twice\.$/;
		await expect(run()).rejects.toMatchObject({
			message: expect.stringMatching(said) as string,
			description: expect.stringMatching(then) as string,
		});
		// One whose link is refused once more is sent anew.
		const { items: passedOn, hints } = await run().catch(run);
		const isSentAnew = hints.some(({ message }) => SENT_ANEW === message);
		expect(isSentAnew).toBe(requests > 1);
		expect(passedOn.map(({ binary }) => binary?.data?.fileName)).toEqual(['two-cards-1.png']);
		expect(await service.calls()).toHaveLength(requests);
		jest.restoreAllMocks();
	},
);

test('images that hang take no longer than Timeout all together, and all keep their order', async () => {
	const hanging = images.serve('/hangs', () => undefined);
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 20));
	const links = [...Array.from({ length: 11 }, () => hanging), served()];
	const began = Date.now();
	const items = await cropped(links, { timeout: 10 });
	jest.restoreAllMocks();
	expect(Date.now() - began).toBeLessThan(8000);
	expect(items.map(({ binary }) => binary?.data?.fileName)).toEqual([
		...links.slice(1).map(() => undefined),
		'scan-12.png',
	]);
	expect(failureOf(items[0]).message).toMatch(
		/could not be downloaded: it took longer than 10 seconds$/,
	);
});

const LINK = 'https://storage.example.com/a.png';
const NOT_FOLLOWED = /redirects .* to an address that is not followed$/;

test.each([
	[LINK, 'https://169.254.169.254/latest/meta-data', [LINK], NOT_FOLLOWED],
	[LINK, 'http://storage.example.com/a.png', [LINK], NOT_FOLLOWED],
	[LINK, 'file:///etc/passwd', [LINK], NOT_FOLLOWED],
	[LINK, '/b.png', [LINK, 'https://storage.example.com/b.png'], /status 404$/],
	['https://127.0.0.1/a.png', '', [], /does not begin with https:\/\/ or leads to a private addr/],
])('with the address of a region, of the link %s to %s: %j', async (link, location, asked, why) => {
	const httpRequest = jest.fn(async ({ url }: { url: string }) => {
		const response = { statusCode: url === link ? 302 : 404, headers: { location } };
		return await Promise.resolve(response);
	});
	const context = {
		files: { helpers: { httpRequest }, signal: new AbortController().signal },
		document: { fileName: 'scan.jpg', subject: '"scan.jpg"' },
		read: (_: string, fallback: unknown) => fallback,
		session: { account: { baseUrl: 'https://api-eu.cogneris.ai' } },
	} as unknown as ResultContext;
	const parsed = crop.parse({ imageUrls: [link], documents: [] }, context);
	const [output] = await crop.toOutputs(parsed ?? [], context);
	expect(output).toMatchObject({ message: expect.stringMatching(why) as string });
	const options = httpRequest.mock.calls.map(([request]) => request);
	expect([...new Set(options.map(({ url }) => url))]).toEqual(asked);
	for (const each of options) expect(each).toMatchObject({ disableFollowRedirect: true });
});
