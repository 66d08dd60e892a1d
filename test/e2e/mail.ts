import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { documents } from './setting';

/** A file in a mail, as the sender's program describes it. */
interface MailPart {
	content: Buffer;
	contentType: string;
	fileName: string;
	/** Shown inside the text, as the images of signatures are. */
	inline?: boolean;
}

const BOUNDARY = 'the-parts-of-a-test-mail';

/** A mail as it travels: a text, and the files in their order. */
export function composeMail(subject: string, ...files: MailPart[]): Buffer {
	const parts = [
		['Content-Type: text/plain; charset=utf-8', '', 'Please find our invoices attached.'],
		...files.map(({ content, contentType, fileName, inline = false }, number) => [
			`Content-Type: ${contentType}`,
			`Content-Disposition: ${inline ? 'inline' : 'attachment'}; filename="${fileName}"`,
			...(inline ? [`Content-ID: <image-${number}@sender.example>`] : []),
			'Content-Transfer-Encoding: base64',
			'',
			...(content.toString('base64').match(/.{1,76}/g) ?? []),
		]),
	];
	const lines = [
		'From: Ann Sender <ann@sender.example>',
		'To: Invoices <invoices@receiver.example>',
		`Subject: ${subject}`,
		'Date: Tue, 03 Nov 2026 09:00:00 +0000',
		`Message-ID: <${subject.replace(/\W/g, '-')}@sender.example>`,
		'MIME-Version: 1.0',
		`Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
		'',
		...parts.flatMap((part) => [`--${BOUNDARY}`, ...part]),
		`--${BOUNDARY}--`,
		'',
	];
	return Buffer.from(lines.join('\r\n'));
}

/** One of the sample documents, under its own name or another. */
export function attachment(
	file: string,
	fileName = file,
	contentType = 'application/pdf',
): MailPart {
	return { content: readFileSync(join(documents, file)), contentType, fileName };
}

/** What many signatures have; the service takes no GIF. */
export const LOGO: MailPart = {
	content: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
	contentType: 'image/gif',
	fileName: 'logo.gif',
	inline: true,
};

export const CALENDAR: MailPart = {
	content: Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'),
	contentType: 'text/calendar',
	fileName: 'due.ics',
};

export const SPREADSHEET: MailPart = {
	content: Buffer.from('PK'),
	contentType: 'application/vnd.ms-excel',
	fileName: 'prices.xlsx',
};
