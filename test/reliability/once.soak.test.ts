import type { INodeExecutionData } from 'n8n-workflow';

import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { useStoredHistory } from '../n8n-core/history';
import { runNode, storeFile, useBinaryMode } from '../n8n-core/runNode';
import { sha256, uniquePdf } from '../nodes/samples';
import { startStandIn, type FaultKind, type StandIn } from '../stand-in/startStandIn';
import { report, timeRows } from './soaking';

// With UPDATE_DOCS=1, writes its table to docs/internals/soaks.md.

const CONTENTS = 100;

/** Number of documents of each execution; the executions of a round start at the same moment. */
const ROUNDS = [
	[60, 60],
	[80, 40],
	[100, 50],
	[70, 40],
];

const WINDOW_MS = 2000;
const REQUESTS_PER_WINDOW = 200;

/** Faults without billing, so that a content can be retried until it is billed once; the last one fails its document. */
const FAULTS: FaultKind[] = [
	'rateLimit',
	'quotaExceeded',
	'retryable500',
	'retryable503',
	'redirect',
];

describe('Files that come again and again', () => {
	let standIn: StandIn;

	beforeAll(async () => {
		await useBinaryMode('filesystem');
		await useStoredHistory();
		standIn = await startStandIn({
			windowMs: WINDOW_MS,
			requestsPerWindow: REQUESTS_PER_WINDOW,
			faultRate: 0.2,
			faultKinds: FAULTS,
			latencyMs: [0, 50],
			seed: 20261122,
		});
	});
	afterAll(async () => await standIn.stop());

	test(
		'each content is paid for once and passed on once',
		async () => {
			const limiters = new Limiters(undefined, WINDOW_MS);
			const contents = Array.from({ length: CONTENTS }, uniquePdf);
			// Each content appears equally often, with different neighbors in each execution.
			let drawn = 0;
			const draw = () => (drawn++ * 37) % CONTENTS;
			const count = { documents: 0, results: 0, failed: 0, skipped: 0 };
			const passedOn = new Map<number, number>();
			// At least one failure, because the test also covers the run after a failure.
			await standIn.queueFaults([{ kind: 'redirect' }]);
			const startedAt = Date.now();

			for (const round of ROUNDS) {
				await Promise.all(
					round.map(async (documents) => {
						const numbers = Array.from({ length: documents }, draw);
						const items: INodeExecutionData[] = [];
						for (const number of numbers) {
							const binary = await storeFile(
								contents[number]!,
								`document-${number}.pdf`,
								'application/pdf',
							);
							items.push({ json: {}, binary: { data: binary } });
						}
						const { items: outputs } = await runNode({
							parameters: {
								operation: 'extract',
								options: { processedBefore: 'skip' },
							},
							items,
							credential: {
								apiKey: 'xtkt_live_valid_soak_once',
								region: 'custom',
								baseUrl: standIn.url,
								requestsPerMinute: REQUESTS_PER_WINDOW,
							},
							limiters,
							onError: 'continueRegularOutput',
						});
						const results = outputs.filter(({ json }) => json.error === undefined);
						count.documents += documents;
						count.results += results.length;
						count.failed += outputs.length - results.length;
						count.skipped += documents - outputs.length;
						for (const { json, pairedItem } of results) {
							const { item } = pairedItem as { item: number };
							const number = numbers[item]!;
							expect(json.fileName).toBe(`document-${number}.pdf`);
							passedOn.set(number, (passedOn.get(number) ?? 0) + 1);
						}
					}),
				);
			}
			const seconds = Math.round((Date.now() - startedAt) / 1000);

			const requests = await standIn.requests();
			const billed = new Map<string, number>();
			for (const { parts, fault, refused } of requests) {
				if (fault !== null || refused) continue;
				for (const part of parts)
					if ('sha256' in part) billed.set(part.sha256, (billed.get(part.sha256) ?? 0) + 1);
			}
			const timesBilled = contents.map((content) => billed.get(sha256(content)) ?? 0);
			expect(timesBilled).toEqual(contents.map(() => 1));
			expect(contents.map((_, number) => passedOn.get(number) ?? 0)).toEqual(contents.map(() => 1));
			expect(count.documents).toBe(500);
			expect(count.failed).toBeGreaterThan(0);

			const faults = requests.filter(({ fault }) => fault !== null).length;
			report('soakOnce', [
				[
					'Documents',
					`${count.documents} of ${CONTENTS} contents, in ${ROUNDS.flat().length} executions, two at a time`,
				],
				['Results', String(count.results)],
				['Skipped', String(count.skipped)],
				['Failed items', String(count.failed)],
				['Requests', `${requests.length}, of which ${faults} met a fault`],
				['Contents billed once', String(timesBilled.filter((times) => times === 1).length)],
				[
					'Contents billed twice, or not at all',
					String(timesBilled.filter((times) => times !== 1).length),
				],
				...timeRows(seconds),
			]);
		},
		10 * 60_000,
	);
});
