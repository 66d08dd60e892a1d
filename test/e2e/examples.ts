/**
 * Runs every example workflow in a real n8n, as imported, and compares its outputs with the expected values of the
 * documents. Only settings that a user would choose are changed: folders, credentials, the question to the agent.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';

import { readRows } from '../../examples/spreadsheet';
import { startChatModel } from '../n8n/chatModel';
import type { Execution } from '../n8n/execution';
import { submitForm } from '../n8n/form';
import type { Server } from '../n8n/server';
import { accountTemplates } from '../stand-in/processing/templates';
import type { OtherJob } from '../stand-in/startStandIn';
import { check, expect } from './checks';
import {
	assertPrinted,
	collectedRows,
	CREDENTIAL,
	document,
	example,
	examples,
	nodeOf,
	onlyFile,
	spreadsheetRows,
	startForm,
	text,
	upload,
	uploads,
	type Surroundings,
} from './exampleWorkflow';
import { checkIdentity, checkReview } from './formExamples';
import { checkMailbox } from './mailboxExample';
import { checkReviewMailbox } from './reviewExample';
import {
	addCredential,
	documents,
	fresh,
	requestsFromNow,
	scriptedServer,
	truth,
	type Setting,
} from './setting';
import { checkContinue } from './triggerExample';
import { NODE, sending, succeeded, workflow } from './workflows';

/** The check of each example, by file name. */
const checks: Record<string, (surroundings: Surroundings) => Promise<void>> = {
	'ai-agent-stored-file.json': checkAgentWithFile,
	'ai-agent-tool.json': checkAgent,
	'classify-and-sort.json': checkClassify,
	'collect-results.json': checkCollectResults,
	'continue-when-ready.json': checkContinue,
	'crop-cards.json': checkCrop,
	'discover-fields.json': checkDiscover,
	'extract-with-template.json': checkTemplate,
	'identity-check.json': checkIdentity,
	'invoice-mailbox.json': checkMailbox,
	'invoices-only-once.json': checkInvoicesOnce,
	'invoices-to-spreadsheet.json': checkInvoices,
	'review-by-email.json': checkReviewMailbox,
	'review.json': checkReview,
	'split-bundle.json': checkSplit,
	'split-into-folders.json': checkFolders,
	'submit-and-collect.json': checkCollect,
};

/** @param server an n8n with this package, which may read `examples/documents` and write into the folder of the setting */
export async function checkExamples(
	{ standIn, folder }: Setting,
	server: Server,
	host: string,
): Promise<void> {
	await fresh(standIn);
	const apiKey = await addCredential(server, standIn, { name: CREDENTIAL });
	const outputFolder = await mkdtemp(join(folder, 'examples-'));
	const files = (await readdir(examples)).filter((file) => file.endsWith('.json'));
	for (const file of files.sort())
		await check(`The example ${file} in ${host}`, async () => {
			const work = checks[file];
			expect(work !== undefined, 'the example has no check');
			return await work({ server, standIn, apiKey, outputFolder });
		});
}

async function checkClassify(surroundings: Surroundings): Promise<void> {
	const read = Object.keys(truth).filter((file) => /\.(pdf|docx)$/.test(file));
	const form = await startForm(surroundings, await example('classify-and-sort.json'));
	const requests = await requestsFromNow(surroundings.standIn);
	const run = await form.submit({ Documents: await uploads(read) });
	assertPairedWithFirst(run.items('Classify'));
	assert.equal((await requests()).length, 1, 'all files share a request');

	// n8n 1 returns files of one upload in the order in which it stored them.
	const sorted = (node: string) =>
		run
			.items(node)
			.map(({ json }) => text(json.fileName))
			.sort();
	assert.deepEqual(sorted('Contracts'), ['contract.pdf']);
	assert.deepEqual(sorted('Other Documents'), ['form.pdf']);
	assert.deepEqual(
		sorted('Invoices'),
		read.filter((file) => !['contract.pdf', 'form.pdf'].includes(file)).sort(),
	);
	// Compares references, because n8n 1 keeps only some files of a form readable after the execution.
	const uploaded = run
		.items('Upload Documents')
		.flatMap(({ binary }) => Object.values(binary ?? {}));
	for (const { json, binary } of run.items('Invoices')) {
		const own = uploaded.filter(({ fileName }) => fileName === json.fileName);
		assert.deepEqual(Object.values(binary ?? {}), own, 'the file comes along');
		assert.equal(own.length, 1);
	}
}

async function checkDiscover(surroundings: Surroundings): Promise<void> {
	const run = await submitOne(surroundings, 'discover-fields.json', 'Document', 'form.pdf');
	const rows = run.items('Discover Fields');
	assert.deepEqual(
		rows.map(({ json }) => json.value),
		Object.values({
			...truth['form.pdf']?.fields,
			'Date of birth': '1991-02-14',
			'Start date': '2027-01-01',
			'Years of rowing experience': 6,
		}),
	);
	assertPairedWithFirst(rows);
	const csv = (await onlyFile(surroundings.server, run.items('Make List'))).toString('utf8');
	const [header = '', ...lines] = csv.trim().split(/\r?\n/);
	assert.match(header, /^\uFEFF?fileName,field,value,confidence,/);
	assert.equal(lines.length, rows.length);
}

async function checkCrop(surroundings: Surroundings): Promise<void> {
	const { server } = surroundings;
	const run = await submitOne(surroundings, 'crop-cards.json', 'Photo', 'two-cards.jpg');
	const results = run.items('Crop');
	assertPairedWithFirst(results);
	const names = results.map(({ binary }) => text(binary?.data?.fileName));
	assert.deepEqual(names, ['two-cards-1.png', 'two-cards-2.png']);
	const zip = run.items('Make ZIP')[0]?.binary?.zip;
	assert.ok(zip);
	const zipped = (await server.bytes(zip)).toString('latin1');
	for (const name of names) assert.ok(zipped.includes(name), name);
}

/** Split returns five files with the right pages; Extract sends each in its own request and returns its values. */
async function checkSplit(surroundings: Surroundings): Promise<void> {
	const requests = await requestsFromNow(surroundings.standIn);
	const run = await submitOne(surroundings, 'split-bundle.json', 'Bundle', 'bundle.pdf');
	const { segments = [] } = truth['bundle.pdf'] ?? {};
	const parts = run.items('Split');
	assertPairedWithFirst(parts);
	assert.deepEqual(
		parts.map(({ json, binary }) => [
			text(binary?.data?.fileName).toLowerCase(),
			`${text(json.sourceFileName)}, ${Number(json.firstPage)} to ${Number(json.lastPage)}`,
		]),
		segments.map(({ documentType, firstPage, lastPage }, index) => [
			`bundle-${index + 1}-${documentType}.pdf`,
			`bundle.pdf, ${firstPage} to ${lastPage}`,
		]),
	);
	assert.deepEqual(
		(await requests()).map(({ path }) => path),
		['/Document/split', ...segments.map(() => '/Document/extraction')],
	);
	assert.deepEqual(
		[
			...new Set(
				run.items('Extract').map(({ pairedItem }) => (pairedItem as IPairedItemData).item),
			),
		],
		[...parts.keys()],
	);

	const written = await spreadsheetRows(surroundings.server, run);
	const files = segments.map(({ file, documentType }, index) => ({
		name: text(parts[index]?.json.fileName),
		isInvoice: documentType === 'invoice',
		file,
	}));
	const invoices = files.filter(({ isInvoice }) => isInvoice);
	assertPrinted(
		written.filter(({ fileName }) => invoices.some(({ name }) => name === fileName)),
		invoices.map(({ name, file }) => [name, file]),
	);
	const [contract, ...others] = files.filter(({ isInvoice }) => !isInvoice);
	assert.deepEqual(others, []);
	const [row, ...more] = written.filter(({ fileName }) => fileName === contract?.name);
	assert.deepEqual(more, []);
	assert.deepEqual([row?.contractDate, row?.monthlyFee], ['2026-10-12', 1850]);
}

async function checkFolders({ server, outputFolder }: Surroundings): Promise<void> {
	const folders = { invoice: 'invoices', contract: 'contracts', other: 'others' };
	const folder = join(outputFolder, 'bundles');
	for (const path of Object.values(folders)) await mkdir(join(outputFolder, path));
	await mkdir(folder);
	const file = async () =>
		await succeeded(server, await example('split-into-folders.json', { folder, outputFolder }));
	const inReview = (run: Execution) =>
		run.items('Needs Review').map(({ json }) => text((json.error as { message: string }).message));
	assert.equal(inReview(await file()).length, 1, 'a folder without a PDF');
	await copyFile(join(documents, 'bundle.pdf'), join(folder, 'Scan of Monday.pdf'));
	const damaged = (await document('contract.pdf')).subarray(0, 400);
	await writeFile(join(folder, 'Damaged.pdf'), damaged);
	const run = await file();
	assert.match(inReview(run).join(), /Damaged\.pdf/);
	const { segments = [] } = truth['bundle.pdf'] ?? {};
	const parts = run.items('Split');
	for (const [type, path] of Object.entries(folders)) {
		const expected = parts.filter((_, index) => segments[index]?.documentType === type);
		const found = await readdir(join(outputFolder, path));
		assert.equal(found.length, expected.length);
		for (const { json, binary } of expected) {
			assert.ok(binary?.data);
			const name = found.find((other) => other.endsWith(`-0-${text(json.fileName)}`)) ?? '';
			const written = await readFile(join(outputFolder, path, name));
			assert.ok(written.equals(await server.bytes(binary.data)), 'the file is whole');
		}
	}
}

async function checkInvoices({ server, outputFolder }: Surroundings): Promise<void> {
	const spreadsheet = join(outputFolder, 'invoices.xlsx');
	const workflow = await example('invoices-to-spreadsheet.json');
	nodeOf(workflow, 'Read Invoices').parameters.fileSelector = `${documents}/invoice-*.pdf`;
	nodeOf(workflow, 'Write Spreadsheet').parameters.fileName = spreadsheet;
	const run = await succeeded(server, workflow);
	const files = run.items('Read Invoices').map(({ json }) => text(json.fileName));
	const rows = run.items('Extract Invoice');
	assert.deepEqual(
		rows.map(({ json, pairedItem }) => [json.fileName, json.rowNumber, pairedItem]),
		files.flatMap((file, item) =>
			(truth[file]?.lineItems ?? []).map((_, row) => [file, row + 1, { item }]),
		),
	);
	assertPrinted(await readRows(spreadsheet), files);
}

async function checkAgent({ server }: Surroundings): Promise<void> {
	const file = 'invoice-fr.pdf';
	const files = await scriptedServer();
	const headers = { 'content-type': 'application/pdf' };
	const link = files.serve(`/files/${file}`, { headers, body: await document(file) });
	// The other agent uses a different model under the usual credential name.
	const credential = 'OpenAI with a Link';
	const model = await addModel(server, credential, () => ({ link }));
	const question = `What is the total of ${link}?`;
	const workflow = await example('ai-agent-tool.json', { question });
	nodeOf(workflow, 'OpenAI Chat Model').credentials = { openAiApi: { name: credential } };
	// The editor does not store the default value of a tool.
	delete nodeOf(workflow, 'Read Document').parameters.inputSource;
	const run = await succeeded(server, workflow);
	const answer = text(run.items('AI Agent')[0]?.json.output);
	const { fields = {}, lineItems = [], meaning } = truth[file] ?? {};
	const values = [
		...Object.values({ ...fields, ...meaning?.fields }),
		...lineItems.flatMap((lineItem, index) =>
			Object.values({ ...lineItem, ...meaning?.lineItems[index] }),
		),
	];
	assert.ok(values.length > 20);
	// The tool's JSON is inside other JSON here, so quotes and backslashes are not compared.
	const missing = values.filter((value) => !answer.includes(String(value)));
	assert.deepEqual(missing, [], answer);
	assert.deepEqual(
		files.received.map(({ url, headers: sent }) => [url, sent.authorization]),
		[[`/files/${file}`, undefined]],
	);
	const [tool] = model.requests[0]?.tools ?? [];
	assert.deepEqual(Object.keys(tool?.function.parameters.properties ?? {}), ['link']);
}

/** The agent gets the reference of an uploaded file, and the tool reads the file by this reference. */
async function checkAgentWithFile(surroundings: Surroundings): Promise<void> {
	await addModel(surroundings.server, 'OpenAI', (asked) => ({
		reference: /artifact:[\w:/-]+/.exec(asked)?.[0],
	}));
	const requests = await requestsFromNow(surroundings.standIn);
	const file = 'invoice-uk.pdf';
	const run = await submitOne(surroundings, 'ai-agent-stored-file.json', 'Document', file);
	const answer = text(run.items('AI Agent')[0]?.json.output);
	const { fields: { invoiceNumber } = {}, meaning } = truth[file] ?? {};
	for (const value of [invoiceNumber, meaning?.fields.total])
		assert.ok(answer.includes(String(value)), answer);
	const steps = (await requests()).map(({ step }) => step).filter((step) => step !== 'list');
	assert.deepEqual(steps, ['store', 'submit', 'fetch'], 'the file is uploaded once');
}

/** A model for an agent, whose credential has this name. */
async function addModel(
	server: Server,
	name: string,
	...toolArguments: Parameters<typeof startChatModel>
) {
	const model = await startChatModel(...toolArguments);
	const data = { apiKey: 'scripted', url: model.url };
	await server.addCredential({ name, type: 'openAiApi', data });
	return model;
}

/** The jobs whose results an example could not collect. */
function failedJobs(run: Execution): unknown[] {
	return run.items('Needs Review').map(({ json }) => (json.error as { jobId?: unknown }).jobId);
}

/** Another execution collects the jobs that a form submitted, each once. */
async function checkCollect(surroundings: Surroundings): Promise<void> {
	const { server, standIn, apiKey } = surroundings;
	const files = ['invoice-us.pdf', 'invoice-de.pdf', 'invoice-fr.pdf'];
	// No template fits.
	const unreadable = 'receipt.jpg';
	const collecting = await server.addWorkflow(await example('submit-and-collect.json'));
	const collect = async () => await succeeded(server, collecting);
	// Collects the jobs that other examples submitted with the same key.
	await collect();
	const form = await startForm(surroundings, await example('submit-and-collect.json'));
	const submitting = await form.submit({ Invoices: await uploads([...files, unreadable]) });
	const submitted = submitting.items('Submit').map(({ json }) => json);
	assert.equal(new Set(submitted.map(({ jobId }) => jobId)).size, files.length + 1);
	await standIn.addJobs(apiKey, [
		{ operation: 'Classification', file: join(documents, 'invoice-us.pdf') },
	]);

	const run = await collect();
	const rows = await spreadsheetRows(server, run);
	assert.deepEqual(
		rows.map(({ invoiceNumber }) => String(invoiceNumber)).sort(),
		files
			.flatMap((file) => {
				const { fields = {}, lineItems = [] } = truth[file] ?? {};
				return lineItems.map(() => text(fields.invoiceNumber));
			})
			.sort(),
		'the rows of each job, and none of another operation',
	);
	assert.deepEqual(
		failedJobs(run),
		submitted.filter(({ fileName }) => fileName === unreadable).map(({ jobId }) => jobId),
	);
	const again = await collect();
	assert.deepEqual([...again.items('New Rows'), ...again.items('New Failures')], [], 'only once');
}

/** Collects the results of one execution, but no earlier or later job and no job of another operation. */
async function checkCollectResults(surroundings: Surroundings): Promise<void> {
	const { server, standIn, apiKey } = surroundings;
	const files = ['invoice-uk.pdf', 'invoice-us.pdf'];
	const file = join(documents, 'invoice-fr.pdf');
	const addOther = async (job: OtherJob) =>
		await standIn.addJobs(apiKey, [{ file, ranMs: 0, ...job }]);
	await addOther({ operation: 'Extraction', finishedMsAgo: 60_000 });
	const from = new Date().toISOString();
	const parameters = { operation: 'extract', output: 'rows', options: { processing: 'job' } };
	const asJobs = sending(`{${files.join()}}`, parameters, { credential: CREDENTIAL });
	const interrupted = await succeeded(server, workflow('As Jobs', asJobs));
	await addOther({ operation: 'Classification' });
	const failed = await addOther({
		operation: 'Extraction',
		status: 'Failed',
		failureCode: 'corrupt',
	});
	const until = new Date().toISOString();
	await addOther({ operation: 'Extraction', finishedMsAgo: -1 });
	await wait(10);

	const charged = (await standIn.charges()).length;
	const run = await succeeded(server, await example('collect-results.json', { from, until }));
	assert.equal((await standIn.charges()).length, charged, 'collecting is not billed');
	assert.ok(run.items('List Finished Jobs').length >= files.length + 4, 'other jobs are listed');
	assert.equal(run.items('Jobs of That Time').length, files.length + 1);
	assert.deepEqual(failedJobs(run), failed);
	const rows = await collectedRows(server, run);
	assertPrinted(rows, files);
	assert.equal(rows.length, interrupted.items(NODE).length);
}

/** Documents are read with the chosen template, which the service would not have chosen. */
async function checkTemplate(surroundings: Surroundings): Promise<void> {
	const { server, standIn } = surroundings;
	const templateCount = 130;
	const name = 'Supplier 120 Invoice';
	const id = accountTemplates(templateCount).find((template) => template.name === name)?.id;
	const files = ['invoice-uk.pdf', 'invoice-us.pdf'];
	const unreadable = 'portrait.png';
	const jobRules = [{ match: unreadable, failureCode: 'unreadable' }];
	await standIn.configure({ templateCount, jobRules });
	const workflow = await example('extract-with-template.json');
	nodeOf(workflow, 'Extract with Template').parameters.templateId = {
		...{ __rl: true, mode: 'list', value: id, cachedResultName: name },
	};
	const form = await startForm(surroundings, workflow);
	const requests = await requestsFromNow(standIn);
	const run = await form.submit({ Documents: await uploads([...files, unreadable]) });
	await standIn.configure({ templateCount: null, jobRules: [] });

	assert.deepEqual(
		(await requests())
			.filter(({ step }) => step === 'submit' || step === 'process')
			.map(({ body }) => (JSON.parse(body ?? '{}') as { templateId?: string }).templateId),
		[...files, unreadable].map(() => id),
		'each is submitted with the template, and none processed directly',
	);
	const failed = run.items('Needs Review');
	assert.equal(failed.length, 1);
	assert.match(JSON.stringify(failed[0]?.json), new RegExp(unreadable));
	const rows = await spreadsheetRows(server, run);
	assert.deepEqual(
		rows.map(({ fileName, documentType, total }) => [fileName, documentType, total]).sort(),
		files.map((file) => [file, name, truth[file]?.meaning?.fields.total]),
	);
}

/** An invoice that is uploaded twice, in one run or in two, is one row. */
async function checkInvoicesOnce(surroundings: Surroundings): Promise<void> {
	const form = await startForm(surroundings, await example('invoices-only-once.json'));
	for (const [files, added] of [
		[['invoice-uk.pdf', 'invoice-uk.pdf'], 'invoice-uk.pdf'],
		[['invoice-uk.pdf', 'invoice-de.pdf'], 'invoice-de.pdf'],
	] as const) {
		const run = await form.submit({ Invoices: await uploads([...files]) });
		assert.deepEqual(
			run.items('In Earlier Runs').map(({ json }) => json.invoiceNumber),
			[truth[added]?.fields?.invoiceNumber],
		);
	}
}

/** Submits one file to an example whose form has another page. */
async function submitOne(
	surroundings: Surroundings,
	name: string,
	field: string,
	file: string,
): Promise<Execution> {
	const form = await startForm(surroundings, await example(name));
	return await form.end(await submitForm(await form.open(), { [field]: await upload(file) }));
}

function assertPairedWithFirst(items: INodeExecutionData[]) {
	assert.ok(items.length > 0);
	assert.deepEqual(
		items.map(({ pairedItem }) => (pairedItem as IPairedItemData).item),
		items.map(() => 0),
	);
}
