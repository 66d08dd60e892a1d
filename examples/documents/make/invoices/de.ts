import { invoiceFor } from '../invoice';
import { a4Size, type Paper } from '../paper';
import { drawRow, drawTitles, type Column } from '../table';
import type { LineItem } from '../truth';

export const invoice = invoiceFor({
	numbers: { group: '.', point: ',', before: '', after: '' },
	fields: {
		invoiceNumber: 'RE-2026-1148',
		invoiceDate: '03.11.2026',
		dueDate: '17.11.2026',
		supplier: 'Eulenhag Werkstattbedarf GmbH',
		customer: 'Tischlerei Möwenbach & Söhne',
		currency: 'EUR',
	},
	days: { invoiceDate: '2026-11-03', dueDate: '2026-11-17' },
	taxPercent: 19,
	lines: [
		{ description: 'Hobelbank, Buche geölt', quantity: 1, unitCents: 51900 },
		{ description: 'Schraubzwinge 600 mm', quantity: 8, unitCents: 2145 },
		{ description: 'Schleifpapier Körnung 120, Rolle', quantity: 4, unitCents: 1860 },
		{ description: 'Leinöl, naturrein, je Liter', quantity: 2.5, unitCents: 1200 },
		{ description: 'Fracht und Verpackung', quantity: 1, unitCents: 5000 },
	],
});

const { fields, lineItems } = invoice;

const columns: Array<Column<LineItem>> = [
	{ title: 'Pos.', width: 38, align: 'left', value: (_item, index) => String(index + 1) },
	{ title: 'Bezeichnung', width: 222, align: 'left', value: (item) => item.description },
	{ title: 'Menge', width: 56, align: 'right', value: (item) => item.quantity },
	{ title: 'Einzelpreis', width: 82, align: 'right', value: (item) => item.unitPrice },
	{ title: 'Gesamtpreis', width: 84, align: 'right', value: (item) => item.amount },
];

const left = 65;
const right = 547;
const rowHeight = 20;
const small = { size: 8, color: '#555555' };

/** A German business letter: the address where the window of the envelope is, the company's details at the foot. */
export function draw(paper: Paper): void {
	const sheet = paper.newSheet(a4Size);

	sheet.fill(right - 26, 40, 26, 26, '#c8842c');
	sheet.fill(right - 58, 40, 26, 26, '#3d4f3a');
	sheet.text(fields.supplier, right - 70, 58, { font: 'sansBold', size: 14, align: 'right' });

	sheet.text('Eulenhag Werkstattbedarf GmbH · Am Sägewerk 4 · 00000 Eulenhag', left, 138, { size: 7, color: '#555555' });
	sheet.line(left, 141, left + 222, 141, 0.5, '#999999');
	sheet.lines([fields.customer, 'Frau Ines Möwenbach', 'Deichstraße 19', '00000 Möwenbach'], left, 158, 14, { size: 10.5 });

	const facts: Array<[string, string]> = [
		['Rechnungsnummer:', fields.invoiceNumber],
		['Rechnungsdatum:', fields.invoiceDate],
		['Fällig am:', fields.dueDate],
		['Kundennummer:', '20417'],
	];
	facts.forEach(([label, value], index) => {
		sheet.text(label, 372, 158 + index * 15, { size: 9.5 });
		sheet.text(value, right, 158 + index * 15, { size: 9.5, align: 'right', maxWidth: 80 });
	});

	sheet.text('Rechnung', left, 272, { font: 'sansBold', size: 18 });
	sheet.text('Sehr geehrte Frau Möwenbach,', left, 300);
	sheet.text('für unsere Lieferung vom 29.10.2026 berechnen wir Ihnen:', left, 315);

	const top = 342;
	sheet.line(left, top, right, top, 1);
	drawTitles(sheet, columns, left, top + 14, { font: 'sansBold', size: 9.5 });
	sheet.line(left, top + rowHeight, right, top + rowHeight, 1);
	lineItems.forEach((item, index) => {
		const y = top + rowHeight * (index + 1);
		drawRow(sheet, columns, item, index, left, y + 14, { size: 9.5 });
		sheet.line(left, y + rowHeight, right, y + rowHeight, 0.4, '#bbbbbb');
	});

	const sums = top + rowHeight * (lineItems.length + 1) + 20;
	sheet.text('Nettobetrag', 360, sums);
	sheet.text(fields.subtotal, right - 6, sums, { align: 'right' });
	sheet.text('zzgl. 19 % MwSt.', 360, sums + 17);
	sheet.text(fields.tax, right - 6, sums + 17, { align: 'right' });
	sheet.line(354, sums + 24, right, sums + 24, 0.75);
	sheet.text(`Gesamtbetrag ${fields.currency}`, 360, sums + 39, { font: 'sansBold', size: 11 });
	sheet.text(fields.total, right - 6, sums + 39, { font: 'sansBold', size: 11, align: 'right' });
	sheet.line(354, sums + 46, right, sums + 46, 0.75);
	sheet.line(354, sums + 48.5, right, sums + 48.5, 0.75);

	sheet.text('Alle Beträge in Euro. Bitte überweisen Sie den Gesamtbetrag ohne Abzug bis zum Fälligkeitstag.', left, sums + 84, { size: 9.5 });
	sheet.text('Mit freundlichen Grüßen', left, sums + 112, { size: 9.5 });
	sheet.text('Ihre Werkstatt-Berater aus Eulenhag', left, sums + 127, { size: 9.5 });

	sheet.line(left, 770, right, 770, 0.5, '#999999');
	sheet.lines(['Eulenhag Werkstattbedarf GmbH', 'Am Sägewerk 4', '00000 Eulenhag'], left, 783, 11, small);
	sheet.lines(['Geschäftsführung: Jorun Eulenhag', 'USt-IdNr. DE000000000', 'HRB 00000'], 235, 783, 11, small);
	sheet.lines(['buero@eulenhag.example', 'IBAN DE00 0000 0000 0000 0000 00', 'Erfundene Bank'], 400, 783, 11, small);
}
