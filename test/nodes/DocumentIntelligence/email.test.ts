import { simpleParser } from 'mailparser';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import sharp from 'sharp';

import { calendarFile, composeMail, gifSignature, type MailPart } from '../../mail';
import { storeFile, useBinaryMode } from '../../n8n-core/runNode';
import { sampleBytes } from '../samples';
import { thrownBy, useService } from '../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

/** A mail as n8n's email nodes hand it on: its files in attachment_0, attachment_1 and so on, inline ones too. */
async function mailOf(title: string, parts: MailPart[]): Promise<INodeExecutionData> {
	const { attachments, subject } = await simpleParser(composeMail(title, parts));
	const binary: IBinaryKeyData = {};
	for (const [number, { content, filename, contentType }] of attachments.entries()) {
		const name = filename === undefined ? undefined : String(filename);
		binary[`attachment_${number}`] = await storeFile(content, name, contentType);
	}
	return { json: { subject }, binary };
}

const options = { ignoreUnsupportedFiles: true };
const everyFile = { operation: 'extract', binaryPropertyName: '*', options };
const goOn = { onError: 'continueRegularOutput' as const };

const pdf = (sample: string, fileName: string = sample): MailPart => ({
	content: sampleBytes(sample),
	contentType: 'application/pdf',
	fileName,
});
const calendar: MailPart = {
	content: calendarFile,
	contentType: 'text/calendar; method=REQUEST',
	fileName: 'due.ics',
};
const signature: MailPart = {
	content: gifSignature,
	contentType: 'image/gif',
	fileName: 'logo.gif',
	inline: true,
};
const twoInvoices = [pdf('invoice-de.pdf'), signature, calendar, pdf('invoice-fr.pdf')];

const numbers = (items: INodeExecutionData[]) =>
	items.map(({ json, pairedItem }) => [
		(json.fields as IDataObject | undefined)?.invoiceNumber ??
			(json.error as IDataObject | undefined)?.message,
		pairedItem,
	]);

test('two invoices with a signature and a calendar file between them', async () => {
	const { items, hints } = await service.run(everyFile, [await mailOf('Two', twoInvoices)]);
	expect(numbers(items)).toEqual([
		['RE-2026-1148', { item: 0 }],
		['FA-26/0093', { item: 0 }],
	]);
	expect(hints.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^2 files skipped: "logo\.gif" .*"due\.ics"/),
	]);
	expect(await service.calls()).toHaveLength(2);
});

test('a signature of a supported type is a failed item of its own, and a mail without any file has no output', async () => {
	const picture = { width: 120, height: 40, channels: 3 as const, background: '#224466' };
	const logo: MailPart = {
		content: await sharp({ create: picture }).png().toBuffer(),
		contentType: 'image/png',
		fileName: 'image001.png',
		inline: true,
	};
	const mails = [
		await mailOf('Only an invitation', [calendar, signature]),
		await mailOf('Only words', []),
		await mailOf('One', [logo, pdf('invoice-us.pdf')]),
	];
	const { items } = await service.run(everyFile, mails, goOn);
	expect(numbers(items)).toEqual([
		[expect.stringContaining('"image001.png"'), { item: 2 }],
		['INV-2026-0117', { item: 2 }],
	]);
	expect((await thrownBy(service.run(everyFile, mails))).message).toContain('"image001.png"');
});
