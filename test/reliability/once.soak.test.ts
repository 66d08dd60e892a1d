import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import { useStoredHistory } from '../n8n-core/history';
import { runNode } from '../n8n-core/runNode';
import { itemOf, sha256, uniquePdf } from '../nodes/samples';
import { credentialOf, report, SOAK_SETTINGS, timeRows, useOwnStandIn, WINDOW_MS } from './soaking';

// With UPDATE_DOCS=1, writes its table to docs/internals/soaks.md.

const CONTENTS = 100;

/** Number of documents of each execution; the executions of a round start at the same moment. */
const ROUNDS = [
	[60, 60],
	[80, 40],
	[100, 50],
	[70, 40],
];

const service = useOwnStandIn({
	...SOAK_SETTINGS,
	faultRate: 0.2,
	// Faults without billing, so that a content can be retried until it is billed once; the last one fails its document.
	faultKinds: ['rateLimit', 'quotaExceeded', 'retryable500', 'retryable503', 'redirect'],
});

beforeAll(async () => await useStoredHistory());

test(
	'of files that come again and again, each content is paid for once and passed on once',
	async () => {
		const { standIn } = service;
		const limiters = new Limiters(undefined, WINDOW_MS);
		const contents = Array.from({ length: CONTENTS }, uniquePdf);
		// Each content appears equally often, with different neighbors in each execution.
		let drawn = 0;
		const draw = () => (drawn++ * 37) % CONTENTS;
		const count = { documents: 0, results: 0, failed: 0, skipped: 0 };
		const passedOn = contents.map(() => 0);
		// At least one failure, because the test also covers the run after a failure.
		await standIn.queueFaults([{ kind: 'redirect' }]);
		const startedAt = Date.now();

		async function execution(documents: number) {
			const numbers = Array.from({ length: documents }, draw);
			const { items: outputs } = await runNode({
				parameters: { operation: 'extract', options: { processedBefore: 'skip' } },
				items: await Promise.all(
					numbers.map(async (number) => await itemOf(contents[number]!, `document-${number}.pdf`)),
				),
				credential: credentialOf(standIn),
				limiters,
				onError: 'continueRegularOutput',
			});
			const results = outputs.filter(({ json }) => json.error === undefined);
			count.documents += documents;
			count.results += results.length;
			count.failed += outputs.length - results.length;
			count.skipped += documents - outputs.length;
			for (const { json, pairedItem } of results) {
				const number = numbers[(pairedItem as { item: number }).item]!;
				expect(json.fileName).toBe(`document-${number}.pdf`);
				passedOn[number]! += 1;
			}
		}
		for (const round of ROUNDS) await Promise.all(round.map(execution));
		const seconds = (Date.now() - startedAt) / 1000;

		const requests = await standIn.requests();
		const billed = requests
			.filter(({ fault, refused }) => fault === null && !refused)
			.flatMap(({ parts }) => parts.flatMap((part) => ('sha256' in part ? [part.sha256] : [])));
		const timesBilled = contents.map(
			(content) => billed.filter((digest) => digest === sha256(content)).length,
		);
		expect(timesBilled).toEqual(contents.map(() => 1));
		expect(passedOn).toEqual(contents.map(() => 1));
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
