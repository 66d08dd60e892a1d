/**
 * Invoices become a spreadsheet: `npm run demo` runs the example in n8n's engine alone, `npm run demo -- --n8n` in a whole
 * n8n, whose editor stays open in a terminal until Ctrl-C.
 *
 * The documents are read by the stand-in service of the tests, on this machine alone. With DOCUMENT_INTELLIGENCE_API_KEY and
 * DOCUMENT_INTELLIGENCE_REGION (us or eu) set, they go to the real service.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { endAll } from '../../test/n8n/processes';
import { startStandIn } from '../../test/stand-in/startStandIn';
import { exampleWorkflow } from './example';
import { inEngine } from './inEngine';
import { inN8n } from './inN8n';
import { reportRows } from './report';

export interface Demo {
	credential: Record<string, string>;
	/** Folder for what the workflow writes. */
	output: string;
	spreadsheet: string;
	/** Says what happens next. */
	step: (what: string) => void;
	/** Done after everything else, the last one first. */
	undo: (action: () => Promise<void>) => void;
}

class Interrupted extends Error {}

const undo: Array<() => Promise<void>> = [];
const startedAt = Date.now();

async function main(): Promise<void> {
	const interrupted = new Promise<never>((_, reject) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
			process.once(signal, () => reject(new Interrupted(signal)));
	});
	// A terminal that was closed takes no more text, which would end the demo before it is cleaned up.
	for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
	try {
		const isInN8n = process.argv.includes('--n8n');
		const editor = await Promise.race([isInN8n ? runInN8n() : runInEngine(), interrupted]);
		if (editor !== undefined && process.stdout.isTTY) {
			console.log(`\nThe workflow in n8n's editor: ${editor.url}`);
			console.log(
				`Sign in as ${editor.email} with password ${editor.password}. Ctrl-C ends everything.`,
			);
			// Interrupting is how this is meant to end, so it does not count as a failure.
			await interrupted.catch(() => console.log('\nstopping'));
		}
	} catch (error) {
		if (error instanceof Interrupted) console.log('\nstopping');
		else console.error(`\nThe demo did not succeed: ${(error as Error).message}`);
		process.exitCode = 1;
	} finally {
		// First what may still be starting, as folders are removed under it next.
		await endAll();
		for (const action of undo.reverse())
			await action().catch((error: unknown) => console.error(error));
	}
	// Whatever was still in flight when the demo was interrupted is not waited for.
	process.exit();
}

async function runInEngine(): Promise<undefined> {
	await run(async (demo) => await inEngine(demo, await exampleWorkflow(demo.spreadsheet)));
	console.log(`
Four of n8n's own nodes come only with all of n8n, so small ones of this demo took their places: Start, Read
Invoices, Make Spreadsheet and Write Spreadsheet. To see the same workflow in n8n's editor (2.2 GB, a few minutes):

  npm run demo -- --n8n`);
}

async function runInN8n(): Promise<{ url: string; email: string; password: string }> {
	return await run(async (demo) => await inN8n(demo, await exampleWorkflow(demo.spreadsheet)));
}

async function run<Result>(work: (demo: Demo) => Promise<Result>): Promise<Result> {
	const real = realCredential();
	const output = join(__dirname, '..', 'output');
	const spreadsheet = join(output, 'invoices.xlsx');
	await mkdir(output, { recursive: true });
	await rm(spreadsheet, { force: true });
	const credential = real ?? (await standInCredential());
	step(
		real
			? `documents go to the real service, region ${real.region}`
			: 'a stand-in for Cogneris runs on this machine, so no account is needed',
	);
	const result = await work({
		credential,
		output,
		spreadsheet,
		step,
		undo: (action) => void undo.push(action),
	});
	await reportRows(spreadsheet, real === undefined);
	return result;
}

function realCredential(): { apiKey: string; region: string } | undefined {
	const { DOCUMENT_INTELLIGENCE_API_KEY: apiKey, DOCUMENT_INTELLIGENCE_REGION: region } =
		process.env;
	if (!apiKey) return undefined;
	if (region !== 'us' && region !== 'eu')
		throw new Error('Set DOCUMENT_INTELLIGENCE_REGION to the region of the API key: us or eu');
	return { apiKey, region };
}

async function standInCredential(): Promise<Record<string, string>> {
	const standIn = await startStandIn();
	undo.push(async () => await standIn.stop());
	return { apiKey: standIn.keys.valid[0] ?? '', region: 'custom', baseUrl: standIn.url };
}

function step(what: string): void {
	const seconds = `${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s`;
	const line = `\u001b[2m${seconds}\u001b[22m  ${what}`;
	console.log(process.stdout.isTTY ? line : stripVTControlCharacters(line));
}

void main();
