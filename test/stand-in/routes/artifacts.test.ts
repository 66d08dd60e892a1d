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
	const other = await service.asOther(async () => await service.fetchFile(reference));
	expect(other.status).toBe(404);

	await service.standIn.advanceClock(7 * DAY_MS);
	expect((await service.fetchFile(reference)).status).toBe(410);
	expect((await service.submit({ inputReference: reference })).status).toBe(410);
});

test('a Word document is stored as a PDF with the same text; what is none cannot be converted', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'letter.docx');
	expect(stored.data).toMatchObject({ fileName: 'letter.docx', contentType: 'application/pdf' });
	const result = await service.result(await service.start('ZeroShot', 'letter.docx'));
	expect(result.Metadata).toMatchObject({ billTo: { value: 'Atelier Vermeillon SARL', page: 1 } });

	const refused = await service.upload('/api/v1/artifacts', 'notes.txt', 'notes.doc');
	expect([refused.status, refused.code]).toEqual([422, 'DOCUMENT_NOT_CONVERTIBLE']);
});
