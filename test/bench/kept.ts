import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { LedgerMemory } from '../../nodes/DocumentIntelligence/run/ledger/memory';
import { documents } from '../e2e/setting';
import { runNode, storeFile, useBinaryMode } from '../n8n-core/runNode';
import { types } from '../n8n-core/withoutBundler';
import type { StandIn } from '../stand-in/startStandIn';

const ROUNDS = 7;

/**
 * Processor time of runs in n8n's own ExecuteContext, in this process, without n8n's server: results of an unsaved
 * workflow are not kept. The least of several rounds, as other programs only add. The hash of each file, which both
 * compute, is counted as a cost of keeping them.
 */
export async function kept(standIn: StandIn, count: number): Promise<object[]> {
	await standIn.reset();
	await standIn.configure({ requestsPerWindow: 1_000_000 });
	await useBinaryMode('filesystem');
	const invoice = await readFile(join(documents, 'invoice-us.pdf'));
	const items = await Promise.all(
		Array.from({ length: count }, async (_, number) => ({
			json: {},
			binary: { data: await storeFile(invoice, `${number}.pdf`, 'application/pdf') },
		})),
	);
	const times = new Map<string | null, number[]>([
		[null, []],
		['workflow', []],
	]);
	// The first round warms up.
	for (let round = 0; round <= ROUNDS; round++)
		for (const [workflowId, milliseconds] of round % 2 === 0 ? [...times] : [...times].reverse()) {
			const startedAt = process.cpuUsage();
			const { items: results } = await runNode({
				parameters: { operation: 'extract' },
				items,
				credential: {
					apiKey: `xtkt_live_valid_${randomUUID()}`,
					region: 'custom',
					baseUrl: standIn.url,
					requestsPerMinute: 1_000_000,
				},
				types,
				workflowId,
				memory: new LedgerMemory(Date.now),
			});
			if (results.length !== count) throw new Error(`${results.length} results`);
			const { user, system } = process.cpuUsage(startedAt);
			if (round > 0) milliseconds.push((user + system) / 1000 / count);
		}
	const startedAt = process.cpuUsage();
	for (let number = 0; number < count; number++) createHash('sha256').update(invoice).digest('hex');
	const hash = process.cpuUsage(startedAt).user / 1000 / count;
	const [without = 0, withThem = 0] = [...times.values()].map((milliseconds) =>
		Math.min(...milliseconds),
	);
	return [
		{
			'CPU ms per document without': without.toFixed(2),
			'with kept results': withThem.toFixed(2),
			'hash of the file': hash.toFixed(3),
			'more in %': ((100 * (withThem - without + hash)) / (without - hash)).toFixed(1),
		},
	];
}
