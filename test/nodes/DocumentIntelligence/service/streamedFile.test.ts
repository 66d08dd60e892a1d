import { StreamedFile } from '../../../../nodes/DocumentIntelligence/service/client';

/** A file of two pieces, and how often it was opened and closed. */
function file() {
	const counts = { opened: 0, closed: 0 };
	const streamed = new StreamedFile('a.pdf', 'application/pdf', 6, async function* () {
		counts.opened++;
		try {
			yield await Promise.resolve(Buffer.from('abc'));
			yield Buffer.from('def');
		} finally {
			counts.closed++;
		}
	});
	return { streamed, counts };
}

test('says its name, type and size without being read', () => {
	const { streamed, counts } = file();
	expect(streamed).toBeInstanceOf(File);
	expect({ name: streamed.name, type: streamed.type, size: streamed.size }).toEqual({
		name: 'a.pdf',
		type: 'application/pdf',
		size: 6,
	});
	expect(counts).toEqual({ opened: 0, closed: 0 });
});

test('is read from the start each time, so that a form can be sent more than once', async () => {
	const { streamed, counts } = file();
	for (const time of [1, 2]) {
		expect(await new Response(streamed.stream() as ReadableStream).text()).toBe('abcdef');
		expect(counts).toEqual({ opened: time, closed: time });
	}
});

test('closing it ends what still reads', async () => {
	const { streamed, counts } = file();
	const reader = streamed.stream().getReader();
	expect((await reader.read()).done).toBe(false);
	streamed.close();
	await new Promise(setImmediate);
	expect(counts).toEqual({ opened: 1, closed: 1 });
});

test('a store that breaks off while it is closed does not matter any more', async () => {
	const streamed = new StreamedFile('a.pdf', 'application/pdf', 6, async function* () {
		try {
			yield await Promise.resolve(Buffer.from('abc'));
		} finally {
			throw new Error('gone');
		}
	});
	await streamed.stream().getReader().read();
	streamed.close();
	// An unhandled rejection would end the process.
	await new Promise(setImmediate);
});
