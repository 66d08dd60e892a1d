import assert from 'node:assert/strict';

import type { DataTable } from '../n8n/dataTable';
import type { Workflow } from '../n8n/host';
import { startMailbox, type Mailbox } from '../n8n/mailbox';
import { startOutbox, type Outbox } from '../n8n/outbox';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { activated, example, tableFor, type Surroundings } from './exampleWorkflow';
import { attachment, CALENDAR, composeMail, LOGO, SPREADSHEET } from './mail';
import { requestsFromNow } from './setting';

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

/** An invoice that adds up. */
const PHOTOGRAPHED = {
	invoiceNumber: 'P-7',
	invoiceDate: '2 November 2026',
	supplierName: 'Moorland Garage',
	currency: 'EUR',
	subtotal: '100.00 EUR',
	tax: '20.00 EUR',
	total: '120.00 EUR',
	lineItems: [{ amount: '100.00 EUR' }],
};

/** Two days of a bookkeeper: a clear invoice, a photo and a spreadsheet; then copies, a damaged file and a clear invoice. */
export async function checkReviewMailbox({ server, standIn }: Surroundings): Promise<void> {
	const mailbox = await startMailbox(FIRST_DAY);
	const { workflow, table, outbox } = await prepareReview(server, mailbox);
	const data = { metadata: { fields: PHOTOGRAPHED } };
	await standIn.queueFaults([{ kind: 'answer', match: 'IMG_0042.jpg', data }]);
	const requests = await requestsFromNow(standIn);
	const assertRows = async (...expected: unknown[][]) => {
		const rows = await table.rows();
		const shown = rows.map(({ invoiceNumber, total, decision }) => [
			invoiceNumber,
			total,
			decision,
		]);
		assert.deepEqual(shown.sort(), expected.sort());
	};
	const { nextSuccess } = await activated(server, workflow);
	await nextSuccess();
	const first = [
		['0004021', 1497.9, 'As read'],
		['P-7', 120, 'As read'],
	];
	await assertRows(...first);
	assert.equal((await requests()).length, 2, 'neither logos nor other files are sent');
	const [told] = await toldIn(outbox);
	assert.match(String(told), /^These files of an email were not processed: prices\.xlsx\n/);
	assert.match(String(told), /Email: Prices, from "Ann Sender" <ann@sender\.example>/);

	mailbox.deliver(SECOND_DAY);
	await nextSuccess();
	await assertRows(...first, ['RE-2026-1148', 1005.55, 'As read']);
	assert.equal((await requests()).length, 5, 'a copy of the same file is not sent again');
	const messages = await toldIn(outbox);
	assert.equal(messages.length, 2);
	assert.match(String(messages[1]), /damaged\.pdf/);
	assert.deepEqual(await questionsIn(outbox), [], 'nobody is asked');
}

const FIRST_DAY = [
	composeMail(
		'Invoice for November',
		...[attachment('invoice-uk.pdf', 'Logoprint 4021.pdf'), LOGO],
		{ ...attachment('portrait.png', 'image001.png', 'image/png'), inline: true },
		CALENDAR,
	),
	composeMail('Photo', attachment('receipt.jpg', 'IMG_0042.jpg', 'image/jpeg')),
	composeMail('Prices', SPREADSHEET),
];

const COPY = attachment('invoice-uk.pdf', 'copy.pdf');
const PRINTED_AGAIN = Buffer.concat([COPY.content, Buffer.from('\n% printed again\n')]);
const DAMAGED = attachment('invoice-fr.pdf').content.subarray(0, 400);

const SECOND_DAY = [
	composeMail('Reminder', COPY, { ...COPY, fileName: 'reminder.pdf', content: PRINTED_AGAIN }),
	composeMail(
		'Two more',
		...[{ ...COPY, fileName: 'damaged.pdf', content: DAMAGED }, attachment('invoice-de.pdf')],
	),
];

/** The emails that need no answer and have no invoice. */
async function toldIn(outbox: Outbox): Promise<string[]> {
	return (await outbox.mails())
		.filter(({ subject }) => subject === 'A file was not added to the table')
		.map(({ text }) => String(text));
}
