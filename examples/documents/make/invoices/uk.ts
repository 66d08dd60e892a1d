import { invoiceFor } from '../invoice';
import { a4Size, type Paper } from '../paper';
import { drawRow, drawTitles, type Column } from '../table';
import type { LineItem } from '../truth';

export const invoice = invoiceFor({
	numbers: { group: ',', point: '.', before: '£', after: '' },
	fields: {
		// Leading zeros: lost by everything that takes the number for a number.
		invoiceNumber: '0004021',
		invoiceDate: '3 November 2026',
		dueDate: '17 November 2026',
		supplier: 'Brindlecombe Pipe & Fitting Ltd',
		customer: 'Marsh Lane Housing Trust',
		currency: 'GBP',
	},
	days: { invoiceDate: '2026-11-03', dueDate: '2026-11-17' },
	taxPercent: 20,
	lines: [
		{ description: 'Copper pipe, 3 m length', quantity: 40, unitCents: 1865 },
		// What breaks a CSV file, and what a spreadsheet takes for a formula.
		{ description: 'Pipe clamp, "heavy duty", Ø 42 mm', quantity: 120, unitCents: 215 },
		{ description: '=1/2" adapter, pack of 4', quantity: 15, unitCents: 899 },
		{ description: 'Flux & solder kit', quantity: 6, unitCents: 1240 },
		{ description: 'Site delivery', quantity: 1, unitCents: 3500 },
	],
});

const { fields, lineItems } = invoice;

const columns: Array<Column<LineItem>> = [
	{ title: 'Item', width: 262, align: 'left', value: (item) => item.description },
	{ title: 'Quantity', width: 65, align: 'right', value: (item) => item.quantity },
	{ title: 'Unit price', width: 84, align: 'right', value: (item) => item.unitPrice },
	{ title: 'Amount', width: 88, align: 'right', value: (item) => item.amount },
];

const teal = '#0f5c63';
const pale = '#eef5f5';
const grey = '#5b6770';
const left = 48;
const right = 547;
const rowHeight = 26;

/** Modern: a coloured band, details left and right, striped rows, the totals in a box on the right. */
export function draw(paper: Paper): void {
	const sheet = paper.newSheet(a4Size);

	sheet.fill(0, 0, sheet.width, 112, teal);
	sheet.text(fields.supplier, left, 54, { font: 'sansBold', size: 17, color: '#ffffff' });
	sheet.text('Unit 7, Weir Yard, Brindlecombe ZZ1 0ZZ', left, 74, { size: 9, color: '#d3e6e7' });
	sheet.text('01632 960 417   sales@brindlecombe.example', left, 88, { size: 9, color: '#d3e6e7' });
	sheet.text('Invoice', right, 62, { font: 'sansBold', size: 26, color: '#ffffff', align: 'right' });

	const caption = { font: 'sansBold', size: 8, color: teal } as const;
	sheet.text('BILLED TO', left, 146, caption);
	sheet.text(fields.customer, left, 163, { font: 'sansBold', size: 11 });
	sheet.lines(['12 Marsh Lane', 'Oldferry', 'ZZ4 0ZZ', 'United Kingdom'], left, 179, 14, { color: grey });

	const facts: Array<[string, string]> = [
		['Invoice number', fields.invoiceNumber],
		['Invoice date', fields.invoiceDate],
		['Payment due', fields.dueDate],
		['VAT number', 'GB 000 0000 00'],
		['Currency', fields.currency],
	];
	sheet.text('DETAILS', 330, 146, caption);
	facts.forEach(([label, value], index) => {
		const y = 163 + index * 16;
		sheet.text(label, 330, y, { color: grey });
		sheet.text(value, right, y, { font: 'sansBold', align: 'right', maxWidth: 120 });
	});

	const top = 262;
	sheet.fill(left, top, right - left, rowHeight, teal);
	drawTitles(sheet, columns, left, top + 17, { font: 'sansBold', size: 9, color: '#ffffff' });
	lineItems.forEach((item, index) => {
		const y = top + rowHeight * (index + 1);
		if (index % 2 === 1) sheet.fill(left, y, right - left, rowHeight, pale);
		drawRow(sheet, columns, item, index, left, y + 17, { size: 9.5 });
	});

	const boxTop = top + rowHeight * (lineItems.length + 1) + 24;
	const boxLeft = 330;
	sheet.fill(boxLeft, boxTop, right - boxLeft, 96, pale);
	sheet.text('Subtotal', boxLeft + 14, boxTop + 24);
	sheet.text(fields.subtotal, right - 14, boxTop + 24, { align: 'right' });
	sheet.text('VAT 20%', boxLeft + 14, boxTop + 44);
	sheet.text(fields.tax, right - 14, boxTop + 44, { align: 'right' });
	sheet.line(boxLeft + 14, boxTop + 58, right - 14, boxTop + 58, 1, teal);
	sheet.text('Total due', boxLeft + 14, boxTop + 80, { font: 'sansBold', size: 13, color: teal });
	sheet.text(fields.total, right - 14, boxTop + 80, { font: 'sansBold', size: 13, color: teal, align: 'right' });

	sheet.text('HOW TO PAY', left, boxTop + 14, caption);
	sheet.lines(
		['Bank of Nowhere, sort code 00-00-00', 'Account 00000000', 'Quote the invoice number with your payment.'],
		left, boxTop + 31, 15, { size: 9, color: grey },
	);

	sheet.line(left, 786, right, 786, 0.75, '#c9d6d7');
	sheet.text('Brindlecombe Pipe & Fitting Ltd is an invented company. www.brindlecombe.example', left, 803, { size: 8, color: grey });
	sheet.text('Page 1 of 1', right, 803, { size: 8, color: grey, align: 'right' });
}
