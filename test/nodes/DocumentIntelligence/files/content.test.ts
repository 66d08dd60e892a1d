import { contentHash, type Content } from '../../../../nodes/DocumentIntelligence/files/content';

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
