import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { sha256, uniquePdf } from '../../samples';
import { useService, type RecordedFile } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

/** Sends an invoice that is called so, and gives what arrived of it. */
async function arrivalOf(fileName: string | undefined): Promise<RecordedFile> {
	const content = uniquePdf();
	const binary = { ...(await storeFile(content, 'stored.pdf', 'application/pdf')), fileName };
	await service.run({ operation: 'classify' }, [{ json: {}, binary: { data: binary } }]);
	const [call, ...others] = await service.calls();
	expect(others).toEqual([]);
	expect(call?.status).toBe(200);
	expect(call?.parts).toEqual([
		expect.objectContaining({
			name: 'files',
			contentType: 'application/pdf',
			sha256: sha256(content),
		}),
	]);
	return call?.parts[0] as RecordedFile;
}

describe('The name a file is uploaded with', () => {
	test.each([
		['a plain name', 'invoice.pdf', 'invoice.pdf'],
		['an upper-case extension', 'INVOICE-001.PDF', 'INVOICE-001.PDF'],
		['a path of Linux', '/var/mail/in/invoice.pdf', 'invoice.pdf'],
		['a path of Windows', 'C:\\Users\\Ann\\invoice.pdf', 'invoice.pdf'],
		['a path upwards', '../../../etc/invoice.pdf', 'invoice.pdf'],
		[
			'CR and LF, with a header in tow',
			'in\r\nX-Injected: yes\r\n\r\nvoice.pdf',
			'inX-Injected: yesvoice.pdf',
		],
		['NUL', 'invoice.pdf\0', 'invoice.pdf'],
		['other control characters', 'in\u0007vo\u001b[31mice\u0085.pdf', 'invo[31mice.pdf'],
		// A quote in a header parameter is %22 on the wire, as browsers send it.
		['quotes', 'the "best" invoice.pdf', 'the %22best%22 invoice.pdf'],
		['an apostrophe, semicolon and comma', "Ann's; invoice, 2.pdf", "Ann's; invoice, 2.pdf"],
		['a percent sign', '100%20.pdf', '100%20.pdf'],
		['an emoji', '🧾 receipt 👩‍💻.pdf', '🧾 receipt 👩‍💻.pdf'],
		['right-to-left script', 'חשבונית 5.pdf', 'חשבונית 5.pdf'],
		[
			'an em dash and accents, composed and not',
			'Übersicht — cafe\u0301.pdf',
			'Übersicht — cafe\u0301.pdf',
		],
		['several dots', 'invoice.2026.11.pdf', 'invoice.2026.11.pdf'],
		['white space around it', '  invoice.pdf \t', 'invoice.pdf'],
		['no name', undefined, 'data.pdf'],
		['an empty name', '', 'data.pdf'],
		['only control characters', '\r\n\0', 'data.pdf'],
		['only a folder', 'mail/', 'data.pdf'],
		['no extension', 'invoice', 'invoice.pdf'],
		['a name that is only an extension of another kind', 'invoice.2026', 'invoice.2026.pdf'],
	])('%s', async (_, fileName, uploaded) => {
		expect((await arrivalOf(fileName)).fileName).toBe(uploaded);
	});

	test.each([
		['letters', 'x'],
		['letters of two bytes', 'é'],
		['letters of three bytes', '票'],
		['emoji, which are two UTF-16 units each', '🧾'],
	])('300 characters: %s', async (_, character) => {
		const { fileName } = await arrivalOf(`${character.repeat(300)}.pdf`);
		// File systems take 255 bytes; half a character must not remain.
		expect(fileName).toMatch(new RegExp(`^(${character})+\\.pdf$`, 'u'));
		expect(Buffer.byteLength(fileName)).toBeLessThanOrEqual(255);
		expect(Array.from(fileName).length).toBeGreaterThan(50);
	});

	test('300 characters without an extension get theirs behind the cut', async () => {
		expect((await arrivalOf('x'.repeat(300))).fileName).toMatch(/^x{150,}\.pdf$/);
	});

	test('what the user calls the file stays in the result', async () => {
		const binary = await storeFile(uniquePdf(), 'invoice', 'application/pdf');
		const { items } = await service.run({ operation: 'classify' }, [
			{ json: {}, binary: { data: binary } },
		]);
		expect(items[0]?.json.fileName).toBe('invoice');
	});
});
