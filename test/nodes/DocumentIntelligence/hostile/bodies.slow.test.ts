import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type NodeRun } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/startStandIn';
import { collectGarbage } from '../../collectGarbage';
import { type ScriptedServer, startScriptedServer } from '../../scriptedServer';
import { failureOf, goOn, useService } from '../../service';
import { MB, sampleBytes, storedSample } from '../../samples';

// Slow because of the sizes. However much comes, in whatever packing, for however long: a message, soon, and without filling the memory of n8n.

const service = useService();
/** As docs/internals/reliability.md says. */
const LARGEST_ANSWER = 32 * MB;
/** Far below what the bodies here would take, and enough for one of the largest that are read, and its parts. */
const MOST_GROWTH = 200 * MB;
/** Few on a quiet machine; what does not end takes until the timeout of the node. */
const MOST_SECONDS = 25;
const NOT_OURS = /could not be read/;
let files: ScriptedServer;

beforeAll(async () => {
	files = await startScriptedServer();
});
afterAll(() => files.close());

interface Measured {
	items: INodeExecutionData[];
	seconds: number;
	/** Bytes by which the process's memory was larger at its worst. */
	growth: number;
}

async function measured({
	parameters,
	items: given,
	...more
}: Partial<NodeRun> & { parameters: IDataObject }): Promise<Measured> {
	const item = { json: {}, binary: { data: await storedSample('two-cards.jpg') } };
	const before = process.memoryUsage();
	let growth = 0;
	const look = () => {
		const { rss, heapUsed, external } = process.memoryUsage();
		// Memory that the process has once taken hides from the first what a later test takes.
		growth = Math.max(
			growth,
			rss - before.rss,
			heapUsed + external - before.heapUsed - before.external,
		);
	};
	const looking = setInterval(look, 10);
	const cancel = new AbortController();
	// A run that never ends is a result as well, and the next test shall begin.
	const patience = setTimeout(() => cancel.abort(), (MOST_SECONDS + 1) * 1000);
	const startedAt = Date.now();
	try {
		const { items } = await service.run(parameters, given ?? [item], {
			...goOn,
			signal: cancel.signal,
			...more,
		});
		look();
		return { items, seconds: (Date.now() - startedAt) / 1000, growth };
	} finally {
		clearInterval(looking);
		clearTimeout(patience);
	}
}

function expectMessage({ items, seconds, growth }: Measured, message: RegExp) {
	expect(items).toHaveLength(1);
	expect(failureOf(items[0]).message).toMatch(message);
	expect(failureOf(items[0]).message).toContain('"two-cards.jpg"');
	expect(seconds).toBeLessThan(MOST_SECONDS);
	expect(growth).toBeLessThan(MOST_GROWTH);
}

describe('An answer', () => {
	test.each<[Fault, RegExp, IDataObject]>([
		[{ kind: 'hugeBody', megabytes: 1024 }, NOT_OURS, {}],
		[{ kind: 'gzipBomb', megabytes: 1024 }, NOT_OURS, {}],
		[{ kind: 'endlessBody' }, NOT_OURS, {}],
		// Slower than the size limit would end it.
		[{ kind: 'slowBody', everyMs: 20 }, /arrived within/, { timeout: 1 }],
		[{ kind: 'hang' }, /arrived within/, { timeout: 1 }],
	])('%j', async (fault, message, options) => {
		collectGarbage();
		await service.standIn.queueFaults([fault]);
		expectMessage(
			await measured({
				parameters: {
					operation: 'split',
					options: { ...options, includeInputFile: false },
				},
			}),
			message,
		);
	});

	test('five at a time that never end stop at 32 MB each', async () => {
		collectGarbage();
		await service.standIn.queueFaults([{ kind: 'endlessBody', times: 5 }]);
		const data = await storedSample('two-cards.jpg');
		const items = Array.from({ length: 5 }, () => ({ json: {}, binary: { data } }));
		const { items: results, growth } = await measured({
			items,
			parameters: { operation: 'split', options: { concurrency: 5, timeout: 2 } },
		});
		expect(results.map((result) => failureOf(result).message)).toEqual(
			items.map(() => expect.stringMatching(/could not be read|arrived within/) as string),
		);
		expect((await service.standIn.figures()).maxConcurrent).toBe(5);
		// The limit is that of one answer, and so five add up; as much again is what nobody has collected yet.
		expect(growth).toBeLessThan(2 * items.length * LARGEST_ANSWER);
	});

	const zeros = Buffer.alloc(300 * MB, ' ');
	const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
	test.each<[string, string, () => Buffer, RegExp]>([
		['brotli', 'br', () => brotliCompressSync(zeros, fast), NOT_OURS],
		[
			'deflate',
			'deflate',
			() => deflateSync(zeros, { level: 1 }),
			/could not be read|connection .* was lost/,
		],
		// Unpacked once, as the header says, it is small.
		[
			'gzip within gzip',
			'gzip',
			() => gzipSync(gzipSync(zeros, { level: 1 }), { level: 1 }),
			NOT_OURS,
		],
	])('of 300 MB, packed as %s', async (_, encoding, pack, message) => {
		collectGarbage();
		files.serve('/Document/split', {
			headers: { 'content-encoding': encoding, 'content-type': 'application/json' },
			body: pack(),
		});
		const credential = { ...service.credential, baseUrl: files.url };
		expectMessage(
			await measured({
				credential,
				parameters: { operation: 'split', options: { timeout: 5 } },
			}),
			message,
		);
	});
});

describe('A cropped image', () => {
	const found = (imageUrl: unknown): Fault => ({
		kind: 'answer',
		data: { documents: [{ imageUrl }] },
	});

	async function cropped(imageUrl: unknown, options: IDataObject = {}): Promise<Measured> {
		await service.standIn.queueFaults([found(imageUrl)]);
		return await measured({ parameters: { operation: 'crop', options: { ...options } } });
	}

	test('that never ends is given up at 50 MB', async () => {
		const chunk = Buffer.alloc(256 * 1024, 'x');
		const url = files.serve('/endless', async (response) => {
			response.writeHead(200, { 'content-type': 'image/png' });
			const closed = once(response, 'close');
			while (!response.destroyed)
				if (!response.write(chunk)) await Promise.race([once(response, 'drain'), closed]);
		});
		collectGarbage();
		expectMessage(await cropped(url), /larger than 50 MB/);
	});

	test('that comes a byte at a time is given up like any answer, after the Timeout', async () => {
		const url = files.serve('/slow', (response) => {
			response.writeHead(200, { 'content-type': 'image/png' });
			const drip = setInterval(() => response.write('x'), 50);
			response.once('close', () => clearInterval(drip));
		});
		expectMessage(await cropped(url, { timeout: 1 }), /could not be downloaded/);
	}, 20_000);

	test('that is a bomb fills no memory', async () => {
		const body = gzipSync(Buffer.alloc(300 * MB), { level: 1 });
		const url = files.serve('/bomb', {
			headers: { 'content-type': 'image/png', 'content-encoding': 'gzip' },
			body,
		});
		collectGarbage();
		expectMessage(await cropped(url), /larger than 50 MB/);
	});

	test.each([
		'image/../../../evil',
		'image/..\\..\\evil.exe',
		'image/',
		'image/x'.padEnd(3000, 'x'),
		'image/a b"c',
		'image/png/../../x',
	])('of the type %j has a harmless name', async (contentType) => {
		const png = sampleBytes('portrait.png');
		const link = files.serve('/typed', { headers: { 'content-type': contentType }, body: png });
		for (const fault of [found(link), { kind: 'imageAnswer', contentType } satisfies Fault]) {
			await service.standIn.reset();
			await service.standIn.queueFaults([fault]);
			const { items } = await measured({ parameters: { operation: 'crop' } });
			const named = items[0]?.binary?.data;
			// A message is as good.
			if (named === undefined) expect(failureOf(items[0]).message).toContain('"two-cards.jpg"');
			else {
				const { fileName = '', fileExtension = '' } = named;
				expect({ fileName, harmless: /^two-cards-1\.[\w+-]{1,20}$/.test(fileName) }).toEqual({
					fileName,
					harmless: true,
				});
				expect(fileExtension).toMatch(/^[\w+-]{0,20}$/);
			}
		}
	});
});

test('a service that takes the upload at a crawl is given up after the Timeout', async () => {
	const server = createServer((request) => void request.pause());
	await once(server.listen(0, '127.0.0.1'), 'listening');
	try {
		const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const run = {
			credential: { ...service.credential, baseUrl },
			parameters: { operation: 'split', options: { timeout: 1 } },
		};
		expectMessage(await measured(run), /arrived within/);
	} finally {
		server.close();
		server.closeAllConnections();
	}
});

test('an answer just below 32 MB, valid to its end, is a result', async () => {
	collectGarbage();
	await service.standIn.queueFaults([{ kind: 'hugeBody', megabytes: 31 }]);
	const { items, seconds, growth } = await measured({
		parameters: { operation: 'extract' },
	});
	expect(items).toHaveLength(1);
	expect((items[0]?.json.note as string | undefined)?.length).toBe(31 * MB);
	expect(seconds).toBeLessThan(MOST_SECONDS);
	// Its bytes, its text, its value and the copy that is kept, some of them until memory is next freed.
	expect(growth).toBeLessThan(10 * LARGEST_ANSWER);
});

test.each([32, 63])(
	'an answer of %i MB and a little more, valid to its end, is a message',
	async (megabytes) => {
		collectGarbage();
		await service.standIn.queueFaults([{ kind: 'hugeBody', megabytes }]);
		expectMessage(await measured({ parameters: { operation: 'extract' } }), NOT_OURS);
	},
);
