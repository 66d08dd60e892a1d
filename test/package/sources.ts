import { cpSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..');

/** Copies all that the build and the scanner look at. */
export function copySources(target: string) {
	for (const name of [
		'nodes',
		'credentials',
		'package.json',
		'tsconfig.json',
		'gulpfile.js',
		'index.js',
		'LICENSE',
		'README.md',
		'CHANGELOG.md',
	]) {
		cpSync(join(repository, name), join(target, name), { recursive: true });
	}
}
