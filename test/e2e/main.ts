/**
 * The node as it would be published, in real n8n installations: `npm run test:e2e`, or with the names of parts,
 * `npm run test:e2e -- editor review`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { packNode } from '../n8n/pack';
import { endAll } from '../n8n/processes';
import { startStandIn } from '../stand-in/startStandIn';
import { check } from './checks';
import { editor } from './editor';
import { hosts } from './hosts';
import { install } from './install';
import { once } from './once';
import { queue } from './queue';
import { review } from './review';
import { security } from './security';
import type { Setting } from './setting';
import { trigger } from './trigger';

/** In the order in which they run: the quickest to fail first. */
const parts: Record<string, (setting: Setting) => Promise<void>> = {
	install,
	hosts,
	once,
	trigger,
	security,
	editor,
	review,
	queue,
};

/** Runs next to the others, because it mostly waits for n8n's polls. */
const WAITING_PART = 'trigger';

async function main(): Promise<void> {
	const chosen = process.argv.slice(2);
	const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
	if (unknown.length > 0)
		throw new Error(
			`there is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`,
		);

	// All processes that the tests started end with this one.
	for (const signal of ['SIGINT', 'SIGTERM'] as const)
		process.once(signal, () => void endAll().finally(() => process.exit(1)));
	const names = Object.keys(parts).filter((name) => chosen.length === 0 || chosen.includes(name));
	const packed = await packNode();
	const folder = await mkdtemp(join(tmpdir(), 'e2e-'));
	const run = async (lane: string[]): Promise<void> => {
		const standIn = await startStandIn();
		// An error outside a check counts as a failure of the part, and the next part still runs.
		for (const name of lane)
			await check(name, async () => await parts[name]?.({ ...packed, folder, standIn }));
		await standIn.stop();
	};
	try {
		await test('end to end', { concurrency: true }, async () => {
			await Promise.all([
				run(names.filter((name) => name !== WAITING_PART)),
				run(names.filter((name) => name === WAITING_PART)),
			]);
		});
	} finally {
		await endAll();
		await packed.remove();
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	}
}

main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
