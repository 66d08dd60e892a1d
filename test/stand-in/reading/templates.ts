/** How a value is found, tried on one page after the other. */
export type Way =
	/** In the text of a page, in which cells are separated by tabs: the one group of the pattern is the value. */
	| { inText: RegExp; confidence: number }
	/** The cell below one that is such a label, or right of it if a colon says so. */
	| { below: RegExp }
	/** The largest type in the upper part of the first page, titles apart: whose paper it is. */
	| 'largestAtTop';

export interface Template {
	id: string;
	documentType: string;
	metadata: string;
	/** A cell that names the document. */
	title: RegExp;
	/** Phrases that documents of the type tend to contain. */
	hints: RegExp;
	fields: Record<string, Way>;
	/** The columns by their names, with the cells that head them. */
	table?: { name: string; columns: Record<string, RegExp>; required: string[] };
}

const NUMBER = '(\\S*\\d\\S*)';
const DATE = '(\\d[^\\t\\n]*\\d)';
const MONEY = '([€$£]?\\d[\\d., ]*\\d(?: (?:€|[A-Z]{3}))?)(?=\\n|$)';
const DAY = '(\\d{1,2} [A-Z]\\p{L}+ \\d{4})';

/** A value right of its label, which begins a cell. */
const labelled = (labels: string, value: string, between = '\\W*'): Way => ({
	inText: new RegExp(`(?:^|[\\t\\n])(?:${labels})${between}${value}`, 'i'),
	confidence: 96,
});
/** The same at the end of the line, as sums are printed. */
const sum = (labels: string) => labelled(labels, MONEY, '[^\\n]*?[\\t ]');
const sentence = (inText: RegExp): Way => ({ inText, confidence: 84 });

export const invoice: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a01',
	documentType: 'Invoice',
	metadata: 'Invoices in English, German and French, with line items',
	title: /^((tax )?invoice|rechnung|facture)$/i,
	hints:
		/invoice (number|no|date)|due date|bill(ed)? to|subtotal|vat|total|unit price|qty|quantity|amount|rechnungs(nummer|datum)|menge|einzelpreis|mwst|betrag|facturé|prix unitaire|montant|tva/gi,
	fields: {
		invoiceNumber: labelled('invoice (?:number|no)|rechnungsnummer|facture n°', NUMBER),
		invoiceDate: labelled('invoice date|rechnungsdatum|date de facture', DATE),
		dueDate: labelled("due date|payment due|fällig am|date d'échéance", DATE),
		purchaseOrder: labelled('p\\.o\\. number', NUMBER),
		supplierName: 'largestAtTop',
		// In a window envelope, the address is below the small line of the sender.
		customerName: { below: /^(bill(ed)? to|invoice to|facturé à)|·.*·/i },
		currency: sentence(/\b(EUR|USD|GBP|AUD)\b/),
		subtotal: sum('subtotal|nettobetrag|total ht'),
		tax: sum('sales tax|zzgl|vat \\d|tva \\d|gst'),
		total: sum('total(?! ht)|gesamtbetrag'),
	},
	table: {
		name: 'lineItems',
		columns: {
			description: /^(description|item|bezeichnung|désignation)$/i,
			quantity: /^(quantity|qty|menge|qté)$/i,
			unitPrice: /^(unit price|einzelpreis|prix unitaire ht)$/i,
			amount: /^(amount|gesamtpreis|montant ht)$/i,
		},
		required: ['description', 'amount'],
	},
};

const contract: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a03',
	documentType: 'Contract',
	metadata: 'Agreements between two parties',
	title: /^service agreement/i,
	hints: /agreement|party|the (provider|client)|notice|term/gi,
	fields: {
		contractNumber: labelled('service agreement', NUMBER),
		contractDate: sentence(new RegExp(DAY, 'u')),
		provider: sentence(/^((?:\p{Lu}\S+ )+)\("the provider"\)/mu),
		client: sentence(/^((?:\p{Lu}\S+ )+)\("the client"\)/mu),
		startDate: sentence(new RegExp(`starts on ${DAY}`, 'u')),
		endDate: sentence(new RegExp(`ends on ${DAY}`, 'u')),
		monthlyFee: sentence(/fee of ([A-Z]{3} [\d.,]+\d)/),
	},
};

/** Of the kinds of document that the samples have. */
export const templates: Template[] = [invoice, contract];
