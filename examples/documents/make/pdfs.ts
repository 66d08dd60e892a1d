import * as contract from './contract';
import * as form from './form';
import type { Invoice } from './invoice';
import * as invoiceDe from './invoices/de';
import * as invoiceFr from './invoices/fr';
import * as invoiceLong from './invoices/long';
import * as invoiceUk from './invoices/uk';
import * as invoiceUs from './invoices/us';
import { Paper } from './paper';
import type { MadeDocument, Segment, Truth } from './truth';

interface Drawing {
	file: string;
	title: string;
	/** Without `pages`: these are counted once it is drawn. */
	truth: Truth;
	draw: (paper: Paper) => void;
}

const us = invoiceDrawing('invoice-us.pdf', invoiceUs);
const uk = invoiceDrawing('invoice-uk.pdf', invoiceUk);
const de = invoiceDrawing('invoice-de.pdf', invoiceDe);
const fr = invoiceDrawing('invoice-fr.pdf', invoiceFr);
const long = invoiceDrawing('invoice-long.pdf', invoiceLong);
const agreement: Drawing = {
	file: 'contract.pdf',
	title: `Service agreement ${contract.fields.contractNumber}`,
	truth: { documentType: 'contract', fields: contract.fields },
	draw: contract.draw,
};
const application: Drawing = {
	file: 'form.pdf',
	title: 'Membership application',
	truth: { documentType: 'membership application', fields: form.fields },
	draw: form.draw,
};

export async function madePdfs(): Promise<MadeDocument[]> {
	const made: MadeDocument[] = [];
	for (const drawing of [us, uk, de, fr, long, agreement, application]) made.push(await makePdf(drawing));
	return [...made, await makeBundle('bundle.pdf', [us, long, agreement, de, uk])];
}

async function makePdf({ file, title, truth, draw }: Drawing): Promise<MadeDocument> {
	const paper = await Paper.open(title);
	draw(paper);
	return { file, bytes: await paper.close(), printed: paper.printed, truth: { ...truth, pages: paper.pages } };
}

/** Several documents scanned in one go, one behind the other. */
async function makeBundle(file: string, parts: Drawing[]): Promise<MadeDocument> {
	const paper = await Paper.open('Incoming mail');
	const segments: Segment[] = parts.map((part) => {
		const firstPage = paper.pages + 1;
		part.draw(paper);
		return { documentType: part.truth.documentType, firstPage, lastPage: paper.pages, file: part.file };
	});
	return {
		file,
		bytes: await paper.close(),
		printed: paper.printed,
		truth: { documentType: 'bundle', pages: paper.pages, segments },
	};
}

function invoiceDrawing(file: string, { invoice, draw }: { invoice: Invoice; draw: Drawing['draw'] }): Drawing {
	const { fields, lineItems, meaning } = invoice;
	return {
		file,
		title: `${fields.supplier} ${fields.invoiceNumber}`,
		truth: { documentType: 'invoice', fields: { ...fields }, lineItems, meaning },
		draw,
	};
}
