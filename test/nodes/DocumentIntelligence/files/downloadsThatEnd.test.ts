import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ScriptedServer, startScriptedServer } from '../../scriptedServer';
import { failureOf, goOn, thrownBy, useService } from '../../service';
import { MB } from '../../samples';

const service = useService();
let files: ScriptedServer;

beforeEach(async () => {
	files = await startScriptedServer();
});
afterEach(() => files.close());

const CONCURRENCY = 5;
const asPdf = { 'content-type': 'application/pdf' };

/** An answer that never ends, after its first bytes. */
const endless =
	(status: number, headers: Record<string, string>, first: Buffer | string = 'x') =>
	(response: ServerResponse) => {
		response.writeHead(status, headers);
		response.write(first);
	};

async function connectionsLeft(): Promise<number> {
	const startedAt = Date.now();
	while (files.connections().open > 0 && Date.now() - startedAt < 5000) await sleep(10);
	return files.connections().open;
}

const extract = (paths: string[], more = {}) =>
	service.run(
		{
			operation: 'extract',
			inputSource: 'fileUrl',
			fileUrl: paths.map((path) => files.url + path).join(' '),
			// Longer than a test may take, so that none waits for it.
			options: { concurrency: CONCURRENCY, timeout: 60 },
		},
		[{ json: {} }],
		more,
	);
const numbered = (path: string, count: number) =>
	Array.from({ length: count }, (_, number) => `${path}?${number}`);

test.each<[string, (response: ServerResponse) => void, RegExp, number]>([
	['403', endless(403, asPdf), /status 403/, 30],
	[
		'too large as it says',
		endless(200, { ...asPdf, 'content-length': String(10 * MB + 1) }),
		/larger than 10 MB/,
		2,
	],
	['too large as it grows', endless(200, asPdf, Buffer.alloc(10 * MB + 1)), /larger than 10 MB/, 2],
])(
	'an answer that is refused, %s, leaves no connection open',
	async (_, answer, message, links) => {
		files.serve('/invoice.pdf', answer);
		const { items } = await extract(numbered('/invoice.pdf', links), goOn);
		expect(items).toHaveLength(links);
		for (const item of items) expect(failureOf(item).message).toMatch(message);
		expect(files.connections().most).toBeLessThanOrEqual(2 * CONCURRENCY);
		expect(await connectionsLeft()).toBe(0);
		expect(await service.calls()).toEqual([]);
	},
);

test('a stop by the user ends downloads in the middle of a file', async () => {
	files.serve('/slow.pdf', endless(200, asPdf));
	const stop = new AbortController();
	const running = thrownBy(extract(numbered('/slow.pdf', 15), { signal: stop.signal }));
	while (files.received.length < CONCURRENCY) await sleep(10);
	const stoppedAt = Date.now();
	stop.abort();
	await running;
	expect(Date.now() - stoppedAt).toBeLessThan(5000);
	expect(await connectionsLeft()).toBe(0);
	expect(files.received).toHaveLength(CONCURRENCY);
	expect(await service.calls()).toEqual([]);
});

test('a run that stops at another document ends downloads', async () => {
	files.serve('/slow.pdf', endless(200, asPdf));
	const error = await thrownBy(extract([...numbered('/slow.pdf', 2), '/lost.pdf']));
	expect(error.message).toMatch(/lost\.pdf could not be downloaded/);
	expect(await connectionsLeft()).toBe(0);
	expect(await service.calls()).toEqual([]);
});
