import { DAY_MS, sampleDocument, useStandIn } from '../useStandIn';

const service = useStandIn();

test('a stored file is fetched as it was uploaded, as often as it is asked for', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'invoice-de.pdf', 'Rechnung März.pdf');
	expect(stored.status).toBe(201);
	expect(stored.data).toEqual({
		reference: expect.stringMatching(/^artifact:\/\//) as string,
		fileName: 'Rechnung März.pdf',
		contentType: 'application/octet-stream',
		sizeBytes: sampleDocument('invoice-de.pdf').length,
		expiresAt: expect.any(String) as string,
	});
	const days = (Date.parse(stored.data.expiresAt as string) - Date.now()) / DAY_MS;
	expect(days).toBeCloseTo(7, 2);
	for (let times = 0; times < 2; times++) {
		const fetched = await service.fetchFile(stored.data.reference as string);
		expect(fetched.status).toBe(200);
		expect(fetched.headers.get('content-disposition')).toContain("UTF-8''Rechnung%20M%C3%A4rz.pdf");
		expect(fetched.bytes.equals(sampleDocument('invoice-de.pdf'))).toBe(true);
	}
	expect(await service.standIn.charges()).toEqual([]);
});

test('a file of a type that is not supported is rejected', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'notes.txt');
	expect([stored.status, stored.code]).toEqual([400, 'FILE_EXTENSION_NOT_ALLOWED']);
});

test('a form field that the service does not know is rejected', async () => {
	const stored = await service.upload('/api/v1/artifacts', 'invoice-us.pdf', 'a.pdf', 'files');
	expect([stored.status, stored.code]).toEqual([400, 'UNEXPECTED_FIELD']);
});

test('a file larger than 10 MB is rejected', async () => {
	const form = new FormData();
	form.append('file', new Blob([new Uint8Array(10 * 1024 * 1024 + 1)]), 'large.pdf');
	const stored = await service.send('POST', '/api/v1/artifacts', { body: form });
	expect([stored.status, stored.code]).toEqual([400, 'FILE_TOO_LARGE']);
});

test('a reference that is unknown, of another account, missing or expired has a status of its own', async () => {
	const reference = await service.store();
	expect((await service.fetchFile('artifact://stored/nothing')).status).toBe(404);
	expect((await service.fetchFile('')).status).toBe(400);

	const { key } = service;
	service.key = `${key}-other`;
	expect((await service.fetchFile(reference)).status).toBe(400);

	service.key = key;
	await service.standIn.advanceClock(7 * DAY_MS - 60_000);
	expect((await service.fetchFile(reference)).status).toBe(200);
	await service.standIn.advanceClock(60_000);
	expect((await service.fetchFile(reference)).status).toBe(410);
	expect((await service.submit({ inputReference: reference })).status).toBe(410);
});
