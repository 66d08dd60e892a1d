import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { INodeExecutionData } from 'n8n-workflow';

import type { Truth } from '../../examples/documents/make/truth';
import { differences, readRows, type Row } from '../../examples/spreadsheet';
import { createDataTable, type Column, type DataTable } from '../n8n/dataTable';
import type { Execution } from '../n8n/execution';
import { finishForm, openForm, submitOnlyPage, type Entries, type FormPage } from '../n8n/form';
import type { Workflow } from '../n8n/host';
import type { Server } from '../n8n/server';
import type { StandIn } from '../stand-in/startStandIn';
import { documents, repository, truth } from './setting';
import { assertSuccess } from './workflows';

export const examples = join(repository, 'examples');

/** The environment of an example's check. */
export interface Surroundings {
	server: Server;
	standIn: StandIn;
	/** Of the credential that the examples use. */
	apiKey: string;
	/** A folder that n8n may read and write; it may also read `documents`. */
	outputFolder: string;
}

/** The name of the credential that the examples use. */
export const CREDENTIAL = 'Examples';

/** An example with this machine's folders and credential, and with the given values in its Edit Fields nodes. */
export async function example(
	file: string,
	settings: Record<string, string> = {},
): Promise<Workflow> {
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

export function nodeOf(workflow: Workflow, name: string): Workflow['nodes'][number] {
	const node = workflow.nodes.find((candidate) => candidate.name === name);
	assert.ok(node, `"${workflow.name}" has a node "${name}"`);
	return node;
}

/** The first page of the form that starts a workflow. */
export async function openFirstPage(server: Server, workflow: Workflow): Promise<FormPage> {
	const trigger = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	return await openForm(`${server.url}/form/${text(trigger?.webhookId)}`);
}

/** Activates a workflow, whose triggers start one run after the other. */
export async function activated(server: Server, workflow: Workflow) {
	const id = await server.addWorkflow(workflow);
	await server.activate(id);
	let runs = 0;
	const nextRun = async () => await server.triggeredExecution(id, runs++);
	return { id, nextRun, nextSuccess: async () => assertSuccess(await nextRun()) };
}

/** Activates an example that starts with a form. */
export async function startForm({ server }: Surroundings, workflow: Workflow) {
	const { id, nextSuccess } = await activated(server, workflow);
	const open = async () => await openFirstPage(server, workflow);
	return {
		workflowId: id,
		open,
		/** The execution of the form, after its last page was shown. */
		async end(page: FormPage): Promise<Execution> {
			await finishForm(page);
			return await nextSuccess();
		},
		/** Fills in a form of one page. */
		async submit(entries: Entries): Promise<Execution> {
			await submitOnlyPage(await open(), entries);
			return await nextSuccess();
		},
	};
}

/**
 * A Data Table with the columns of a CSV file, of the types that n8n detects. The nodes use it, and fill these columns.
 *
 * @param csv without its extension, in `examples/tables`
 */
export async function tableFor(
	server: Server,
	csv: string,
	workflow: Workflow,
	...nodes: string[]
): Promise<DataTable> {
	const content = await readFile(join(examples, 'tables', `${csv}.csv`), 'utf8');
	const [names = [], sample = []] = content.split('\n').map((line) => line.split(','));
	const columns = names.map((name, index): Column => {
		const isNumber = sample[index] !== '' && Number.isFinite(Number(sample[index]));
		return { name, type: isNumber ? 'number' : 'string' };
	});
	const table = await createDataTable(server, `${csv} of ${workflow.name}`, columns);
	for (const name of nodes) {
		const { dataTableId, columns: filled } = nodeOf(workflow, name).parameters;
		const { value, schema } = filled as { value: object | null; schema: unknown[] };
		if (value !== null) {
			assert.deepEqual(Object.keys(value), names);
			assert.deepEqual(
				(schema as Array<{ id: string; type: string }>).map(({ id, type }) => ({ name: id, type })),
				columns,
			);
		}
		Object.assign(dataTableId as object, { value: table.id });
	}
	return table;
}

export async function onlyFile(server: Server, items: INodeExecutionData[]): Promise<Buffer> {
	assert.equal(items.length, 1);
	const file = items[0]?.binary?.data;
	assert.ok(file, 'there is a file');
	return await server.bytes(file);
}

/** The rows of the spreadsheet that an example has made. */
export async function spreadsheetRows(server: Server, run: Execution): Promise<Row[]> {
	return await readRows(await onlyFile(server, run.items('Make Spreadsheet')));
}

/** The rows of collected results, with file names added by invoice number, because jobs contain no file names. */
export async function collectedRows(server: Server, run: Execution): Promise<Row[]> {
	const rows = await spreadsheetRows(server, run);
	const fileOf = new Map(
		Object.entries(truth).map(([file, { fields }]) => [fields?.invoiceNumber, file]),
	);
	return rows.map((row) => ({ ...row, fileName: fileOf.get(String(row.invoiceNumber)) ?? null }));
}

/** Asserts that every cell is as printed on these documents, or on documents of other names in the rows. */
export function assertPrinted(rows: Row[], files: Array<string | [name: string, file: string]>) {
	const printed = files.map((named): [string, Truth] => {
		const [name, file] = typeof named === 'string' ? [named, named] : named;
		return [name, truth[file]!];
	});
	assert.deepEqual(differences(rows, printed), []);
}

/** The rows that the examples add to a Data Table for an invoice: one per line item, with converted values. */
export function tableRows({ fields = {}, lineItems = [], meaning }: Truth) {
	return lineItems.map(({ description }, index) => ({
		invoiceNumber: fields.invoiceNumber,
		invoiceDate: meaning?.fields.invoiceDate,
		supplierName: fields.supplier,
		currency: fields.currency,
		rowNumber: index + 1,
		description,
		...meaning?.lineItems[index],
	}));
}

/** The MIME type that a browser sends, by extension. */
const CONTENT_TYPES: Record<string, string> = {
	docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
	jpg: 'image/jpeg',
	pdf: 'application/pdf',
	png: 'image/png',
	txt: 'text/plain',
};

/** One of the sample documents, as a browser sends it. */
export async function upload(file: string): Promise<File> {
	const type = text(CONTENT_TYPES[file.split('.').at(-1) ?? '']);
	return new File([await document(file)], file, { type });
}

export async function uploads(files: string[]): Promise<File[]> {
	return await Promise.all(files.map(upload));
}

export async function document(file: string): Promise<Buffer> {
	return await readFile(join(documents, file));
}

/** Asserts that a value is text. */
export function text(value: unknown): string {
	assert.equal(typeof value, 'string');
	return value as string;
}
