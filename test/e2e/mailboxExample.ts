import assert from 'node:assert/strict';
import type { IPairedItemData } from 'n8n-workflow';

import { readRows, type Row } from '../../examples/spreadsheet';
import { ownColumns, type Column } from '../n8n/dataTable';
import type { Execution } from '../n8n/execution';
import type { Workflow } from '../n8n/host';
import { openForm, submitOnlyPage } from '../n8n/form';
import { startMailbox } from '../n8n/mailbox';
import { startOutbox, type Outbox } from '../n8n/outbox';
import type { Server } from '../n8n/server';
import {
	assertSuccess,
	example,
	nodeOf,
	tableFor,
	tableRows,
	upload,
	type Surroundings,
} from './exampleWorkflow';
import { attachment, CALENDAR, composeMail, LOGO, SPREADSHEET } from './mail';
import { requestsFromNow, truth } from './setting';

/** The invoices, with their names as attachments and the index of their email. */
const INVOICES = [
	{ file: 'invoice-de.pdf', attached: 'invoice-de.pdf', mail: 0 },
	{ file: 'invoice-fr.pdf', attached: 'invoice-fr.pdf', mail: 0 },
	{ file: 'invoice-uk.pdf', attached: 'INVOICE-UK.PDF', mail: 1 },
	{ file: 'invoice-us.pdf', attached: 'invoice-us.pdf', mail: 2 },
];

/** All but the American invoice, the last one, whose dates do not show which number is the month. */
const CERTAIN_INVOICES = INVOICES.slice(0, -1);

/**
 * Four invoices, two of them in one email with a signature and a calendar file between them, then the same files again.
 * A contract and the dates of one invoice need a review, a form cannot be read, and an email without a PDF ends nowhere.
 * A spreadsheet is not processed, which a person is told. The doubtful invoice gets into the table by the form.
 */
export async function checkMailbox({ server, standIn }: Surroundings): Promise<string> {
	const workflow = await example('invoice-mailbox.json');
	const table = await tableFor(server, 'invoice-lines', workflow, 'Add to Table');
	const mailbox = await startMailbox(await firstMails());
	const outbox = await startOutbox();
	try {
		await server.addCredential(mailbox.credential('Invoice Mailbox'));
		await server.addCredential(outbox.credential('Outgoing Mail'));
		const workflowId = await server.addWorkflow(workflow);
		const requests = await requestsFromNow(standIn);
		await server.activate(workflowId);
		const first = await server.triggeredExecution(workflowId).catch((error: Error) => {
			throw new Error(
				`${error.message}. n8n said to the mail server:\n${mailbox.dialogue.join('\n')}`,
			);
		});
		assertSuccess(first, workflow.name);
		assertFirstRun(first);
		// The four invoices, the contract, the form and the receipt.
		assert.equal((await requests()).length, 7, 'requests of the first run');
		const rows = await table.rows();
		assertTable(rows);
		await assertEmailed(outbox);

		mailbox.deliver(await copiesOfMails());
		const second = assertSuccess(await server.triggeredExecution(workflowId, 1), workflow.name);
		assert.equal(second.items('New Email').length, 2);
		assert.deepEqual(second.items('Extract Invoices'), [], 'the second run gives nothing');
		assert.equal((await requests()).length, 7, 'requests of both runs');
		assert.deepEqual(await table.rows(), rows, 'the table is as it was');
		assert.equal((await outbox.mails()).length, 3, 'no further email to the person');
		const hints = (second.record('Extract Invoices').hints ?? []).map(({ message }) => message);
		assert.ok(
			hints.some((hint) => hint.startsWith('4 files skipped: ')),
			hints.join('\n'),
		);

		// Rows that the table rejects are already billed. As the note says, a retry adds them without processing them again.
		const column: Column = { name: 'description', type: 'string' };
		await table.removeColumn(column.name);
		mailbox.deliver([composeMail('Late', [await attachment('invoice-long.pdf')])]);
		const refused = await server.triggeredExecution(workflowId, 2);
		assert.deepEqual([refused.status, refused.lastNode], ['error', 'Add to Table']);
		assert.equal((await table.rows()).length, rows.length, 'none of its rows is added');
		await table.addColumn(column);
		await server.rest('POST', `/rest/executions/${refused.id}/retry`, { loadWorkflow: true });
		assertSuccess(await server.triggeredExecution(workflowId, 3), workflow.name);
		assert.equal((await requests()).length, 8, 'requests, of which one for the last mail');
		const late = await table.rows();
		const added = late.slice(rows.length);
		const { lineItems = [] } = truth['invoice-long.pdf']?.meaning ?? {};
		assert.deepEqual(
			added.map(({ amount }) => amount),
			lineItems.map(({ amount }) => amount),
		);
		const again = await uploadAgain(server, workflow, workflowId, 4);
		assert.equal((await requests()).length, 10, 'requests, of which two for the form');
		assert.deepEqual((await table.rows()).slice(late.length).map(ownColumns), again);
		assert.deepEqual(
			[...mailbox.seen],
			[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
			'the emails are marked as read',
		);
		return `${rows.length} rows in the table; the same files once more: no request, no row; ${added.length} rows that the table first refused, after a retry; ${again.length} rows by the form`;
	} finally {
		mailbox.close();
		outbox.close();
	}
}

/**
 * The invoice whose dates can be read in two ways, first with the order of its dates, then as checked by a person.
 * @returns the rows that the table gets
 */
async function uploadAgain(
	server: Server,
	workflow: Workflow,
	workflowId: string,
	earlier: number,
): Promise<object[]> {
	const { webhookId } = nodeOf(workflow, 'Upload Again');
	const invoice = 'invoice-us.pdf';
	const choices = [
		{ Dates: 'Month first', Values: 'Review them if they are doubtful' },
		{ Dates: 'As detected', Values: 'A person has checked them' },
	];
	for (const [index, choice] of choices.entries()) {
		const form = await openForm(`${server.url}/form/${String(webhookId)}`);
		await submitOnlyPage(form, { Invoice: await upload(invoice), ...choice });
		assertSuccess(await server.triggeredExecution(workflowId, earlier + index), workflow.name);
	}
	const rows = tableRows(truth[invoice]!).map((row) => ({ fileName: invoice, ...row }));
	const printed = truth[invoice]?.fields?.invoiceDate;
	return [...rows, ...rows.map((row) => ({ ...row, invoiceDate: printed }))];
}

async function firstMails(): Promise<Buffer[]> {
	return [
		composeMail('Two invoices', [
			await attachment('invoice-de.pdf'),
			LOGO,
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
			await attachment('form.pdf'),
			await attachment('receipt.jpg', 'receipt.jpg', 'image/jpeg'),
		]),
		composeMail('Only words', []),
		composeMail('Prices', [SPREADSHEET, { ...LOGO, fileName: 'image001.gif' }]),
	];
}

/** The same invoices under other names, as in reminders. */
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

function assertFirstRun(run: Execution): void {
	assert.deepEqual(
		run.items('New Email').map(({ binary }) => Object.keys(binary ?? {}).length),
		[4, 1, 1, 1, 3, 0, 2],
	);
	assert.deepEqual(
		run
			.items('No Review Needed?')
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
		[{ item: 4 }, { item: 4 }],
	);
	const hints = (run.record('Extract Invoices').hints ?? [])
		.map(({ message }) => message)
		// Other examples use the same key in the same minute.
		.filter((message) => !message.startsWith('Waited '));
	// The credits and what links the run to others stand outside the three kinds of notes.
	assert.equal(hints.length, 5, hints.join('\n'));
	assert.match(hints[0] ?? '', /^Cogneris reported \d+ credits for this run\.$/);
	assert.match(hints[1] ?? '', /^2 items failed: /);
	assert.match(hints[2] ?? '', /"invoice-us\.pdf".*'Date Order'/);
	assert.match(hints[3] ?? '', /^6 files skipped: .*"logo\.gif".*"due\.ics".*an item \(no file\)/);
	assert.match(hints[4] ?? '', /^\d+ files processed\. From now on, this node skips them\.$/);
}

/** Every cell as printed on the invoices. */
function assertTable(rows: Array<Record<string, unknown>>): void {
	assert.deepEqual(
		rows.map(ownColumns),
		CERTAIN_INVOICES.flatMap(({ file, attached }) =>
			tableRows(truth[file]!).map((row) => ({ fileName: attached, ...row })),
		),
	);
}

/** The lists that were emailed to the person. */
async function listsIn(outbox: Outbox): Promise<Row[][]> {
	return await Promise.all(
		(await outbox.mails()).map(async ({ attachments, to }) => {
			assert.equal([to].flat()[0]?.text, 'bookkeeping@example.com');
			assert.deepEqual(
				attachments.map(({ filename }) => filename),
				['needs-review.xlsx'],
			);
			return await readRows(attachments[0]?.content ?? Buffer.alloc(0));
		}),
	);
}

/** One list of documents that need a review, one of files that could not be read, and one of other files, with their emails. */
async function assertEmailed(outbox: Outbox): Promise<void> {
	const lists = await listsIn(outbox);
	assert.equal(lists.length, 3);
	const [other, ...processed] = lists.sort(([one]) => (one?.fileName === 'prices.xlsx' ? -1 : 1));
	assert.deepEqual(
		other?.map(({ fileName, emailSubject, reason }) => [fileName, emailSubject, reason]),
		[
			[
				...['prices.xlsx', 'Prices'],
				"Not processed: 'File Names' in Extract Invoices has no pattern for it",
			],
		],
	);
	const [doubtful, failed] = processed.sort(([one]) => (one?.suggestion ? 1 : -1));
	const sender = '"Ann Sender" <ann@sender.example>';
	// Each invoice once, however many lines it has.
	assert.deepEqual(
		doubtful?.map(({ fileName, emailSubject, emailFrom, reason }) => [
			...[fileName, emailSubject, emailFrom, reason],
		]),
		[
			[
				...['invoice-us.pdf', 'Invoice attached', sender],
				'invoiceDate can be 2026-03-11 or 2026-11-03: set Date Order; dueDate can be 2026-03-12 or 2026-12-03: set Date Order',
			],
			[
				...['contract.pdf', 'Signed', sender],
				'invoiceNumber has no value; invoiceDate has no value; supplierName has no value; currency has no value; total has no value; lineItems.description has no value; lineItems.quantity has no value; lineItems.unitPrice has no value; lineItems.amount has no value',
			],
		],
	);
	assert.deepEqual(
		failed?.map(({ fileName, emailSubject }) => [fileName, emailSubject]),
		[
			['form.pdf', 'Signed'],
			['receipt.jpg', 'Signed'],
		],
	);
	assert.match(String(failed?.[0]?.reason), /form\.pdf/);
	assert.match(String(failed?.[0]?.suggestion), /template/);
}
