import { failureOf, goOn, useJobs } from '../../../service';
import { itemWith, sampleBytes } from '../../../samples';

const { service, storedFile, steps } = useJobs();

test('every file is stored, one item each', async () => {
	const { items, credits } = await storedFile('upload', [
		await itemWith('invoice-us.pdf'),
		await itemWith('portrait.png', 'me.png'),
	]);
	expect(
		items.map(({ json, pairedItem }) => [json.fileName, json.contentType, pairedItem]),
	).toEqual([
		['invoice-us.pdf', 'application/pdf', { item: 0 }],
		['me.png', 'image/png', { item: 1 }],
	]);
	expect(items[0]?.json).toEqual({
		reference: expect.stringMatching(/^artifact:/) as string,
		fileName: 'invoice-us.pdf',
		contentType: 'application/pdf',
		sizeBytes: sampleBytes('invoice-us.pdf').length,
		expiresAt: expect.stringMatching(/^\d{4}-/) as string,
	});
	expect(credits).toEqual([]);
	expect(await steps()).toEqual(['store', 'store']);
});

test('no more files are sent at the same time than Concurrent Requests permits', async () => {
	await service.standIn.configure({ latencyMs: 50 });
	const names = Array.from({ length: 6 }, (_, index) => `${index}.pdf`);
	const items = await Promise.all(names.map(async (name) => itemWith('invoice-us.pdf', name)));
	const credential = { ...service.credential, concurrentRequests: 2 };
	const { items: stored } = await storedFile('upload', items, {}, { credential });
	expect(stored.map(({ json }) => json.fileName)).toEqual(names);
	expect((await service.standIn.figures()).maxConcurrent).toBe(2);
});

test('what the service would refuse is refused before it is sent', async () => {
	const { items } = await storedFile('upload', [await itemWith('notes.txt')], {}, goOn);
	expect(failureOf(items[0]).message).toBe('"notes.txt" has an unsupported file type');
	const stored = { inputSource: 'storedFile', reference: 'artifact://a' };
	const again = await storedFile('upload', [await itemWith('invoice-us.pdf')], stored, goOn);
	expect(failureOf(again.items[0]).message).toBe(`Unknown value for 'Input Source': "storedFile"`);
	expect(await service.calls()).toEqual([]);
});

test.each([
	['contradictory503' as const, 1],
	['charged503' as const, 1],
	['retryable503' as const, 2],
	['reset' as const, 2],
])('after %s, a file is sent %i times', async (kind, count) => {
	await service.standIn.queueFaults([{ kind }], 'store');
	await storedFile('upload', [await itemWith('invoice-us.pdf')], {}, goOn);
	expect(await steps()).toHaveLength(count);
});

test('a refused file is told', async () => {
	await service.standIn.queueFaults([{ kind: 'status', status: 422 }], 'store');
	const bad = await storedFile('upload', [await itemWith('invoice-us.pdf')], {}, goOn);
	expect(failureOf(bad.items[0])).toMatchObject({
		message: 'Cogneris did not accept "invoice-us.pdf"',
		details: { fileName: 'invoice-us.pdf', httpCode: 422 },
	});
});
