import { a4Size, type Paper } from './paper';

export const fields = {
	contractNumber: 'SA-2026-31',
	contractDate: '12 October 2026',
	provider: 'Oatfield Translations',
	client: 'Quandong Ridge Stationery Pty Ltd',
	startDate: '1 November 2026',
	endDate: '31 October 2027',
	monthlyFee: 'EUR 1,850.00',
};

const left = 72;
const right = 523;

export function draw(paper: Paper): void {
	const sheet = paper.newSheet(a4Size);
	const serif = { font: 'serif', size: 11 } as const;

	sheet.text(fields.provider, left, 74, { font: 'serifBold', size: 15 });
	sheet.text('3 Granary Steps, Oatfield · hello@oatfield.example', left, 90, { font: 'serifItalic' });
	sheet.text(fields.contractDate, right, 74, { ...serif, align: 'right' });
	sheet.line(left, 102, right, 102, 0.75);

	sheet.lines([fields.client, 'Lot 3, Ridge Road', 'Quandong Ridge NSW 0000'], left, 136, 15, serif);
	sheet.text(`Service agreement ${fields.contractNumber}`, left, 212, { font: 'serifBold', size: 14 });

	const clauses: Array<[string, string]> = [
		['1. Services', `${fields.provider} ("the provider") translates the product catalogue and the correspondence of ${fields.client} ("the client") from and into English, French and German.`],
		['2. Term', `The agreement starts on ${fields.startDate} and ends on ${fields.endDate}. Either party may end it earlier with sixty days of written notice.`],
		['3. Fee', `The client pays a monthly fee of ${fields.monthlyFee}, which covers up to 20,000 words. Further words are agreed in writing beforehand.`],
		['4. Confidentiality', 'Both parties keep secret what they learn about the business of the other, also after the agreement has ended.'],
		['5. Governing law', 'The agreement is governed by the law of the place where the provider has its seat.'],
	];
	let y = 244;
	for (const [heading, clause] of clauses) {
		sheet.text(heading, left, y, { font: 'serifBold', size: 11 });
		y = sheet.paragraph(clause, left, y + 16, right - left, 15, serif) + 14;
	}

	sheet.text('Signed for the provider', left, 640, serif);
	sheet.text('Signed for the client', 320, 640, serif);
	sheet.line(left, 690, left + 190, 690, 0.5);
	sheet.line(320, 690, 510, 690, 0.5);
	sheet.text('Perrin Oatfield, director', left, 705, { font: 'serifItalic' });
	sheet.text('Wattle Quandong, manager', 320, 705, { font: 'serifItalic' });
}
