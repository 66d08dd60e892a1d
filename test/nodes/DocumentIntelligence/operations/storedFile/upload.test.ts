import { failureOf, goOn, useJobs } from '../../../service';
import { invoiceItems, itemWith, sampleBytes } from '../../../samples';

const { service, storedFile, steps } = useJobs();

test('every file is stored, one item each', async () => {
	const { items, credits } = await storedFile('upload', [
		await itemWith('invoice-us.pdf'),
		await itemWith('portrait.png', 'me.png'),
	]);
	const reference = expect.stringMatching(/^artifact:/) as string;
	const expiresAt = expect.stringMatching(/^\d{4}-/) as string;
	const expected = (item: number, fileName: string, contentType: string, sample: string) => ({
		json: { reference, fileName, contentType, expiresAt, sizeBytes: sampleBytes(sample).length },
		pairedItem: { item },
	});
	expect(items).toEqual([
		expected(0, 'invoice-us.pdf', 'application/pdf', 'invoice-us.pdf'),
		expected(1, 'me.png', 'image/png', 'portrait.png'),
	]);
	expect(credits).toEqual([]);
	expect(await steps()).toEqual(['store', 'store']);
});

test('no more files are sent at the same time than Concurrent Requests permits', async () => {
	await service.standIn.configure({ latencyMs: 50 });
	const credential = { ...service.credential, concurrentRequests: 2 };
	const { items } = await storedFile('upload', await invoiceItems(6), {}, { credential });
	expect(items.map(({ json }) => json.fileName)).toEqual(
		[0, 1, 2, 3, 4, 5].map((at) => `${at}.pdf`),
	);
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

test('a file that Cogneris refuses without a reason is named', async () => {
	await service.standIn.queueFaults([{ kind: 'status', status: 422 }], 'store');
	const { items } = await storedFile('upload', [await itemWith('invoice-us.pdf')], {}, goOn);
	expect(failureOf(items[0])).toMatchObject({
		message: 'Cogneris did not accept "invoice-us.pdf"',
		details: { fileName: 'invoice-us.pdf', httpCode: 422 },
	});
});
