// `npm run build`: compiles, copies what n8n loads beside the code, and bundles the parts of other packages, into dist/.
import { execFileSync } from 'node:child_process';
import { chmod, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const DIST = 'dist';

const packages = fileURLToPath(new URL('node_modules', import.meta.url));

/** What npm publishes beside `dist`. */
const PUBLISHED = ['package.json', 'index.js', 'README.md', 'LICENSE'];

// What an earlier build left behind must not be published.
await rm(DIST, { recursive: true, force: true });
execFileSync(process.execPath, [join(packages, 'typescript', 'bin', 'tsc')], { stdio: 'inherit' });
await copyAssets();
await bundleLibrary();
await makeReadable();

/** What n8n loads beside the compiled node: icons, codex files and the schemas of its outputs. */
async function copyAssets() {
	const isCopied = /(\.svg|\.node\.json|__schema__.*\.json)$/;
	for (const path of await filesIn('nodes'))
		if (isCopied.test(path)) await cp(path, join(DIST, path));
}

async function filesIn(folder) {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/**
 * Bundles the parts of other packages that library.ts re-exports, because the published package has no dependencies. The
 * bundle is loaded when something is cut, and has neither the console nor `process` or `globalThis`, which verified
 * packages may not use.
 */
async function bundleLibrary() {
	const pdf = 'nodes/DocumentIntelligence/pdf';
	const { metafile } = await build({
		entryPoints: [`${pdf}/library.ts`],
		outfile: `${DIST}/${pdf}/library.js`,
		bundle: true,
		minify: true,
		platform: 'node',
		target: 'node20',
		format: 'cjs',
		// The one for Node.js can start workers, which nothing here does.
		alias: { fflate: 'fflate/browser' },
		drop: ['console'],
		define: { 'globalThis.crypto': 'crypto', 'globalThis.process': 'undefined' },
		plugins: [onlyWhatIsUsed()],
		legalComments: 'none',
		metafile: true,
		logLevel: 'warning',
	});
	await writeFile(`${DIST}/${pdf}/THIRD-PARTY-NOTICES.txt`, await noticesOf(metafile));
}

/**
 * Takes the PDF library in its form as ES modules, also where `library.ts` names the form that tests can load, and leaves
 * modules out of which nothing is used: the library does not say of itself that they do nothing when they are loaded.
 */
function onlyWhatIsUsed() {
	return {
		name: 'only what is used',
		setup({ onResolve }) {
			const modules = join(packages, '@cantoo', 'pdf-lib', 'es');
			const take = (...path) => ({ path: join(...path), sideEffects: false });
			onResolve({ filter: /^@cantoo\/pdf-lib$/ }, () => take(modules, 'index.js'));
			onResolve({ filter: /\/cjs\/core\/crypto$/ }, () => take(modules, 'core', 'crypto.js'));
			onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
				resolveDir.startsWith(modules) ? take(resolveDir, path) : undefined,
			);
		},
	};
}

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
async function makeReadable() {
	for (const path of [...PUBLISHED, ...(await filesIn(DIST))]) await chmod(path, 0o644);
}
