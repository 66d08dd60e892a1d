import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { runNode, storeFile, useBinaryMode } from '../n8n-core/runNode';
import { failureOf } from '../nodes/service';
import { sha256, uniquePdf } from '../nodes/samples';
import { startStandIn, type FaultKind, type RecordedRequest, type StandIn } from '../stand-in/control';

// Takes about a minute, so it runs when it is asked for: SOAK=1 npx jest --config test/jest.config.js test/reliability/soak

/** A window shorter than a minute, so that thousands of documents pass hundreds of resets. */
const WINDOW_MS = 2000;
const REQUESTS_PER_WINDOW = 200;

/** Documents of each execution; memory is measured after each. */
const EXECUTIONS = [500, 500, 1000];

/** Refused or, by the service's own words, not done: only these may be followed by another request for the document. */
const COSTS_NOTHING: readonly FaultKind[] = ['rateLimit', 'quotaExceeded', 'retryable500', 'retryable503'];

/** Decided before the upload is read, so the record does not know the document. */
const BEFORE_UPLOAD: readonly FaultKind[] = ['refuse', 'rateLimit', 'quotaExceeded'];

const FAULTS: FaultKind[] = [
	...['html502', 'html200', 'retryable500', 'retryable503', 'internal500', 'gatewayTimeout504'] as const,
	...['reset', 'refuse', 'rateLimit', 'quotaExceeded', 'truncatedBody', 'truncatedJson', 'emptyBody'] as const,
];

const collectGarbage = (() => {
	setFlagsFromString('--expose-gc');
	return runInNewContext('gc') as () => void;
})();

function heapAfterGc(): number {
	collectGarbage();
	return process.memoryUsage().heapUsed / 1024 / 1024;
}

const asked = process.env.SOAK === '1' ? describe : describe.skip;

asked('Thousands of documents through a service that fails now and then (SOAK=1)', () => {
	let standIn: StandIn;

	beforeAll(async () => {
		await useBinaryMode('filesystem');
		standIn = await startStandIn({
			windowMs: WINDOW_MS,
			requestsPerWindow: REQUESTS_PER_WINDOW,
			faultRate: 0.05,
			faultKinds: FAULTS,
			latencyMs: [0, 50],
			seed: 20261121,
		});
	});
	afterAll(async () => await standIn.stop());

	test('each is accounted for once, none is processed twice, and memory stays flat', async () => {
		const limiters = new Limiters(undefined, WINDOW_MS);
		const credential = { apiKey: 'xtkt_live_valid_soak', region: 'custom', baseUrl: standIn.url, requestsPerMinute: REQUESTS_PER_WINDOW };
		const heaps: number[] = [];
		const digests: string[] = [];
		const count = { results: 0, failed: 0 };
		const startedAt = Date.now();

		for (const documents of EXECUTIONS) {
			const first = digests.length;
			const items: INodeExecutionData[] = [];
			for (let number = first; number < first + documents; number++) {
				const content = uniquePdf();
				digests.push(sha256(content));
				items.push({ json: {}, binary: { data: await storeFile(content, `document-${number}.pdf`, 'application/pdf') } });
			}
			const { items: outputs } = await runNode({
				parameters: { operation: 'extract' },
				items,
				credential,
				limiters,
				onError: 'continueRegularOutput',
			});
			// One result or one failed item for each document, in their order, each with its own name.
			expect(outputs.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
			for (const [position, output] of outputs.entries()) {
				const name = `document-${first + position}.pdf`;
				if (output.json.error === undefined) {
					expect(output.json).toMatchObject({ documentType: 'Invoice', fileName: name });
					count.results += 1;
				} else {
					expect(failureOf(output).message).toContain(`"${name}"`);
					count.failed += 1;
				}
			}
			outputs.length = 0;
			items.length = 0;
			heaps.push(heapAfterGc());
		}
		const seconds = (Date.now() - startedAt) / 1000;

		const requests = await standIn.requests();
		const unknown = requests.filter(({ parts }) => parts.length === 0);
		const byDocument = new Map(digests.map((digest) => [digest, [] as RecordedRequest[]]));
		for (const request of requests) {
			for (const part of request.parts) if ('sha256' in part) byDocument.get(part.sha256)?.push(request);
		}

		// Requests without a document are those the stand-in broke off before the upload, and refusals for the rate.
		for (const { fault, refused } of unknown) expect(refused || (fault !== null && BEFORE_UPLOAD.includes(fault))).toBe(true);
		const processed = [...byDocument.values()].map((own) => own.filter(({ fault }) => fault === null || !COSTS_NOTHING.includes(fault)).length);
		expect(processed.filter((times) => times > 1)).toEqual([]);
		// A document that never was processed is one whose connection broke before the upload.
		const brokenBefore = unknown.filter(({ fault }) => fault === 'refuse').length;
		const neverProcessed = processed.filter((times) => times === 0).length;
		expect(neverProcessed).toBeLessThanOrEqual(brokenBefore);
		// What was answered well is a result: nothing that was paid is lost.
		const answered = [...byDocument.values()].filter((own) => own.some(({ fault, refused }) => fault === null && !refused));
		expect(count.results).toBe(answered.length);
		expect([...byDocument.values()].flat().length + unknown.length).toBe(requests.length);

		expect(count.results + count.failed).toBe(digests.length);
		expect(Math.max(...heaps) - Math.min(...heaps)).toBeLessThan(30);
		// Every kind was met, or the soak has proved less than it says.
		expect(FAULTS.filter((kind) => !requests.some(({ fault }) => fault === kind))).toEqual([]);

		const faults = requests.filter(({ fault }) => fault !== null).length;
		const figures = {
			documents: digests.length,
			...count,
			requests: requests.length,
			faults,
			refusedForTheRate: requests.filter(({ refused, fault }) => refused && fault === null).length,
			processedTwice: processed.filter((times) => times > 1).length,
			neverProcessed,
			seconds: Math.round(seconds),
			heapMb: heaps.map((heap) => Math.round(heap)),
		};
		// Shown so that docs/reliability.md can be renewed.
		process.stdout.write(`${JSON.stringify(figures)}\n`);
	}, 20 * 60_000);
});
