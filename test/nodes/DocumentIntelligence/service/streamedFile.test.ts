import { StreamedFile } from '../../../../nodes/DocumentIntelligence/service/client';

test('closing it ends what still reads, and a store that breaks off then does not matter', async () => {
	const counts = { opened: 0, closed: 0 };
	const streamed = new StreamedFile('a.pdf', 'application/pdf', 6, async function* () {
		counts.opened++;
		try {
			yield await Promise.resolve(Buffer.from('abc'));
			yield Buffer.from('def');
		} finally {
			counts.closed++;
			throw new Error('gone');
		}
	});
	const reader = streamed.stream().getReader();
	expect((await reader.read()).done).toBe(false);
	streamed.close();
	// An unhandled rejection would end the process.
	await new Promise(setImmediate);
	expect(counts).toEqual({ opened: 1, closed: 1 });
});
