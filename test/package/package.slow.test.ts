import { execFileSync } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { opened, partOf } from '../pdf/cutting';
import { sha256 } from '../nodes/samples';
import { repository } from './repository';

// Tests the published package: what npm packs is unpacked where nothing but n8n's own modules can be reached.

/** All that the build and the scanner look at. */
const SOURCES = [
	...['nodes', 'credentials', 'package.json', 'tsconfig.json', 'gulpfile.js', 'index.js'],
	...['LICENSE', 'README.md', 'CHANGELOG.md'],
];

/** Large enough for what the node does and for the PDF library; images, tests and documentation stay out. */
const MAX_PACKED_BYTES = 400_000;

let folder: string;
let tarball: Buffer;
let unpacked: string;
let packed: { peerDependencies: object };

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'package-'));
	tarball = pack('one', new Date('2026-01-01T00:00:00Z'), 'UTC', 0o022);
	// n8n-workflow lies where n8n would have it: above the package, and alone.
	const modules = join(folder, 'host', 'node_modules');
	unpacked = join(modules, 'n8n-nodes-document-intelligence');
	mkdirSync(unpacked, { recursive: true });
	writeFileSync(join(folder, 'one.tgz'), tarball);
	run('tar', ['-xzf', 'one.tgz', '-C', unpacked, '--strip-components=1'], folder);
	symlinkSync(join(repository, 'node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'));
	packed = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as typeof packed;
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}) {
	return execFileSync(command, args, {
		cwd,
		// Under NODE_ENV=test, which jest sets, n8n's lint rules take every file for one of their own tests.
		env: { ...process.env, NODE_ENV: '', ...env },
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
		maxBuffer: 64 * 1024 * 1024,
	});
}

/**
 * Builds and packs a copy of the sources, so that what a developer has in dist/ is neither tested nor touched: made under
 * this umask, in a folder of this name, and last changed on that day.
 */
function pack(name: string, changed: Date, timeZone: string, umask: number): Buffer {
	const before = process.umask(umask);
	try {
		const source = join(folder, name);
		for (const entry of SOURCES)
			cpSync(join(repository, entry), join(source, entry), { recursive: true });
		for (const entry of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
			const path = join(source, entry);
			// As git would have made it; a copy has the rights of its original.
			chmodSync(path, (statSync(path).isDirectory() ? 0o777 : 0o666) & ~umask);
			utimesSync(path, changed, changed);
		}
		symlinkSync(join(repository, 'node_modules'), join(source, 'node_modules'));
		run('npm', ['run', 'build'], source, { TZ: timeZone });
		const [made] = JSON.parse(run('npm', ['pack', '--json'], source, { TZ: timeZone })) as [
			{ filename: string },
		];
		return readFileSync(join(source, made.filename));
	} finally {
		process.umask(before);
	}
}

function filesOf(root: string): string[] {
	return readdirSync(root, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)))
		.sort();
}

/** What a process prints that can reach n8n-workflow alone; jest would find the modules of this repository. */
const printedBy = (script: string) =>
	JSON.parse(run(process.execPath, ['-e', script], unpacked)) as unknown;

/** Loads what n8n loads; `loaded` then lists which files of a folder of the node are loaded. */
const LIKE_N8N = `
	const n8n = require('./package.json').n8n;
	for (const file of [...n8n.nodes, ...n8n.credentials]) require('./' + file);
	const node = require('path').dirname(require.resolve('./' + n8n.nodes[0])) + '/';
	const loaded = (folder) => Object.keys(require.cache).flatMap((path) =>
		path.startsWith(node + folder) ? path.slice(node.length) : [],
	);
`;

/** The licenses of what is bundled. */
const NOTICES = 'dist/nodes/DocumentIntelligence/pdf/THIRD-PARTY-NOTICES.txt';

describe('The packed package', () => {
	// Who has the sources can make the published file again and compare it byte for byte.
	test('is the same small file from another folder, day, time zone and umask', () => {
		const day = new Date('2031-07-31T12:34:56Z');
		const again = pack('a longer name of a folder', day, 'Pacific/Auckland', 0o077);
		expect(sha256(again)).toBe(sha256(tarball));
		expect(tarball.length).toBeLessThan(MAX_PACKED_BYTES);
	}, 120_000);

	test('holds what runs, what is shown and what is read; nothing else', () => {
		// Each source has its compiled file, and no compiled file is left over from a source that is gone.
		const sources = ['nodes', 'credentials'].flatMap((part) =>
			filesOf(join(repository, part)).map((name) =>
				join('dist', part, name.replace(/\.ts$/, '.js')),
			),
		);
		// One file has all that reads values.
		const values = 'dist/nodes/DocumentIntelligence/values/';
		const apart = sources.filter((path) => !path.startsWith(values));
		const others = ['LICENSE', 'README.md', 'index.js', 'package.json', NOTICES];
		expect(filesOf(unpacked)).toEqual([...apart, `${values}values.js`, ...others].sort());
	});

	// The scanner below holds the other fields.
	test('brings nothing along, and has one peer', () => {
		const brought = Object.keys(packed).filter((name) =>
			/^(optional|bundled?)Dependencies$|^bin$/.test(name),
		);
		expect(brought).toEqual([]);
		expect(packed.peerDependencies).toEqual({ 'n8n-workflow': '*' });
	});

	test('loads through what package.json names, with n8n-workflow alone in reach', () => {
		const loaded = printedBy(`
			const n8n = require('./package.json').n8n;
			const loaded = [...n8n.nodes, ...n8n.credentials].flatMap((file) => Object.values(require('./' + file)).map((Type) => {
				const type = new Type();
				return type.description?.name ?? type.name;
			}));
			require('.');
			console.log(JSON.stringify(loaded));
		`);
		expect(loaded).toEqual([
			'documentIntelligence',
			'documentIntelligenceTrigger',
			'documentIntelligenceApi',
		]);
	});

	test('holds the PDF library, loads it when something is cut, and cuts as the sources do', async () => {
		const bundle = join(repository, 'examples', 'documents', 'bundle.pdf');
		const answer = printedBy(`
			${LIKE_N8N}
			const library = () => loaded('pdf/library.js').length > 0;
			const { openBundle } = require(node + 'pdf/openBundle.js');
			const before = library();
			(async () => {
				const bundle = await openBundle(require('fs').readFileSync(${JSON.stringify(bundle)}));
				const part = await bundle.cut([2, 3]);
				console.log(JSON.stringify({ before, after: library(), part: Buffer.concat(part).toString('base64') }));
			})();
		`);
		const part = await partOf(await opened(readFileSync(bundle)), [2, 3]);
		expect(answer).toEqual({ before: false, after: true, part: part.toString('base64') });
	});

	test('loads one file with the first value that is converted', () => {
		const fields = { total: '1.234,56 €', paid: '2026年3月14日', customerNo: '4711' };
		const answer = printedBy(`
			${LIKE_N8N}
			const { readFields } = require(node + 'operations/document/documentFields.js');
			const fields = ${JSON.stringify(fields)};
			const document = { subject: 'invoice.pdf' };
			const readAs = async (values) => {
				const read = (name, otherwise) => name === 'options.values' ? values : otherwise;
				const { tree } = await readFields({ fields }, {}, { read, output: 'simplified', document });
				return { fields: tree.fields, loaded: loaded('values/') };
			};
			(async () => console.log(JSON.stringify([await readAs('printed'), await readAs('typed')])))();
		`);
		expect(answer).toEqual([
			{ fields, loaded: [] },
			{ fields: { ...fields, total: 1234.56, paid: '2026-03-14' }, loaded: ['values/values.js'] },
		]);
	});

	test('names whose work it holds, with the licenses', () => {
		const notices = readFileSync(join(unpacked, NOTICES), 'utf8');
		const named = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \((\S+)\)$/gm)];
		expect(Object.fromEntries(named.map(([, name, license]) => [name, license]))).toMatchObject({
			'@cantoo/pdf-lib': 'MIT',
			fflate: 'MIT',
		});
		for (const [, , license] of named) expect(license).toMatch(/^(MIT|0BSD)$/);
		expect(notices.match(/copyright|permission/gi)?.length).toBeGreaterThan(named.length);
	});
});

describe('n8n’s scanner of community packages', () => {
	interface Scan {
		passed: boolean;
		linted: number;
		expected: number;
		messages: object[];
	}

	function scan(root: string, what: 'sources' | 'tarball'): Scan {
		const scanner = join(__dirname, 'scan.mjs');
		const lines = run(process.execPath, [scanner, root, what], repository).trim().split('\n');
		return JSON.parse(String(lines.at(-1))) as Scan;
	}

	test.each(['sources', 'tarball'] as const)(
		'has nothing to say of the %s, not even a warning',
		(what) => {
			let root = unpacked;
			if (what === 'sources') {
				root = join(folder, 'scanned');
				for (const name of ['nodes', 'credentials', 'package.json'])
					cpSync(join(repository, name), join(root, name), { recursive: true });
			}
			const { passed, linted, expected, messages } = scan(root, what);
			expect(messages).toEqual([]);
			expect(passed).toBe(true);
			// Nothing was skipped.
			expect(linted).toBe(expected);
		},
		120_000,
	);

	test('does speak up: a dependency, a timer and a module of Node.js are found', () => {
		const root = join(folder, 'spoilt');
		cpSync(unpacked, root, { recursive: true });
		const dependencies = { 'form-data': '^4.0.0' };
		writeFileSync(join(root, 'package.json'), JSON.stringify({ ...packed, dependencies }));
		writeFileSync(join(root, 'dist', 'later.js'), "setTimeout(() => require('fs'), 1);\n");
		const { passed, messages } = scan(root, 'tarball');
		expect(passed).toBe(false);
		for (const rule of [
			'no-restricted-globals',
			'no-runtime-dependencies',
			'no-restricted-imports',
		])
			expect(JSON.stringify(messages)).toContain(rule);
	}, 120_000);
});
