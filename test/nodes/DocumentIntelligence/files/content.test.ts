import {
	contentHash,
	contentOf,
	readHead,
	type Content,
} from '../../../../nodes/DocumentIntelligence/files/content';

test('what a Code node puts around base64 is no part of the file', async () => {
	const bytes = Buffer.alloc(1_000_000, 'scan');
	const base64 = bytes.toString('base64');
	for (const data of [base64, base64.replace(/.{76}/g, '$&\r\n'), `data:text/plain,${base64}`]) {
		const binary = { data, mimeType: 'application/pdf' };
		const content = await contentOf({ helpers: {} as never }, binary);
		expect(content.bytes).toBe(bytes.length);
		expect((await readHead(content, Infinity)).equals(bytes)).toBe(true);
	}
});

test('a file whose hash is not needed any more is closed', async () => {
	const end = new AbortController();
	let isClosed = false;
	const content: Content = {
		bytes: 2,
		open: async function* () {
			await Promise.resolve();
			try {
				yield Buffer.from('a');
				end.abort();
				yield Buffer.from('b');
			} finally {
				isClosed = true;
			}
		},
	};
	await expect(contentHash(content, end.signal)).rejects.toThrow('aborted');
	expect(isClosed).toBe(true);
});
