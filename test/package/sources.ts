import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export const repository = join(__dirname, '..', '..');

const SOURCES = [
	'nodes',
	'credentials',
	'package.json',
	'tsconfig.json',
	'gulpfile.js',
	'index.js',
	'LICENSE',
	'README.md',
	'CHANGELOG.md',
];

export function run(
	command: string,
	args: string[],
	cwd: string,
	env: Record<string, string> = {},
): string {
	return execFileSync(command, args, {
		cwd,
		// Under NODE_ENV=test, which jest sets, n8n's lint rules take every file for one of their own tests.
		env: { ...process.env, NODE_ENV: '', ...env },
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
		maxBuffer: 64 * 1024 * 1024,
	});
}

/** Copies all that the build and the scanner look at. */
export function copySources(target: string) {
	for (const name of SOURCES)
		cpSync(join(repository, name), join(target, name), { recursive: true });
}

interface Tarball {
	path: string;
	size: number;
	names: string[];
}

/** Builds and packs copied sources, so that what a developer has in dist/ is neither tested nor touched. */
export function buildAndPack(
	source: string,
	target: string,
	env: Record<string, string> = {},
): Tarball {
	symlinkSync(join(repository, 'node_modules'), join(source, 'node_modules'));
	run('npm', ['run', 'build'], source, env);
	const packed = run('npm', ['pack', '--json', '--pack-destination', target], source, env);
	const [tarball] = JSON.parse(packed) as Array<{
		filename: string;
		size: number;
		files: Array<{ path: string }>;
	}>;
	if (tarball === undefined) throw new Error('npm packed nothing.');
	return {
		path: join(target, tarball.filename),
		size: tarball.size,
		names: tarball.files.map(({ path }) => path).sort(),
	};
}
