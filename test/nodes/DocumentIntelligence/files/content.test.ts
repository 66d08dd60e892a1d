import * as fc from 'fast-check';

import {
	contentHash,
	contentOf,
	readHead,
	type Content,
} from '../../../../nodes/DocumentIntelligence/files/content';
import { SEED } from '../../numRuns';

async function readFrom(data: string): Promise<Buffer> {
	const content = await contentOf({ helpers: {} as never }, { data, mimeType: 'application/pdf' });
	const bytes = await readHead(content, Infinity);
	// A body shorter than its Content-Length would leave both sides waiting, and the document called billed.
	expect(bytes).toHaveLength(content.bytes);
	return bytes;
}

test('what a Code node puts around base64 is no part of the file', async () => {
	const bytes = Buffer.alloc(1_000_001, 'scan');
	const base64 = bytes.toString('base64');
	for (const data of [
		...[base64, base64.replace(/.{76}/g, '$&\r\n'), `data:text/plain,${base64}`],
		...[base64.replace(/=+$/, ''), bytes.toString('base64url'), `!!${base64}`],
	])
		expect((await readFrom(data)).equals(bytes)).toBe(true);
});

test('of any text in its place, what is announced is what is sent', async () => {
	const text = fc.array(fc.constantFrom('A', 'b', '/', '+', '-', '=', '%', ',', '\n', 'data:'));
	await fc.assert(
		fc.asyncProperty(text, async (parts) => void (await readFrom(parts.join('')))),
		{ seed: SEED },
	);
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
