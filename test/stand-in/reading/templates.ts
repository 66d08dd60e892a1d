import type { FieldOfTemplate, Template, Way } from './template';
import type { ValueForm } from './values';

const field = (name: string, form: ValueForm, ...ways: Way[]): FieldOfTemplate => ({
	name,
	form,
	ways,
});
const words = (list: string) => list.split(' | ');
const right = (labels: string): Way => ({ labels: words(labels), where: 'right' });
const below = (labels: string): Way => ({ labels: words(labels), where: 'below' });
const rightOrBelow = (labels: string): Way => ({ labels: words(labels), where: 'either' });
/** For words so common that they are a label only at the beginning of a cell. */
const startsCell = (labels: string): Way => ({
	labels: words(labels),
	where: 'right',
	startsCell: true,
});

const currency = field(
	'currency',
	'text',
	{ sentence: /\b(EUR|USD|GBP|CHF|AUD|CAD|NZD|SEK|DKK|NOK|PLN|JPY)\b/ },
	{ signs: { '€': 'EUR', '£': 'GBP', $: 'USD', '¥': 'JPY' } },
);

const column = (name: string | null, labels: string) => ({ name, labels: words(labels) });

const lineItems = {
	name: 'lineItems',
	columns: [
		column('description', 'description | artikelbeschreibung | bezeichnung | désignation | item'),
		column('quantity', 'quantity | qty | menge | quantité | qté | hours | units'),
		column(
			'unitPrice',
			'unit price | einzelpreis | preis/einh | prix unitaire ht | prix unitaire | rate | price | preis | prix',
		),
		column(
			'amount',
			'line total | amount | gesamtpreis | betrag | gesamt | montant ht | montant | total ht | total',
		),
		column(null, 'pos | position | nr | no'),
		column(null, 'unit | einheit | unité'),
		column(null, 'taxes | tax | vat | mwst | tva'),
		column(null, 'item code | art.-nr | code | sku | réf'),
		column(null, 'discount | rabatt | remise'),
	],
	required: ['description', 'amount'],
};

export const invoice: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a01',
	documentType: 'Invoice',
	metadata: 'Invoices in English, German and French, with line items',
	titles: words('invoice | tax invoice | rechnung | handelsrechnung | facture | factuur'),
	hints: words(
		'invoice number | invoice no | invoice date | due date | bill to | sold to | subtotal | sales tax | vat' +
			' | line total | unit price | quantity | qty | amount | balance due | rechnungsnummer | rechnungsdatum' +
			' | menge | einzelpreis | mwst | ust | betrag | endsumme | date de facture | facturé à | total ht' +
			' | total ttc | tva | prix unitaire',
	),
	numberField: 'invoiceNumber',
	fields: [
		field(
			'invoiceNumber',
			'number',
			rightOrBelow(
				'invoice number | invoice no | invoice # | rechnungsnummer | rechnungs-nr | facture n° | receipt no',
			),
			startsCell('invoice | tax invoice | rechnung | facture'),
		),
		field(
			'invoiceDate',
			'date',
			rightOrBelow(
				"invoice date | date of issue | issue date | rechnungsdatum | belegdatum | date de facture | date d'émission",
			),
			startsCell('date | datum'),
		),
		field(
			'dueDate',
			'date',
			rightOrBelow("due date | payment due | fällig am | zahlbar bis | date d'échéance | échéance"),
			startsCell('due'),
		),
		field(
			'purchaseOrder',
			'number',
			rightOrBelow(
				'purchase order | p.o. number | po number | ihre auftragsnummer | bestellnummer',
			),
		),
		field(
			'supplierName',
			'text',
			startsCell('from | seller | supplier | vendor | lieferant | fournisseur'),
			{ largestAtTop: true },
		),
		field(
			'customerName',
			'text',
			{
				labels: words(
					'customer name | bill to | billed to | sold to | invoice to | facturé à | client | kunde',
				),
				where: 'either',
				startsCell: true,
			},
			startsCell('to'),
			{ addressWindow: true },
		),
		currency,
		field(
			'subtotal',
			'money',
			right(
				'subtotal | sub total | net total | net amount | rechnungssumme netto | nettobetrag | positionen netto' +
					' | zwischensumme | total ht | montant ht | sous-total',
			),
			startsCell('net | netto'),
		),
		field(
			'tax',
			'money',
			right('sales tax | total tax | total vat | mwst | ust | umsatzsteuer | montant tva'),
			startsCell('tax | vat | gst | tva'),
		),
		field(
			'total',
			'money',
			right(
				'grand total | total ttc | net à payer | rechnungssumme brutto | rechnungsbetrag | gesamtbetrag' +
					' | endsumme | total due | invoice total',
			),
			startsCell('total | summe | gesamt'),
			right('balance due | amount due | total amount | zu zahlen'),
		),
	],
	table: lineItems,
};

const DATE = '(\\d{1,2}\\s\\p{L}{3,10}\\s\\d{4}|\\p{L}{3,10}\\s\\d{1,2},\\s\\d{4})';

const contract: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a03',
	documentType: 'Contract',
	metadata: 'Agreements between two parties',
	titles: words('agreement | service agreement | license agreement | contract | vertrag | contrat'),
	hints: words(
		'agreement | party | parties | hereby | governing law | confidentiality | term | licensor | licensee | signed',
	),
	numberField: 'contractNumber',
	fields: [
		field(
			'contractNumber',
			'number',
			right('contract number | contract no | agreement no | agreement | contract'),
		),
		field(
			'contractDate',
			'date',
			{
				sentence: new RegExp(
					`\\b(?:made|entered\\sinto|dated)(?:\\sas\\sof|\\son)?\\s${DATE}`,
					'u',
				),
			},
			startsCell('date'),
			{ sentence: new RegExp(`(?:^|\\s)${DATE}(?=\\s)`, 'u') },
		),
		field(
			'provider',
			'text',
			{ sentence: /((?:\p{Lu}[\p{L}&.-]* ){1,6})\((?:the\s)?["“]the\sprovider["”]\)/u },
			{ sentence: /by and between ([\p{Lu}][^(]{2,60}?) \(the [“"]/u },
		),
		field(
			'client',
			'text',
			{ sentence: /((?:\p{Lu}[\p{L}&.-]* ){1,6})\((?:the\s)?["“]the\sclient["”]\)/u },
			{ sentence: /\)[^()]{0,300}? and ([\p{Lu}][^(]{2,60}?) \(the [“"]/u },
		),
		field('startDate', 'date', {
			sentence: new RegExp(`\\b(?:starts?|begins?|commences?)\\son\\s${DATE}`, 'u'),
		}),
		field('endDate', 'date', { sentence: new RegExp(`\\b(?:ends?|expires?)\\son\\s${DATE}`, 'u') }),
		field('monthlyFee', 'money', {
			sentence: /monthly\sfee\sof\s((?:[A-Z]{3} |[€$£])?\d[\d.,]*\d)/,
		}),
	],
};

const formW2: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a07',
	documentType: 'Form W-2',
	metadata: 'US wage and tax statement',
	titles: words('wage and tax statement | form w-2'),
	hints: words(
		'wages, tips, other compensation | employer identification number | social security wages | control number',
	),
	fields: [
		field('wages', 'money', below('wages, tips, other compensation')),
		field('federalIncomeTaxWithheld', 'money', below('federal income tax withheld')),
	],
};

const forms1099 = ['NEC', 'MISC', 'INT', 'DIV'].map((variant, index): Template => ({
	id: `5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a1${index}`,
	documentType: `Form 1099-${variant}`,
	metadata: 'US information return',
	titles: [`form 1099-${variant.toLowerCase()}`],
	hints: words("payer's tin | recipient's tin | corrected | omb no | account number | copy b"),
	fields: [
		field('payerTin', 'number', below("payer's tin")),
		field('recipientTin', 'number', below("recipient's tin")),
	],
}));

/** Those of the documents that the stand-in is tried with. */
export const templates: Template[] = [invoice, contract, formW2, ...forms1099];
