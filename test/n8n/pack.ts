import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { succeed } from './processes';

interface PackedNode {
	/** The file `npm publish` would send. */
	tarball: string;
	remove(): Promise<void>;
}

const project = join(__dirname, '..', '..');

/** Builds and packs the node the way it is published. */
export async function packNode(): Promise<PackedNode> {
	await succeed('npm', ['run', 'build'], { cwd: project });
	const folder = await mkdtemp(join(tmpdir(), 'packed-node-'));
	await succeed('npm', ['pack', '--pack-destination', folder], { cwd: project });
	const [tarball] = await readdir(folder);
	if (tarball === undefined) throw new Error(`npm pack left nothing in ${folder}`);
	return {
		tarball: join(folder, tarball),
		remove: async () => await rm(folder, { recursive: true, force: true }),
	};
}
