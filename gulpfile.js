const { chmod, readdir, readFile, rm, writeFile } = require('node:fs/promises');
const { basename, join, relative } = require('node:path');

const esbuild = require('esbuild');
const { dest, series, src } = require('gulp');

const DIST = 'dist';

/** What npm publishes beside `dist`. */
const PUBLISHED = ['package.json', 'index.js', 'README.md', 'LICENSE'];

/** What an earlier build left behind must not be published. */
exports.clean = async () => await rm(DIST, { recursive: true, force: true });

/** What n8n loads beside the compiled node: icons, codex files and the schemas of its outputs. */
const COPIED = ['nodes/**/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];

/** gulp reads text unless told not to. */
const copied = () => src(COPIED, { base: '.', encoding: false }).pipe(dest(DIST));

/** Writes a source with all that it imports as one file, where the compiler wrote it alone. */
const bundle = async (path, options) =>
	await esbuild.build({
		entryPoints: [`${path}.ts`],
		outfile: `${DIST}/${path}.js`,
		bundle: true,
		minify: true,
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		legalComments: 'none',
		logLevel: 'warning',
		...options,
	});

const PDF = 'nodes/DocumentIntelligence/pdf';

/**
 * Bundles the parts of other packages that library.ts re-exports, because the published package has no dependencies. The
 * bundle is loaded when something is cut, and has neither the console nor `process` or `globalThis`, which verified
 * packages may not use.
 */
async function bundleLibrary() {
	const { metafile } = await bundle(`${PDF}/library`, {
		// The one for Node.js can start workers, which nothing here does.
		alias: { fflate: 'fflate/browser' },
		drop: ['console'],
		define: { 'globalThis.crypto': 'crypto', 'globalThis.process': 'undefined' },
		plugins: [onlyWhatIsUsed],
		metafile: true,
	});
	await writeFile(`${DIST}/${PDF}/THIRD-PARTY-NOTICES.txt`, await noticesOf(metafile));
}

const VALUES = 'nodes/DocumentIntelligence/values';

/**
 * Bundles the reading of values, because it is loaded as a whole or not at all, with the first value that is converted or
 * checked. Most of it are tables, so one minified file is also much smaller than what the compiler made.
 */
async function bundleValues() {
	await rm(`${DIST}/${VALUES}`, { recursive: true });
	// Words of many scripts are longer if they are escaped.
	await bundle(`${VALUES}/values`, { charset: 'utf8', plugins: [otherRoomsApart] });
}

/** Leaves other folders of the node where they are, because n8n has loaded them by then. */
const otherRoomsApart = {
	name: 'other rooms apart',
	setup({ onResolve }) {
		onResolve({ filter: /^\.\.\// }, ({ path, resolveDir }) => {
			const fromBundle = relative(VALUES, join(resolveDir, path)).replaceAll('\\', '/');
			return fromBundle.startsWith('../') ? { path: fromBundle, external: true } : undefined;
		});
	},
};

/**
 * Takes the PDF library in its form as ES modules, also where `library.ts` names the form that tests can load, and leaves
 * modules out of which nothing is used: the library does not say of itself that they do nothing when they are loaded.
 */
const onlyWhatIsUsed = {
	name: 'only what is used',
	setup({ onResolve }) {
		const modules = join(__dirname, 'node_modules', '@cantoo', 'pdf-lib', 'es');
		const take = (...path) => ({ path: join(...path), sideEffects: false });
		onResolve({ filter: /^@cantoo\/pdf-lib$/ }, () => take(modules, 'index.js'));
		onResolve({ filter: /\/cjs\/core\/crypto$/ }, () => take(modules, 'core', 'crypto.js'));
		onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
			resolveDir.startsWith(modules) ? take(resolveDir, path) : undefined,
		);
	},
};

/** The licenses of all packages that the bundle has parts of. */
async function noticesOf({ outputs }) {
	const [{ inputs }] = Object.values(outputs);
	const used = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
	const folders = used.flatMap(
		(path) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
	);
	const byName = (a, b) => (basename(a) < basename(b) ? -1 : 1);
	const notices = [...new Set(folders)].sort(byName).map(async (folder) => {
		const { name, version, license } = JSON.parse(
			await readFile(join(folder, 'package.json'), 'utf8'),
		);
		const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
		if (file === undefined) throw new Error(`${name} has no license file.`);
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

exports.assets = series(copied, bundleLibrary, bundleValues, readableByAll);
