import {
	AlignmentType, BorderStyle, Document, Packer, Paragraph, ShadingType, Table, TableCell, TableRow, TabStopType, TextRun, WidthType,
} from 'docx';
import { invoiceFor } from './invoice';
import { madeOn } from './paper';
import type { MadeDocument } from './truth';
import { stampZip } from './zip';

const { fields, lineItems, meaning } = invoiceFor({
	numbers: { group: ',', point: '.', before: '', after: '' },
	fields: {
		invoiceNumber: 'OT-0588',
		invoiceDate: '2 November 2026',
		dueDate: '16 November 2026',
		supplier: 'Oatfield Translations',
		customer: 'Atelier Vermeillon SARL',
		currency: 'EUR',
	},
	days: { invoiceDate: '2026-11-02', dueDate: '2026-11-16' },
	taxPercent: 0,
	lines: [
		{ description: 'Catalogue, French to English, per 1,000 words', quantity: 14, unitCents: 9500 },
		{ description: 'Proofreading, per hour', quantity: 3.5, unitCents: 5200 },
		{ description: 'Certified copy', quantity: 2, unitCents: 1850 },
	],
});

// Lengths in Word are twentieths of a point.
const columnWidths = [4900, 1200, 1450, 1450];
const green = '2F5D50';

export async function madeWordFile(): Promise<MadeDocument> {
	const printed: string[] = [];
	/** Every text passes here, so that the truth can be checked against it. Sizes are half points. */
	const run = (text: string, look: { bold?: boolean; size?: number; color?: string } = {}) => {
		printed.push(text);
		return new TextRun({ text, ...look });
	};
	const labelled = (label: string, value: string) =>
		new Paragraph({
			tabStops: [{ type: TabStopType.LEFT, position: 2000 }],
			spacing: { after: 40 },
			children: [run(`${label}:`, { bold: true }), new TextRun({ text: '\t' }), run(value)],
		});
	const row = (texts: string[], header = false) =>
		new TableRow({
			// docx writes the mark for false as well, and readers then take every row for a header.
			tableHeader: header || undefined,
			children: texts.map(
				(text, index) =>
					new TableCell({
						width: { size: columnWidths[index] ?? 0, type: WidthType.DXA },
						margins: { top: 70, bottom: 70, left: 110, right: 110 },
						shading: header ? { type: ShadingType.CLEAR, fill: green } : undefined,
						children: [
							new Paragraph({
								alignment: index === 0 ? AlignmentType.LEFT : AlignmentType.RIGHT,
								children: [run(text, header ? { bold: true, color: 'FFFFFF' } : {})],
							}),
						],
					}),
			),
		});
	const sum = (label: string, value: string, bold = false) =>
		new Paragraph({
			tabStops: [
				{ type: TabStopType.LEFT, position: 5900 },
				{ type: TabStopType.RIGHT, position: 8890 },
			],
			spacing: { before: 60 },
			children: [new TextRun({ text: '\t' }), run(label, { bold }), new TextRun({ text: '\t' }), run(value, { bold })],
		});
	const rule = { style: BorderStyle.SINGLE, size: 4, color: 'BFCFC9' };

	const document = new Document({
		title: `${fields.supplier} ${fields.invoiceNumber}`,
		creator: 'examples/documents/make.ts',
		styles: { default: { document: { run: { font: 'Calibri', size: 21 } } } },
		sections: [
			{
				properties: { page: { size: { width: 11906, height: 16838 }, margin: { top: 1300, bottom: 1300, left: 1450, right: 1450 } } },
				children: [
					new Paragraph({ children: [run(fields.supplier, { bold: true, size: 32, color: green })] }),
					new Paragraph({ spacing: { after: 400 }, children: [run('3 Granary Steps, Oatfield · hello@oatfield.example', { size: 18 })] }),
					new Paragraph({ spacing: { after: 200 }, children: [run('Invoice', { bold: true, size: 40 })] }),
					labelled('Invoice number', fields.invoiceNumber),
					labelled('Invoice date', fields.invoiceDate),
					labelled('Due date', fields.dueDate),
					labelled('Bill to', fields.customer),
					labelled('Currency', fields.currency),
					new Paragraph({ spacing: { after: 160 }, children: [] }),
					new Table({
						width: { size: columnWidths.reduce((all, width) => all + width, 0), type: WidthType.DXA },
						columnWidths,
						borders: { top: rule, bottom: rule, left: rule, right: rule, insideHorizontal: rule, insideVertical: rule },
						rows: [
							row(['Description', 'Quantity', 'Unit price', 'Amount'], true),
							...lineItems.map((item) => row([item.description, item.quantity, item.unitPrice, item.amount])),
						],
					}),
					sum('Subtotal', fields.subtotal),
					sum('VAT 0% (reverse charge)', fields.tax),
					sum(`Total ${fields.currency}`, fields.total, true),
					new Paragraph({
						spacing: { before: 500 },
						children: [run('VAT is due from the recipient of the service. Please pay within 14 days.')],
					}),
				],
			},
		],
	});

	// docx writes the current time into both places that are replaced here.
	const bytes = await Packer.toBuffer(document, false, [{ path: 'docProps/core.xml', data: coreProperties() }]);
	return {
		file: 'letter.docx',
		bytes: stampZip(bytes, madeOn),
		printed,
		truth: { documentType: 'invoice', pages: 1, fields: { ...fields }, lineItems, meaning },
	};
}

function coreProperties(): string {
	const time = madeOn.toISOString().replace('.000', '');
	return `<?xml version="1.0" encoding="UTF-8"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${fields.supplier} ${fields.invoiceNumber}</dc:title><dc:creator>examples/documents/make.ts</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${time}</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">${time}</dcterms:modified></cp:coreProperties>`;
}
