/**
 * Every example workflow, run in a real n8n as it would be imported, its outputs compared with what is true about the
 * documents. Only what a user would choose is changed: folders, credentials, the question to the agent.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeExecutionData, IPairedItemData } from 'n8n-workflow';
import sharp from 'sharp';

import type { Truth } from '../../examples/documents/make/truth';
import { differences, readRows } from '../../examples/spreadsheet';
import { calendarFile, composeMail, gifSignature, type MailPart } from '../mail';
import { startChatModel } from '../n8n/chatModel';
import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/host';
import { startMailbox } from '../n8n/mailbox';
import type { Server } from '../n8n/server';
import { startFileServer } from '../nodes/fileServer';
import { PdfReader } from '../pdf/reader';
import type { StandIn } from '../stand-in/startStandIn';

const examples = join(__dirname, '..', '..', 'examples');
const documents = join(examples, 'documents');

interface Surroundings {
	server: Server;
	standIn: StandIn;
	/** A folder that n8n may write into; `documents` is the one it may read from. */
	outputFolder: string;
	truth: Record<string, Truth>;
}

/** The examples keep to the limit that a new credential has; those of other checks may not. */
const CREDENTIAL = 'Examples';

/** The examples' names, each with its check. */
const checks: Record<string, (surroundings: Surroundings) => Promise<string>> = {
	'ai-agent-tool.json': checkAgent,
	'classify-and-sort.json': checkClassify,
	'crop-cards.json': checkCrop,
	'discover-fields.json': checkDiscover,
	'invoice-mailbox.json': checkMailbox,
	'invoices-to-spreadsheet.json': checkInvoices,
	'match-faces.json': checkFaces,
	'split-bundle.json': checkSplit,
	'split-into-folders.json': checkFolders,
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

	const truth = JSON.parse(await readFile(join(documents, 'truth.json'), 'utf8')) as Record<
		string,
		Truth
	>;
	await mkdir(outputFolder, { recursive: true });
	await server.addCredential({
		name: CREDENTIAL,
		type: 'documentIntelligenceApi',
		data: { apiKey: standIn.keys.valid[0] ?? '', region: 'custom', baseUrl: standIn.url },
	});
	const said: string[] = [];
	for (const [file, check] of Object.entries(checks)) {
		said.push(`${file}: ${await check({ server, standIn, outputFolder, truth })}`);
	}
	return said;
}

async function checkClassify({ server, standIn, truth }: Surroundings): Promise<string> {
	const before = (await standIn.requests()).length;
	const run = await succeeded(server, await example('classify-and-sort.json'));
	const read = run.items('Read Documents').map(({ json }) => text(json.fileName));
	assert.deepEqual(
		[...read].sort(),
		Object.keys(truth)
			.filter((file) => /\.(pdf|docx)$/.test(file))
			.sort(),
	);

	const results = run.items('Classify');
	assert.deepEqual(
		results.map(({ json, pairedItem }) => [json.fileName, pairedItem]),
		read.map((file, item) => [file, { item }]),
	);
	for (const { json } of results) {
		// The stand-in has no template for the form, and takes the bundle for what it begins with.
		const file = text(json.fileName);
		const expected =
			{ 'form.pdf': 'other', 'bundle.pdf': 'invoice' }[file] ?? truth[file]?.documentType;
		const type = text(json.documentType).toLowerCase();
		assert.equal(isOneOf(type, ['invoice', 'contract']) ? type : 'other', expected, file);
	}
	const requests = (await standIn.requests()).length - before;
	assert.equal(requests, 1, 'all files share a request');

	const sorted = (node: string) => names(run, node).sort();
	assert.deepEqual(sorted('Contracts'), ['contract.pdf']);
	assert.deepEqual(sorted('Other Documents'), ['form.pdf']);
	assert.deepEqual(
		sorted('Invoices'),
		read.filter((file) => !isOneOf(file, ['contract.pdf', 'form.pdf'])).sort(),
	);
	for (const { json, binary } of run.items('Invoices')) {
		assert.ok(
			binary?.data && (await server.bytes(binary.data)).equals(await document(text(json.fileName))),
			'the file comes along',
		);
	}
	return `${results.length} files in ${requests} request, sorted by type`;
}

async function checkDiscover({ server, truth }: Surroundings): Promise<string> {
	const run = await succeeded(server, await example('discover-fields.json'));
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
		'fileName,documentType,field,value,confidence,page,boundingBox,needsReview,lowConfidenceFields',
	);
	assert.equal(lines.length, rows.length);
	return `${rows.length} fields of form.pdf`;
}

async function checkCrop({ server, outputFolder, truth }: Surroundings): Promise<string> {
	const run = await succeeded(server, await example('crop-cards.json', { outputFolder }));
	const cards = truth['two-cards.jpg']?.documents ?? [];
	const results = run.items('Crop');
	assert.deepEqual(
		results.map(({ json }) => [json.fileName, json.index]),
		cards.map((_, index) => ['two-cards.jpg', index]),
	);
	assertPairedWithFirst(results);
	for (const [index, { box }] of cards.entries()) {
		const written = await sharp(join(outputFolder, `two-cards-${index + 1}.png`)).metadata();
		// The stand-in sees the edges of a card to a few pixels.
		assert.ok(
			Math.abs((written.width ?? 0) - (box[2] - box[0])) < 20,
			`width of card ${index + 1}`,
		);
		assert.ok(
			Math.abs((written.height ?? 0) - (box[3] - box[1])) < 20,
			`height of card ${index + 1}`,
		);
	}
	return `${results.length} cards written as pictures`;
}

/** The acceptance of Split: five files of their own pages, five requests of five files, the values of each document. */
async function checkSplit({ server, standIn, outputFolder, truth }: Surroundings): Promise<string> {
	const before = (await standIn.requests()).length;
	const run = await succeeded(server, await example('split-bundle.json', { outputFolder }));
	const { segments = [] } = truth['bundle.pdf'] ?? {};
	const parts = run.items('Split');
	assertPairedWithFirst(parts);
	await assertParts(server, parts, segments);

	const [first, ...others] = (await standIn.requests()).slice(before);
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
	const spreadsheet = join(outputFolder, 'bundle.xlsx');
	const written = await readRows(spreadsheet);
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
		// The only one that is no invoice.
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
	return `${parts.length} documents in bundle.pdf, each read from its own file: ${rows.length} rows, every cell as the documents say`;
}

async function checkFolders({ server, outputFolder, truth }: Surroundings): Promise<string> {
	const folders = { invoice: 'invoices', contract: 'contracts', other: 'others' };
	for (const folder of Object.values(folders)) await mkdir(join(outputFolder, folder));
	const run = await succeeded(server, await example('split-into-folders.json', { outputFolder }));
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
	return `${parts.length} documents of bundle.pdf in the folders of their types`;
}

/** The types, page ranges and files of a bundle, their pages read by another library than the one that cut them. */
async function assertParts(
	server: Server,
	parts: INodeExecutionData[],
	segments: NonNullable<Truth['segments']>,
): Promise<void> {
	assert.deepEqual(
		parts.map(({ json, binary }) => [
			text(json.documentType).toLowerCase(),
			json.firstPage,
			json.lastPage,
			json.index,
			json.sourceFileName,
			text(json.fileName).toLowerCase(),
			binary?.data?.fileName === json.fileName,
		]),
		segments.map(({ documentType, firstPage, lastPage }, index) => [
			documentType,
			firstPage,
			lastPage,
			index,
			'bundle.pdf',
			`bundle-${index + 1}-${documentType}.pdf`,
			true,
		]),
	);
	const reader = new PdfReader();
	try {
		const whole = await reader.read(await document('bundle.pdf'));
		for (const [index, { binary }] of parts.entries()) {
			assert.ok(binary?.data);
			const { pages } = await reader.read(await server.bytes(binary.data));
			const { firstPage = 0, lastPage = 0 } = segments[index] ?? {};
			assert.deepEqual(
				pages.map((page) => page.text),
				whole.pages.slice(firstPage - 1, lastPage).map((page) => page.text),
			);
		}
	} finally {
		reader.stop();
	}
}

async function checkFaces({ server }: Surroundings): Promise<string> {
	const workflow = await example('match-faces.json');
	const same = await succeeded(server, workflow);
	const [result, ...others] = same.items('Match Faces');
	assert.deepEqual(others, []);
	assert.equal(result?.json.matched, true);
	assertPairedWithFirst(same.items('Match Faces'));
	assert.equal(same.items('Same Person').length, 1);

	nodeOf(workflow, 'Read Selfie').parameters.fileSelector =
		'={{ $json.folder }}/portrait-other.png';
	const other = await succeeded(server, workflow);
	assert.equal(other.items('Match Faces')[0]?.json.matched, false);
	assert.equal(other.items('Same Person?', 1).length, 1);
	return 'the same person matches, another one does not';
}

async function checkInvoices({ server, outputFolder, truth }: Surroundings): Promise<string> {
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
	return `${rows.length} rows of ${files.length} invoices, every cell as they say`;
}

/** The acceptance of the mailbox: four layouts, two of them in one mail with a signature and a calendar file between them. */
async function checkMailbox({ server, outputFolder, truth }: Surroundings): Promise<string> {
	const invoice = async (
		file: string,
		fileName = file,
		contentType = 'application/pdf',
	): Promise<MailPart> => ({ content: await document(file), contentType, fileName });
	const signature: MailPart = {
		content: gifSignature,
		contentType: 'image/gif',
		fileName: 'logo.gif',
		inline: true,
	};
	const calendar: MailPart = {
		content: calendarFile,
		contentType: 'text/calendar',
		fileName: 'due.ics',
	};
	const mails = [
		composeMail('Two invoices', [
			await invoice('invoice-de.pdf'),
			signature,
			calendar,
			await invoice('invoice-fr.pdf'),
		]),
		composeMail('Ours for November', [
			await invoice('invoice-uk.pdf', 'INVOICE-UK.PDF', 'application/octet-stream'),
		]),
		composeMail('Invoice attached', [await invoice('invoice-us.pdf')]),
		composeMail('Only an invitation', [calendar]),
		composeMail('Only words', []),
	];
	const mailbox = await startMailbox(mails);
	try {
		await server.addCredential({
			name: 'Invoice Mailbox',
			type: 'imap',
			data: {
				user: 'ann',
				password: 'secret',
				host: '127.0.0.1',
				port: mailbox.port,
				secure: false,
				allowUnauthorizedCerts: false,
			},
		});
		const workflowId = await server.addWorkflow(await example('invoice-mailbox.json'));
		await server.activate(workflowId);
		const run = await server.firstExecution(workflowId).catch((error: Error) => {
			throw new Error(
				`${error.message}. n8n said to the mail server:\n${mailbox.dialogue.join('\n')}`,
			);
		});
		assert.equal(run.status, 'success', run.error?.message);

		assert.deepEqual(
			run.items('New Mail').map(({ binary }) => Object.keys(binary ?? {}).length),
			[4, 1, 1, 1, 0],
		);
		assert.deepEqual(
			run.items('To Be Looked At').map(({ pairedItem }) => pairedItem),
			[{ item: 0 }],
		);
		assert.deepEqual(
			run.items('Extract Invoices', 1).map(({ pairedItem }) => pairedItem),
			[{ item: 4 }],
		);
		assert.match(JSON.stringify(run.items('To Be Looked At')[0]?.json), /The item has no file/);
		const hints = run.record('Extract Invoices').hints ?? [];
		// The mail without a file is told of, what was skipped, ambiguous dates, and the credits.
		assert.equal(hints.length, 4);
		assert.match(hints[0]?.message ?? '', /^1 document gave no result: /);
		assert.match(hints[1]?.message ?? '', /^3 files .*"logo\.gif", "due\.ics", "due\.ics"$/);
		assert.match(hints[2]?.message ?? '', /Date Order.*"invoice-us\.pdf"/);
		assert.match(hints[3]?.message ?? '', /^The service reported \d+ credits for this run\.$/);

		const sent = [
			['invoice-de.pdf', 0],
			['invoice-fr.pdf', 0],
			['INVOICE-UK.PDF', 1],
			['invoice-us.pdf', 2],
		] as const;
		const expected = sent.map(([file, item]) => ({
			file,
			item,
			truth: truth[file.toLowerCase()]!,
		}));
		assert.deepEqual(
			run
				.items('Extract Invoices')
				.map(({ json, pairedItem }) => [json.fileName, json.rowNumber, pairedItem]),
			expected.flatMap(({ file, item, truth: { lineItems = [] } }) =>
				lineItems.map((_, row) => [file, row + 1, { item }]),
			),
		);
		const spreadsheet = join(outputFolder, 'mailbox.xlsx');
		const rows = await readRows(spreadsheet);
		assert.deepEqual(
			differences(
				rows,
				expected.map(({ file, truth: true_ }) => [file, true_]),
			),
			[],
		);
		assert.deepEqual([...mailbox.seen], [1, 2, 3, 4, 5], 'the mails are marked as read');
		return `${mails.length} mails with ${sent.length} invoices: ${rows.length} rows, every cell as they say`;
	} finally {
		mailbox.close();
	}
}

async function checkAgent({ server, truth }: Surroundings): Promise<string> {
	const files = await startFileServer();
	const link = files.serve('/files/invoice-fr.pdf', {
		headers: { 'content-type': 'application/pdf' },
		body: await document('invoice-fr.pdf'),
	});
	const model = await startChatModel({ link });
	try {
		await server.addCredential({
			name: 'OpenAI',
			type: 'openAiApi',
			data: { apiKey: 'scripted', url: model.url },
		});
		const workflow = await example('ai-agent-tool.json', {
			question: `What does ${link} come to?`,
		});
		// The default of a tool, which the editor does not store.
		delete nodeOf(workflow, 'Read Document').parameters.inputSource;
		const run = await succeeded(server, workflow);
		const answer = text(run.items('AI Agent')[0]?.json.output);
		const { fields = {}, lineItems = [] } = truth['invoice-fr.pdf'] ?? {};
		const values = [
			...Object.values(fields),
			...lineItems.flatMap((lineItem) => Object.values(lineItem) as string[]),
		];
		assert.ok(values.length > 20);
		// What the tool said is JSON in JSON by now, so quotes and backslashes are not compared.
		assert.deepEqual(
			values.filter((value) => !answer.includes(value)),
			[],
			answer,
		);
		assert.deepEqual(
			files.seen.map(({ url, headers }) => [url, headers.authorization]),
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

/** An example with folders and the credential of this machine in place of those that it names, and texts in place of others. */
async function example(file: string, settings: Record<string, string> = {}): Promise<Workflow> {
	const workflow = JSON.parse(await readFile(join(examples, file), 'utf8')) as Workflow;
	const chosen: Record<string, string> = { folder: documents, ...settings };
	for (const { parameters, credentials } of workflow.nodes) {
		if (credentials?.documentIntelligenceApi) credentials.documentIntelligenceApi.name = CREDENTIAL;
		const { assignments } = (parameters.assignments ?? { assignments: [] }) as {
			assignments: Array<{ name: string; value: unknown }>;
		};
		for (const assignment of assignments)
			assignment.value = chosen[assignment.name] ?? assignment.value;
	}
	return workflow;
}

function nodeOf(workflow: Workflow, name: string): Workflow['nodes'][number] {
	const node = workflow.nodes.find((candidate) => candidate.name === name);
	assert.ok(node, `"${workflow.name}" has a node "${name}"`);
	return node;
}

async function succeeded(server: Server, workflow: Workflow): Promise<Execution> {
	const run = await server.run(workflow);
	assert.equal(
		run.status,
		'success',
		`${workflow.name}, at "${run.lastNode}": ${run.error?.message} ${run.error?.description ?? ''}`,
	);
	return run;
}

async function document(file: string): Promise<Buffer> {
	return await readFile(join(documents, file));
}

async function onlyFile(server: Server, items: INodeExecutionData[]): Promise<Buffer> {
	assert.equal(items.length, 1);
	const file = items[0]?.binary?.data;
	assert.ok(file, 'there is a file');
	return await server.bytes(file);
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

/** A value that has to be a text. */
function text(value: unknown): string {
	assert.equal(typeof value, 'string');
	return value as string;
}

function isOneOf(value: string, list: string[]): boolean {
	return list.includes(value);
}
