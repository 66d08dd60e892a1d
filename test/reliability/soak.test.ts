import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { runNode, storeFile, useBinaryMode } from '../n8n-core/runNode';
import { MB, sha256, uniquePdf } from '../nodes/samples';
import { failureOf, keysIn } from '../nodes/service';
import {
	startStandIn,
	type FaultKind,
	type RecordedRequest,
	type StandIn,
} from '../stand-in/startStandIn';
import { putOnPage, renewing } from './page';

// Takes about a minute, so it runs when it is asked for: SOAK=1 npx jest --config test/jest.config.js test/reliability/soak
// With UPDATE_DOCS=1 as well, docs/reliability.md is renewed with what it measures.

/** A window shorter than a minute, so that thousands of documents pass hundreds of resets. */
const WINDOW_MS = 2000;
const REQUESTS_PER_WINDOW = 200;

/** Share of the requests that meet a fault. */
const FAULT_RATE = 0.05;

/** Documents of each execution; memory is measured after each. */
const EXECUTIONS = [500, 500, 1000];

/** Refused or, by the service's own words, not done: only these may be followed by another request for the document. */
const COSTS_NOTHING: readonly FaultKind[] = [
	'rateLimit',
	'quotaExceeded',
	'retryable500',
	'retryable503',
];

/** Decided before the upload is read, so the record does not know the document. */
const BEFORE_UPLOAD: readonly FaultKind[] = ['refuse', 'rateLimit', 'quotaExceeded'];

const FAULTS: FaultKind[] = [
	...([
		'html502',
		'html200',
		'retryable500',
		'retryable503',
		'internal500',
		'gatewayTimeout504',
	] as const),
	...([
		'reset',
		'refuse',
		'rateLimit',
		'quotaExceeded',
		'truncatedBody',
		'truncatedJson',
		'emptyBody',
	] as const),
];

const collectGarbage = (() => {
	setFlagsFromString('--expose-gc');
	return runInNewContext('gc') as () => void;
})();

interface Memory {
	heap: number;
	/** Buffers, which the heap only points to. */
	external: number;
}

/** In MB. */
function memoryAfterGc(): Memory {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return { heap: Math.round(heapUsed / MB), external: Math.round(external / MB) };
}

const grown = (sizes: number[]) => Math.max(...sizes) - Math.min(...sizes);

const asked = process.env.SOAK === '1' ? describe : describe.skip;

asked('Thousands of documents through a service that fails now and then (SOAK=1)', () => {
	let standIn: StandIn;

	beforeAll(async () => {
		await useBinaryMode('filesystem');
		standIn = await startStandIn({
			windowMs: WINDOW_MS,
			requestsPerWindow: REQUESTS_PER_WINDOW,
			faultRate: FAULT_RATE,
			faultKinds: FAULTS,
			latencyMs: [0, 50],
			seed: 20261121,
		});
	});
	afterAll(async () => await standIn.stop());

	test(
		'each is accounted for once, none is processed twice, and memory stays flat',
		async () => {
			const limiters = new Limiters(undefined, WINDOW_MS);
			const credential = {
				apiKey: 'xtkt_live_valid_soak',
				region: 'custom',
				baseUrl: standIn.url,
				requestsPerMinute: REQUESTS_PER_WINDOW,
			};
			const memory: Memory[] = [];
			const digests: string[] = [];
			const count = { results: 0, failed: 0 };
			const startedAt = Date.now();

			for (const documents of EXECUTIONS) {
				const first = digests.length;
				const items: INodeExecutionData[] = [];
				for (let number = first; number < first + documents; number++) {
					const content = uniquePdf();
					digests.push(sha256(content));
					items.push({
						json: {},
						binary: { data: await storeFile(content, `document-${number}.pdf`, 'application/pdf') },
					});
				}
				const { items: outputs, hints } = await runNode({
					parameters: { operation: 'extract' },
					items,
					credential,
					limiters,
					onError: 'continueRegularOutput',
				});
				// At once and not after the test, as the other tests do, which keep everything until then.
				expect(keysIn([outputs, hints], [credential.apiKey])).toEqual([]);
				// One result or one failed item for each document, in their order, each with its own name.
				expect(outputs.map(({ pairedItem }) => pairedItem)).toEqual(
					items.map((_, item) => ({ item })),
				);
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
				memory.push(memoryAfterGc());
			}
			const seconds = (Date.now() - startedAt) / 1000;

			const requests = await standIn.requests();
			const unknown = requests.filter(({ parts }) => parts.length === 0);
			const byDocument = new Map(digests.map((digest) => [digest, [] as RecordedRequest[]]));
			for (const request of requests) {
				for (const part of request.parts)
					if ('sha256' in part) byDocument.get(part.sha256)?.push(request);
			}

			// Requests without a document are those the stand-in broke off before the upload, and refusals for the rate.
			for (const { fault, refused } of unknown)
				expect(refused || (fault !== null && BEFORE_UPLOAD.includes(fault))).toBe(true);
			const processed = [...byDocument.values()].map(
				(own) => own.filter(({ fault }) => fault === null || !COSTS_NOTHING.includes(fault)).length,
			);
			expect(processed.filter((times) => times > 1)).toEqual([]);
			// A document that never was processed is one whose connection broke before the upload.
			const brokenBefore = unknown.filter(({ fault }) => fault === 'refuse').length;
			const neverProcessed = processed.filter((times) => times === 0).length;
			expect(neverProcessed).toBeLessThanOrEqual(brokenBefore);
			// What was answered well is a result: nothing that was paid is lost.
			const answered = [...byDocument.values()].filter((own) =>
				own.some(({ fault, refused }) => fault === null && !refused),
			);
			expect(count.results).toBe(answered.length);
			expect([...byDocument.values()].flat().length + unknown.length).toBe(requests.length);

			expect(count.results + count.failed).toBe(digests.length);
			expect(grown(memory.map(({ heap }) => heap))).toBeLessThan(15);
			expect(grown(memory.map(({ external }) => external))).toBeLessThan(10);
			const refusedForTheRate = requests.filter(
				({ refused, fault }) => refused && fault === null,
			).length;
			expect(refusedForTheRate).toBe(0);
			// Every kind was met, about as often as meant, and some to the end, or the soak has proved less than it says.
			expect(FAULTS.filter((kind) => !requests.some(({ fault }) => fault === kind))).toEqual([]);
			const faults = requests.filter(({ fault }) => fault !== null).length;
			expect(faults / requests.length).toBeGreaterThan(FAULT_RATE * 0.6);
			expect(faults / requests.length).toBeLessThan(FAULT_RATE * 1.4);
			expect(count.failed).toBeGreaterThan(0);

			const inWords = (sizes: number[]) => `${sizes.join(', ')} MB`;
			const rows: Array<[string, string]> = [
				['Results', inThousands(count.results)],
				['Failed items, each with its document’s name', inThousands(count.failed)],
				[
					'Documents without either, or with both',
					inThousands(digests.length - count.results - count.failed),
				],
				['Requests', `${inThousands(requests.length)}, of which ${faults} met a fault`],
				['Refused because the node was too fast', inThousands(refusedForTheRate)],
				['Documents processed twice', inThousands(processed.filter((times) => times > 1).length)],
				[
					'Results the service gave and the node lost',
					inThousands(answered.length - count.results),
				],
				[
					'Heap after garbage collection, after 500, 1,000 and 2,000 documents',
					inWords(memory.map(({ heap }) => heap)),
				],
				[
					'Buffers outside of it, at the same times',
					inWords(memory.map(({ external }) => external)),
				],
				['Time', `${Math.round(seconds)} s on ${availableParallelism()} shared cores`],
				['Measured on', new Date().toISOString().slice(0, 10)],
			];
			const table = [
				'| What | Value |',
				'| --- | --- |',
				...rows.map(([what, value]) => `| ${what} | ${value} |`),
			].join('\n');
			process.stdout.write(`${table}\n`);
			if (renewing) putOnPage('soak', table);
		},
		20 * 60_000,
	);
});

function inThousands(count: number): string {
	return count.toLocaleString('en');
}
