import assert from 'node:assert/strict';

import type { DataTable } from '../n8n/dataTable';
import { openForm, submitOnlyPage } from '../n8n/form';
import type { Workflow } from '../n8n/host';
import { startMailbox, type Mailbox } from '../n8n/mailbox';
import { startOutbox, type Outbox } from '../n8n/outbox';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { activated, document, example, tableFor, type Surroundings } from './exampleWorkflow';
import { attachment, CALENDAR, composeMail, LOGO, SPREADSHEET } from './mail';
import { requestsFromNow, truth } from './setting';

/** A form that waits for a person. */
export interface ReviewForm {
	/** The values that it is filled in with, by label. */
	values: Record<string, string>;
	text: string;
	send(entries: Record<string, string>): Promise<void>;
}

/** The example with a table and an outgoing mail server of its own, as its note asks for, and a mailbox if there is one. */
export async function prepareReview(
	server: Server,
	mailbox?: Mailbox,
): Promise<{ workflow: Workflow; table: DataTable; outbox: Outbox }> {
	const workflow = await example('review-by-email.json');
	const nodes = ['Add Corrected Row', 'Add to Table'];
	const table = await tableFor(server, 'reviewed-invoices', workflow, ...nodes);
	const outbox = await startOutbox();
	// Other examples have mail, too.
	const name = 'Review Mail';
	await server.addCredential(outbox.credential(name));
	if (mailbox !== undefined) await server.addCredential(mailbox.credential(name));
	for (const { credentials = {} } of workflow.nodes)
		for (const mail of [credentials.smtp, credentials.imap]) if (mail) mail.name = name;
	return { workflow, table, outbox };
}

export const questionsIn = async (outbox: Outbox) =>
	(await outbox.mails()).filter(({ html }) => String(html).includes('/webhook-waiting/'));

/** The link in the latest of so many questions. */
export async function linkIn(outbox: Outbox, count: number): Promise<string> {
	await until(async () => (await questionsIn(outbox)).length >= count, 60, `no ${count} questions`);
	const mails = await questionsIn(outbox);
	assert.equal(mails.length, count, 'one email waits for its answer before the next is sent');
	const html = String(mails.at(-1)?.html);
	const [, link = ''] = /href="([^"]*\/webhook-waiting\/[^"]*)"/.exec(html) ?? [];
	assert.ok(link !== '', html);
	const url = link.replaceAll('&amp;', '&');
	// The email may be here before n8n has recorded that the execution waits; n8n answers 409 until then.
	const waits = async () => (await fetch(url)).status !== 409;
	await until(waits, 60, `${url} never waits for an answer`);
	return url;
}

async function withoutBrowser(url: string): Promise<ReviewForm> {
	const page = await openForm(url);
	return {
		values: Object.fromEntries(page.fields.map(({ label, value }) => [label, value])),
		text: page.html,
		send: async (entries) => void (await submitOnlyPage(page, entries)),
	};
}

/** The fields of an invoice that adds up. */
const fieldsOf = (invoiceNumber: string, more: object) => ({
	invoiceNumber,
	supplierName: 'Moorland Garage',
	currency: 'EUR',
	subtotal: '100.00 EUR',
	tax: '20.00 EUR',
	total: '120.00 EUR',
	lineItems: [{ amount: '100.00 EUR' }],
	...more,
});

/**
 * Three days of a bookkeeper: a clear invoice, a photo and a spreadsheet; then copies, a damaged file and a doubtful
 * invoice, which waits last; then an invoice of a template in which a field was renamed.
 */
export async function checkReviewMailbox({ server, standIn }: Surroundings): Promise<void> {
	const mailbox = await startMailbox(await firstDay());
	const { workflow, table, outbox } = await prepareReview(server, mailbox);
	const answerFor = (match: string, fields: object) =>
		({ kind: 'answer', match, data: { metadata: { fields } } }) as const;
	await standIn.queueFaults([
		answerFor('IMG_0042.jpg', fieldsOf('P-7', { invoiceDate: '2 November 2026' })),
		answerFor('invoice-long.pdf', fieldsOf('P-8', { dateOfInvoice: '4 November 2026' })),
	]);
	const requests = await requestsFromNow(standIn);
	const assertRows = async (expected: unknown[][]) => {
		const rows = (await table.rows()).map(({ invoiceNumber, total, decision }) => [
			...[invoiceNumber, total, decision],
		]);
		assert.deepEqual(rows.sort(), expected.sort());
	};
	const { nextSuccess } = await activated(server, workflow);
	await nextSuccess();
	const uk = ['0004021', 1497.9, 'As read'];
	const photo = ['P-7', 120, 'As read'];
	await assertRows([uk, photo]);
	assert.equal((await requests()).length, 2, 'neither logos nor other files are sent');
	const [told] = await toldIn(outbox);
	assert.match(String(told), /^These files of an email were not processed: prices\.xlsx\n/);
	assert.match(String(told), /Email: Prices, from "Ann Sender" <ann@sender\.example>/);

	mailbox.deliver(await secondDay());
	const first = await withoutBrowser(await linkIn(outbox, 1));
	// Rows and failures do not wait for the person.
	const de = ['RE-2026-1148', 1005.55, 'As read'];
	await assertRows([uk, photo, de]);
	assert.equal((await requests()).length, 6, 'a copy of the same file is not sent again');
	const messages = await toldIn(outbox);
	assert.equal(messages.length, 2);
	assert.match(String(messages[1]), /damaged\.pdf/);
	const { fields = {}, meaning } = truth['invoice-us.pdf']!;
	const day = { Decision: 'Approved', 'Decided By': 'Ann' };
	assert.equal(first.values['Invoice Date'], '');
	await first.send({ 'Invoice Date': String(meaning?.fields.invoiceDate), ...day });
	await nextSuccess();

	mailbox.deliver([composeMail('Third day', [await attachment('invoice-long.pdf')])]);
	const second = await withoutBrowser(await linkIn(outbox, 2));
	assert.match(second.text, /invoiceDate has no value/);
	assert.equal(second.values['Invoice Number'], 'P-8');
	await second.send({ 'Invoice Date': '2026-11-04', ...day });
	await nextSuccess();

	const us = [fields.invoiceNumber, meaning?.fields.total, 'Approved'];
	await assertRows([uk, photo, de, us, ['P-8', 120, 'Approved']]);
	assert.equal((await requests()).length, 7);
	assert.equal((await toldIn(outbox)).length, 2);
}

async function firstDay(): Promise<Buffer[]> {
	return [
		composeMail('Invoice for November', [
			await attachment('invoice-uk.pdf', 'Logoprint 4021.pdf'),
			LOGO,
			{ ...(await attachment('portrait.png', 'image001.png', 'image/png')), inline: true },
			CALENDAR,
		]),
		composeMail('Photo', [await attachment('receipt.jpg', 'IMG_0042.jpg', 'image/jpeg')]),
		composeMail('Prices', [SPREADSHEET]),
	];
}

/** The doubtful invoice is the first, and nothing waits for it. */
async function secondDay(): Promise<Buffer[]> {
	const copy = await attachment('invoice-uk.pdf', 'copy.pdf');
	const printedAgain = Buffer.concat([copy.content, Buffer.from('\n% printed again\n')]);
	const damaged = (await document('invoice-fr.pdf')).subarray(0, 400);
	return [
		composeMail('Doubtful', [await attachment('invoice-us.pdf')]),
		composeMail('Reminder', [copy, { ...copy, fileName: 'reminder.pdf', content: printedAgain }]),
		composeMail('Two more', [
			{ ...copy, fileName: 'damaged.pdf', content: damaged },
			await attachment('invoice-de.pdf'),
		]),
	];
}

/** The emails that need no answer and have no invoice. */
async function toldIn(outbox: Outbox): Promise<string[]> {
	return (await outbox.mails())
		.filter(({ subject }) => subject === 'A file was not added to the table')
		.map(({ text }) => String(text));
}
