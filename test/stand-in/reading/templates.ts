import type { ColumnOfTemplate, FieldOfTemplate, Template } from './template';

const currency: FieldOfTemplate = {
	name: 'currency',
	form: 'text',
	ways: [{ sentence: /\b(EUR|USD|GBP|CHF|AUD|CAD|NZD|SEK|DKK|NOK|PLN|JPY)\b/ }],
};

const subtotal: FieldOfTemplate = {
	name: 'subtotal',
	form: 'money',
	ways: [
		{
			labels: ['subtotal', 'nettobetrag'],
			where: 'right',
		},
	],
};

const tax: FieldOfTemplate = {
	name: 'tax',
	form: 'money',
	ways: [
		{
			labels: ['sales tax', 'mwst'],
			where: 'right',
		},
		{ labels: ['vat', 'gst'], where: 'right', startsCell: true },
	],
};

const total: FieldOfTemplate = {
	name: 'total',
	form: 'money',
	ways: [
		{
			labels: ['gesamtbetrag', 'total due'],
			where: 'right',
		},
		{ labels: ['total'], where: 'right', startsCell: true },
	],
};

const supplierName: FieldOfTemplate = {
	name: 'supplierName',
	form: 'text',
	ways: [{ largestAtTop: true }],
};

const columns: ColumnOfTemplate[] = [
	{
		name: 'description',
		labels: ['description', 'bezeichnung', 'item', 'product', 'service'],
	},
	{
		name: 'quantity',
		labels: ['quantity', 'qty', 'menge'],
	},
	{
		name: 'unitPrice',
		labels: ['unit price', 'einzelpreis', 'price'],
	},
	{
		name: 'amount',
		labels: ['amount', 'gesamtpreis', 'total'],
	},
];

const lineItems = { name: 'lineItems', columns, required: ['description', 'amount'] };

export const invoice: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a01',
	documentType: 'Invoice',
	metadata: 'Invoices in English, German and French, with line items',
	titles: ['invoice', 'tax invoice', 'rechnung'],
	hints: [
		'invoice number',
		'invoice no',
		'invoice date',
		'due date',
		'bill to',
		'billed to',
		'subtotal',
		'sales tax',
		'vat',
		'unit price',
		'quantity',
		'qty',
		'amount',
		'rechnungsnummer',
		'rechnungsdatum',
		'menge',
		'einzelpreis',
		'mwst',
	],
	numberField: 'invoiceNumber',
	fields: [
		{
			name: 'invoiceNumber',
			form: 'number',
			ways: [
				{
					labels: ['invoice number', 'invoice no', 'invoice #', 'rechnungsnummer'],
					where: 'either',
				},
				{
					labels: ['invoice', 'tax invoice', 'rechnung'],
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
					labels: ['invoice date', 'rechnungsdatum'],
					where: 'either',
				},
				{ labels: ['date', 'vom'], where: 'right', startsCell: true },
			],
		},
		{
			name: 'dueDate',
			form: 'date',
			ways: [
				{
					labels: ['due date', 'payment due', 'fällig am'],
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
					labels: ['p.o. number', 'p.o'],
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
					labels: ['bill to', 'billed to', 'invoice to', 'client'],
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

const contract: Template = {
	id: '5b0e6f0c-1c0e-4c0f-9b83-0a6d1f7f2a03',
	documentType: 'Contract',
	metadata: 'Agreements between two parties',
	titles: ['agreement', 'service agreement'],
	hints: ['agreement', 'party', 'parties', 'governing law', 'confidentiality', 'term', 'signed'],
	numberField: 'contractNumber',
	fields: [
		{
			name: 'contractNumber',
			form: 'number',
			ways: [
				{
					labels: ['agreement'],
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

export const templates: Template[] = [invoice, contract];
