import { StreamedFile } from '../../../../nodes/DocumentIntelligence/service/client';

/** A file of two pieces, and how often it was opened and closed. */
function file(onClose: () => void = () => undefined) {
	const counts = { opened: 0, closed: 0 };
	const streamed = new StreamedFile('a.pdf', 'application/pdf', 6, async function* () {
		counts.opened++;
		try {
			yield await Promise.resolve(Buffer.from('abc'));
			yield Buffer.from('def');
		} finally {
			counts.closed++;
			onClose();
		}
	});
	return { streamed, counts };
}

test('is read from the start each time, so that a form can be sent more than once, and not before', async () => {
	const { streamed, counts } = file();
	expect(streamed).toBeInstanceOf(File);
	expect([streamed.name, streamed.type, streamed.size]).toEqual(['a.pdf', 'application/pdf', 6]);
	for (const time of [1, 2]) {
		expect(counts).toEqual({ opened: time - 1, closed: time - 1 });
		expect(await new Response(streamed.stream() as ReadableStream).text()).toBe('abcdef');
	}
});

test('closing it ends what still reads, and a store that breaks off then does not matter', async () => {
	const { streamed, counts } = file(() => {
		throw new Error('gone');
	});
	const reader = streamed.stream().getReader();
	expect((await reader.read()).done).toBe(false);
	streamed.close();
	// An unhandled rejection would end the process.
	await new Promise(setImmediate);
	expect(counts).toEqual({ opened: 1, closed: 1 });
});
