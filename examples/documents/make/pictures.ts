import { printAmount, type NumberStyle } from './amounts';
import { corvin, mirelle, portrait, sheetHeight, sheetWidth, type Person } from './person';
import { boxIn, laid, render, Sketch, type Drawing, type Place } from './picture';
import type { DocumentInImage, LineItem, MadeDocument } from './truth';

/** A drawn document with what is true about it, in the drawing's own coordinates. */
interface Piece {
	documentType: string;
	drawing: Drawing;
	fields: Record<string, string>;
	lineItems?: LineItem[];
}

export async function madePictures(): Promise<MadeDocument[]> {
	const card = identityCard();
	return [
		await picture('receipt.jpg', 'receipt', { width: 720, height: 1000 }, '#54483f', [
			[receipt(), { x: 150, y: 110, scale: 1, degrees: -4 }],
		]),
		await picture('id-card.png', 'identity card', { width: 1040, height: 720 }, '#c9cdd1', [
			[card, { x: 92, y: 90, scale: 1, degrees: 0 }],
		]),
		await selfie('portrait.png', mirelle, { width: 480, height: 600 }, '#8fb3a3', '#3c4a6b', 1.2),
		await selfie('portrait-other.png', corvin, { width: 480, height: 560 }, '#d8c7a8', '#5e2f3d', 1.1),
		await picture('two-cards.jpg', 'image of several documents', { width: 1280, height: 560 }, '#3f4b52', [
			[card, { x: 60, y: 95, scale: 0.62, degrees: -3 }],
			[libraryCard(), { x: 690, y: 130, scale: 0.62, degrees: 4 }],
		]),
	];
}

async function picture(
	file: string,
	documentType: string,
	image: { width: number; height: number },
	background: string,
	pieces: Array<[Piece, Place]>,
): Promise<MadeDocument> {
	const documents: DocumentInImage[] = pieces.map(([{ drawing, ...rest }, place]) => ({
		...rest,
		box: boxIn(drawing, place),
	}));
	const [only, ...others] = documents;
	const { fields, lineItems } = others.length === 0 && only ? only : {};
	return {
		file,
		bytes: await render(file, image, background, pieces.map(([piece, place]) => laid(piece.drawing, place)).join('\n')),
		printed: pieces.flatMap(([piece]) => piece.drawing.printed),
		truth: { documentType, fields, lineItems, image, documents },
	};
}

async function selfie(
	file: string,
	person: Person,
	image: { width: number; height: number },
	background: string,
	clothes: string,
	scale: number,
): Promise<MadeDocument> {
	const x = (image.width - sheetWidth * scale) / 2;
	const y = image.height - sheetHeight * scale;
	const sun = `<circle cx="${image.width * 0.82}" cy="${image.height * 0.16}" r="46" fill="#ffffff" opacity="0.25"/>`;
	return {
		file,
		bytes: await render(file, image, background, `${sun}<g transform="translate(${x} ${y}) scale(${scale})">${portrait(person, clothes)}</g>`),
		printed: [],
		truth: { documentType: 'portrait', image },
	};
}

function receipt(): Piece {
	const numbers: NumberStyle = { group: ',', point: '.', before: '', after: '' };
	const sold: Array<[string, number, number]> = [
		['Flat white', 2, 420],
		['Cardamom bun', 1, 385],
		['Soup of the day', 1, 950],
		['Sparkling water', 1, 310],
	];
	const total = sold.reduce((sum, [, quantity, cents]) => sum + quantity * cents, 0);
	// Prices in a shop include the tax.
	const tax = Math.round((total * 13.5) / 113.5);
	const lineItems = sold.map(([description, quantity, cents]) => ({
		description,
		quantity: String(quantity),
		unitPrice: printAmount(cents, numbers),
		amount: printAmount(quantity * cents, numbers),
	}));
	const fields = {
		supplier: 'The Corner Kettle Café',
		receiptNumber: '004417',
		receiptDate: '31/10/2026',
		time: '12:47',
		currency: 'EUR',
		subtotal: printAmount(total - tax, numbers),
		tax: printAmount(tax, numbers),
		total: printAmount(total, numbers),
		paymentMethod: 'Card',
	};

	const sketch = new Sketch(420, 780);
	const [left, right] = [34, 386];
	const mono = { size: 17, font: 'mono' } as const;
	const dashes = (y: number) =>
		sketch.shape(`<path d="M${left} ${y} H${right}" stroke="#444" stroke-width="1.5" stroke-dasharray="6 4"/>`);
	const pair = (label: string, value: string, y: number, look: { size?: number; bold?: boolean } = {}) => {
		sketch.text(label, left, y, { ...mono, ...look });
		sketch.text(value, right, y, { ...mono, ...look, align: 'right' });
	};
	sketch.shape('<rect width="420" height="780" fill="#fbfaf6"/>');
	sketch.text(fields.supplier, 210, 70, { size: 25, font: 'serif', bold: true, align: 'center' });
	sketch.text('5 Lantern Quay, Harrowdale', 210, 100, { ...mono, size: 15, align: 'center' });
	sketch.text('www.corner-kettle.example', 210, 122, { ...mono, size: 15, align: 'center' });
	dashes(146);
	pair('Receipt no.', fields.receiptNumber, 178);
	pair('Date', fields.receiptDate, 204);
	pair('Time', fields.time, 230);
	dashes(252);
	lineItems.forEach((item, index) => {
		const y = 286 + index * 50;
		sketch.text(item.description, left, y, mono);
		sketch.text(item.amount, right, y, { ...mono, align: 'right' });
		sketch.text(`${item.quantity} x ${item.unitPrice}`, left + 22, y + 21, { ...mono, size: 14, color: '#555' });
	});
	dashes(484);
	pair('Net', fields.subtotal, 516);
	pair('VAT 13.5%', fields.tax, 542);
	pair(`TOTAL ${fields.currency}`, fields.total, 580, { size: 24, bold: true });
	dashes(602);
	pair('Paid by', fields.paymentMethod, 634);
	sketch.text('Thank you, see you soon!', 210, 676, { ...mono, align: 'center' });
	sketch.shape(barcode(110, 696, 200, 46));
	return { documentType: 'receipt', drawing: sketch.drawing(), fields, lineItems };
}

function identityCard(): Piece {
	const fields = {
		documentNumber: 'ES0417732',
		surname: 'TAVANDER',
		givenNames: 'MIRELLE ISAURE',
		nationality: 'ESTMERIAN',
		dateOfBirth: '09 APR 1994',
		sex: 'F',
		placeOfBirth: 'PORT ISAURE',
		dateOfExpiry: '30 JUN 2034',
	};
	const sketch = new Sketch(856, 540);
	sketch.shape('<rect width="856" height="540" rx="30" fill="#eaf0ea"/>');
	const waves = Array.from({ length: 13 }, (_, index) => {
		const y = 110 + index * 30;
		return `M0 ${y} C140 ${y - 34} 280 ${y + 34} 428 ${y} S716 ${y - 34} 856 ${y}`;
	});
	sketch.shape(`<path d="${waves.join(' ')}" fill="none" stroke="#b9cfc0" stroke-width="1.5"/>`);
	sketch.shape('<path d="M0 88 V30 A30 30 0 0 1 30 0 H826 A30 30 0 0 1 856 30 V88 Z" fill="#24523f"/>');
	sketch.text('REPUBLIC OF ESTMERE', 40, 42, { size: 25, bold: true, color: '#fff', spacing: 2 });
	sketch.text('IDENTITY CARD', 40, 72, { size: 18, color: '#cfe3d6', spacing: 3 });
	sketch.shape('<g fill="#e7c65c"><circle cx="790" cy="44" r="24"/><path d="M790 26 l5 13 14 1 -11 9 4 14 -12 -8 -12 8 4 -14 -11 -9 14 -1 Z" fill="#24523f"/></g>');

	const photo = { x: 40, y: 122, scale: 0.6 };
	sketch.shape(`<svg x="${photo.x}" y="${photo.y}" width="${sheetWidth * photo.scale}" height="${sheetHeight * photo.scale}" viewBox="0 0 ${sheetWidth} ${sheetHeight}">
		<rect width="${sheetWidth}" height="${sheetHeight}" fill="#f4f4f1"/>${portrait(mirelle, '#6d7480')}</svg>
		<rect x="${photo.x}" y="${photo.y}" width="${sheetWidth * photo.scale}" height="${sheetHeight * photo.scale}" fill="none" stroke="#24523f" stroke-width="2"/>`);

	const entries: Array<[string, string, number, number]> = [
		['Surname', fields.surname, 320, 140],
		['Given names', fields.givenNames, 320, 202],
		['Nationality', fields.nationality, 320, 264],
		['Sex', fields.sex, 560, 264],
		['Date of birth', fields.dateOfBirth, 320, 326],
		['Place of birth', fields.placeOfBirth, 560, 326],
		['Date of expiry', fields.dateOfExpiry, 320, 388],
		['Document no.', fields.documentNumber, 560, 388],
	];
	for (const [label, value, x, y] of entries) {
		sketch.text(label, x, y, { size: 14, color: '#4b6a5a' });
		sketch.text(value, x, y + 27, { size: 23, bold: true, color: '#16241d' });
	}
	sketch.text('SPECIMEN', 40, 490, { size: 46, bold: true, color: '#b3372f', spacing: 14 });
	sketch.text('Not a real document. Estmere does not exist.', 428, 482, { size: 14, color: '#4b6a5a' });
	return {
		documentType: 'identity card',
		drawing: sketch.drawing(),
		fields,
	};
}

function libraryCard(): Piece {
	const fields = { cardNumber: '2 0038 00917', holder: 'Corvin Adebari', validUntil: '31 December 2027' };
	const sketch = new Sketch(856, 540);
	sketch.shape('<rect width="856" height="540" rx="30" fill="#fdf6e7"/>');
	sketch.shape('<path d="M0 150 V30 A30 30 0 0 1 30 0 H826 A30 30 0 0 1 856 30 V150 Z" fill="#b6552d"/>');
	sketch.shape('<g fill="#fdf6e7" transform="translate(-28 0)"><path d="M720 44 C744 34 764 38 776 48 V112 C764 102 744 98 720 108 Z"/><path d="M784 48 C796 38 816 34 840 44 V108 C816 98 796 102 784 112 Z"/></g>');
	sketch.text('Lakeside Community Library', 44, 74, { size: 34, font: 'serif', bold: true, color: '#fff' });
	sketch.text('Library card', 44, 116, { size: 24, font: 'serif', color: '#f8dfcf' });
	const entries: Array<[string, string, number, number]> = [
		['Name', fields.holder, 44, 208],
		['Card number', fields.cardNumber, 44, 292],
		['Valid until', fields.validUntil, 470, 292],
	];
	for (const [label, value, x, y] of entries) {
		sketch.text(label, x, y, { size: 18, color: '#8c6a50' });
		sketch.text(value, x, y + 34, { size: 28, bold: true, color: '#33241a' });
	}
	sketch.shape(barcode(44, 380, 420, 100));
	sketch.text('If found, please return to any branch.', 812, 476, { size: 16, color: '#8c6a50', align: 'right' });
	return { documentType: 'library card', drawing: sketch.drawing(), fields };
}

/** Looks like a bar code; says nothing. */
function barcode(x: number, y: number, width: number, height: number): string {
	const steps = [3, 2, 1, 2, 4, 1, 1, 3, 2, 1, 3, 1, 2, 2, 1, 4, 1, 2, 3, 1, 1, 2, 2, 3, 1, 1, 4, 2, 1, 3];
	const total = steps.reduce((sum, step) => sum + step, 0);
	let at = x;
	const bars = steps.map((step, index) => {
		const from = at;
		at += (step / total) * width;
		return index % 2 === 0 ? `M${from.toFixed(1)} ${y} H${at.toFixed(1)} V${y + height} H${from.toFixed(1)} Z` : '';
	});
	return `<path d="${bars.join(' ')}" fill="#222"/>`;
}
