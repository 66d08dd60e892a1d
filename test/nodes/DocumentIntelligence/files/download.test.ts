import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { startFileServer, type FileServer } from '../../fileServer';
import { MB, sampleBytes, storedSample } from '../../samples';
import { failureOf, thrownBy, useService } from '../../service';

const service = useService();
let files: FileServer;

beforeEach(async () => {
	files = await startFileServer();
});
afterEach(() => files.close());

const CONCURRENCY = 10;
const asPdf = { 'content-type': 'application/pdf' };

/** An answer that never ends, after its first bytes. */
const endless =
	(status: number, headers: Record<string, string>, first: Buffer | string) =>
	(response: ServerResponse) => {
		response.writeHead(status, headers);
		response.write(first);
	};

async function noConnectionOpen(): Promise<number> {
	const startedAt = Date.now();
	while (files.connections().open > 0 && Date.now() - startedAt < 5000) await sleep(10);
	return files.connections().open;
}

describe.each<BinaryMode>(['filesystem', 'default'])(
	'Links whose answer is refused, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test.each<[string, (response: ServerResponse) => void, RegExp, number]>([
			['403', endless(403, asPdf, 'x'), /status 403/, 300],
			[
				'too large by its length',
				endless(200, { ...asPdf, 'content-length': String(11 * MB) }, 'x'),
				/larger than 10 MB/,
				300,
			],
			['a web page', endless(200, { 'content-type': 'text/html' }, '<html>'), /a web page/, 300],
			// As much as this arrives before it can be refused.
			[
				'too large as it grows',
				endless(200, asPdf, Buffer.alloc(10 * MB + 1)),
				/larger than 10 MB/,
				12,
			],
		])('%s: each connection is closed at once', async (_, answer, message, links) => {
			files.serve('/invoice.pdf', answer);
			const { items } = await service.run(
				{
					operation: 'extract',
					inputSource: 'fileUrl',
					fileUrl: Array.from({ length: links }, (__, n) => `${files.url}/invoice.pdf?${n}`).join(
						'\n',
					),
					options: { concurrency: CONCURRENCY },
				},
				[{ json: {} }],
				{ onError: 'continueRegularOutput' },
			);
			expect(items).toHaveLength(links);
			for (const item of items) expect(failureOf(item).message).toMatch(message);
			expect(files.seen).toHaveLength(links);
			expect(files.connections().most).toBeLessThanOrEqual(2 * CONCURRENCY);
			expect(await noConnectionOpen()).toBe(0);
			expect(await service.calls()).toEqual([]);
		});
	},
);

describe('Downloads in flight', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	const unanswered = () => undefined;
	const unfinished = endless(200, asPdf, 'x');

	test.each([
		['before they are answered', unanswered],
		['in the middle of a file', unfinished],
	])('end within a second of a stop by the user: %s', async (_, answer) => {
		files.serve('/slow.pdf', answer);
		const stop = new AbortController();
		const running = thrownBy(
			service.run(
				{
					operation: 'extract',
					inputSource: 'fileUrl',
					fileUrl: Array.from({ length: 30 }, (__, n) => `${files.url}/slow.pdf?${n}`).join(' '),
					options: { concurrency: CONCURRENCY },
				},
				[{ json: {} }],
				{ signal: stop.signal, onError: 'continueRegularOutput' },
			),
		);
		while (files.seen.length < CONCURRENCY) await sleep(10);
		await sleep(200);
		const stoppedAt = Date.now();
		stop.abort();
		await running;
		expect(Date.now() - stoppedAt).toBeLessThan(5000);
		expect(await noConnectionOpen()).toBe(0);
		expect(files.seen).toHaveLength(CONCURRENCY);
		expect(await service.calls()).toEqual([]);
	});

	test('end with a run that stops at another document', async () => {
		files.serve('/slow.pdf', unfinished);
		files.serve('/lost.pdf', { status: 404 });
		const error = await thrownBy(
			service.run(
				{
					operation: 'extract',
					inputSource: 'fileUrl',
					fileUrl: ['slow.pdf?1', 'slow.pdf?2', 'lost.pdf']
						.map((name) => `${files.url}/${name}`)
						.join(' '),
					options: { timeout: 20 },
				},
				[{ json: {} }],
			),
		);
		expect(error.message).toMatch(/lost\.pdf could not be downloaded/);
		expect(error.description).not.toContain('because the node stopped');
		expect(await noConnectionOpen()).toBe(0);
		expect(await service.calls()).toEqual([]);
	}, 15_000);

	test('of cropped images end with a run that stops: their results would be lost anyway', async () => {
		files.serve('/slow.png', endless(200, { 'content-type': 'image/png' }, 'x'));
		await service.standIn.queueFaults([
			{
				kind: 'answer',
				match: 'scan.jpg',
				data: { imageUrls: [`${files.url}/slow.png`], documents: [] },
			},
			// Its retry comes when the other's image is awaited.
			{ kind: 'retryable503', match: 'form.pdf' },
			{ kind: 'problem', status: 400, match: 'form.pdf' },
		]);
		const items = await Promise.all(
			[
				['two-cards.jpg', 'scan.jpg'],
				['form.pdf', 'form.pdf'],
			].map(async ([sample = '', name = '']) => ({
				json: {},
				binary: { data: await storedSample(sample, name) },
			})),
		);
		const running = thrownBy(
			service.run({ operation: 'crop', options: { timeout: 20 } }, items, {}),
		);
		const error = await running;
		expect(error.message).toContain('"form.pdf"');
		expect(error.description).toContain('1 other document was processed');
		expect(await noConnectionOpen()).toBe(0);
	}, 15_000);
});

test('a download that the user does not stop is complete', async () => {
	await useBinaryMode('filesystem');
	const body = sampleBytes('invoice-us.pdf');
	const { items } = await service.run(
		{
			operation: 'extract',
			inputSource: 'fileUrl',
			fileUrl: files.serve('/invoice.pdf', { headers: asPdf, body }),
		},
		[{ json: {} }],
		{ signal: new AbortController().signal },
	);
	expect(items[0]?.json.documentType).toBe('Invoice');
	expect(await noConnectionOpen()).toBe(0);
});
