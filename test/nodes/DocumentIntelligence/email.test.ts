import { simpleParser } from 'mailparser';
import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import sharp from 'sharp';

import { calendarFile, composeMail, gifSignature, type MailPart } from '../../mail';
import { storeFile, useBinaryMode, type BinaryMode } from '../../n8n-core/runNode';
import { sampleBytes, truth } from '../samples';
import { failureOf, thrownBy, useService } from '../service';

const service = useService();

/** A mail as n8n's email nodes hand it on: its files in attachment_0, attachment_1 and so on, inline ones too. */
async function itemOf(mail: Buffer): Promise<INodeExecutionData> {
	const { attachments, subject } = await simpleParser(mail);
	const binary: IBinaryKeyData = {};
	for (const [number, { content, filename, contentType }] of attachments.entries()) {
		binary[`attachment_${number}`] = await storeFile(
			content,
			filename === undefined ? undefined : String(filename),
			contentType,
		);
	}
	return { json: { subject }, binary };
}

const everyFile = {
	operation: 'extract',
	binaryPropertyName: '*',
	options: { ignoreUnsupportedFiles: true },
};

const goOn = { onError: 'continueRegularOutput' as const };

const pdf = (
	sample: string,
	fileName: string | undefined = sample,
	contentType = 'application/pdf',
): MailPart => ({
	content: sampleBytes(sample),
	contentType,
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

const numbers = (items: INodeExecutionData[]) =>
	items.map(({ json, pairedItem }) => [
		(json.fields as IDataObject | undefined)?.invoiceNumber ??
			(json.error as IDataObject | undefined)?.message,
		pairedItem,
	]);

describe.each<BinaryMode>(['filesystem', 'default'])(
	'The files of a mail, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test('two invoices with a signature and a calendar file between them', async () => {
			const mail = await itemOf(
				composeMail('Two invoices', [
					pdf('invoice-de.pdf'),
					signature,
					calendar,
					pdf('invoice-fr.pdf'),
				]),
			);
			expect(Object.keys(mail.binary ?? {})).toHaveLength(4);
			const { items, hints } = await service.run(everyFile, [mail]);
			expect(numbers(items)).toEqual([
				['RE-2026-1148', { item: 0 }],
				['FA-26/0093', { item: 0 }],
			]);
			expect(hints).toEqual([
				{
					type: 'info',
					location: 'outputPane',
					message: expect.stringMatching(/^2 files skipped: "logo\.gif" .*"due\.ics"/) as string,
				},
			]);
			expect(await service.calls()).toHaveLength(2);
		});

		test('become rows of one sheet with the invoices of other mails', async () => {
			const mails = [
				await itemOf(
					composeMail('Two invoices', [
						pdf('invoice-de.pdf'),
						signature,
						calendar,
						pdf('invoice-fr.pdf'),
					]),
				),
				await itemOf(composeMail('One', [pdf('invoice-uk.pdf')])),
				await itemOf(composeMail('Another', [calendar, pdf('invoice-us.pdf')])),
			];
			const { items } = await service.run(
				{ ...everyFile, output: 'rows', options: { ...everyFile.options, values: 'printed' } },
				mails,
			);
			const expected = [
				['invoice-de.pdf', 0] as const,
				['invoice-fr.pdf', 0] as const,
				['invoice-uk.pdf', 1] as const,
				['invoice-us.pdf', 2] as const,
			].flatMap(([name, item]) =>
				(truth[name]?.lineItems ?? []).map((lineItem, position) => ({
					json: { fileName: name, rowNumber: position + 1, ...lineItem },
					pairedItem: { item },
				})),
			);
			expect(items).toMatchObject(expected);
			expect(items).toHaveLength(expected.length);
			expect(new Set(items.map(({ json }) => Object.keys(json).join())).size).toBe(1);
		});
	},
);

describe('The files of a mail', () => {
	beforeAll(async () => await useBinaryMode('filesystem'));

	test.each<[string, string | undefined, string, string]>([
		['as bytes of unknown kind', 'invoice.pdf', 'application/octet-stream', 'invoice.pdf'],
		['with an upper-case extension', 'RECHNUNG.PDF', 'application/octet-stream', 'RECHNUNG.PDF'],
		['with a double extension', 'invoice.xlsx.pdf', 'application/pdf', 'invoice.xlsx.pdf'],
		[
			'with the extension doubled',
			'invoice.pdf.PDF',
			'application/octet-stream',
			'invoice.pdf.PDF',
		],
		['without extension', 'invoice', 'application/octet-stream', 'invoice.pdf'],
		['without a name', undefined, 'application/pdf', 'attachment_0.pdf'],
		[
			'without a name, as bytes of unknown kind',
			undefined,
			'application/octet-stream',
			'attachment_0.pdf',
		],
	])('an invoice %s is read', async (_, fileName, contentType, uploadName) => {
		const mail = await itemOf(
			composeMail('One', [
				{ content: sampleBytes('invoice-us.pdf'), contentType, fileName },
				calendar,
			]),
		);
		const { items } = await service.run(everyFile, [mail]);
		expect(numbers(items)).toEqual([['INV-2026-0117', { item: 0 }]]);
		expect(await service.files()).toMatchObject([
			{ fileName: uploadName, contentType: 'application/pdf' },
		]);
	});

	test('a signature of a kind that the service reads is a failed item of its own', async () => {
		const logo = await sharp({
			create: { width: 120, height: 40, channels: 3, background: '#224466' },
		})
			.png()
			.toBuffer();
		const mail = composeMail('Two invoices', [
			pdf('invoice-de.pdf'),
			{ content: logo, contentType: 'image/png', fileName: 'image001.png', inline: true },
			pdf('invoice-fr.pdf'),
		]);
		const { items } = await service.run(everyFile, [await itemOf(mail)], goOn);
		expect(numbers(items)).toEqual([
			['RE-2026-1148', { item: 0 }],
			[expect.stringContaining('"image001.png"'), { item: 0 }],
			['FA-26/0093', { item: 0 }],
		]);
	});

	test('a mail without any file says so, one with unsupported files only is skipped, and the others go on', async () => {
		const mails = [
			await itemOf(composeMail('Only an invitation', [calendar, signature])),
			await itemOf(composeMail('Only words', [])),
			await itemOf(composeMail('One', [pdf('invoice-us.pdf')])),
		];
		const { items } = await service.run(everyFile, mails, goOn);
		expect(numbers(items)).toEqual([
			['The item has no file', { item: 1 }],
			['INV-2026-0117', { item: 2 }],
		]);
		expect(failureOf(items[0]).description).not.toBe('');
		expect((await thrownBy(service.run(everyFile, mails))).message).toBe('The item has no file');
	});

	test('are sorted by type in one request', async () => {
		const mails = [
			await itemOf(
				composeMail('Mixed', [pdf('contract.pdf'), calendar, pdf('invoice-us.pdf', 'scan.pdf')]),
			),
			await itemOf(composeMail('One', [pdf('invoice-de.pdf', 'scan.pdf')])),
		];
		const { items } = await service.run(
			{
				...everyFile,
				operation: 'classify',
				options: { ignoreUnsupportedFiles: true, filesPerRequest: 20, includeInputFields: true },
			},
			mails,
		);
		expect(
			items.map(({ json }) => [
				(json.input as IDataObject).subject,
				json.fileName,
				json.documentType,
			]),
		).toEqual([
			['Mixed', 'contract.pdf', 'Contract'],
			['Mixed', 'scan.pdf', 'Invoice'],
			['One', 'scan.pdf', 'Invoice'],
		]);
		expect(await service.calls()).toHaveLength(1);
	});
});
