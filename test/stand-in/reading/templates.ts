import type { FieldOfTemplate, Template, Way } from './template';
import type { ValueForm } from './values';

const field = (name: string, form: ValueForm, ...ways: Way[]): FieldOfTemplate => ({
	name,
	form,
	ways,
});
const words = (list: string) => list.split(' | ');
const right = (labels: string): Way => ({ labels: words(labels), where: 'right' });
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

const column = (name: string, labels: string) => ({ name, labels: words(labels) });

const lineItems = {
	name: 'lineItems',
	columns: [
		column(
			'description',
			'item description | description | artikelbeschreibung | bezeichnung | beschreibung | leistung | désignation' +
				' | omschrijving | item | article | artikel | product | service',
		),
		column('quantity', 'quantity | qty | menge | anzahl | quantité | qté | aantal | hours | units'),
		column(
			'unitPrice',
			'unit price | price per unit | unit cost | einzelpreis | stückpreis | preis/einh | nettopreis' +
				' | prix unitaire ht | prix unitaire | p.u. ht | p.u | stukprijs | rate | price | preis | prix | prijs',
		),
		column(
			'amount',
			'line total | total price | amount | gesamtpreis | betrag | gesamt | montant ht | montant | total ht' +
				' | bedrag | total | summe',
		),
	],
	required: ['description', 'amount'],
};

const supplierName = field(
	'supplierName',
	'text',
	startsCell('from | seller | supplier | vendor | lieferant | verkäufer | fournisseur | vendeur'),
	{ largestAtTop: true },
);

const subtotal = field(
	'subtotal',
	'money',
	right(
		'subtotal | sub total | sub-total | net total | net amount | total excl. vat | total before tax' +
			' | rechnungssumme netto | nettobetrag | summe netto | gesamt netto | zwischensumme | positionen netto' +
			' | total ht | montant ht | sous-total | subtotaal',
	),
	startsCell('net | netto'),
);

const tax = field(
	'tax',
	'money',
	right(
		'sales tax | total tax | total vat | mwst | ust | mehrwertsteuer | umsatzsteuer | montant tva',
	),
	startsCell('tax | vat | gst | tva | btw | steuer'),
);

const total = field(
	'total',
	'money',
	right(
		'grand total | total ttc | net à payer | montant ttc | rechnungssumme brutto | rechnungsbetrag | bruttobetrag' +
			' | gesamtbetrag | endbetrag | endsumme | gesamtsumme | total incl. vat | total due | invoice total' +
			' | totaalbedrag',
	),
	startsCell('total | totaal | summe | gesamt'),
	right('balance due | amount due | total amount | zu zahlen'),
);

export const invoice: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a01',
	documentType: 'Invoice',
	metadata: 'Invoices in English, German and French, with line items',
	titles: words('invoice | tax invoice | rechnung | handelsrechnung | facture | factuur'),
	hints: words(
		'invoice number | invoice no | invoice date | due date | bill to | billed to | sold to | subtotal | sales tax' +
			' | vat | line total | unit price | quantity | qty | amount | balance due | rechnungsnummer' +
			' | rechnungsdatum | menge | einzelpreis | mwst | ust | betrag | endsumme | date de facture | facturé à' +
			' | total ht | total ttc | tva | prix unitaire',
	),
	fields: [
		field(
			'invoiceNumber',
			'number',
			rightOrBelow(
				'invoice number | invoice no | invoice nr | invoice id | invoice # | rechnungsnummer | rechnungs-nr' +
					' | rechnung nr | belegnummer | facture n° | numéro de facture | n° de facture | factuurnummer' +
					' | handelsrechnung nr | receipt no',
			),
			startsCell('invoice | tax invoice | rechnung | facture | factuur'),
		),
		field(
			'invoiceDate',
			'date',
			rightOrBelow(
				'invoice date | date of issue | issue date | issued on | rechnungsdatum | belegdatum | date de facture' +
					" | date de facturation | date d'émission | factuurdatum",
			),
			startsCell('date | datum | vom | dated'),
		),
		field(
			'dueDate',
			'date',
			rightOrBelow(
				'due date | payment due | pay by | fällig am | fälligkeitsdatum | zahlbar bis' +
					" | date d'échéance | échéance | vervaldatum",
			),
			startsCell('due'),
		),
		field(
			'purchaseOrder',
			'number',
			rightOrBelow(
				'purchase order | p.o. number | po number | p.o | ihre auftragsnummer | bestellnummer',
			),
		),
		supplierName,
		field(
			'customerName',
			'text',
			{
				labels: words(
					'customer name | bill to | billed to | sold to | invoice to | invoiced to | facturé à | client | kunde',
				),
				where: 'either',
				startsCell: true,
			},
			startsCell('to'),
			{ addressWindow: true },
		),
		currency,
		subtotal,
		tax,
		total,
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
		'agreement | party | parties | hereby | governing law | confidentiality | term | licensor | licensee | whereas | signed',
	),
	fields: [
		field(
			'contractNumber',
			'number',
			right('contract number | contract no | agreement no | agreement | contract | vertragsnummer'),
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

/** Of the kinds of document that the samples have. */
export const templates: Template[] = [invoice, contract];
