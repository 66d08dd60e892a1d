import { DAY_MS, sampleDocument, useStandIn } from '../useStandIn';

const service = useStandIn();

test('a stored file is fetched as it was uploaded, for seven days, by its account', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'invoice-de.pdf', 'Rechnung März.pdf');
	expect(stored.status).toBe(201);
	expect(stored.data).toEqual({
		reference: expect.stringMatching(/^artifact:\/\//) as string,
		fileName: 'Rechnung März.pdf',
		contentType: 'application/octet-stream',
		sizeBytes: sampleDocument('invoice-de.pdf').length,
		expiresAt: expect.any(String) as string,
	});
	const reference = stored.data.reference as string;
	const fetched = await service.fetchFile(reference);
	expect(fetched.headers.get('content-disposition')).toContain("UTF-8''Rechnung%20M%C3%A4rz.pdf");
	expect(fetched.bytes.equals(sampleDocument('invoice-de.pdf'))).toBe(true);
	expect(await service.standIn.charges()).toEqual([]);

	expect((await service.fetchFile('artifact://stored/nothing')).status).toBe(404);
	const { key } = service;
	service.key = `${key}-other`;
	expect((await service.fetchFile(reference)).status).toBe(400);
	service.key = key;
	await service.standIn.advanceClock(7 * DAY_MS);
	expect((await service.fetchFile(reference)).status).toBe(410);
	expect((await service.submit({ inputReference: reference })).status).toBe(410);
});
