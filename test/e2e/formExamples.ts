import assert from 'node:assert/strict';

import type { Execution } from '../n8n/execution';
import { submitForm, type FormPage } from '../n8n/form';
import type { Fault } from '../stand-in/startStandIn';
import {
	example,
	spreadsheetRows,
	startForm,
	text,
	upload,
	type Surroundings,
} from './exampleWorkflow';
import { truth } from './setting';

/** An invoice that needs a review opens a second page; any other invoice does not. */
export async function checkReview(surroundings: Surroundings): Promise<void> {
	const form = await startForm(surroundings, await example('review.json'));
	const submitInvoice = async (file: string) =>
		await submitForm(await form.open(), { Invoice: await upload(file) });
	const assertRow = async (run: Execution, file: string) => {
		const { fields = {}, meaning } = truth[file]!;
		const { invoiceDate, dueDate, total } = meaning?.fields ?? {};
		const { invoiceNumber, supplier: supplierName, currency } = fields;
		assert.deepEqual(await spreadsheetRows(surroundings.server, run), [
			{ fileName: file, invoiceNumber, invoiceDate, dueDate, supplierName, currency, total },
		]);
	};

	const { fields = {}, meaning } = truth['invoice-us.pdf']!;
	const { invoiceDate, dueDate, total } = meaning?.fields ?? {};
	const check = await submitInvoice('invoice-us.pdf');
	assert.deepEqual(
		check.fields.map(({ label, value }) => [label, value]),
		[
			['Invoice Number', fields.invoiceNumber],
			// In March or in November: a person decides.
			['Invoice Date', ''],
			['Due Date', ''],
			['Supplier', fields.supplier],
			['Currency', fields.currency],
			['Total', String(total)],
		],
	);
	const done = await submitForm(check, {
		'Invoice Date': text(invoiceDate),
		'Due Date': text(dueDate),
	});
	assert.match(done.html, /invoice\.xlsx/);
	await assertRow(await form.end(done), 'invoice-us.pdf');

	const certain = await form.end(await submitInvoice('invoice-uk.pdf'));
	await assertRow(certain, 'invoice-uk.pdf');
	assert.equal(certain.runData['Correct the Values'], undefined);

	const unreadable = await submitInvoice('receipt.jpg');
	assert.match(
		unreadable.html,
		/could not be read[^]*receipt\.jpg|receipt\.jpg[^]*could not be read/,
	);
	const { runData } = await form.end(unreadable);
	assert.equal(runData['Make Spreadsheet'], undefined);
}

const APPLICANT = 'Ada Example';

/** Photos for the form, and whether the person is confirmed. */
const IDENTITIES: Array<[selfie: string, card: string, confirmed: boolean, why: string]> = [
	['portrait.png', 'id-card.png', true, 'the person of the card'],
	['portrait.png', 'two-cards.jpg', true, 'the person of one of two cards'],
	['portrait-other.png', 'id-card.png', false, 'somebody else'],
	['portrait-other.png', 'two-cards.jpg', false, 'somebody else, of whom a card has the name'],
	['portrait.png', 'receipt.jpg', false, 'a document without a face'],
	['receipt.jpg', 'id-card.png', false, 'a selfie without a face'],
	['portrait.png', 'notes.txt', false, 'no picture at all'],
];

/** People who do not clearly match a card are not confirmed. */
export async function checkIdentity(surroundings: Surroundings): Promise<void> {
	const { standIn } = surroundings;
	const form = await startForm(surroundings, await example('identity-check.json'));
	const submitPictures = async (selfie: string, card: string) =>
		await submitForm(await form.open(), {
			Name: APPLICANT,
			Selfie: await upload(selfie),
			Card: await upload(card),
		});
	const ending = async (page: FormPage, confirmed: boolean, why: string) => {
		const { runData } = await form.end(page);
		assert.equal(runData.Confirmed !== undefined, confirmed, why);
		assert.equal(runData['Not Confirmed'] === undefined, confirmed, why);
		assert.match(page.html, confirmed ? /Confirmed/ : /Not confirmed/, why);
		assert.ok(page.html.includes(APPLICANT), why);
	};
	for (const [selfie, card, confirmed, why] of IDENTITIES)
		await ending(await submitPictures(selfie, card), confirmed, why);

	// A photo in which the service finds no card, a response without an entry, and no result at all.
	const answers: Array<[fault: Fault, why: string]> = [
		[{ kind: 'answer', match: 'id-card.png', data: { documents: [] } }, 'no card'],
		[{ kind: 'answer', match: 'portrait.png', data: { matches: [] } }, 'no entry'],
		[{ kind: 'internal500', match: 'portrait.png' }, 'no answer'],
	];
	for (const [fault, why] of answers) {
		await standIn.queueFaults([fault]);
		await ending(await submitPictures('portrait.png', 'id-card.png'), false, why);
	}
}
