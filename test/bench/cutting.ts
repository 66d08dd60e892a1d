import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import type { Server } from '../n8n/server';
import { scan } from '../pdf/corpus';
import type { StandIn } from '../stand-in/startStandIn';
import { documentIntelligence, workflowOf } from './contenders';
import { cpuSeconds, growthDuring } from './process';

const MB = 2 ** 20;

/** A page of a scan, in bytes. */
const PAGE_BYTES = 500_000;

/** Pages of a document in the bundle. */
const PAGES_EACH = 5;

/** The last is over the bound. */
const SIZES_MB = [10, 100, 200, 490];

/**
 * What Split takes of n8n with files and with page ranges alone, for bundles of scans.
 *
 * @param startServer an n8n of its own for each measurement, with a credential: memory that one has used is not given back
 */
export async function cutting(
	folder: string,
	standIn: StandIn,
	startServer: () => Promise<Server>,
): Promise<object[]> {
	const rows = [];
	for (const megabytes of SIZES_MB) {
		const file = join(folder, 'scan.pdf');
		const pages = await writeScan(file, megabytes);
		for (const output of ['fields', 'documents'] as const) {
			const server = await startServer();
			try {
				// A first run loads what n8n loads once.
				await split(server, standIn, 'fields', file, 1);
				const cpuBefore = await cpuSeconds(server.pid);
				const watching = watch(server);
				const { result, growthMb } = await growthDuring(
					server.pid,
					async () => await split(server, standIn, output, file, pages),
				);
				const longestMs = await watching();
				rows.push({
					MB: megabytes,
					output: output === 'fields' ? 'Page Ranges' : 'Documents',
					items: result.items,
					files: result.files,
					seconds: result.seconds.toFixed(1),
					'CPU seconds': ((await cpuSeconds(server.pid)) - cpuBefore).toFixed(1),
					'growth in MB': Math.round(growthMb),
					'longest answer to another request, in ms': Math.round(longestMs),
				});
			} finally {
				await server.stop();
			}
		}
		await rm(file);
	}
	return rows;
}

/** A PDF with an image on each page; tells how many pages it has. */
async function writeScan(file: string, megabytes: number): Promise<number> {
	const pages = Math.floor((megabytes * MB) / (PAGE_BYTES + 1000));
	await writeFile(file, scan(pages, PAGE_BYTES));
	return pages;
}

async function split(
	server: Server,
	standIn: StandIn,
	output: string,
	file: string,
	pages: number,
): Promise<{ items: number; files: number; seconds: number }> {
	const segments = Array.from({ length: Math.ceil(pages / PAGES_EACH) }, (_, index) => ({
		documentType: 'letter',
		startPage: index * PAGES_EACH + 1,
		endPage: Math.min(pages, (index + 1) * PAGES_EACH),
	}));
	await standIn.queueFaults([{ kind: 'answer', data: { segments } }]);
	const execution = await server.run(workflowOf(documentIntelligence('split', {}, output), file));
	const items = execution.items('Send');
	return {
		items: items.length,
		files: items.filter(({ binary }) => binary !== undefined).length,
		seconds: execution.record('Send').executionTime / 1000,
	};
}

/** Asks n8n something else all the time; ends with the longest that an answer took, in milliseconds. */
function watch({ url }: Server): () => Promise<number> {
	const ended = new AbortController();
	const asking = (async () => {
		let longest = 0;
		while (!ended.signal.aborted) {
			const startedAt = performance.now();
			await (await fetch(`${url}/healthz`)).text();
			longest = Math.max(longest, performance.now() - startedAt);
			await wait(10);
		}
		return longest;
	})();
	return async () => {
		ended.abort();
		return await asking;
	};
}
