import { DAY_MS, sampleDocument, useStandIn } from '../useStandIn';

const service = useStandIn();

test('a stored file is fetched for seven days, by its account, under its own name', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'invoice-de.pdf', 'Rechnung März.pdf');
	expect(stored.status).toBe(201);
	expect(stored.data).toEqual({
		reference: expect.stringMatching(/^artifact:\/\//) as string,
		fileName: 'Rechnung_M_rz.pdf',
		contentType: 'application/pdf',
		sizeBytes: sampleDocument('invoice-de.pdf').length,
		expiresAt: expect.any(String) as string,
	});
	const reference = stored.data.reference as string;
	const fetched = await service.fetchFile(reference);
	expect(fetched.headers.get('content-type')).toBe('application/pdf');
	expect(fetched.headers.get('content-disposition')).toContain("UTF-8''Rechnung%20M%C3%A4rz.pdf");
	expect(fetched.bytes.equals(sampleDocument('invoice-de.pdf'))).toBe(true);
	expect(await service.standIn.charges()).toEqual([]);

	await service.standIn.advanceClock(7 * DAY_MS);
	expect((await service.fetchFile(reference)).status).toBe(410);
	expect((await service.submit({ inputReference: reference })).status).toBe(410);
});

test('a Word document is stored as a PDF with the same text, under its own extension', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'letter.docx');
	expect(stored.data).toMatchObject({ fileName: 'letter.docx', contentType: 'application/pdf' });
	const { bytes } = await service.fetchFile(stored.data.reference as string);
	expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
	expect(stored.data.sizeBytes).toBe(bytes.length);

	const direct = await service.upload('/Document/zero-shot', 'letter.docx');
	const { metadata } = direct.data as { metadata: Record<string, { value: string }> };
	const result = await service.result(await service.start('ZeroShot', 'letter.docx'));
	const stillRead = result.Metadata as Record<string, { value: string }>;
	const values = (fields: typeof metadata) =>
		Object.entries(fields).map(([name, { value }]) => [name, value]);
	expect(values(metadata)).not.toEqual([]);
	expect(values(stillRead)).toEqual(values(metadata));
});

test('what calls itself a Word document and is none is refused', async () => {
	const refused = await service.upload('/api/v1/artifacts', 'notes.txt', 'notes.doc');
	expect([refused.status, refused.code]).toEqual([422, 'DOCUMENT_NOT_CONVERTIBLE']);
});
