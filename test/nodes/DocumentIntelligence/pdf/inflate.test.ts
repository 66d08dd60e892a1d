import { constants, deflateSync } from 'node:zlib';

import { inflate } from '../../../../nodes/DocumentIntelligence/pdf/inflate';
import { noise } from '../../../pdf/corpus';

const text = Buffer.from(
	Array.from({ length: 20_000 }, (_, index) => `${(index * 7919) % 10007} ${index} m\n`).join(''),
);

describe('What was deflated is read back', () => {
	test.each([
		['nothing', Buffer.alloc(0), {}],
		['text', text, {}],
		['text, level 1', text, { level: 1 }],
		['text, stored', text, { level: 0 }],
		['text, one code for all', text, { strategy: constants.Z_FIXED }],
		['text, no repetitions', text, { strategy: constants.Z_HUFFMAN_ONLY }],
		['text, in many small blocks', text, { memLevel: 1 }],
		['noise', noise(300_000, 'inflate'), {}],
		['one byte, a million times', Buffer.alloc(1_000_000, 'x'), {}],
		['bytes of very different frequency', skewed(), { strategy: constants.Z_HUFFMAN_ONLY }],
	])('%s', (_name, bytes, options) => {
		const inflated = inflate(deflateSync(bytes, options), 2_000_000);
		expect(inflated.end).toBe('whole');
		expect(bytes.equals(inflated.bytes)).toBe(true);
	});

	/** Each byte twice as often as the next, so that the longest words have 15 bits. */
	function skewed(): Buffer {
		return Buffer.concat(
			Array.from({ length: 18 }, (_, index) => Buffer.alloc(2 ** (18 - index), index)),
		);
	}
});

test.each([1, 3, 4, 5, 8, 100, 10_000])('of data that lack %i bytes, what there is', (missing) => {
	const data = deflateSync(text);
	const { bytes, end } = inflate(data.subarray(0, data.length - missing), 2_000_000);
	// The last four bytes are a checksum, which nobody checks.
	expect(end).toBe(missing <= 4 ? 'whole' : 'cut');
	expect(text.subarray(0, bytes.length).equals(bytes)).toBe(true);
	expect(bytes.length).toBeGreaterThan(text.length - 12 * missing);
});

test('more than asked for is not read', () => {
	const bomb = deflateSync(Buffer.alloc(100_000_000, 'q Q '));
	const { bytes, end } = inflate(bomb, 100_000);
	expect(end).toBe('limit');
	expect(bytes.length).toBeLessThanOrEqual(100_000);
});

test('whatever the data are, it ends', () => {
	for (let round = 0; round < 300; round++) {
		const data = noise(400, `inflate ${round}`);
		data.writeUInt16BE(0x789c);
		expect(inflate(data, 100_000).bytes.length).toBeLessThanOrEqual(100_000);
	}
	expect(inflate(Buffer.from('no zlib'), 100)).toEqual({ bytes: new Uint8Array(0), end: 'cut' });
});
