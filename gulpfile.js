const { chmod, readdir, rm } = require('node:fs/promises');
const { join } = require('node:path');

const { dest, series, src } = require('gulp');

const DIST = 'dist';

/** What npm publishes beside `dist`. */
const PUBLISHED = ['package.json', 'index.js', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/** What an earlier build left behind must not be published. */
exports.clean = async () => await rm(DIST, { recursive: true, force: true });

/** Icons and codex files, which n8n loads beside the compiled node. gulp reads text unless told not to. */
const copied = () =>
	src(['nodes/**/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(dest(DIST));

/** npm packs files with the rights they have here, so the published file would depend on the umask of whoever built it. */
async function readableByAll() {
	const entries = await readdir(DIST, { recursive: true, withFileTypes: true });
	const built = entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	for (const path of [...PUBLISHED, ...built]) await chmod(path, 0o644);
}

exports.assets = series(copied, readableByAll);
