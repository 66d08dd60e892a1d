/**
 * Runs every example workflow in a real n8n, as imported, and compares its outputs with the expected values of the
 * documents. Only settings that a user would choose are changed: folders, credentials, the question to the agent.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import sharp from 'sharp';

import { differences, readRows } from '../../examples/spreadsheet';
import { startChatModel } from '../n8n/chatModel';
import type { Execution } from '../n8n/execution';
import { submitForm } from '../n8n/form';
import type { Server } from '../n8n/server';
import { startScriptedServer } from '../nodes/scriptedServer';
import { accountTemplates } from '../stand-in/processing/templates';
import type { OtherJob, StandIn } from '../stand-in/startStandIn';
import {
	assertSuccess,
	collectedRows,
	CREDENTIAL,
	document,
	example,
	examples,
	nodeOf,
	onlyFile,
	spreadsheetRows,
	startForm,
	succeeded,
	text,
	upload,
	uploads,
	type Surroundings,
} from './exampleWorkflow';
import { checkIdentity, checkReview } from './formExamples';
import { checkMailbox } from './mailboxExample';
import { checkReviewMailbox } from './reviewMailbox';
import { documents, requestsFromNow, truth } from './setting';
import { checkContinue } from './triggerExample';
import { documentIntelligence, NODE, readFiles, start, workflow } from './workflows';

/** The check of each example, by file name. */
const checks: Record<string, (surroundings: Surroundings) => Promise<string>> = {
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

/**
 * @param server an n8n with this package, which may read `examples/documents` and write into `outputFolder`
 * @param standIn the service that reads the documents; its rate limit counts
 * @returns a sentence for each example
 * @throws AssertionError with the first difference
 */
export async function checkExamples(
	server: Server,
	standIn: StandIn,
	outputFolder: string,
): Promise<string[]> {
	const files = (await readdir(examples)).filter((file) => file.endsWith('.json'));
	assert.deepEqual(files.sort(), Object.keys(checks), 'every example has a check');

	await mkdir(outputFolder, { recursive: true });
	await server.addCredential({
		name: CREDENTIAL,
		type: 'documentIntelligenceApi',
		data: { apiKey: standIn.keys.valid[0] ?? '', region: 'custom', baseUrl: standIn.url },
	});
	const said: string[] = [];
	for (const [file, check] of Object.entries(checks)) {
		said.push(`${file}: ${await check({ server, standIn, outputFolder })}`);
	}
	return said;
}

async function checkClassify(surroundings: Surroundings): Promise<string> {
	const read = Object.keys(truth).filter((file) => /\.(pdf|docx)$/.test(file));
	const form = await startForm(surroundings, await example('classify-and-sort.json'));
	const requests = await requestsFromNow(surroundings.standIn);
	const run = await form.submit({ Documents: await uploads(read) });

	const results = run.items('Classify');
	// n8n 1 returns files of one upload in the order in which it stored them.
	assert.deepEqual(names(run, 'Classify').sort(), [...read].sort());
	assertPairedWithFirst(results);
	for (const { json } of results) {
		// The stand-in has no template for the form, and classifies the bundle by its first document.
		const file = text(json.fileName);
		const expected =
			{ 'form.pdf': 'other', 'bundle.pdf': 'invoice' }[file] ?? truth[file]?.documentType;
		const type = text(json.documentType).toLowerCase();
		assert.equal(isOneOf(type, ['invoice', 'contract']) ? type : 'other', expected, file);
	}
	assert.equal((await requests()).length, 1, 'all files share a request');

	const sorted = (node: string) => names(run, node).sort();
	assert.deepEqual(sorted('Contracts'), ['contract.pdf']);
	assert.deepEqual(sorted('Other Documents'), ['form.pdf']);
	assert.deepEqual(
		sorted('Invoices'),
		read.filter((file) => !isOneOf(file, ['contract.pdf', 'form.pdf'])).sort(),
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
	return `${results.length} files in one request, sorted by type`;
}

async function checkDiscover(surroundings: Surroundings): Promise<string> {
	const { server } = surroundings;
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
	const csv = (await onlyFile(server, run.items('Make List'))).toString('utf8');
	const [header = '', ...lines] = csv
		.replace(/^\uFEFF/, '')
		.trim()
		.split(/\r?\n/);
	assert.equal(
		header,
		'fileName,field,value,confidence,page,boundingBox,needsReview,documentType,lowConfidenceFields,uncertainFields,reviewReasons',
	);
	assert.equal(lines.length, rows.length);
	return `${rows.length} fields of form.pdf`;
}

async function checkCrop(surroundings: Surroundings): Promise<string> {
	const { server } = surroundings;
	const run = await submitOne(surroundings, 'crop-cards.json', 'Photo', 'two-cards.jpg');
	const cards = truth['two-cards.jpg']?.documents ?? [];
	const results = run.items('Crop');
	assert.deepEqual(
		results.map(({ json }) => [json.fileName, json.index]),
		cards.map((_, index) => ['two-cards.jpg', index]),
	);
	assertPairedWithFirst(results);
	const zip = run.items('Make ZIP')[0]?.binary?.zip;
	assert.ok(zip);
	const zipped = (await server.bytes(zip)).toString('latin1');
	for (const [index, { box }] of cards.entries()) {
		const file = results[index]?.binary?.data;
		assert.ok(file);
		assert.equal(file.fileName, `two-cards-${index + 1}.png`);
		assert.ok(zipped.includes(file.fileName), file.fileName);
		const written = await sharp(await server.bytes(file)).metadata();
		const { width = 0, height = 0 } = written;
		// The stand-in finds the edges of a card to within a few pixels.
		const far = [width - (box[2] - box[0]), height - (box[3] - box[1])].map(Math.abs);
		assert.ok(Math.max(...far) < 20, `size of card ${index + 1}`);
	}
	return `${results.length} cards as pictures in a ZIP file`;
}

/** Split returns five files with the right pages; Extract sends each in its own request and returns its values. */
async function checkSplit(surroundings: Surroundings): Promise<string> {
	const { server, standIn } = surroundings;
	const requests = await requestsFromNow(standIn);
	const run = await submitOne(surroundings, 'split-bundle.json', 'Bundle', 'bundle.pdf');
	const { segments = [] } = truth['bundle.pdf'] ?? {};
	const parts = run.items('Split');
	assertPairedWithFirst(parts);
	assert.deepEqual(
		parts.map(({ json, binary }) => [
			...[text(json.documentType).toLowerCase(), json.firstPage, json.lastPage, json.index],
			...[json.sourceFileName, text(json.fileName).toLowerCase(), binary?.data?.fileName],
		]),
		segments.map(({ documentType, firstPage, lastPage }, index) => [
			...[documentType, firstPage, lastPage, index],
			...['bundle.pdf', `bundle-${index + 1}-${documentType}.pdf`, parts[index]?.json.fileName],
		]),
	);

	const [first, ...others] = await requests();
	assert.equal(first?.path, '/Document/split');
	assert.deepEqual(
		others.map(({ path }) => path),
		segments.map(() => '/Document/extraction'),
	);
	const sent = others.flatMap((request) => request.parts.filter((part) => 'sha256' in part));
	assert.equal(new Set(sent.map(({ sha256 }) => sha256)).size, segments.length, 'different files');

	const rows = run.items('Extract');
	assert.deepEqual(
		[...new Set(rows.map(({ pairedItem }) => (pairedItem as IPairedItemData).item))],
		[...parts.keys()],
	);
	const written = await spreadsheetRows(server, run);
	const files = segments.map(({ file }, index) => ({
		name: text(parts[index]?.json.fileName),
		truth: truth[file]!,
	}));
	const invoices = files.filter(({ truth: { documentType } }) => documentType === 'invoice');
	assert.deepEqual(
		differences(
			written.filter(({ fileName }) => invoices.some(({ name }) => name === fileName)),
			invoices.map(({ name, truth: printed }) => [name, printed]),
		),
		[],
	);
	for (const { name, truth: printed } of files.filter((file) => !invoices.includes(file))) {
		const own = written.filter(({ fileName }) => fileName === name);
		assert.equal(own.length, 1, name);
		// The only document that is not an invoice.
		const contract = {
			...printed.fields,
			contractDate: '2026-10-12',
			startDate: '2026-11-01',
			endDate: '2027-10-31',
			monthlyFee: 1850,
		};
		for (const [field, value] of Object.entries(contract)) {
			assert.equal(own[0]?.[field], value, `${name}, ${field}`);
		}
	}
	return `${parts.length} documents in bundle.pdf, each read from its own file: ${rows.length} rows, every cell as printed`;
}

async function checkFolders({ server, outputFolder }: Surroundings): Promise<string> {
	const folders = { invoice: 'invoices', contract: 'contracts', other: 'others' };
	for (const folder of Object.values(folders)) await mkdir(join(outputFolder, folder));
	const folder = join(outputFolder, 'bundles');
	await mkdir(folder);
	const settings = { folder, outputFolder };
	const inReview = (run: Execution) =>
		run.items('Needs Review').map(({ json }) => text((json.error as { message: string }).message));
	const empty = await succeeded(server, await example('split-into-folders.json', settings));
	assert.equal(inReview(empty).length, 1, 'a folder without a PDF');
	await copyFile(join(documents, 'bundle.pdf'), join(folder, 'Scan of Monday.pdf'));
	const damaged = (await document('contract.pdf')).subarray(0, 400);
	await writeFile(join(folder, 'Damaged.pdf'), damaged);
	const run = await succeeded(server, await example('split-into-folders.json', settings));
	assert.match(inReview(run).join(), /Damaged\.pdf/);
	const { segments = [] } = truth['bundle.pdf'] ?? {};
	const parts = run.items('Split');
	for (const [type, folder] of Object.entries(folders)) {
		const expected = parts.filter((_, index) => segments[index]?.documentType === type);
		const found = await readdir(join(outputFolder, folder));
		const nameOf = (name: string) => found.find((other) => other.endsWith(`-0-${name}`)) ?? '';
		assert.equal(found.length, expected.length);
		for (const { json, binary } of expected) {
			assert.ok(binary?.data);
			const written = await readFile(join(outputFolder, folder, nameOf(text(json.fileName))));
			assert.ok(written.equals(await server.bytes(binary.data)), 'the file is whole');
		}
	}
	return `${parts.length} documents of a bundle in the folders of their types, although another bundle is damaged`;
}

async function checkInvoices({ server, outputFolder }: Surroundings): Promise<string> {
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
	assert.deepEqual(
		differences(
			await readRows(spreadsheet),
			files.map((file) => [file, truth[file]!]),
		),
		[],
	);
	return `${rows.length} rows of ${files.length} invoices, every cell as printed`;
}

async function checkAgent({ server }: Surroundings): Promise<string> {
	const files = await startScriptedServer();
	const link = files.serve('/files/invoice-fr.pdf', {
		headers: { 'content-type': 'application/pdf' },
		body: await document('invoice-fr.pdf'),
	});
	const model = await startChatModel({ link });
	try {
		await server.addCredential({
			name: 'OpenAI with a Link',
			type: 'openAiApi',
			data: { apiKey: 'scripted', url: model.url },
		});
		const workflow = await example('ai-agent-tool.json', {
			question: `What is the total of ${link}?`,
		});
		// The other agent uses a different model under the usual credential name.
		nodeOf(workflow, 'OpenAI Chat Model').credentials = {
			openAiApi: { name: 'OpenAI with a Link' },
		};
		// The editor does not store the default value of a tool.
		delete nodeOf(workflow, 'Read Document').parameters.inputSource;
		const run = await succeeded(server, workflow);
		const answer = text(run.items('AI Agent')[0]?.json.output);
		const { fields = {}, lineItems = [], meaning } = truth['invoice-fr.pdf'] ?? {};
		const values = [
			...Object.values({ ...fields, ...meaning?.fields }),
			...lineItems.flatMap((lineItem, index) =>
				Object.values({ ...lineItem, ...meaning?.lineItems[index] }),
			),
		];
		assert.ok(values.length > 20);
		// The tool's JSON is inside other JSON here, so quotes and backslashes are not compared.
		assert.deepEqual(
			values.filter((value) => !answer.includes(String(value))),
			[],
			answer,
		);
		assert.deepEqual(
			files.received.map(({ url, headers }) => [url, headers.authorization]),
			[['/files/invoice-fr.pdf', undefined]],
		);
		const [tool] = model.requests[0]?.tools ?? [];
		assert.deepEqual(Object.keys(tool?.function.parameters.properties ?? {}), ['link']);
		return `the agent got ${values.length} values of the invoice behind a link`;
	} finally {
		files.close();
		model.close();
	}
}

/** The agent gets the reference of an uploaded file, and the tool reads the file by this reference. */
async function checkAgentWithFile(surroundings: Surroundings): Promise<string> {
	const { server, standIn } = surroundings;
	const model = await startChatModel((asked) => ({
		reference: /artifact:[\w:/-]+/.exec(asked)?.[0] ?? '',
	}));
	try {
		await server.addCredential({
			name: 'OpenAI',
			type: 'openAiApi',
			data: { apiKey: 'scripted', url: model.url },
		});
		const requests = await requestsFromNow(standIn);
		const form = await startForm(surroundings, await example('ai-agent-stored-file.json'));
		const page = await submitForm(await form.open(), {
			Document: await upload('invoice-uk.pdf'),
		});
		const run = await form.end(page);
		const answer = text(run.items('AI Agent')[0]?.json.output);
		const { fields: { invoiceNumber } = {}, meaning } = truth['invoice-uk.pdf'] ?? {};
		for (const value of [invoiceNumber, meaning?.fields.total])
			assert.ok(answer.includes(String(value)), answer);
		const steps = (await requests()).map(({ step }) => step);
		assert.deepEqual(
			steps.filter((step) => step !== 'list'),
			['store', 'submit', 'fetch'],
			'the file is uploaded once',
		);
		return 'the agent read the uploaded invoice by its reference';
	} finally {
		model.close();
	}
}

/** Another execution collects the jobs that a form submitted, each once. */
async function checkCollect(surroundings: Surroundings): Promise<string> {
	const { server, standIn } = surroundings;
	const files = ['invoice-us.pdf', 'invoice-de.pdf', 'invoice-fr.pdf'];
	// No template fits.
	const unreadable = 'receipt.jpg';
	const collecting = await server.addWorkflow(await example('submit-and-collect.json'));
	const collect = async () => assertSuccess(await server.run(collecting), 'Collect');
	// Collects the jobs that other examples submitted with the same key.
	await collect();
	const form = await startForm(surroundings, await example('submit-and-collect.json'));
	const submitting = await form.submit({ Invoices: await uploads([...files, unreadable]) });
	const submitted = submitting.items('Submit').map(({ json }) => json);
	const jobs = submitted.map(({ jobId }) => text(jobId));
	assert.equal(new Set(jobs).size, files.length + 1);
	await standIn.addJobs(standIn.keys.valid[0], [
		{ operation: 'Classification', file: join(documents, 'invoice-us.pdf') },
	]);

	const run = await collect();
	const listed = run.items('List Finished Jobs').map(({ json }) => text(json.jobId));
	assert.deepEqual(
		jobs.filter((job) => !listed.includes(job)),
		[],
		'every job is listed',
	);
	assert.deepEqual(
		new Set(run.items('New Rows').map(({ json }) => text(json.invoiceNumber))),
		new Set(files.map((file) => text(truth[file]?.fields?.invoiceNumber))),
		'each job passes, and none of another operation',
	);
	const again = await collect();
	assert.deepEqual([...again.items('New Rows'), ...again.items('New Failures')], [], 'only once');
	const rows = await spreadsheetRows(server, run);
	for (const file of files) {
		const { fields = {}, lineItems = [] } = truth[file] ?? {};
		const own = rows.filter(({ invoiceNumber }) => String(invoiceNumber) === fields.invoiceNumber);
		assert.equal(own.length, lineItems.length, file);
	}
	assert.deepEqual(
		run.items('Needs Review').map(({ json }) => (json.error as { jobId?: unknown }).jobId),
		submitted.filter(({ fileName }) => fileName === unreadable).map(({ jobId }) => jobId),
	);
	return `${rows.length} rows of ${files.length} jobs that another run had submitted, and one failed`;
}

/** Collects the results of one execution, but no earlier or later job and no job of another operation. */
async function checkCollectResults(surroundings: Surroundings): Promise<string> {
	const { server, standIn } = surroundings;
	const files = ['invoice-uk.pdf', 'invoice-us.pdf'];
	const addOther = async (operation: OtherJob['operation'], finishedMsAgo = 0) =>
		await standIn.addJobs(standIn.keys.valid[0], [
			{ operation, file: join(documents, 'invoice-fr.pdf'), finishedMsAgo, ranMs: 0 },
		]);
	await addOther('Extraction', 60_000);
	const from = new Date().toISOString();
	const parameters = { operation: 'extract', output: 'rows', options: { processing: 'job' } };
	const interrupted = await succeeded(
		server,
		workflow('As Jobs', [
			start(),
			readFiles(join(documents, `{${files.join()}}`)),
			documentIntelligence(parameters, { credential: CREDENTIAL }),
		]),
	);
	await addOther('Classification');
	const [failed] = await standIn.addJobs(standIn.keys.valid[0], [
		{ operation: 'Extraction', status: 'Failed', failureCode: 'corrupt', ranMs: 0 },
	]);
	const until = new Date().toISOString();
	await addOther('Extraction', -1);
	await wait(10);

	const charged = (await standIn.charges()).length;
	const run = await succeeded(server, await example('collect-results.json', { from, until }));
	assert.equal((await standIn.charges()).length, charged, 'collecting is not billed');
	assert.ok(run.items('List Finished Jobs').length >= files.length + 4, 'other jobs are listed');
	assert.equal(run.items('Jobs of That Time').length, files.length + 1);
	assert.deepEqual(
		run.items('Needs Review').map(({ json }) => (json.error as { jobId?: unknown }).jobId),
		[failed],
	);
	const rows = await collectedRows(server, run);
	assert.deepEqual(
		differences(
			rows,
			files.map((file) => [file, truth[file]!]),
		),
		[],
	);
	assert.equal(rows.length, interrupted.items(NODE).length);
	return `${rows.length} rows of the ${files.length} jobs of one execution, ${run.items('List Finished Jobs').length} jobs listed`;
}

/** Documents are read with the chosen template, which the service would not have chosen. */
async function checkTemplate(surroundings: Surroundings): Promise<string> {
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
	const arrived = await requestsFromNow(standIn);
	const run = await form.submit({ Documents: await uploads([...files, unreadable]) });
	const requests = await arrived();
	await standIn.configure({ templateCount: null, jobRules: [] });

	const submitted = requests.filter(({ step }) => step === 'submit');
	assert.deepEqual(
		submitted.map(({ body }) => (JSON.parse(body ?? '') as { templateId?: string }).templateId),
		[...files, unreadable].map(() => id),
	);
	assert.deepEqual(
		requests.filter(({ step }) => step === 'process'),
		[],
		'nothing is processed directly',
	);
	const failed = run.items('Needs Review');
	assert.equal(failed.length, 1);
	assert.match(JSON.stringify(failed[0]?.json), new RegExp(unreadable));
	const rows = await spreadsheetRows(server, run);
	assert.deepEqual(
		rows.map(({ fileName, documentType, total }) => [fileName, documentType, total]).sort(),
		files.map((file) => [file, name, truth[file]?.meaning?.fields.total]),
	);
	return `${rows.length} documents read as "${name}", ${failed.length} with its reason on the error output`;
}

/** An invoice that is uploaded twice, in one run or in two, is one row. */
async function checkInvoicesOnce(surroundings: Surroundings): Promise<string> {
	const form = await startForm(surroundings, await example('invoices-only-once.json'));
	const numbersOf = async (...files: string[]) => {
		const run = await form.submit({ Invoices: await uploads(files) });
		return run.items('In Earlier Runs').map(({ json }) => json.invoiceNumber);
	};
	const numberOf = (file: string) => truth[file]?.fields?.invoiceNumber;
	assert.deepEqual(await numbersOf('invoice-uk.pdf', 'invoice-uk.pdf'), [
		numberOf('invoice-uk.pdf'),
	]);
	assert.deepEqual(await numbersOf('invoice-uk.pdf', 'invoice-de.pdf'), [
		numberOf('invoice-de.pdf'),
	]);
	return '4 uploads of 2 invoices, 2 rows';
}

/** Submits one file to an example whose form returns another file. */
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

function names(run: Execution, node: string): string[] {
	return run.items(node).map(({ json }) => text(json.fileName));
}

function isOneOf(value: string, list: string[]): boolean {
	return list.includes(value);
}
