/**
 * Invoices become a spreadsheet in a real n8n, with the node as it would be published.
 *
 * Without further settings the documents are read by the stand-in service of the tests, on this machine alone. With DOCUMENT_INTELLIGENCE_API_KEY and
 * DOCUMENT_INTELLIGENCE_REGION (us or eu) set, they go to the real service. `--keep` leaves n8n's editor open afterwards.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createHost, type Workflow } from '../test/n8n/host';
import { packNode } from '../test/n8n/pack';
import { endAll } from '../test/n8n/processes';
import { latestN8n } from '../test/n8n/recipes';
import { owner } from '../test/n8n/server';
import { startStandIn } from '../test/stand-in/startStandIn';
import {
	addUp,
	differences,
	isAmbiguousDate,
	readRows,
	showRows,
	sums,
	type Row,
} from './spreadsheet';
import type { Truth } from './documents/make/truth';

const documents = join(__dirname, 'documents');
const output = join(__dirname, 'output');
const spreadsheet = join(output, 'invoices.xlsx');

/** What has to be undone, in the order it was done. */
const undo: Array<() => Promise<void>> = [];

/** Resolves to the address of the workflow in n8n's editor, after everything went right. */
async function demo(): Promise<string> {
	const realService = realCredential();

	step('building and packing the node');
	const packed = await packNode();
	undo.push(async () => await packed.remove());

	step(`preparing n8n ${latestN8n}`);
	const host = await createHost({ packageTarball: packed.tarball, files: [documents, output] });
	undo.push(async () => await host.stop());

	const data = realService ?? (await standInCredential());
	step(
		realService
			? `using the real service, region ${realService.region}`
			: 'the stand-in service is running',
	);

	step('starting n8n');
	const n8n = await host.start();
	await n8n.addCredential({ name: 'Document Intelligence', type: 'documentIntelligenceApi', data });
	const workflowId = await n8n.addWorkflow(await exampleWorkflow());

	step('running the workflow "Invoices to Spreadsheet"');
	await mkdir(output, { recursive: true });
	await rm(spreadsheet, { force: true });
	const execution = await n8n.run(workflowId);
	if (execution.status !== 'success') {
		const { message, description } = execution.error ?? { message: 'no reason given' };
		const reason = [message, description].filter(Boolean).join('\n');
		throw new Error(`n8n reports "${execution.status}" at "${execution.lastNode}": ${reason}`);
	}

	const rows = await readRows(spreadsheet);
	console.log(`\n${showRows(rows)}\n`);
	console.log(
		`n8n reports success: ${rows.length} rows in ${relative(process.cwd(), spreadsheet)}`,
	);
	console.log(addUp(rows));
	if (!realService) await compareWithTruth(rows);
	return `${n8n.url}/workflow/${workflowId}`;
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

/** The example as it can be imported anywhere, with the two folders of this machine. */
async function exampleWorkflow(): Promise<Workflow> {
	const workflow = JSON.parse(
		await readFile(join(__dirname, 'invoices-to-spreadsheet.json'), 'utf8'),
	) as Workflow;
	parametersOf(workflow, 'Read Invoices').fileSelector = forPattern(
		join(documents, 'invoice-*.pdf'),
	);
	parametersOf(workflow, 'Write Spreadsheet').fileName = spreadsheet;
	return workflow;
}

function parametersOf(workflow: Workflow, name: string): Record<string, unknown> {
	const node = workflow.nodes.find((candidate) => candidate.name === name);
	if (node === undefined) throw new Error(`the example workflow has no node "${name}"`);
	return node.parameters;
}

/** A file pattern separates folders by slashes on every system. */
function forPattern(path: string): string {
	return path.replace(/\\/g, '/');
}

async function compareWithTruth(rows: Row[]): Promise<void> {
	const truth = JSON.parse(await readFile(join(documents, 'truth.json'), 'utf8')) as Record<
		string,
		Truth
	>;
	const invoices = Object.entries(truth).filter(([file]) => /^invoice-.*\.pdf$/.test(file));
	const found = differences(rows, invoices);
	if (found.length > 0)
		throw new Error(
			`the spreadsheet differs from the invoices, ${found.length} times:\n${found.slice(0, 20).join('\n')}`,
		);
	console.log(`Every value is as printed on the ${invoices.length} invoices.`);

	console.log(
		'\nSUM of the column amount per invoice and per currency, and the net total that is printed:',
	);
	for (const { subject, inSpreadsheet, inDocuments } of sums(rows, invoices)) {
		if (inSpreadsheet !== inDocuments)
			throw new Error(
				`the amounts of ${subject} add up to ${inSpreadsheet} instead of ${inDocuments}`,
			);
		console.log(`  ${subject.padEnd(18)} ${money(inSpreadsheet)} = ${money(inDocuments)}`);
	}
	const ambiguous = invoices.filter(([, { fields = {} }]) =>
		Object.values(fields).some(isAmbiguousDate),
	);
	for (const [file] of ambiguous)
		console.log(`The dates of ${file} are as printed: set the option Date Order to read them.`);
}

function money(amount: number): string {
	return amount.toLocaleString('en', { minimumFractionDigits: 2 }).padStart(10);
}

const startedAt = Date.now();

function step(what: string): void {
	console.log(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${what}`);
}

class Interrupted extends Error {}

async function main(): Promise<void> {
	const interrupted = new Promise<never>((_, reject) => {
		for (const signal of ['SIGINT', 'SIGTERM'] as const)
			process.once(signal, () => reject(new Interrupted(signal)));
	});
	try {
		const workflow = await Promise.race([demo(), interrupted]);
		if (process.argv.includes('--keep')) {
			console.log(`\nThe workflow in n8n's editor: ${workflow}`);
			console.log(
				`Sign in as ${owner.email} with password ${owner.password}. Ctrl-C ends everything.`,
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

void main();
