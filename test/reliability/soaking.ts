import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { runNode, storeFile } from '../n8n-core/runNode';
import { collectGarbage } from '../nodes/collectGarbage';
import { MB, sha256 } from '../nodes/samples';
import { failureOf, keysIn } from '../nodes/service';
import type { FaultKind, Settings, StandIn } from '../stand-in/startStandIn';
import { putOnPage, renewing, tableOf } from './docsTable';

// Thousands of documents, directly and as jobs, with a service that fails at random.

/** A window shorter than a minute, so that thousands of documents need hundreds of windows. */
const WINDOW_MS = 2000;
const REQUESTS_PER_WINDOW = 200;

/** Share of the requests that get a fault. */
export const FAULT_RATE = 0.05;

/** Documents of each execution; memory is measured after each. */
const EXECUTIONS = [500, 500, 1000];

export const FAULTS: FaultKind[] = [
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

export const SOAK_SETTINGS: Partial<Settings> = {
	windowMs: WINDOW_MS,
	requestsPerWindow: REQUESTS_PER_WINDOW,
	faultRate: FAULT_RATE,
	faultKinds: FAULTS,
	latencyMs: [0, 50],
	seed: 20261121,
};

interface Memory {
	heap: number;
	/** Buffers outside of the heap. */
	external: number;
}

/** In MB. Closed connections release their buffers a moment later, so the lowest of several measurements counts. */
async function memoryAfterGc(): Promise<Memory> {
	let [heap, external] = [Infinity, Infinity];
	for (let look = 0; look < 5; look++) {
		await wait(200);
		collectGarbage();
		const used = process.memoryUsage();
		heap = Math.min(heap, used.heapUsed);
		external = Math.min(external, used.external);
	}
	return { heap: Math.round(heap / MB), external: Math.round(external / MB) };
}

const grown = (sizes: number[]) => Math.max(...sizes) - Math.min(...sizes);

export interface Soaked {
	/** Hashes of the documents, in order. */
	digests: string[];
	results: number;
	failed: number;
	memory: Memory[];
	seconds: number;
}

/** Checks what must be true for every kind of processing, and returns the counts. */
export async function soak(
	standIn: StandIn,
	options: IDataObject,
	contentOf: (number: number) => Buffer,
	/** Called with each result and the number of its document. */
	check: (json: IDataObject, number: number) => void,
): Promise<Soaked> {
	const limiters = new Limiters(undefined, WINDOW_MS);
	const credential = {
		apiKey: 'xtkt_live_valid_soak',
		region: 'custom',
		baseUrl: standIn.url,
		requestsPerMinute: REQUESTS_PER_WINDOW,
	};
	const soaked: Soaked = { digests: [], results: 0, failed: 0, memory: [], seconds: 0 };
	const startedAt = Date.now();
	for (const documents of EXECUTIONS) {
		const first = soaked.digests.length;
		const items: INodeExecutionData[] = [];
		for (let number = first; number < first + documents; number++) {
			const content = contentOf(number);
			soaked.digests.push(sha256(content));
			items.push({
				json: {},
				binary: { data: await storeFile(content, `document-${number}.pdf`, 'application/pdf') },
			});
		}
		const { items: outputs, hints } = await runNode({
			parameters: { operation: 'extract', options },
			items,
			credential,
			limiters,
			onError: 'continueRegularOutput',
		});
		// Immediately, because keeping all results until the end of the test would fill the memory.
		expect(keysIn([outputs, hints], [credential.apiKey])).toEqual([]);
		// One result or one failed item per document, in order, each with its name.
		expect(outputs.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		for (const [position, output] of outputs.entries()) {
			const name = `document-${first + position}.pdf`;
			if (output.json.error === undefined) {
				expect(output.json).toMatchObject({ documentType: 'Invoice', fileName: name });
				check(output.json, first + position);
				soaked.results += 1;
			} else {
				expect(failureOf(output).message).toContain(`"${name}"`);
				soaked.failed += 1;
			}
		}
		outputs.length = 0;
		items.length = 0;
		soaked.memory.push(await memoryAfterGc());
	}
	soaked.seconds = (Date.now() - startedAt) / 1000;
	expect(soaked.results + soaked.failed).toBe(soaked.digests.length);
	expect(grown(soaked.memory.map(({ heap }) => heap))).toBeLessThan(15);
	expect(grown(soaked.memory.map(({ external }) => external))).toBeLessThan(10);
	return soaked;
}

/** The last rows of every soak's table. */
export function usualRows({ memory, seconds }: Soaked): string[][] {
	const inWords = (sizes: number[]) => `${sizes.join(', ')} MB`;
	return [
		[
			'Heap after garbage collection, after 500, 1,000 and 2,000 documents',
			inWords(memory.map(({ heap }) => heap)),
		],
		['Buffers outside of it, at the same times', inWords(memory.map(({ external }) => external))],
		...timeRows(seconds),
	];
}

export function timeRows(seconds: number): string[][] {
	return [
		['Time', `${Math.round(seconds)} s on ${availableParallelism()} shared cores`],
		['Measured on', new Date().toISOString().slice(0, 10)],
	];
}

/** Prints a table, and writes it to the page with UPDATE_DOCS=1. */
export function report(name: string, rows: string[][]): void {
	const table = tableOf(['What', 'Value'], rows);
	process.stdout.write(`${table}\n`);
	if (renewing) putOnPage(name, table);
}

export function inThousands(count: number): string {
	return count.toLocaleString('en');
}
