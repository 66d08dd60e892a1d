const { chmod, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { basename, join } = require('node:path');

const esbuild = require('esbuild');
const { dest, series, src } = require('gulp');

const DIST = 'dist';

/** What npm publishes beside `dist`. */
const PUBLISHED = ['package.json', 'index.js', 'README.md', 'CHANGELOG.md', 'LICENSE'];

/** What an earlier build left behind must not be published. */
exports.clean = async () => await rm(DIST, { recursive: true, force: true });

/** Icons and codex files, which n8n loads beside the compiled node. gulp reads text unless told not to. */
const copied = () =>
	src(['nodes/**/*.svg', 'nodes/**/*.node.json'], { base: '.', encoding: false }).pipe(dest(DIST));

const PDF = 'nodes/DocumentIntelligence/pdf';

/**
 * Puts the PDF library into the package, which has no dependencies, in place of the module that only names it. It is a
 * file of its own, loaded when something is cut. What it must not touch in a verified package is taken away: the
 * console, timers (eventLoop.ts waits instead), `process` and `globalThis`.
 */
async function bundleLibrary() {
	const { metafile } = await esbuild.build({
		entryPoints: [`${PDF}/library.ts`],
		outfile: `${DIST}/${PDF}/library.js`,
		bundle: true,
		minify: true,
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		external: ['n8n-workflow'],
		// The one for Node.js can start workers, which nothing here does.
		alias: { fflate: 'fflate/browser' },
		drop: ['console'],
		inject: [`${PDF}/eventLoop.ts`],
		define: {
			setTimeout: 'inNextTurn',
			'globalThis.crypto': 'crypto',
			'globalThis.process': 'undefined',
		},
		plugins: [withoutDrawing, withOneCopy],
		legalComments: 'none',
		metafile: true,
		logLevel: 'warning',
	});
	await writeFile(`${DIST}/${PDF}/THIRD-PARTY-NOTICES.txt`, await noticesOf(metafile));
}

/** Font metrics and HTML, with which the library draws: cutting draws nothing, and they are a third of it. */
const withoutDrawing = {
	name: 'without drawing',
	setup(build) {
		const drawing =
			/^node-html-better-parser$|(Courier|Helvetica|Times|Symbol|ZapfDingbats).*\.compressed\.json$/;
		build.onResolve({ filter: drawing }, ({ path }) => ({ path, namespace: 'empty' }));
		build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {}' }));
	},
};

/** `library.ts` names the file that deciphers in the form that tests can load; the bundle has the library's other form. */
const withOneCopy = {
	name: 'with one copy',
	setup(build) {
		build.onResolve({ filter: /\/cjs\/core\/crypto$/ }, ({ path, resolveDir }) => ({
			path: join(resolveDir, `${path.replace('/cjs/', '/es/')}.js`),
		}));
	},
};

/** The licences of all packages that the bundle has parts of. */
async function noticesOf({ inputs }) {
	const folders = Object.keys(inputs).flatMap(
		(path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
	);
	const byName = (a, b) => (basename(a) < basename(b) ? -1 : 1);
	const notices = [...new Set(folders)].sort(byName).map(async (folder) => {
		const { name, version, license } = JSON.parse(
			await readFile(join(folder, 'package.json'), 'utf8'),
		);
		const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
		if (file === undefined) throw new Error(`${name} comes without its licence.`);
		return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
	});
	const head = 'library.js holds parts of these packages:\n';
	return [head, ...(await Promise.all(notices))].join(`\n${'-'.repeat(80)}\n\n`);
}

/** npm packs files with the rights they have here, so the published file would depend on the umask of whoever built it. */
async function readableByAll() {
	const entries = await readdir(DIST, { recursive: true, withFileTypes: true });
	const built = entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
	for (const path of [...PUBLISHED, ...built]) await chmod(path, 0o644);
}

exports.assets = series(copied, bundleLibrary, readableByAll);
