import {
	chmodSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { sha256 } from '../nodes/samples';
import { buildAndPack, copySources } from './sources';

// Who has the sources can make the published file again and compare it byte for byte: nothing in it comes from the
// place, the time or the machine of the build, nor from the rights that its files have there.

/** Large enough for what the node does and for the PDF library; images, tests and documentation stay out. */
const MOST_PACKED_BYTES = 400_000;

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'reproducible-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds and packs a copy of the sources, made under this umask, in a folder of this name and last changed on that day. */
function pack(name: string, changed: Date, timeZone: string, umask: number) {
	const before = process.umask(umask);
	try {
		const source = join(folder, name);
		copySources(source);
		for (const entry of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
			const path = join(source, entry);
			// As git would have made it; a copy has the rights of its original.
			chmodSync(path, (statSync(path).isDirectory() ? 0o777 : 0o666) & ~umask);
			utimesSync(path, changed, changed);
		}
		const { path, size, names } = buildAndPack(source, folder, { TZ: timeZone });
		// npm gives the next one the same name.
		return { bytes: readFileSync(path), size, names };
	} finally {
		process.umask(before);
	}
}

test('packed twice, in other folders, on other days, in another time zone and under another umask, it is the same file, and a small one', () => {
	const first = pack('one', new Date('2026-01-01T00:00:00Z'), 'UTC', 0o022);
	const second = pack(
		'a longer name of a folder',
		new Date('2031-07-31T12:34:56Z'),
		'Pacific/Auckland',
		0o077,
	);
	expect(second.names).toEqual(first.names);
	expect(first.names).toContain('dist/nodes/DocumentIntelligence/DocumentIntelligence.node.js');
	expect(first.names).toContain('dist/nodes/DocumentIntelligence/pdf/library.js');
	// Compared by digest: a failure shall not print two tarballs.
	expect(sha256(second.bytes)).toBe(sha256(first.bytes));
	expect(first.bytes.length).toBe(first.size);
	expect(first.size).toBeLessThan(MOST_PACKED_BYTES);
}, 120_000);
