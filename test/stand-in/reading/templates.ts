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
		column(null, 'pos | position | nr | no | line | n'),
		column(null, 'unit | einheit | unité | um'),
		column(null, 'taxes | tax | vat | mwst | tva'),
		column(null, 'item code | art.-nr | artikelnummer | code | sku | réf'),
		column(null, 'discount | disc.% | rabatt | remise'),
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
	numberField: 'invoiceNumber',
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

const receipt: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a02',
	documentType: 'Receipt',
	metadata: 'Receipts of shops and restaurants',
	titles: words('receipt | sales receipt | kassenbon | quittung | ticket de caisse | reçu'),
	hints: words(
		'receipt no | change | cash | card | paid by | tip | cashier | terminal | thank you',
	),
	numberField: 'receiptNumber',
	fields: [
		field('receiptNumber', 'number', right('receipt no | receipt number | bon-nr | ticket n°')),
		field('receiptDate', 'date', startsCell('date | datum')),
		supplierName,
		currency,
		subtotal,
		tax,
		total,
	],
};

const bankStatement: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a04',
	documentType: 'Bank Statement',
	metadata: 'Statements of a bank account',
	titles: words(
		'bank statement | account statement | statement of account | kontoauszug | relevé de compte',
	),
	hints: words(
		'opening balance | closing balance | account number | statement period | withdrawals | deposits | iban' +
			' | kontostand',
	),
	numberField: 'accountNumber',
	fields: [
		field(
			'accountNumber',
			'number',
			rightOrBelow('account number | account no | kontonummer | iban'),
		),
		field('statementDate', 'date', startsCell('statement date | date | datum')),
		field(
			'openingBalance',
			'money',
			right('opening balance | previous balance | alter kontostand'),
		),
		field('closingBalance', 'money', right('closing balance | new balance | neuer kontostand')),
		currency,
	],
};

const purchaseOrder: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a05',
	documentType: 'Purchase Order',
	metadata: 'Orders to a supplier, with line items',
	titles: words('purchase order | bestellung | bon de commande'),
	hints: words('ship to | order date | deliver by | requisitioner | lieferdatum | bestellnummer'),
	numberField: 'orderNumber',
	fields: [
		field(
			'orderNumber',
			'number',
			right('order number | order no | po number | bestellnummer | purchase order'),
		),
		field('orderDate', 'date', startsCell('order date | bestelldatum | date | datum')),
		supplierName,
		currency,
		total,
	],
	table: lineItems,
};

const identityCard: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a06',
	documentType: 'Identity Card',
	metadata: 'Identity cards, passports and driver licenses that carry text',
	titles: words(
		'identity card | identity card specimen | passport | driver license | driving licence | personalausweis' +
			" | carte d'identité",
	),
	hints: words(
		'surname | given names | nationality | date of birth | date of expiry | place of birth | sex | document no',
	),
	numberField: 'documentNumber',
	fields: [
		field('surname', 'text', below('surname | last name | nachname')),
		field('givenNames', 'text', below('given names | first name | vornamen')),
		field('nationality', 'text', below('nationality | staatsangehörigkeit')),
		field('dateOfBirth', 'date', rightOrBelow('date of birth | dob | geburtsdatum')),
		field('dateOfExpiry', 'date', rightOrBelow('date of expiry | exp | gültig bis')),
		field('documentNumber', 'number', rightOrBelow('document no | number | ausweisnummer')),
	],
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
	numberField: 'contractNumber',
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

const formW2: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a07',
	documentType: 'Form W-2',
	metadata: 'US wage and tax statement',
	titles: words('wage and tax statement | form w-2 | w-2'),
	hints: words(
		'wages, tips, other compensation | employer identification number | social security wages | control number',
	),
	fields: [
		field('employerIdentificationNumber', 'number', below('employer identification number (ein)')),
		field('wages', 'money', below('wages, tips, other compensation')),
		field('federalIncomeTaxWithheld', 'money', below('federal income tax withheld')),
	],
};

const forms1099 = ['NEC', 'MISC', 'INT', 'DIV'].map((variant, index): Template => ({
	id: `5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a1${index}`,
	documentType: `Form 1099-${variant}`,
	metadata: 'US information return',
	titles: [`form 1099-${variant.toLowerCase()}`, `1099-${variant.toLowerCase()}`],
	hints: words("payer's tin | recipient's tin | corrected | omb no | account number | copy b"),
	fields: [
		field('payerTin', 'number', below("payer's tin")),
		field('recipientTin', 'number', below("recipient's tin")),
	],
}));

export const templates: Template[] = [
	invoice,
	receipt,
	contract,
	bankStatement,
	purchaseOrder,
	identityCard,
	formW2,
	...forms1099,
];
