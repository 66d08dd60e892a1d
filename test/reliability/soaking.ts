import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { runNode, useBinaryMode } from '../n8n-core/runNode';
import { collectGarbage } from '../nodes/collectGarbage';
import { itemOf, MB, sha256 } from '../nodes/samples';
import { failureOf, keysIn } from '../nodes/service';
import {
	startStandIn,
	type FaultKind,
	type RecordedRequest,
	type Settings,
	type StandIn,
} from '../stand-in/startStandIn';
import { putOnPage, renewing, tableOf } from './docsTable';

// Thousands of documents, directly and as jobs, with a service that fails at random.

/** A window shorter than a minute, so that thousands of documents need hundreds of windows. */
export const WINDOW_MS = 2000;
const REQUESTS_PER_WINDOW = 200;

/** Share of the requests that get a fault. */
const FAULT_RATE = 0.05;

/** Documents of each execution; memory is measured after each. */
const EXECUTIONS = [500, 500, 1000];

const FAULTS: FaultKind[] = [
	...(['html502', 'html200', 'retryable500', 'retryable503', 'internal500'] as const),
	...(['gatewayTimeout504', 'reset', 'refuse', 'rateLimit', 'quotaExceeded'] as const),
	...(['truncatedBody', 'truncatedJson', 'emptyBody'] as const),
];

export const SOAK_SETTINGS: Partial<Settings> = {
	windowMs: WINDOW_MS,
	requestsPerWindow: REQUESTS_PER_WINDOW,
	faultRate: FAULT_RATE,
	faultKinds: FAULTS,
	latencyMs: [0, 50],
	seed: 20261121,
};

/** A stand-in for the test of a file, in a process of its own. */
export function useOwnStandIn(settings: Partial<Settings>): { standIn: StandIn } {
	const service = {} as { standIn: StandIn };
	beforeAll(async () => {
		await useBinaryMode('filesystem');
		service.standIn = await startStandIn(settings);
	});
	afterAll(async () => await service.standIn.stop());
	return service;
}

export const credentialOf = ({ url }: StandIn) => ({
	apiKey: 'xtkt_live_valid_soak',
	region: 'custom',
	baseUrl: url,
	requestsPerMinute: REQUESTS_PER_WINDOW,
});

export const refusedForTheRate = (requests: RecordedRequest[]) =>
	requests.filter(({ refused, fault }) => refused && fault === null).length;

/** Every kind of fault occurred, about as often as configured. Otherwise the soak proves too little. */
export function expectUsualFaults(requests: RecordedRequest[], some = requests): void {
	expect(refusedForTheRate(requests)).toBe(0);
	expect(FAULTS.filter((kind) => !requests.some(({ fault }) => fault === kind))).toEqual([]);
	const rate = some.filter(({ fault }) => fault !== null).length / some.length;
	expect(rate).toBeGreaterThan(FAULT_RATE * 0.6);
	expect(rate).toBeLessThan(FAULT_RATE * 1.4);
}

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

interface Soaked {
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
	const credential = credentialOf(standIn);
	const soaked: Soaked = { digests: [], results: 0, failed: 0, memory: [], seconds: 0 };
	const startedAt = Date.now();
	for (const documents of EXECUTIONS) {
		const first = soaked.digests.length;
		const nameOf = (item: number) => `document-${first + item}.pdf`;
		const items: INodeExecutionData[] = [];
		for (let item = 0; item < documents; item++) {
			const content = contentOf(first + item);
			soaked.digests.push(sha256(content));
			items.push(await itemOf(content, nameOf(item)));
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
		for (const [item, output] of outputs.entries()) {
			const fileName = nameOf(item);
			if (output.json.error === undefined) {
				expect(output.json).toMatchObject({ documentType: 'Invoice', fileName });
				check(output.json, first + item);
				soaked.results += 1;
			} else {
				expect(failureOf(output).message).toContain(`"${fileName}"`);
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
