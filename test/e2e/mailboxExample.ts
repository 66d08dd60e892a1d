import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IPairedItemData } from 'n8n-workflow';

import { readRows, sumOf, type Row } from '../../examples/spreadsheet';
import { calendarFile, composeMail, gifSignature, type MailPart } from '../mail';
import { createDataTable, ownColumns, type Column } from '../n8n/dataTable';
import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/host';
import { startMailbox } from '../n8n/mailbox';
import { startOutbox, type Outbox } from '../n8n/outbox';
import {
	assertSuccess,
	document,
	example,
	nodeOf,
	tableRows,
	text,
	type Surroundings,
} from './exampleWorkflow';

/** Each as it is attached, with the mail it comes with. */
const INVOICES = [
	{ file: 'invoice-de.pdf', attached: 'invoice-de.pdf', mail: 0 },
	{ file: 'invoice-fr.pdf', attached: 'invoice-fr.pdf', mail: 0 },
	{ file: 'invoice-uk.pdf', attached: 'INVOICE-UK.PDF', mail: 1 },
	{ file: 'invoice-us.pdf', attached: 'invoice-us.pdf', mail: 2 },
];

/** Nothing in the American invoice, the last one, says which number of its dates is the month. */
const CERTAIN_INVOICES = INVOICES.slice(0, -1);

/**
 * The acceptance of the mailbox: four layouts, two of them in one mail with a signature and a calendar file between
 * them, then the same files once more; a contract and the dates of one invoice are doubtful, a receipt cannot be read,
 * and a mail has no file.
 */
export async function checkMailbox(surroundings: Surroundings): Promise<string> {
	const { server, standIn, truth } = surroundings;
	const workflow = await example('invoice-mailbox.json');
	const name = `Invoice Lines ${Date.now()}`;
	const table = await createDataTable(server, name, columnsOf(workflow));
	const { dataTableId } = nodeOf(workflow, 'Add to Table').parameters;
	Object.assign(dataTableId as object, { value: table.id });
	const mailbox = await startMailbox(await firstMails());
	const outbox = await startOutbox();
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
		await server.addCredential({
			name: 'Outgoing Mail',
			type: 'smtp',
			data: {
				user: '',
				password: '',
				host: '127.0.0.1',
				port: outbox.port,
				secure: false,
				disableStartTls: true,
			},
		});
		const workflowId = await server.addWorkflow(workflow);
		const requests = async () => (await standIn.requests()).length;
		const before = await requests();
		await server.activate(workflowId);
		const first = await server.triggeredExecution(workflowId).catch((error: Error) => {
			throw new Error(
				`${error.message}. n8n said to the mail server:\n${mailbox.dialogue.join('\n')}`,
			);
		});
		assertSuccess(first, workflow.name);
		assertFirstRun(surroundings, first);
		// The four invoices, the contract and the receipt.
		assert.equal((await requests()) - before, 6, 'requests of the first run');
		const rows = await table.rows();
		assertTable(surroundings, rows);
		await assertTold(surroundings, outbox);

		mailbox.deliver(await copiesOfMails());
		const second = assertSuccess(await server.triggeredExecution(workflowId, 1), workflow.name);
		assert.equal(second.items('New Mail').length, 2);
		assert.deepEqual(second.items('Extract Invoices'), [], 'the second run gives nothing');
		assert.equal((await requests()) - before, 6, 'requests of both runs');
		assert.deepEqual(await table.rows(), rows, 'the table is as it was');
		assert.equal((await outbox.mails()).length, 2, 'no further mail to the person');
		const hints = (second.record('Extract Invoices').hints ?? []).map(({ message }) => message);
		assert.ok(
			hints.some((hint) => hint.startsWith('4 files skipped: ')),
			hints.join('\n'),
		);

		// Rows that the table refuses are paid for, so the note says how to get them into the table all the same.
		const column: Column = { name: 'description', type: 'string' };
		await table.removeColumn(column.name);
		mailbox.deliver([composeMail('Late', [await attachment('invoice-long.pdf')])]);
		const refused = await server.triggeredExecution(workflowId, 2);
		assert.deepEqual([refused.status, refused.lastNode], ['error', 'Add to Table']);
		assert.equal((await table.rows()).length, rows.length, 'none of its rows is added');
		await table.addColumn(column);
		await server.rest('POST', `/rest/executions/${refused.id}/retry`, { loadWorkflow: true });
		assertSuccess(await server.triggeredExecution(workflowId, 3), workflow.name);
		assert.equal((await requests()) - before, 7, 'requests, of which one for the last mail');
		const added = (await table.rows()).slice(rows.length);
		const { lineItems = [] } = truth['invoice-long.pdf']?.meaning ?? {};
		assert.deepEqual(
			added.map(({ amount }) => amount),
			lineItems.map(({ amount }) => amount),
		);
		assert.deepEqual(
			[...mailbox.seen],
			[1, 2, 3, 4, 5, 6, 7, 8, 9],
			'the mails are marked as read',
		);
		const total = sumOf(rows as Row[], 'amount');
		return `${rows.length} rows in the table, amounts of ${total} in all; the same files once more: no request, no row; ${added.length} rows that the table first refused, after a retry`;
	} finally {
		mailbox.close();
		outbox.close();
	}
}

/** The columns that the example's note tells its reader to create are those that its table node fills. */
export function columnsOf(workflow: Workflow): Column[] {
	const note = text(nodeOf(workflow, 'About This Workflow').parameters.content);
	const columns = [...note.matchAll(/of type (String|Number): ((?:`\w+`(?:, )?)+)/gi)].flatMap(
		([, type = '', names = '']) =>
			[...names.matchAll(/\w+/g)].map(([name]) => ({ name, type: type.toLowerCase() })),
	);
	const { value } = nodeOf(workflow, 'Add to Table').parameters.columns as { value: object };
	assert.deepEqual(columns.map(({ name }) => name).sort(), Object.keys(value).sort());
	return columns as Column[];
}

async function attachment(file: string, fileName = file, contentType = 'application/pdf') {
	return { content: await document(file), contentType, fileName } satisfies MailPart;
}

const CALENDAR: MailPart = {
	content: calendarFile,
	contentType: 'text/calendar',
	fileName: 'due.ics',
};

async function firstMails(): Promise<Buffer[]> {
	const signature: MailPart = {
		content: gifSignature,
		contentType: 'image/gif',
		fileName: 'logo.gif',
		inline: true,
	};
	return [
		composeMail('Two invoices', [
			await attachment('invoice-de.pdf'),
			signature,
			CALENDAR,
			await attachment('invoice-fr.pdf'),
		]),
		composeMail('Ours for November', [
			await attachment('invoice-uk.pdf', 'INVOICE-UK.PDF', 'application/octet-stream'),
		]),
		composeMail('Invoice attached', [await attachment('invoice-us.pdf')]),
		composeMail('Only an invitation', [CALENDAR]),
		composeMail('Signed', [
			await attachment('contract.pdf'),
			await attachment('receipt.jpg', 'receipt.jpg', 'image/jpeg'),
		]),
		composeMail('Only words', []),
	];
}

/** The invoices of the first mails under names of their own, as a reminder has them. */
async function copiesOfMails(): Promise<Buffer[]> {
	return [
		composeMail('Reminder', [
			await attachment('invoice-fr.pdf', 'copy.pdf'),
			await attachment('invoice-de.pdf'),
		]),
		composeMail('Reminder of both', [
			await attachment('invoice-us.pdf', 'invoice (1).pdf'),
			await attachment('invoice-uk.pdf'),
		]),
	];
}

function assertFirstRun({ truth }: Surroundings, run: Execution): void {
	assert.deepEqual(
		run.items('New Mail').map(({ binary }) => Object.keys(binary ?? {}).length),
		[4, 1, 1, 1, 2, 0],
	);
	assert.deepEqual(
		run
			.items('Certain?')
			.map(({ json, pairedItem }) => [json.fileName, json.rowNumber, pairedItem]),
		CERTAIN_INVOICES.flatMap(({ file, attached }) =>
			(truth[file]?.lineItems ?? []).map((_, row) => [attached, row + 1]),
		).map(([file, row], item) => [file, row, { item }]),
	);
	assert.deepEqual(
		run
			.items('Extract Invoices')
			.map(({ json, pairedItem }) => [json.fileName, (pairedItem as IPairedItemData).item]),
		[
			...INVOICES.flatMap(({ file, attached, mail }) =>
				(truth[file]?.lineItems ?? []).map(() => [attached, mail]),
			),
			['contract.pdf', 4],
		],
	);
	assert.deepEqual(
		run.items('Extract Invoices', 1).map(({ pairedItem }) => pairedItem),
		[{ item: 4 }, { item: 5 }],
	);
	const hints = (run.record('Extract Invoices').hints ?? [])
		.map(({ message }) => message)
		// Other examples have used the same key in the same minute.
		.filter((message) => !message.startsWith('Waited '));
	// What failed, ambiguous dates, and what was skipped; there is no room for the credits.
	assert.equal(hints.length, 3, hints.join('\n'));
	assert.match(hints[0] ?? '', /^2 items failed: /);
	assert.match(hints[1] ?? '', /"invoice-us\.pdf".*'Date Order'/);
	assert.match(hints[2] ?? '', /^3 files skipped: .*"logo\.gif".*"due\.ics"/);
}

/** Every cell as the invoices say, and the sum of the amounts. */
function assertTable({ truth }: Surroundings, rows: Array<Record<string, unknown>>): void {
	assert.deepEqual(
		rows.map(ownColumns),
		CERTAIN_INVOICES.flatMap(({ file, attached }) =>
			tableRows(truth[file]!).map((row) => ({ fileName: attached, ...row })),
		),
	);
	const inDocuments = CERTAIN_INVOICES.map(
		({ file }) => truth[file]?.meaning?.fields.subtotal ?? NaN,
	);
	assert.equal(
		sumOf(rows as Row[], 'amount'),
		Math.round(inDocuments.reduce((sum, subtotal) => sum + subtotal, 0) * 100) / 100,
	);
}

/** The lists that the person was sent. */
async function listsIn(outbox: Outbox, { outputFolder }: Surroundings): Promise<Row[][]> {
	return await Promise.all(
		(await outbox.mails()).map(async ({ attachments, to }, number) => {
			assert.equal([to].flat()[0]?.text, 'bookkeeping@example.com');
			assert.deepEqual(
				attachments.map(({ filename }) => filename),
				['to-be-looked-at.xlsx'],
			);
			const path = join(outputFolder, `told-${number}.xlsx`);
			await writeFile(path, attachments[0]?.content ?? '');
			return await readRows(path);
		}),
	);
}

/** One list of what is doubtful, and one of what could not be read, with the mails they came with. */
async function assertTold(surroundings: Surroundings, outbox: Outbox): Promise<void> {
	const lists = await listsIn(outbox, surroundings);
	assert.equal(lists.length, 2);
	const [doubtful, failed] = lists.sort(([one]) =>
		(one?.missingFields ?? null) === null ? 1 : -1,
	);
	const sender = '"Ann Sender" <ann@sender.example>';
	const { lineItems = [] } = surroundings.truth['invoice-us.pdf'] ?? {};
	assert.deepEqual(
		doubtful?.map(({ fileName, mailSubject, mailFrom, missingFields, uncertainFields }) => [
			...[fileName, mailSubject, mailFrom],
			...[missingFields, uncertainFields],
		]),
		[
			...lineItems.map(() => [
				...['invoice-us.pdf', 'Invoice attached', sender],
				...['[]', '["invoiceDate","dueDate"]'],
			]),
			[
				...['contract.pdf', 'Signed', sender],
				...['["invoiceNumber","supplierName","total"]', '[]'],
			],
		],
	);
	assert.deepEqual(
		failed?.map(({ fileName, mailSubject }) => [fileName, mailSubject]),
		[
			['receipt.jpg', 'Signed'],
			[null, 'Only words'],
		],
	);
	assert.match(String(failed?.[1]?.reason), /The item has no file/);
	assert.match(String(failed?.[0]?.reason), /receipt\.jpg/);
	assert.match(String(failed?.[0]?.suggestion), /template/);
}
