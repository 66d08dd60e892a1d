import { invoiceFor } from '../invoice';
import { letterSize, type Paper } from '../paper';
import { columnEdges, drawRow, drawTitles, type Column } from '../table';
import type { LineItem } from '../truth';

export const invoice = invoiceFor({
	numbers: { group: ',', point: '.', before: '$', after: '' },
	fields: {
		invoiceNumber: 'INV-2026-0117',
		invoiceDate: '11/03/2026',
		dueDate: '12/03/2026',
		purchaseOrder: 'PO-88213',
		supplier: 'Tallowmere Furniture Company',
		customer: 'Lakeside Community Library',
		currency: 'USD',
	},
	days: { invoiceDate: '2026-11-03', dueDate: '2026-12-03' },
	taxPercent: 6.5,
	lines: [
		{ description: 'Oak reading table, 72 x 36 in', quantity: 4, unitCents: 48900 },
		{ description: 'Upholstered side chair, moss green', quantity: 16, unitCents: 12950 },
		{ description: 'Rolling book truck, three shelves', quantity: 2, unitCents: 23475 },
		{ description: 'Delivery and assembly, per hour', quantity: 7.5, unitCents: 6400 },
	],
});

const { fields, lineItems } = invoice;

const columns: Array<Column<LineItem>> = [
	{ title: 'QTY', width: 56, align: 'center', value: (item) => item.quantity },
	{ title: 'DESCRIPTION', width: 284, align: 'left', value: (item) => item.description },
	{ title: 'UNIT PRICE', width: 82, align: 'right', value: (item) => item.unitPrice },
	{ title: 'AMOUNT', width: 82, align: 'right', value: (item) => item.amount },
];

const left = 54;
const right = 558;
const rowHeight = 24;

/** Classic: Times, black rules, a table with every cell framed. */
export function draw(paper: Paper): void {
	const sheet = paper.newSheet(letterSize);

	sheet.text(fields.supplier, left, 72, { font: 'serifBold', size: 18 });
	sheet.lines(
		['410 Mill Street, Tallowmere, VT 00000', 'Phone (802) 555-0142', 'accounts@tallowmere.example'],
		left, 90, 14, { font: 'serif' },
	);
	sheet.text('INVOICE', right, 76, { font: 'serifBold', size: 28, align: 'right' });
	sheet.line(left, 132, right, 132, 1.5);

	sheet.text('BILL TO', left, 160, { font: 'serifBold', size: 9 });
	sheet.text(fields.customer, left, 177, { font: 'serifBold', size: 11 });
	sheet.lines(['Attn: Accounts Payable', '22 Harbor Road', 'Millbrook Falls, VT 00001'], left, 192, 14, { font: 'serif' });

	const facts: Array<[string, string]> = [
		['Invoice Number:', fields.invoiceNumber],
		['Invoice Date:', fields.invoiceDate],
		['P.O. Number:', fields.purchaseOrder ?? ''],
		['Terms:', 'Net 30'],
		['Due Date:', fields.dueDate],
	];
	facts.forEach(([label, value], index) => {
		const y = 160 + index * 16;
		sheet.text(label, 394, y, { font: 'serifBold' });
		sheet.text(value, right, y, { font: 'serif', align: 'right', maxWidth: 100 });
	});

	const top = 262;
	const bottom = top + rowHeight * (lineItems.length + 1);
	sheet.fill(left, top, right - left, rowHeight, '#e6e6e6');
	drawTitles(sheet, columns, left, top + 16, { font: 'serifBold', size: 9 });
	lineItems.forEach((item, index) => {
		drawRow(sheet, columns, item, index, left, top + rowHeight * (index + 1) + 16, { font: 'serif', size: 10.5 });
	});
	for (let rule = top; rule <= bottom; rule += rowHeight) sheet.line(left, rule, right, rule);
	for (const edge of columnEdges(columns, left)) sheet.line(edge, top, edge, bottom);

	const totals: Array<[string, string]> = [
		['Subtotal', fields.subtotal],
		['Sales Tax (6.5%)', fields.tax],
		[`Total (${fields.currency})`, fields.total],
	];
	const boxLeft = left + 302;
	totals.forEach(([label, value], index) => {
		const y = bottom + rowHeight * index;
		const last = index === totals.length - 1;
		const font = last ? 'serifBold' : 'serif';
		if (last) sheet.fill(boxLeft, y, right - boxLeft, rowHeight, '#e6e6e6');
		sheet.frame(boxLeft, y, right - boxLeft, rowHeight);
		sheet.text(label, boxLeft + 6, y + 16, { font, size: 10.5 });
		sheet.text(value, right - 6, y + 16, { font, size: 10.5, align: 'right' });
	});

	sheet.lines(
		['Please make checks payable to Tallowmere Furniture Company.', 'A late charge of 1.5% per month applies to balances past due.'],
		left, 690, 14, { font: 'serifItalic' },
	);
	sheet.line(left, 722, right, 722);
	sheet.text('Thank you for your business!', 306, 740, { font: 'serifItalic', size: 11, align: 'center' });
}
