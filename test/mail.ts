/** A file in a mail, as the sender's program describes it. */
export interface MailPart {
	content: Buffer;
	contentType: string;
	/** Some programs give none. */
	fileName?: string;
	/** Shown inside the text, as the images of signatures are. */
	inline?: boolean;
}

const BOUNDARY = 'the-parts-of-a-test-mail';

/** A mail as it travels: a text, and the files in their order. */
export function composeMail(subject: string, files: MailPart[]): Buffer {
	const text = [
		'Content-Type: text/plain; charset=utf-8',
		'',
		'Please find our invoices attached.',
	];
	const parts = [text, ...files.map(linesOf)].map((lines) =>
		[`--${BOUNDARY}`, ...lines].join('\r\n'),
	);
	const head = [
		'From: Ann Sender <ann@sender.example>',
		'To: Invoices <invoices@receiver.example>',
		`Subject: ${subject}`,
		'Date: Tue, 03 Nov 2026 09:00:00 +0000',
		`Message-ID: <${subject.replace(/\W/g, '-')}@sender.example>`,
		'MIME-Version: 1.0',
		`Content-Type: multipart/mixed; boundary="${BOUNDARY}"`,
		'',
	];
	return Buffer.from([...head, ...parts, `--${BOUNDARY}--`, ''].join('\r\n'));
}

function linesOf(
	{ content, contentType, fileName, inline = false }: MailPart,
	number: number,
): string[] {
	const named = fileName === undefined ? '' : `; filename="${fileName}"`;
	return [
		`Content-Type: ${contentType}`,
		`Content-Disposition: ${inline ? 'inline' : 'attachment'}${named}`,
		...(inline ? [`Content-ID: <image-${number}@sender.example>`] : []),
		'Content-Transfer-Encoding: base64',
		'',
		...(content.toString('base64').match(/.{1,76}/g) ?? []),
	];
}

/** Moving pictures and the like are what many signatures are made of; the service takes no GIF. */
export const gifSignature = Buffer.from(
	'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
	'base64',
);

export const calendarFile = Buffer.from(
	[
		'BEGIN:VCALENDAR',
		'VERSION:2.0',
		'BEGIN:VEVENT',
		'SUMMARY:Payment due',
		'DTSTART:20261117T090000Z',
		'END:VEVENT',
		'END:VCALENDAR',
		'',
	].join('\r\n'),
);
