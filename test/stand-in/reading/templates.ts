import type { ColumnOfTemplate, FieldOfTemplate, Template } from './template';

const currency: FieldOfTemplate = {
	name: 'currency',
	form: 'text',
	ways: [
		{ sentence: /\b(EUR|USD|GBP|CHF|AUD|CAD|NZD|SEK|DKK|NOK|PLN|JPY)\b/ },
		{ signs: { '€': 'EUR', '£': 'GBP', $: 'USD', '¥': 'JPY' } },
	],
};

const subtotal: FieldOfTemplate = {
	name: 'subtotal',
	form: 'money',
	ways: [
		{
			labels: [
				'subtotal',
				'sub total',
				'sub-total',
				'net total',
				'net amount',
				'total excl. vat',
				'total before tax',
				'rechnungssumme netto',
				'nettobetrag',
				'summe netto',
				'gesamt netto',
				'zwischensumme',
				'positionen netto',
				'total ht',
				'montant ht',
				'sous-total',
				'subtotaal',
			],
			where: 'right',
		},
		{ labels: ['net', 'netto'], where: 'right', startsCell: true },
	],
};

const tax: FieldOfTemplate = {
	name: 'tax',
	form: 'money',
	ways: [
		{
			labels: [
				'sales tax',
				'total tax',
				'total vat',
				'mwst',
				'ust',
				'mehrwertsteuer',
				'umsatzsteuer',
				'montant tva',
			],
			where: 'right',
		},
		{ labels: ['tax', 'vat', 'gst', 'tva', 'btw', 'steuer'], where: 'right', startsCell: true },
	],
};

const total: FieldOfTemplate = {
	name: 'total',
	form: 'money',
	ways: [
		{
			labels: [
				'grand total',
				'total ttc',
				'net à payer',
				'montant ttc',
				'rechnungssumme brutto',
				'rechnungsbetrag',
				'bruttobetrag',
				'gesamtbetrag',
				'endbetrag',
				'endsumme',
				'gesamtsumme',
				'total incl. vat',
				'total due',
				'invoice total',
				'totaalbedrag',
			],
			where: 'right',
		},
		{ labels: ['total', 'totaal', 'summe', 'gesamt'], where: 'right', startsCell: true },
		{ labels: ['balance due', 'amount due', 'total amount', 'zu zahlen'], where: 'right' },
	],
};

const supplierName: FieldOfTemplate = {
	name: 'supplierName',
	form: 'text',
	ways: [
		{
			labels: [
				'from',
				'seller',
				'supplier',
				'vendor',
				'lieferant',
				'verkäufer',
				'fournisseur',
				'vendeur',
			],
			where: 'right',
			startsCell: true,
		},
		{ largestAtTop: true },
	],
};

const columns: ColumnOfTemplate[] = [
	{
		name: 'description',
		labels: [
			'item description',
			'description',
			'artikelbeschreibung',
			'bezeichnung',
			'beschreibung',
			'leistung',
			'désignation',
			'omschrijving',
			'item',
			'article',
			'artikel',
			'product',
			'service',
		],
	},
	{
		name: 'quantity',
		labels: ['quantity', 'qty', 'menge', 'anzahl', 'quantité', 'qté', 'aantal', 'hours', 'units'],
	},
	{
		name: 'unitPrice',
		labels: [
			'unit price',
			'price per unit',
			'unit cost',
			'einzelpreis',
			'stückpreis',
			'preis/einh',
			'nettopreis',
			'prix unitaire ht',
			'prix unitaire',
			'p.u. ht',
			'p.u',
			'stukprijs',
			'rate',
			'price',
			'preis',
			'prix',
			'prijs',
		],
	},
	{
		name: 'amount',
		labels: [
			'line total',
			'total price',
			'amount',
			'gesamtpreis',
			'betrag',
			'gesamt',
			'montant ht',
			'montant',
			'total ht',
			'bedrag',
			'total',
			'summe',
		],
	},
	{ name: null, labels: ['pos', 'position', 'nr', 'no', 'line', 'n'] },
	{ name: null, labels: ['unit', 'einheit', 'unité', 'um'] },
	{ name: null, labels: ['taxes', 'tax', 'vat', 'mwst', 'tva'] },
	{ name: null, labels: ['item code', 'art.-nr', 'artikelnummer', 'code', 'sku', 'réf'] },
	{ name: null, labels: ['discount', 'disc.%', 'rabatt', 'remise'] },
];

const lineItems = { name: 'lineItems', columns, required: ['description', 'amount'] };

export const invoice: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a01',
	documentType: 'Invoice',
	metadata: 'Invoices in English, German and French, with line items',
	titles: ['invoice', 'tax invoice', 'rechnung', 'handelsrechnung', 'facture', 'factuur'],
	hints: [
		'invoice number',
		'invoice no',
		'invoice date',
		'due date',
		'bill to',
		'billed to',
		'sold to',
		'subtotal',
		'sales tax',
		'vat',
		'line total',
		'unit price',
		'quantity',
		'qty',
		'amount',
		'balance due',
		'rechnungsnummer',
		'rechnungsdatum',
		'menge',
		'einzelpreis',
		'mwst',
		'ust',
		'betrag',
		'endsumme',
		'date de facture',
		'facturé à',
		'total ht',
		'total ttc',
		'tva',
		'prix unitaire',
	],
	numberField: 'invoiceNumber',
	fields: [
		{
			name: 'invoiceNumber',
			form: 'number',
			ways: [
				{
					labels: [
						'invoice number',
						'invoice no',
						'invoice nr',
						'invoice id',
						'invoice #',
						'rechnungsnummer',
						'rechnungs-nr',
						'rechnung nr',
						'belegnummer',
						'facture n°',
						'numéro de facture',
						'n° de facture',
						'factuurnummer',
						'handelsrechnung nr',
						'receipt no',
					],
					where: 'either',
				},
				{
					labels: ['invoice', 'tax invoice', 'rechnung', 'facture', 'factuur'],
					where: 'right',
					startsCell: true,
				},
			],
		},
		{
			name: 'invoiceDate',
			form: 'date',
			ways: [
				{
					labels: [
						'invoice date',
						'date of issue',
						'issue date',
						'issued on',
						'rechnungsdatum',
						'belegdatum',
						'date de facture',
						'date de facturation',
						"date d'émission",
						'factuurdatum',
					],
					where: 'either',
				},
				{ labels: ['date', 'datum', 'vom', 'dated'], where: 'right', startsCell: true },
			],
		},
		{
			name: 'dueDate',
			form: 'date',
			ways: [
				{
					labels: [
						'due date',
						'payment due',
						'pay by',
						'fällig am',
						'fälligkeitsdatum',
						'zahlbar bis',
						"date d'échéance",
						'échéance',
						'vervaldatum',
					],
					where: 'either',
				},
				{ labels: ['due'], where: 'right', startsCell: true },
			],
		},
		{
			name: 'purchaseOrder',
			form: 'number',
			ways: [
				{
					labels: [
						'purchase order',
						'p.o. number',
						'po number',
						'p.o',
						'ihre auftragsnummer',
						'bestellnummer',
					],
					where: 'either',
				},
			],
		},
		supplierName,
		{
			name: 'customerName',
			form: 'text',
			ways: [
				{
					labels: [
						'customer name',
						'bill to',
						'billed to',
						'sold to',
						'invoice to',
						'invoiced to',
						'facturé à',
						'client',
						'kunde',
					],
					where: 'either',
					startsCell: true,
				},
				{ labels: ['to'], where: 'right', startsCell: true },
				{ addressWindow: true },
			],
		},
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
	titles: ['receipt', 'sales receipt', 'kassenbon', 'quittung', 'ticket de caisse', 'reçu'],
	hints: [
		'receipt no',
		'change',
		'cash',
		'card',
		'paid by',
		'tip',
		'cashier',
		'terminal',
		'thank you',
	],
	numberField: 'receiptNumber',
	fields: [
		{
			name: 'receiptNumber',
			form: 'number',
			ways: [{ labels: ['receipt no', 'receipt number', 'bon-nr', 'ticket n°'], where: 'right' }],
		},
		{
			name: 'receiptDate',
			form: 'date',
			ways: [{ labels: ['date', 'datum'], where: 'right', startsCell: true }],
		},
		supplierName,
		currency,
		subtotal,
		tax,
		total,
	],
};

const contract: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a03',
	documentType: 'Contract',
	metadata: 'Agreements between two parties',
	titles: ['agreement', 'service agreement', 'license agreement', 'contract', 'vertrag', 'contrat'],
	hints: [
		'agreement',
		'party',
		'parties',
		'hereby',
		'governing law',
		'confidentiality',
		'term',
		'licensor',
		'licensee',
		'whereas',
		'signed',
	],
	numberField: 'contractNumber',
	fields: [
		{
			name: 'contractNumber',
			form: 'number',
			ways: [
				{
					labels: [
						'contract number',
						'contract no',
						'agreement no',
						'agreement',
						'contract',
						'vertragsnummer',
					],
					where: 'right',
				},
			],
		},
		{
			name: 'contractDate',
			form: 'date',
			ways: [
				{
					sentence:
						/\b(?:made|entered\sinto|dated)(?:\sas\sof|\son)?\s(\p{L}+\s\d{1,2},\s\d{4}|\d{1,2}\s\p{L}+\s\d{4})/u,
				},
				{ labels: ['date'], where: 'right', startsCell: true },
				{ sentence: /(?:^|\s)(\d{1,2} \p{L}{3,10} \d{4}|\p{L}{3,10} \d{1,2}, \d{4})(?=\s)/u },
			],
		},
		{
			name: 'provider',
			form: 'text',
			ways: [
				{ sentence: /((?:\p{Lu}[\p{L}&.-]* ){1,6})\((?:the\s)?["“]the\sprovider["”]\)/u },
				{ sentence: /by and between ([\p{Lu}][^(]{2,60}?) \(the [“"]/u },
			],
		},
		{
			name: 'client',
			form: 'text',
			ways: [
				{ sentence: /((?:\p{Lu}[\p{L}&.-]* ){1,6})\((?:the\s)?["“]the\sclient["”]\)/u },
				{ sentence: /\)[^()]{0,300}? and ([\p{Lu}][^(]{2,60}?) \(the [“"]/u },
			],
		},
		{
			name: 'startDate',
			form: 'date',
			ways: [
				{
					sentence:
						/\b(?:starts?|begins?|commences?)\son\s(\d{1,2}\s\p{L}+\s\d{4}|\p{L}+\s\d{1,2},\s\d{4})/u,
				},
			],
		},
		{
			name: 'endDate',
			form: 'date',
			ways: [
				{ sentence: /\b(?:ends?|expires?)\son\s(\d{1,2}\s\p{L}+\s\d{4}|\p{L}+\s\d{1,2},\s\d{4})/u },
			],
		},
		{
			name: 'monthlyFee',
			form: 'money',
			ways: [{ sentence: /monthly\sfee\sof\s((?:[A-Z]{3} |[€$£])?\d[\d.,]*\d)/ }],
		},
	],
};

const bankStatement: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a04',
	documentType: 'Bank Statement',
	metadata: 'Statements of a bank account',
	titles: [
		'bank statement',
		'account statement',
		'statement of account',
		'kontoauszug',
		'relevé de compte',
	],
	hints: [
		'opening balance',
		'closing balance',
		'account number',
		'statement period',
		'withdrawals',
		'deposits',
		'iban',
		'kontostand',
	],
	numberField: 'accountNumber',
	fields: [
		{
			name: 'accountNumber',
			form: 'number',
			ways: [{ labels: ['account number', 'account no', 'kontonummer', 'iban'], where: 'either' }],
		},
		{
			name: 'statementDate',
			form: 'date',
			ways: [{ labels: ['statement date', 'date', 'datum'], where: 'right', startsCell: true }],
		},
		{
			name: 'openingBalance',
			form: 'money',
			ways: [
				{ labels: ['opening balance', 'previous balance', 'alter kontostand'], where: 'right' },
			],
		},
		{
			name: 'closingBalance',
			form: 'money',
			ways: [{ labels: ['closing balance', 'new balance', 'neuer kontostand'], where: 'right' }],
		},
		currency,
	],
};

const purchaseOrder: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a05',
	documentType: 'Purchase Order',
	metadata: 'Orders to a supplier, with line items',
	titles: ['purchase order', 'bestellung', 'bon de commande'],
	hints: ['ship to', 'order date', 'deliver by', 'requisitioner', 'lieferdatum', 'bestellnummer'],
	numberField: 'orderNumber',
	fields: [
		{
			name: 'orderNumber',
			form: 'number',
			ways: [
				{
					labels: ['order number', 'order no', 'po number', 'bestellnummer', 'purchase order'],
					where: 'right',
				},
			],
		},
		{
			name: 'orderDate',
			form: 'date',
			ways: [
				{
					labels: ['order date', 'bestelldatum', 'date', 'datum'],
					where: 'right',
					startsCell: true,
				},
			],
		},
		supplierName,
		currency,
		total,
	],
	table: lineItems,
};

const identityCard: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a06',
	documentType: 'Identity Card',
	metadata: 'Identity cards, passports and driver licences that carry text',
	titles: [
		'identity card',
		'identity card specimen',
		'passport',
		'driver license',
		'driving licence',
		'personalausweis',
		"carte d'identité",
	],
	hints: [
		'surname',
		'given names',
		'nationality',
		'date of birth',
		'date of expiry',
		'place of birth',
		'sex',
		'document no',
	],
	numberField: 'documentNumber',
	fields: [
		{
			name: 'surname',
			form: 'text',
			ways: [{ labels: ['surname', 'last name', 'nachname'], where: 'below' }],
		},
		{
			name: 'givenNames',
			form: 'text',
			ways: [{ labels: ['given names', 'first name', 'vornamen'], where: 'below' }],
		},
		{
			name: 'nationality',
			form: 'text',
			ways: [{ labels: ['nationality', 'staatsangehörigkeit'], where: 'below' }],
		},
		{
			name: 'dateOfBirth',
			form: 'date',
			ways: [{ labels: ['date of birth', 'dob', 'geburtsdatum'], where: 'either' }],
		},
		{
			name: 'dateOfExpiry',
			form: 'date',
			ways: [{ labels: ['date of expiry', 'exp', 'gültig bis'], where: 'either' }],
		},
		{
			name: 'documentNumber',
			form: 'number',
			ways: [{ labels: ['document no', 'number', 'ausweisnummer'], where: 'either' }],
		},
	],
};

const formW2: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a07',
	documentType: 'Form W-2',
	metadata: 'US wage and tax statement',
	titles: ['wage and tax statement', 'form w-2', 'w-2'],
	hints: [
		'wages, tips, other compensation',
		'employer identification number',
		'social security wages',
		'control number',
	],
	fields: [
		{
			name: 'employerIdentificationNumber',
			form: 'number',
			ways: [{ labels: ['employer identification number (ein)'], where: 'below' }],
		},
		{
			name: 'wages',
			form: 'money',
			ways: [{ labels: ['wages, tips, other compensation'], where: 'below' }],
		},
		{
			name: 'federalIncomeTaxWithheld',
			form: 'money',
			ways: [{ labels: ['federal income tax withheld'], where: 'below' }],
		},
	],
};

const forms1099: Template[] = ['NEC', 'MISC', 'INT', 'DIV'].map((variant, index) => ({
	id: `5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a1${index}`,
	documentType: `Form 1099-${variant}`,
	metadata: 'US information return',
	titles: [`form 1099-${variant.toLowerCase()}`, `1099-${variant.toLowerCase()}`],
	hints: ["payer's tin", "recipient's tin", 'corrected', 'omb no', 'account number', 'copy b'],
	fields: [
		{ name: 'payerTin', form: 'number', ways: [{ labels: ["payer's tin"], where: 'below' }] },
		{
			name: 'recipientTin',
			form: 'number',
			ways: [{ labels: ["recipient's tin"], where: 'below' }],
		},
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
