import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { dataTable, ownColumns, type DataTable } from '../n8n/dataTable';
import { openForm, submitOnlyPage } from '../n8n/form';
import type { Workflow } from '../n8n/host';
import { startOutbox, type Outbox } from '../n8n/outbox';
import type { Server } from '../n8n/server';
import { until } from '../n8n/until';
import {
	assertSuccess,
	example,
	nodeOf,
	tableFor,
	uploads,
	type Surroundings,
} from './exampleWorkflow';
import { pictureBesideDocument } from './pictures';
import { truth } from './setting';

/** A form that waits for a person. */
interface ReviewForm {
	/** The values that it is filled in with, by label. */
	values: Record<string, string>;
	text: string;
	/** Addresses of its links, without those of n8n. */
	links: string[];
	send(entries: Record<string, string>): Promise<void>;
}

const LABELS = [
	'Invoice Number',
	'Invoice Date',
	'Supplier',
	'Currency',
	'Subtotal',
	'Tax',
	'Total',
];

/** What anyone can print on an invoice: a link, an expression, and patterns of a replacement. */
const HOSTILE_SUPPLIER = `<a href="https://pay.example">Pay</a> {{ 7 * 6 }} $& $' $1 "`;

/** n8n's forms from JSON write two characters of a value like this. */
const SUPPLIER_IN_FORM = HOSTILE_SUPPLIER.replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const HOSTILE_FIELDS = {
	invoiceNumber: 'R-1',
	invoiceDate: '3 November 2026',
	supplierName: HOSTILE_SUPPLIER,
	currency: 'EUR',
	subtotal: '<b>100.00</b>',
	tax: '21.00 EUR',
	total: '130.00 EUR',
	lineItems: [{ amount: '100.00 EUR' }],
};

/**
 * In a browser: three invoices, of which one needs nobody, one has dates that can be read in two ways, and one does not
 * add up and has HTML in its values.
 *
 * @param restarted another n8n with the same database, between the first and the second answer
 */
export async function checkReviewByEmail(
	{ server: first, standIn, outputFolder }: Surroundings,
	page: Page,
	restarted: () => Promise<Server>,
): Promise<string> {
	const outbox = await startOutbox();
	try {
		const { workflow, table } = await prepareReview(first, outbox);
		// As the note says where there is no mailbox.
		const absent = ['New Email', 'Other Files?'];
		workflow.nodes = workflow.nodes.filter(({ name }) => !absent.includes(name));
		workflow.connections = Object.fromEntries(
			Object.entries(workflow.connections).filter(([name]) => !absent.includes(name)),
		);
		const workflowId = await first.addWorkflow(workflow);
		await first.activate(workflowId);
		await standIn.queueFaults([
			{ kind: 'answer', match: 'invoice-fr.pdf', data: { metadata: { fields: HOSTILE_FIELDS } } },
		]);
		const { webhookId } = nodeOf(workflow, 'Upload Invoices');
		await submitOnlyPage(await openForm(`${first.url}/form/${String(webhookId)}`), {
			Invoices: await uploads(['invoice-uk.pdf', 'invoice-us.pdf', 'invoice-fr.pdf']),
		});

		const answerLatest = async (count: number) => {
			const link = await linkIn(outbox, count);
			return await answer(await inBrowser(page, link, await copyIn(outbox, outputFolder)));
		};
		const answers = [await answerLatest(1)];
		await linkIn(outbox, 2);
		const server = await restarted();
		answers.push(await answerLatest(2));
		assert.deepEqual(answers.sort(), ['INV', 'R-1']);
		assertSuccess(await server.triggeredExecution(workflowId), workflow.name);

		const rows = (await (await dataTable(server, table.id)).rows()).map(ownColumns);
		const rowOf = (fileName: string) => rows.find((row) => row.fileName === fileName);
		assert.equal(rows.length, 3);
		for (const file of ['invoice-uk.pdf', 'invoice-us.pdf']) {
			const { fields = {}, meaning } = truth[file]!;
			const { subtotal, tax, total } = meaning?.fields ?? {};
			assert.deepEqual(
				{ ...rowOf(file), decidedAt: null, reviewReasons: null },
				{
					fileName: file,
					invoiceNumber: fields.invoiceNumber,
					invoiceDate: meaning?.fields.invoiceDate,
					supplierName: fields.supplier,
					currency: fields.currency,
					...{ subtotal, tax, total },
					decision: file === 'invoice-us.pdf' ? 'Approved' : 'As read',
					decidedBy: file === 'invoice-us.pdf' ? 'Ann' : null,
					decidedAt: null,
					reviewReasons: null,
				},
			);
		}
		const hostile = rowOf('invoice-fr.pdf');
		assert.deepEqual(
			[hostile?.supplierName, hostile?.subtotal, hostile?.total, hostile?.decision],
			[SUPPLIER_IN_FORM, 109, 130, 'Rejected'],
		);
		assert.match(String(hostile?.reviewReasons), /subtotal is <b>100\.00<\/b>/);
		for (const { decidedAt } of rows) assert.match(String(decidedAt), /^20\d\d-\d\d-\d\dT/);
		// The values of the answer that is set here have no positions, so that invoice has no copy.
		const attached = (await outbox.mails())
			.map(({ attachments }) => attachments.map(({ filename }) => filename ?? '').sort())
			.filter(({ length }) => length > 0)
			.sort();
		assert.deepEqual(attached, [['invoice-fr.pdf'], ['invoice-us-marked.pdf', 'invoice-us.pdf']]);
		assert.equal((await questionsIn(outbox)).length, 2);
		return 'an uncertain date and a wrong sum corrected by email, one invoice without a review';
	} finally {
		outbox.close();
	}
}

/** The example with a table of its own and an outgoing mail server, as its note asks for. */
export async function prepareReview(
	server: Server,
	outbox: Outbox,
): Promise<{ workflow: Workflow; table: DataTable }> {
	const workflow = await example('review-by-email.json');
	const nodes = ['Add Corrected Row', 'Add to Table'];
	const table = await tableFor(server, 'reviewed-invoices', workflow, ...nodes);
	const name = `Review Mail ${Date.now()}`;
	await server.addCredential(outbox.credential(name));
	for (const { credentials } of workflow.nodes) if (credentials?.smtp) credentials.smtp.name = name;
	return { workflow, table };
}

const questionsIn = async (outbox: Outbox) =>
	(await outbox.mails()).filter(({ html }) => String(html).includes('/webhook-waiting/'));

/** The path of the marked copy in the latest email with the invoice of a question; undefined if it has none. */
async function copyIn(outbox: Outbox, folder: string): Promise<string | undefined> {
	const [attachments = []] = (await outbox.mails())
		.map((mail) => mail.attachments)
		.filter(({ length }) => length > 0)
		.slice(-1);
	const copy = attachments.find(({ filename }) => filename?.endsWith('-marked.pdf'));
	if (copy === undefined) return undefined;
	assert.match(copy.content.toString('latin1'), /^%PDF-[^]*\/Subtype \/Square/);
	const path = join(folder, 'review-marked.pdf');
	await writeFile(path, copy.content);
	return path;
}

/** The link in the latest of so many questions. */
export async function linkIn(outbox: Outbox, count: number): Promise<string> {
	await until(async () => (await questionsIn(outbox)).length >= count, 60, `no ${count} questions`);
	const mails = await questionsIn(outbox);
	assert.equal(mails.length, count, 'one email waits for its answer before the next is sent');
	const [, link = ''] =
		/href="([^"]*\/webhook-waiting\/[^"]*)"/.exec(String(mails.at(-1)?.html)) ?? [];
	assert.ok(link !== '', String(mails.at(-1)?.html));
	const url = link.replaceAll('&amp;', '&');
	// The email may be here before n8n has recorded that the execution waits; n8n answers 409 until then.
	await until(
		async () => (await fetch(url)).status !== 409,
		60,
		`${url} never waits for an answer`,
	);
	return url;
}

/** Corrects the invoice that the form shows, and returns what its number starts with. */
async function answer(form: ReviewForm): Promise<string> {
	const { fields = {}, meaning } = truth['invoice-us.pdf']!;
	assert.deepEqual(form.links, [], 'nothing of a document is a link');
	if (form.values['Invoice Number'] === 'R-1') {
		assert.deepEqual(form.values, {
			'Invoice Number': 'R-1',
			'Invoice Date': '2026-11-03',
			Supplier: SUPPLIER_IN_FORM,
			Currency: 'EUR',
			// The person enters what is no number.
			Subtotal: '',
			Tax: '21',
			Total: '130',
		});
		assert.match(form.text, /subtotal is <b>100\.00<\/b>, which cannot be read with certainty/);
		await form.send({ Subtotal: '109', Decision: 'Rejected', 'Decided By': 'Ben' });
		return 'R-1';
	}
	assert.deepEqual(form.values, {
		'Invoice Number': fields.invoiceNumber,
		// A date that can be read in two ways is chosen by the person.
		'Invoice Date': '',
		Supplier: fields.supplier,
		Currency: fields.currency,
		Subtotal: String(meaning?.fields.subtotal),
		Tax: String(meaning?.fields.tax),
		Total: String(meaning?.fields.total),
	});
	assert.match(form.text, /invoiceDate can be \S+ or \d{4}-\d\d-\d\d(?!:)/);
	await form.send({
		'Invoice Date': String(meaning?.fields.invoiceDate),
		Decision: 'Approved',
		'Decided By': 'Ann',
	});
	return 'INV';
}

export async function withoutBrowser(url: string): Promise<ReviewForm> {
	const page = await openForm(url);
	const values = page.fields.map(({ label, value }) => [label, value] as const);
	return {
		values: Object.fromEntries(values.filter(([label]) => LABELS.includes(label))),
		text: page.html.replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
		links: [...page.html.matchAll(/<a [^>]*pay\.example[^>]*>/g)].map(([link]) => link),
		send: async (entries) => await submitOnlyPage(page, entries),
	};
}

/** As a person sees it. */
async function inBrowser(page: Page, url: string, copy?: string): Promise<ReviewForm> {
	await page.goto(url);

	const field = (label: string) => page.getByLabel(label, { exact: true });
	const values = await Promise.all(
		LABELS.map(async (label) => [label, await field(label).inputValue()] as const),
	);
	const hrefs = await page
		.locator('a')
		.evaluateAll((links) => links.map((link) => String((link as { href?: unknown }).href)));
	return {
		values: Object.fromEntries(values),
		text: await page.locator('form').innerText(),
		links: hrefs.filter((href) => !href.startsWith('https://n8n.io/')),
		async send({ Decision = '', ...entries }) {
			for (const [label, entry] of Object.entries(entries)) await field(label).fill(entry);
			await field('Decision').selectOption(Decision);
			if (copy !== undefined) {
				const sheet = { file: copy, width: 620, height: 800 };
				const of = page.locator('form');
				await pictureBesideDocument(page, 'review-form', sheet, { of, width: 480 });
			}
			await page.locator('#submit-btn').click();
			await page.locator('#submitted-form').waitFor();
		},
	};
}
