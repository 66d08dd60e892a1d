import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

import type { IDataObject } from 'n8n-workflow';

import { type NodeRun } from '../../../n8n-core/runNode';
import type { Fault } from '../../../stand-in/startStandIn';
import { collectGarbage } from '../../collectGarbage';
import { type ScriptedServer, startScriptedServer } from '../../scriptedServer';
import { failureOf, goOn, useService } from '../../service';
import { MB, storedSample } from '../../samples';

// Slow because of the sizes. However much comes, in whatever packing, for however long: a message, soon, and without filling the memory of n8n.

const service = useService();
/** As docs/internals/reliability.md says. */
const MAX_ANSWER = 32 * MB;
/** Far below what the bodies here would take, and enough for one of the largest that are read, and its parts. */
const MAX_GROWTH = 200 * MB;
/** Few on a quiet machine; what does not end takes until the timeout of the node. */
const MAX_SECONDS = 25;
const NOT_OURS = /could not be read/;
let files: ScriptedServer;

beforeAll(async () => {
	files = await startScriptedServer();
});
afterAll(() => files.close());

/** A run on a picture, or on several, with the bytes by which the memory of the process was larger at its worst. */
async function measured(parameters: IDataObject, more: Partial<NodeRun> = {}, count = 1) {
	const binary = { data: await storedSample('two-cards.jpg') };
	const items = Array.from({ length: count }, () => ({ json: {}, binary }));
	collectGarbage();
	const before = process.memoryUsage();
	let growth = 0;
	const look = () => {
		const { rss, heapUsed, external } = process.memoryUsage();
		// Memory that the process has once taken hides from the first what a later test takes.
		const inUse = heapUsed + external - before.heapUsed - before.external;
		growth = Math.max(growth, rss - before.rss, inUse);
	};
	const looking = setInterval(look, 10);
	const startedAt = Date.now();
	try {
		// A run that never ends is a result as well, and the next test shall begin.
		const signal = AbortSignal.timeout((MAX_SECONDS + 1) * 1000);
		const result = await service.run(parameters, items, { ...goOn, signal, ...more });
		look();
		expect(result.items).toHaveLength(count);
		expect((Date.now() - startedAt) / 1000).toBeLessThan(MAX_SECONDS);
		return { items: result.items, growth };
	} finally {
		clearInterval(looking);
	}
}

function expectMessage({ items, growth }: Awaited<ReturnType<typeof measured>>, message: RegExp) {
	expect(failureOf(items[0]).message).toMatch(message);
	expect(failureOf(items[0]).message).toContain('"two-cards.jpg"');
	expect(growth).toBeLessThan(MAX_GROWTH);
}

describe('An answer', () => {
	test.each<[Fault, RegExp, IDataObject]>([
		[{ kind: 'hugeBody', megabytes: MAX_ANSWER / MB }, NOT_OURS, {}],
		[{ kind: 'hugeBody', megabytes: 1024 }, NOT_OURS, {}],
		[{ kind: 'gzipBomb', megabytes: 1024 }, NOT_OURS, {}],
		[{ kind: 'endlessBody' }, NOT_OURS, {}],
		// Slower than the size limit would end it.
		[{ kind: 'slowBody', everyMs: 20 }, /arrived within/, { timeout: 1 }],
		[{ kind: 'hang' }, /arrived within/, { timeout: 1 }],
	])('%j', async (fault, message, options) => {
		await service.standIn.queueFaults([fault]);
		const parameters = { operation: 'split', options: { ...options, includeInputFile: false } };
		expectMessage(await measured(parameters), message);
	});

	test('just below 32 MB, valid to its end, is a result', async () => {
		await service.standIn.queueFaults([{ kind: 'hugeBody', megabytes: 31 }]);
		const { items, growth } = await measured({ operation: 'extract' });
		expect((items[0]?.json.note as string | undefined)?.length).toBe(31 * MB);
		// Its bytes, its text, its value and the copy that is kept, some of them until memory is next freed.
		expect(growth).toBeLessThan(10 * MAX_ANSWER);
	});

	test('that never ends, five at a time, stops at 32 MB each', async () => {
		await service.standIn.queueFaults([{ kind: 'endlessBody', times: 5 }]);
		const parameters = { operation: 'split', options: { concurrency: 5, timeout: 2 } };
		const { items, growth } = await measured(parameters, {}, 5);
		for (const item of items)
			expect(failureOf(item).message).toMatch(/could not be read|arrived within/);
		expect((await service.standIn.figures()).maxConcurrent).toBe(5);
		// The limit is that of one answer, and so five add up; as much again is what nobody has collected yet.
		expect(growth).toBeLessThan(2 * 5 * MAX_ANSWER);
	});

	test('of 300 MB, packed by brotli', async () => {
		const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
		const body = brotliCompressSync(Buffer.alloc(300 * MB, ' '), { params });
		const headers = { 'content-encoding': 'br', 'content-type': 'application/json' };
		files.serve('/Document/split', { headers, body });
		const credential = { ...service.credential, baseUrl: files.url };
		const parameters = { operation: 'split', options: { timeout: 5 } };
		expectMessage(await measured(parameters, { credential }), NOT_OURS);
	});
});

test('A cropped image that is a bomb fills no memory', async () => {
	const headers = { 'content-type': 'image/png', 'content-encoding': 'gzip' };
	const body = gzipSync(Buffer.alloc(300 * MB), { level: 1 });
	const documents = [{ imageUrl: files.serve('/bomb', { headers, body }) }];
	await service.standIn.queueFaults([{ kind: 'answer', data: { documents } }]);
	expectMessage(await measured({ operation: 'crop' }), /larger than 50 MB/);
});
