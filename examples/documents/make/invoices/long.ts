import { invoiceFor } from '../invoice';
import { a4Size, type Paper, type Sheet } from '../paper';
import { drawRow, drawTitles, type Column } from '../table';
import type { LineItem } from '../truth';

export const invoice = invoiceFor({
	numbers: { group: ',', point: '.', before: '', after: '' },
	fields: {
		invoiceNumber: 'QR-100862',
		invoiceDate: '30 Oct 2026',
		dueDate: '29 Nov 2026',
		supplier: 'Quandong Ridge Stationery Pty Ltd',
		customer: 'Billabong Flats Primary School',
		currency: 'AUD',
	},
	days: { invoiceDate: '2026-10-30', dueDate: '2026-11-29' },
	taxPercent: 10,
	lines: [
		{ description: 'Exercise book A4, 96 pages, ruled', quantity: 240, unitCents: 185 },
		{ description: 'Exercise book A4, 96 pages, grid', quantity: 160, unitCents: 185 },
		{ description: 'Exercise book A5, 64 pages, ruled', quantity: 120, unitCents: 125 },
		{ description: 'Scrapbook 330 x 245 mm, blank', quantity: 90, unitCents: 240 },
		{ description: 'Lead pencil HB, box of 20', quantity: 30, unitCents: 495 },
		{ description: 'Lead pencil 2B, box of 20', quantity: 18, unitCents: 520 },
		{ description: 'Coloured pencils, set of 24', quantity: 60, unitCents: 1150 },
		{ description: 'Washable markers, set of 12', quantity: 45, unitCents: 980 },
		{ description: 'Oil pastels, set of 24', quantity: 24, unitCents: 860 },
		{ description: 'Eraser, soft vinyl', quantity: 200, unitCents: 45 },
		{ description: 'Pencil sharpener, two holes', quantity: 100, unitCents: 75 },
		{ description: 'Glue stick 36 g', quantity: 180, unitCents: 165 },
		{ description: 'PVA glue 2 L', quantity: 6, unitCents: 1590 },
		{ description: 'Safety scissors 130 mm', quantity: 60, unitCents: 210 },
		{ description: 'Safety scissors 130 mm, left-handed', quantity: 8, unitCents: 245 },
		{ description: 'Ruler 30 cm, wooden', quantity: 120, unitCents: 60 },
		{ description: 'Protractor 180 degrees', quantity: 60, unitCents: 85 },
		{ description: 'Compass with pencil', quantity: 30, unitCents: 320 },
		{ description: 'Copy paper A4 80 gsm, carton', quantity: 25, unitCents: 3450 },
		{ description: 'Copy paper A3 80 gsm, ream', quantity: 12, unitCents: 1380 },
		{ description: 'Cover paper A3, assorted, pack of 250', quantity: 6, unitCents: 2990 },
		{ description: 'Cardboard 510 x 640 mm, white', quantity: 100, unitCents: 110 },
		{ description: 'Crepe paper, ten colours', quantity: 10, unitCents: 1490 },
		{ description: 'Tissue paper, pack of 100', quantity: 8, unitCents: 1275 },
		{ description: 'Poster paint 2 L, red', quantity: 4, unitCents: 1650 },
		{ description: 'Poster paint 2 L, yellow', quantity: 4, unitCents: 1650 },
		{ description: 'Poster paint 2 L, blue', quantity: 4, unitCents: 1650 },
		{ description: 'Poster paint 2 L, white', quantity: 6, unitCents: 1650 },
		{ description: 'Paint brush no. 8, round', quantity: 60, unitCents: 190 },
		{ description: 'Paint brush no. 12, flat', quantity: 60, unitCents: 235 },
		{ description: 'Display folder A4, 20 sleeves', quantity: 75, unitCents: 270 },
		{ description: 'Lever arch file A4', quantity: 40, unitCents: 495 },
		{ description: 'Document wallet, pack of 10', quantity: 15, unitCents: 760 },
		{ description: 'Laminating pouch A4, box of 100', quantity: 5, unitCents: 2450 },
		{ description: 'Whiteboard marker, set of 4', quantity: 36, unitCents: 790 },
		{ description: 'Whiteboard eraser, magnetic', quantity: 18, unitCents: 425 },
		{ description: 'Sticky notes 76 x 76 mm, pack of 12', quantity: 20, unitCents: 1120 },
		{ description: 'Clear tape 18 mm x 33 m', quantity: 48, unitCents: 135 },
		{ description: 'Stapler, half strip', quantity: 10, unitCents: 1295 },
		{ description: 'Staples 26/6, box of 5000', quantity: 20, unitCents: 290 },
	],
});

const { fields, lineItems } = invoice;

const columns: Array<Column<LineItem>> = [
	{ title: 'No.', width: 34, align: 'right', value: (_item, index) => String(index + 1) },
	{ title: 'Description', width: 261, align: 'left', value: (item) => item.description },
	{ title: 'Qty', width: 50, align: 'right', value: (item) => item.quantity },
	{ title: 'Unit price', width: 76, align: 'right', value: (item) => item.unitPrice },
	{ title: 'Amount', width: 84, align: 'right', value: (item) => item.amount },
];

const ochre = '#9a5b13';
const left = 45;
const right = 550;
const rowHeight = 17;
const rowsOnFirstPage = 31;

/** Two pages: the table goes on under a second header, the totals stand on the last page only. */
export function draw(paper: Paper): void {
	const first = paper.newSheet(a4Size);
	first.text(fields.supplier, left, 60, { font: 'sansBold', size: 15, color: ochre });
	first.lines(
		['Lot 3, Ridge Road, Quandong Ridge NSW 0000', 'Phone (02) 5550 0113 · orders@quandongridge.example', 'ABN 00 000 000 000'],
		left, 76, 12, { size: 8.5 },
	);
	first.text('TAX INVOICE', right, 60, { font: 'sansBold', size: 18, align: 'right' });

	first.text('Invoice to', left, 134, { font: 'sansBold', size: 8.5, color: ochre });
	first.lines([fields.customer, '2 Creek Street', 'Billabong Flats NSW 0000'], left, 148, 13, { size: 9.5 });

	const facts: Array<[string, string]> = [
		['Invoice no.', fields.invoiceNumber],
		['Invoice date', fields.invoiceDate],
		['Due date', fields.dueDate],
		['Currency', fields.currency],
	];
	facts.forEach(([label, value], index) => {
		first.text(label, 400, 134 + index * 14, { font: 'sansBold', size: 9 });
		first.text(value, right, 134 + index * 14, { size: 9, align: 'right' });
	});
	drawRows(first, 204, 0, rowsOnFirstPage);
	first.text('Continued on page 2', right, 776, { font: 'sansItalic', size: 8.5, align: 'right' });
	drawFoot(first, 1);

	const second = paper.newSheet(a4Size);
	second.text(fields.supplier, left, 50, { font: 'sansBold', size: 10, color: ochre });
	second.text(`Tax invoice ${fields.invoiceNumber}, continued`, right, 50, { size: 9, align: 'right' });
	const sums = drawRows(second, 64, rowsOnFirstPage, lineItems.length) + 24;

	second.text('Subtotal', 390, sums, { size: 9.5 });
	second.text(fields.subtotal, right - 6, sums, { size: 9.5, align: 'right' });
	second.text('GST 10%', 390, sums + 16, { size: 9.5 });
	second.text(fields.tax, right - 6, sums + 16, { size: 9.5, align: 'right' });
	second.fill(384, sums + 25, right - 384, 22, ochre);
	second.text(`Total ${fields.currency}`, 390, sums + 40, { font: 'sansBold', size: 11, color: '#ffffff' });
	second.text(fields.total, right - 6, sums + 40, { font: 'sansBold', size: 11, color: '#ffffff', align: 'right' });

	second.text('Payment', left, sums, { font: 'sansBold', size: 9, color: ochre });
	second.lines(
		['30 days from the date of this invoice.', 'BSB 000-000, account 0000 0000', 'remittance@quandongridge.example'],
		left, sums + 15, 13, { size: 9 },
	);
	drawFoot(second, 2);
}

/** Draws the header and some rows; returns where the table ends. */
function drawRows(sheet: Sheet, top: number, from: number, to: number): number {
	sheet.fill(left, top, right - left, rowHeight, '#f2e6d5');
	sheet.line(left, top, right, top, 1, ochre);
	sheet.line(left, top + rowHeight, right, top + rowHeight, 1, ochre);
	drawTitles(sheet, columns, left, top + 12, { font: 'sansBold', size: 8.5 });
	lineItems.slice(from, to).forEach((item, offset) => {
		const y = top + rowHeight * (offset + 1);
		drawRow(sheet, columns, item, from + offset, left, y + 12, { size: 8.5 });
		sheet.line(left, y + rowHeight, right, y + rowHeight, 0.3, '#d8c6ab');
	});
	return top + rowHeight * (to - from + 1);
}

function drawFoot(sheet: Sheet, page: number): void {
	sheet.line(left, 800, right, 800, 0.5, ochre);
	sheet.text('Goods remain the property of Quandong Ridge Stationery Pty Ltd until paid for.', left, 814, { size: 8 });
	sheet.text(`Page ${page} of 2`, right, 814, { size: 8, align: 'right' });
}
