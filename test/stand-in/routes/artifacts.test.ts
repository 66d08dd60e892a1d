import { DAY_MS, sampleDocument, useStandIn } from '../useStandIn';

const service = useStandIn();

test('a stored file is fetched for seven days, by its account, under its own name', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'invoice-de.pdf', 'Rechnung März.pdf');
	expect(stored.status).toBe(201);
	const document = sampleDocument('invoice-de.pdf');
	const kept = { contentType: 'application/pdf', sizeBytes: document.length };
	expect(stored.data).toMatchObject({ fileName: 'Rechnung_M_rz.pdf', ...kept });
	const reference = stored.data.reference as string;
	const fetched = await service.fetchFile(reference);
	expect(fetched.headers.get('content-disposition')).toContain("UTF-8''Rechnung%20M%C3%A4rz.pdf");
	expect(fetched.bytes.equals(document)).toBe(true);
	expect(await service.standIn.charges()).toEqual([]);
	const { key } = service;
	service.key += '-other';
	expect((await service.fetchFile(reference)).status).toBe(404);
	service.key = key;

	await service.standIn.advanceClock(7 * DAY_MS);
	expect((await service.fetchFile(reference)).status).toBe(410);
	expect((await service.submit({ inputReference: reference })).status).toBe(410);
});

test('a Word document is stored as a PDF with the same text, under its own extension', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'letter.docx');
	expect(stored.data).toMatchObject({ fileName: 'letter.docx', contentType: 'application/pdf' });
	const { bytes } = await service.fetchFile(stored.data.reference as string);
	expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');

	const values = (fields: unknown) =>
		Object.entries(fields as Record<string, { value: string }>).map(([name, { value }]) => [
			name,
			value,
		]);
	const direct = await service.upload('/Document/zero-shot', 'letter.docx');
	const result = await service.result(await service.start('ZeroShot', 'letter.docx'));
	expect(values(direct.data.metadata)).not.toEqual([]);
	expect(values(result.Metadata)).toEqual(values(direct.data.metadata));
});

test('what calls itself a Word document and is none is refused', async () => {
	const refused = await service.upload('/api/v1/artifacts', 'notes.txt', 'notes.doc');
	expect([refused.status, refused.code]).toEqual([422, 'DOCUMENT_NOT_CONVERTIBLE']);
});
