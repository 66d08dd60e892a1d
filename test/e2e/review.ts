import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { ownColumns } from '../n8n/dataTable';
import { launchBrowser } from '../n8n/editor';
import { submitOnlyPage } from '../n8n/form';
import type { Outbox } from '../n8n/outbox';
import { freePorts } from '../n8n/processes';
import { n8nVersions, type N8nVersion } from '../n8n/recipes';
import { check } from './checks';
import { activated, CREDENTIAL, openFirstPage, uploads } from './exampleWorkflow';
import { pictureBesideDocument } from './pictures';
import { linkIn, prepareReview, questionsIn } from './reviewExample';
import { addCredential, fresh, truth, withHost, type Setting } from './setting';

/** A person gets an email, corrects values in a browser, and n8n is restarted in between. */
export async function review(setting: Setting): Promise<void> {
	// The latest last, because the picture is taken in each.
	for (const version of n8nVersions.toReversed())
		await check(`A person corrects values by email in n8n ${version}`, async () => {
			const browser = await launchBrowser();
			try {
				const page = await browser.newPage({ viewport: { width: 800, height: 1200 } });
				return await overRestart(setting, version, page);
			} finally {
				await browser.close();
			}
		});
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
 * Three invoices, of which one needs nobody, one has dates that can be read in two ways, and one does not add up and has
 * HTML in its values. Between the first and the second answer, n8n starts anew with the same database.
 */
async function overRestart(setting: Setting, version: N8nVersion, page: Page): Promise<void> {
	const { standIn, folder } = setting;
	await fresh(standIn);
	const userFolder = join(folder, `review-${version}`);
	await mkdir(userFolder, { recursive: true });
	// The link in an email has the port of n8n, which outlives a restart.
	const [port] = await freePorts(1);
	const host = { version, userFolder, env: { N8N_PORT: String(port) } } as const;
	return await withHost(setting, host, async (server) => {
		await addCredential(server, standIn, { name: CREDENTIAL });
		const { workflow, table, outbox } = await prepareReview(server);
		// As the note says where there is no mailbox.
		const absent = ['New Email', 'Other Files?'];
		workflow.nodes = workflow.nodes.filter(({ name }) => !absent.includes(name));
		workflow.connections = Object.fromEntries(
			Object.entries(workflow.connections).filter(([name]) => !absent.includes(name)),
		);
		const { nextSuccess } = await activated(server, workflow);
		await standIn.queueFaults([
			{ kind: 'answer', match: 'invoice-fr.pdf', data: { metadata: { fields: HOSTILE_FIELDS } } },
		]);
		await submitOnlyPage(await openFirstPage(server, workflow), {
			Invoices: await uploads(['invoice-uk.pdf', 'invoice-us.pdf', 'invoice-fr.pdf']),
		});

		const answerLatest = async (count: number) => {
			await answer(page, await linkIn(outbox, count), await copyIn(outbox, folder));
		};
		// A certain invoice waits for nobody.
		await linkIn(outbox, 1);
		assert.deepEqual(
			(await table.rows()).map(({ decision }) => decision),
			['As read'],
		);
		await answerLatest(1);
		await linkIn(outbox, 2);
		await server.stop();
		// At the same address, for the same session.
		await withHost(setting, host, async () => {
			await answerLatest(2);
			await nextSuccess();
			assertTable((await table.rows()).map(ownColumns));
		});
		// The values of the answer that is set here have no positions, so that invoice has no copy.
		const attached = (await outbox.mails())
			.map(({ attachments }) => attachments.map(({ filename }) => filename ?? '').sort())
			.filter(({ length }) => length > 0)
			.sort();
		assert.deepEqual(attached, [['invoice-fr.pdf'], ['invoice-us-marked.pdf', 'invoice-us.pdf']]);
		assert.equal((await questionsIn(outbox)).length, 2);
	});
}

function assertTable(rows: Array<Record<string, unknown>>): void {
	const expected = (file: string, decision: string, decidedBy: string | null) => {
		const { fields = {}, meaning } = truth[file]!;
		const { invoiceDate, subtotal, tax, total } = meaning?.fields ?? {};
		return {
			fileName: file,
			invoiceNumber: fields.invoiceNumber,
			invoiceDate,
			supplierName: fields.supplier,
			currency: fields.currency,
			...{ subtotal, tax, total, decision, decidedBy },
		};
	};
	const byFile = new Map(rows.map((row) => [row.fileName, row]));
	assert.equal(byFile.size, 3);
	for (const row of [
		expected('invoice-uk.pdf', 'As read', null),
		expected('invoice-us.pdf', 'Approved', 'Ann'),
	])
		assert.deepEqual(row, pick(byFile.get(row.fileName), Object.keys(row)));
	const hostile = byFile.get('invoice-fr.pdf');
	assert.deepEqual(
		[hostile?.supplierName, hostile?.subtotal, hostile?.total, hostile?.decision],
		[SUPPLIER_IN_FORM, 109, 130, 'Rejected'],
	);
	assert.match(String(hostile?.reviewReasons), /subtotal is <b>100\.00<\/b>/);
	for (const { decidedAt } of rows) assert.match(String(decidedAt), /^20\d\d-\d\d-\d\dT/);
}

function pick(row: Record<string, unknown> = {}, names: string[]): Record<string, unknown> {
	return Object.fromEntries(names.map((name) => [name, row[name]]));
}

/** The path of the marked copy in the latest email with the invoice of a question; undefined if it has none. */
async function copyIn(outbox: Outbox, folder: string): Promise<string | undefined> {
	const attached = (await outbox.mails())
		.map(({ attachments }) => attachments)
		.filter(({ length }) => length > 0);
	const copy = attached.at(-1)?.find(({ filename }) => filename?.endsWith('-marked.pdf'));
	if (copy === undefined) return undefined;
	assert.match(copy.content.toString('latin1'), /^%PDF-[^]*\/Subtype \/Square/);
	const path = join(folder, 'review-marked.pdf');
	await writeFile(path, copy.content);
	return path;
}

/** A person opens the link, sees the values, and corrects the invoice that the form shows. */
async function answer(page: Page, url: string, copy?: string): Promise<void> {
	await page.goto(url);
	const field = (label: string) => page.getByLabel(label, { exact: true });
	const values: Record<string, string> = {};
	for (const label of LABELS) values[label] = await field(label).inputValue();
	const text = await page.locator('form').innerText();
	const hrefs = await page
		.locator('a')
		.evaluateAll((links) => links.map((link) => String((link as { href?: unknown }).href)));
	const links = hrefs.filter((href) => !href.startsWith('https://n8n.io/'));
	assert.deepEqual(links, [], 'nothing of a document is a link');

	const { fields = {}, meaning } = truth['invoice-us.pdf']!;
	const { invoiceDate, subtotal, tax, total } = meaning?.fields ?? {};
	const isHostile = values['Invoice Number'] === 'R-1';
	assert.deepEqual(
		Object.values(values),
		isHostile
			? // The person enters what is no number.
				['R-1', '2026-11-03', SUPPLIER_IN_FORM, 'EUR', '', '21', '130']
			: // A date that can be read in two ways is chosen by the person.
				[fields.invoiceNumber, '', fields.supplier, fields.currency, subtotal, tax, total].map(
					String,
				),
	);
	assert.match(
		text,
		isHostile
			? /subtotal is <b>100\.00<\/b>, which cannot be read with certainty/
			: /invoiceDate can be \S+ or \d{4}-\d\d-\d\d(?!:)/,
	);
	const [label, entry] = isHostile ? ['Subtotal', '109'] : ['Invoice Date', String(invoiceDate)];
	await field(label).fill(entry);
	await field('Decided By').fill(isHostile ? 'Ben' : 'Ann');
	await field('Decision').selectOption(isHostile ? 'Rejected' : 'Approved');
	if (copy !== undefined) {
		const sheet = { file: copy, width: 620, height: 800 };
		await pictureBesideDocument(page, 'review-form', sheet, {
			of: page.locator('form'),
			width: 480,
		});
	}
	await page.locator('#submit-btn').click();
	await page.locator('#submitted-form').waitFor();
}
