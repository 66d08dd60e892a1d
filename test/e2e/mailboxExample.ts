import assert from 'node:assert/strict';

import { readRows } from '../../examples/spreadsheet';
import { ownColumns, type Column } from '../n8n/dataTable';
import { submitOnlyPage } from '../n8n/form';
import { startMailbox } from '../n8n/mailbox';
import { startOutbox, type Outbox } from '../n8n/outbox';
import {
	activated,
	example,
	openFirstPage,
	tableFor,
	tableRows,
	upload,
	type Surroundings,
} from './exampleWorkflow';
import { attachment, CALENDAR, composeMail, LOGO, SPREADSHEET } from './mail';
import { requestsFromNow, truth } from './setting';

/**
 * Four invoices, two of them in one email with a signature and a calendar file between them, then the same files again.
 * A contract and the dates of one invoice need a review, a form cannot be read, and an email without a PDF ends nowhere.
 * A spreadsheet is not processed, which a person is told. The doubtful invoice gets into the table by the form.
 */
export async function checkMailbox({ server, standIn }: Surroundings): Promise<void> {
	const workflow = await example('invoice-mailbox.json');
	const table = await tableFor(server, 'invoice-lines', workflow, 'Add to Table');
	const mailbox = await startMailbox(FIRST_MAILS);
	const outbox = await startOutbox();
	await server.addCredential(mailbox.credential('Invoice Mailbox'));
	await server.addCredential(outbox.credential('Outgoing Mail'));
	const requests = await requestsFromNow(standIn);
	const { nextRun, nextSuccess } = await activated(server, workflow);
	await nextSuccess().catch((error: Error) => {
		const dialogue = mailbox.dialogue.join('\n');
		throw new Error(`${error.message}. n8n said to the mail server:\n${dialogue}`);
	});
	// The four invoices, the contract, the form and the receipt.
	assert.equal((await requests()).length, 7, 'requests of the first run');
	const rows = await table.rows();
	assert.deepEqual(rows.map(ownColumns), CERTAIN.flatMap(rowsOf));
	await assertEmailed(outbox);

	mailbox.deliver(COPIES);
	const second = await nextSuccess();
	assert.equal(second.items('New Email').length, 2);
	assert.deepEqual(second.items('Extract Invoices'), [], 'the second run gives nothing');
	assert.equal((await requests()).length, 7, 'requests of both runs');
	assert.deepEqual(await table.rows(), rows, 'the table is as it was');
	assert.equal((await outbox.mails()).length, 3, 'no further email to the person');
	const hints = (second.record('Extract Invoices').hints ?? []).map(({ message }) => message);
	assert.match(hints.join('\n'), /^4 files skipped: /m);

	// Rows that the table rejects are already billed. As the note says, a retry adds them without processing them again.
	const column: Column = { name: 'description', type: 'string' };
	await table.removeColumn(column.name);
	mailbox.deliver([composeMail('Late', attachment('invoice-long.pdf'))]);
	const refused = await nextRun();
	assert.deepEqual([refused.status, refused.lastNode], ['error', 'Add to Table']);
	assert.equal((await table.rows()).length, rows.length, 'none of its rows is added');
	await table.addColumn(column);
	await server.rest('POST', `/rest/executions/${refused.id}/retry`, { loadWorkflow: true });
	await nextSuccess();
	assert.equal((await requests()).length, 8, 'requests, of which one for the last mail');
	const late = await table.rows();
	const { lineItems = [] } = truth['invoice-long.pdf']?.meaning ?? {};
	assert.deepEqual(
		late.slice(rows.length).map(({ amount }) => amount),
		lineItems.map(({ amount }) => amount),
	);

	for (const choice of CHOICES) {
		const invoice = await upload(DOUBTFUL);
		await submitOnlyPage(await openFirstPage(server, workflow), { Invoice: invoice, ...choice });
		await nextSuccess();
	}
	assert.equal((await requests()).length, 10, 'requests, of which two for the form');
	const again = rowsOf([DOUBTFUL, DOUBTFUL]);
	const printed = truth[DOUBTFUL]?.fields?.invoiceDate;
	assert.deepEqual((await table.rows()).slice(late.length).map(ownColumns), [
		...again,
		...again.map((row) => ({ ...row, invoiceDate: printed })),
	]);
	assert.equal(mailbox.seen.size, 10, 'the emails are marked as read');
}

/** Invoices that need nobody, with their names as attachments. */
const CERTAIN: Array<[attached: string, file: string]> = [
	['invoice-de.pdf', 'invoice-de.pdf'],
	['invoice-fr.pdf', 'invoice-fr.pdf'],
	['INVOICE-UK.PDF', 'invoice-uk.pdf'],
];

/** Its dates do not show which number is the month. */
const DOUBTFUL = 'invoice-us.pdf';

/** Every cell as printed on an invoice. */
function rowsOf([fileName, file]: [attached: string, file: string]): object[] {
	return tableRows(truth[file]!).map((row) => ({ fileName, ...row }));
}

/** How the doubtful invoice is uploaded: first with the order of its dates, then as checked by a person. */
const CHOICES = [
	{ Dates: 'Month first', Values: 'Review them if they are doubtful' },
	{ Dates: 'As detected', Values: 'A person has checked them' },
];

const FIRST_MAILS = [
	composeMail(
		'Two invoices',
		...[attachment('invoice-de.pdf'), LOGO, CALENDAR, attachment('invoice-fr.pdf')],
	),
	composeMail(
		'Ours for November',
		attachment('invoice-uk.pdf', 'INVOICE-UK.PDF', 'application/octet-stream'),
	),
	composeMail('Invoice attached', attachment(DOUBTFUL)),
	composeMail('Only an invitation', CALENDAR),
	composeMail(
		'Signed',
		...[attachment('contract.pdf'), attachment('form.pdf')],
		attachment('receipt.jpg', 'receipt.jpg', 'image/jpeg'),
	),
	composeMail('Only words'),
	composeMail('Prices', SPREADSHEET, { ...LOGO, fileName: 'image001.gif' }),
];

/** The same invoices under other names, as in reminders. */
const COPIES = [
	composeMail(
		'Reminder',
		...[attachment('invoice-fr.pdf', 'copy.pdf'), attachment('invoice-de.pdf')],
	),
	composeMail(
		'Reminder of both',
		...[attachment(DOUBTFUL, 'invoice (1).pdf'), attachment('invoice-uk.pdf')],
	),
];

/** Lists that a person gets: documents that need a review, files that could not be read, and other files, each with its email. */
const LISTS: Array<Array<[file: string, subject: string, reason: RegExp]>> = [
	[
		['contract.pdf', 'Signed', /^invoiceNumber has no value; .*; lineItems\.amount has no value$/],
		[
			'invoice-us.pdf',
			'Invoice attached',
			/^invoiceDate can be 2026-03-11 or 2026-11-03: set Date/,
		],
	],
	[
		['form.pdf', 'Signed', /form\.pdf/],
		['receipt.jpg', 'Signed', /receipt\.jpg/],
	],
	[
		[
			'prices.xlsx',
			'Prices',
			/^Not processed: 'File Names' in Extract Invoices has no pattern for/,
		],
	],
];

async function assertEmailed(outbox: Outbox): Promise<void> {
	const lists = await Promise.all(
		(await outbox.mails()).map(async ({ attachments, to }) => {
			assert.equal([to].flat()[0]?.text, 'bookkeeping@example.com');
			assert.equal(attachments[0]?.filename, 'needs-review.xlsx');
			const rows = await readRows(attachments[0].content);
			return rows.sort((one, other) => (String(one.fileName) < String(other.fileName) ? -1 : 1));
		}),
	);
	lists.sort(([one], [other]) => (String(one?.fileName) < String(other?.fileName) ? -1 : 1));
	// Each invoice once, however many lines it has.
	assert.deepEqual(
		lists.map((rows) =>
			rows.map(({ fileName, emailSubject, emailFrom }) => [fileName, emailSubject, emailFrom]),
		),
		LISTS.map((rows) =>
			rows.map(([file, subject]) => [file, subject, '"Ann Sender" <ann@sender.example>']),
		),
	);
	for (const [index, [, , reason]] of LISTS.flat().entries())
		assert.match(String(lists.flat()[index]?.reason), reason);
	assert.match(String(lists[1]?.[0]?.suggestion), /template/);
}
