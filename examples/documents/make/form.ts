import { a4Size, type Paper } from './paper';

/** The fields under the labels the form itself gives them: nothing but the form tells what to look for. */
const sections: Record<string, Record<string, string>> = {
	'About you': {
		'Full name': 'Aurelio Fenwick-Sato',
		'Date of birth': '14 February 1991',
		Occupation: 'Bridge engineer',
		Address: '57 Towpath Terrace, Harrowdale',
		'E-mail': 'aurelio@fenwick.example',
		Telephone: '01632 960 288',
	},
	Membership: {
		'Membership type': 'Full rowing member',
		'Start date': '1 January 2027',
		'Years of rowing experience': '6',
		'Preferred boat': 'Double scull',
		'Able to swim 100 m': 'Yes',
	},
	'In an emergency': {
		'Emergency contact': 'Noor Fenwick-Sato',
		Relationship: 'Spouse',
		'Contact telephone': '01632 960 289',
	},
};

export const fields: Record<string, string> = Object.fromEntries(Object.values(sections).flatMap((section) => Object.entries(section)));

const navy = '#1d2f56';
const left = 60;
const right = 535;

export function draw(paper: Paper): void {
	const sheet = paper.newSheet(a4Size);
	sheet.text('Harrowdale Rowing Club', left, 70, { font: 'sansBold', size: 12, color: navy });
	sheet.text('Membership application', left, 100, { font: 'sansBold', size: 24, color: navy });
	sheet.text('Please fill in every line and hand the form in at the boathouse.', left, 122, { font: 'sansItalic' });

	let y = 160;
	for (const [section, answers] of Object.entries(sections)) {
		sheet.fill(left, y, right - left, 20, navy);
		sheet.text(section, left + 8, y + 14, { font: 'sansBold', size: 10.5, color: '#ffffff' });
		y += 44;
		for (const [label, answer] of Object.entries(answers)) {
			sheet.text(`${label}:`, left + 8, y, { size: 9.5, color: '#444444', maxWidth: 160 });
			sheet.text(answer, left + 176, y, { font: 'serif', size: 12, color: '#10207a', maxWidth: 300 });
			sheet.line(left + 170, y + 4, right, y + 4, 0.4, '#888888');
			y += 26;
		}
		y += 4;
	}

	sheet.text('I have read the rules of the club and accept them.', left + 8, y + 14);
	sheet.line(left + 8, y + 66, left + 200, y + 66, 0.5);
	sheet.text('Signature', left + 8, y + 79, { size: 8.5, color: '#444444' });
	sheet.text('A. Fenwick-Sato', left + 24, y + 60, { font: 'serifItalic', size: 17, color: '#10207a' });
	sheet.text('Harrowdale Rowing Club is an invented club. www.harrowdale-rowing.example', left, 806, { size: 8, color: '#666666' });
}
