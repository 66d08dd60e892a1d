import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	chmodSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { copySources } from './sources';

// Who has the sources can make the published file again and compare it byte for byte: nothing in it comes from the
// place, the time or the machine of the build, nor from the rights that its files have there.

const repository = join(__dirname, '..', '..');
/** Large enough for what the node does and for the PDF library; images, tests and documentation stay out. */
const MOST_PACKED_BYTES = 400_000;

let folder: string;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'reproducible-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
	bytes: Buffer;
	size: number;
	names: string[];
}

/** Builds and packs a copy of the sources, made under this umask, in a folder of this name and last changed on that day. */
async function pack(name: string, changed: Date, timeZone: string, umask: number): Promise<Packed> {
	const before = process.umask(umask);
	try {
		return await packIn(join(folder, name), changed, timeZone);
	} finally {
		process.umask(before);
	}
}

async function packIn(source: string, changed: Date, timeZone: string): Promise<Packed> {
	copySources(source);
	for (const entry of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
		const path = join(source, entry);
		// As git would have made it; a copy has the rights of its original.
		chmodSync(path, (statSync(path).isDirectory() ? 0o777 : 0o666) & ~process.umask());
		utimesSync(path, changed, changed);
	}
	symlinkSync(join(repository, 'node_modules'), join(source, 'node_modules'));
	const options = { cwd: source, env: { ...process.env, TZ: timeZone } };
	await promisify(execFile)('npm', ['run', 'build'], options);
	const { stdout } = await promisify(execFile)(
		'npm',
		['pack', '--json', '--pack-destination', folder],
		options,
	);
	const [tarball] = JSON.parse(stdout) as Array<{
		filename: string;
		size: number;
		files: Array<{ path: string }>;
	}>;
	if (tarball === undefined) throw new Error('npm packed nothing.');
	const path = join(folder, tarball.filename);
	const bytes = readFileSync(path);
	rmSync(path);
	return { bytes, size: tarball.size, names: tarball.files.map((file) => file.path).sort() };
}

test('packed twice, in other folders, on other days, in another time zone and under another umask, it is the same file, and a small one', async () => {
	// One after the other: npm gives both the same name.
	const first = await pack('one', new Date('2026-01-01T00:00:00Z'), 'UTC', 0o022);
	const second = await pack(
		'a longer name of a folder',
		new Date('2031-07-31T12:34:56Z'),
		'Pacific/Auckland',
		0o077,
	);
	expect(second.names).toEqual(first.names);
	expect(first.names).toContain('dist/nodes/DocumentIntelligence/DocumentIntelligence.node.js');
	expect(first.names).toContain('dist/nodes/DocumentIntelligence/pdf/library.js');
	// Compared by digest: a failure shall not print two tarballs.
	expect(digest(second.bytes)).toBe(digest(first.bytes));
	expect(first.bytes.length).toBe(first.size);
	expect(first.size).toBeLessThan(MOST_PACKED_BYTES);
}, 120_000);

function digest(bytes: Buffer): string {
	return createHash('sha256').update(bytes).digest('hex');
}
