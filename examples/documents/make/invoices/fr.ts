import { invoiceFor } from '../invoice';
import { a4Size, type Paper } from '../paper';
import { drawRow, drawTitles, type Column } from '../table';
import type { LineItem } from '../truth';

export const invoice = invoiceFor({
	numbers: { group: ' ', point: ',', before: '', after: ' €' },
	fields: {
		invoiceNumber: 'FA-26/0093',
		invoiceDate: '5 novembre 2026',
		dueDate: '5 décembre 2026',
		supplier: 'Atelier Vermeillon SARL',
		customer: 'Hôtel de la Fontaine-Grise',
		currency: 'EUR',
	},
	days: { invoiceDate: '2026-11-05', dueDate: '2026-12-05' },
	taxPercent: 20,
	lines: [
		{ description: 'Abat-jour plissé en lin, diamètre 40 cm', quantity: 12, unitCents: 5475 },
		{ description: "Réfection d'un fauteuil crapaud", quantity: 1, unitCents: 38000 },
		{ description: "Main-d'œuvre, par heure", quantity: 4.5, unitCents: 4200 },
		{ description: 'Échantillons de tissu', quantity: 1, unitCents: 850 },
	],
});

const { fields, lineItems } = invoice;

const columns: Array<Column<LineItem>> = [
	{ title: 'Désignation', width: 245, align: 'left', value: (item) => item.description },
	{ title: 'Prix unitaire HT', width: 98, align: 'right', value: (item) => item.unitPrice },
	{ title: 'Qté', width: 52, align: 'right', value: (item) => item.quantity },
	{ title: 'Montant HT', width: 96, align: 'right', value: (item) => item.amount },
];

const wine = '#7a2339';
const left = 52;
const right = 543;
const rowHeight = 25;

/** Letterhead in the middle, the customer on the right, price before quantity. */
export function draw(paper: Paper): void {
	const sheet = paper.newSheet(a4Size);
	const middle = sheet.width / 2;

	sheet.text(fields.supplier, middle, 70, { font: 'serifBold', size: 24, color: wine, align: 'center' });
	sheet.text('Tapisserie d’ameublement et luminaires', middle, 88, { font: 'serifItalic', size: 11, align: 'center' });
	sheet.text('8, rue des Tanneurs, 00000 Vermeillon · bonjour@vermeillon.example', middle, 104, { font: 'serif', size: 9.5, align: 'center' });
	sheet.line(left, 116, right, 116, 0.5, wine);
	sheet.line(left, 119, right, 119, 1.5, wine);

	sheet.text('FACTURE', left, 160, { font: 'serifBold', size: 20 });
	const facts: Array<[string, string]> = [
		['Facture n° :', fields.invoiceNumber],
		['Date de facture :', fields.invoiceDate],
		["Date d'échéance :", fields.dueDate],
		['Devise :', fields.currency],
	];
	facts.forEach(([label, value], index) => {
		sheet.text(label, left, 184 + index * 16, { font: 'serif', size: 10.5 });
		sheet.text(value, left + 96, 184 + index * 16, { font: 'serifBold', size: 10.5 });
	});

	sheet.frame(310, 142, right - 310, 94, 0.75, wine);
	sheet.text('Facturé à', 322, 160, { font: 'serifItalic', color: wine });
	sheet.text(fields.customer, 322, 178, { font: 'serifBold', size: 12, maxWidth: 210 });
	sheet.lines(['Service comptabilité', '1, place du Marché', '00000 Fontaine-Grise'], 322, 194, 14.5, { font: 'serif', size: 10.5 });

	const top = 270;
	sheet.fill(left, top, right - left, rowHeight, '#f3e7ea');
	drawTitles(sheet, columns, left, top + 16, { font: 'serifBold', size: 10.5, color: wine });
	lineItems.forEach((item, index) => {
		const y = top + rowHeight * (index + 1);
		drawRow(sheet, columns, item, index, left, y + 16, { font: 'serif', size: 10.5 });
		sheet.line(left, y + rowHeight, right, y + rowHeight, 0.5, '#d9bcc4');
	});

	const sums = top + rowHeight * (lineItems.length + 1) + 24;
	const totals: Array<[string, string]> = [
		['Total HT', fields.subtotal],
		['TVA 20 %', fields.tax],
		['Total TTC', fields.total],
	];
	totals.forEach(([label, value], index) => {
		const last = index === totals.length - 1;
		const y = sums + index * 19 + (last ? 7 : 0);
		const style = { font: last ? 'serifBold' : 'serif', size: last ? 13 : 11, color: last ? wine : '#1a1a1a' } as const;
		sheet.text(label, 372, y, style);
		sheet.text(value, right - 6, y, { ...style, align: 'right' });
	});
	sheet.line(366, sums + 26, right, sums + 26, 0.75, wine);

	sheet.text('Conditions de règlement', left, 640, { font: 'serifBold', color: wine });
	sheet.paragraph(
		"Paiement par virement à 30 jours. En cas de retard, une indemnité forfaitaire de 40 € pour frais de recouvrement est due. Pas d'escompte pour paiement anticipé.",
		left, 656, right - left, 14, { font: 'serif' },
	);
	sheet.text('IBAN FR00 0000 0000 0000 0000 0000 000', left, 690, { font: 'serif' });
	sheet.line(left, 780, right, 780, 0.5, wine);
	sheet.text(
		'SARL au capital de 1 000 € · SIRET 000 000 000 00000 · TVA intracommunautaire FR00000000000',
		middle, 795, { font: 'serif', size: 8.5, align: 'center' },
	);
}
