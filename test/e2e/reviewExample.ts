import assert from 'node:assert/strict';

import type { DataTable } from '../n8n/dataTable';
import { openForm, submitOnlyPage } from '../n8n/form';
import type { Workflow } from '../n8n/host';
import type { Mailbox } from '../n8n/mailbox';
import { startOutbox, type Outbox } from '../n8n/outbox';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import { example, tableFor } from './exampleWorkflow';

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

export async function withoutBrowser(url: string): Promise<ReviewForm> {
	const page = await openForm(url);
	return {
		values: Object.fromEntries(page.fields.map(({ label, value }) => [label, value])),
		text: page.html,
		send: async (entries) => await submitOnlyPage(page, entries),
	};
}
