import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { openBundle } from '../../nodes/DocumentIntelligence/pdf/openBundle';
import { partOf } from '../pdf/cutting';
import { buildAndPack, copySources, repository, run } from './sources';

// Tests the published package: what npm packs is unpacked where nothing but n8n's own modules can be reached.

interface PackageJson {
	peerDependencies: object;
}

let folder: string;
let unpacked: string;
let packed: PackageJson;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'package-'));
	const source = join(folder, 'source');
	copySources(source);
	const { path } = buildAndPack(source, folder);

	// n8n-workflow lies where n8n would have it: above the package, and alone.
	const modules = join(folder, 'host', 'node_modules');
	unpacked = join(modules, 'n8n-nodes-document-intelligence');
	mkdirSync(unpacked, { recursive: true });
	run('tar', ['-xzf', path, '-C', unpacked, '--strip-components=1'], folder);
	symlinkSync(join(repository, 'node_modules', 'n8n-workflow'), join(modules, 'n8n-workflow'));
	packed = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as PackageJson;
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function filesOf(root: string): string[] {
	return readdirSync(root, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => relative(root, join(entry.parentPath, entry.name)))
		.sort();
}

/** The licenses of what is bundled. */
const NOTICES = 'dist/nodes/DocumentIntelligence/pdf/THIRD-PARTY-NOTICES.txt';

describe('The packed package', () => {
	test('holds what runs, what is shown and what is read; nothing else', () => {
		const files = filesOf(unpacked);
		// Each source has its compiled file, and no compiled file is left over from a source that is gone.
		const sources = ['nodes', 'credentials'].flatMap((part) =>
			filesOf(join(repository, part)).map((name) =>
				join('dist', part, name.replace(/\.ts$/, '.js')),
			),
		);
		const others = ['LICENSE', 'README.md', 'index.js', 'package.json', NOTICES];
		expect(files).toEqual([...sources, ...others].sort());
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
		// A process of its own: jest would find the modules of this repository.
		const script = `
			const n8n = require('./package.json').n8n;
			const loaded = [...n8n.nodes, ...n8n.credentials].flatMap((file) => Object.values(require('./' + file)).map((Type) => {
				const type = new Type();
				return type.description?.name ?? type.name;
			}));
			require('.');
			console.log(JSON.stringify(loaded));
		`;
		expect(JSON.parse(run(process.execPath, ['-e', script], unpacked))).toEqual([
			'documentIntelligence',
			'documentIntelligenceTrigger',
			'documentIntelligenceApi',
		]);
	});

	test('holds the PDF library, loads it when something is cut, and cuts as the sources do', async () => {
		const bundle = join(repository, 'examples', 'documents', 'bundle.pdf');
		const script = `
			const library = () => Object.keys(require.cache).some((path) => path.endsWith('/pdf/library.js'));
			const n8n = require('./package.json').n8n;
			for (const file of [...n8n.nodes, ...n8n.credentials]) require('./' + file);
			const { openBundle } = require('./dist/nodes/DocumentIntelligence/pdf/openBundle.js');
			const before = library();
			(async () => {
				const bundle = await openBundle(require('fs').readFileSync(${JSON.stringify(bundle)}));
				const part = await bundle.cut([2, 3]);
				console.log(JSON.stringify({ before, after: library(), part: Buffer.concat(part).toString('base64') }));
			})();
		`;
		const packedAnswer = JSON.parse(run(process.execPath, ['-e', script], unpacked)) as unknown;
		const opened = await openBundle(readFileSync(bundle));
		if (typeof opened === 'string') throw new Error(opened);
		const part = await partOf(opened, [2, 3]);
		expect(packedAnswer).toEqual({ before: false, after: true, part: part.toString('base64') });
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
		const lines = run(process.execPath, [join(__dirname, 'scan.mjs'), root, what], repository)
			.trim()
			.split('\n');
		return JSON.parse(String(lines.at(-1))) as Scan;
	}

	test.each(['sources', 'tarball'] as const)(
		'has nothing to say of the %s, not even a warning',
		(what) => {
			let root = unpacked;
			if (what === 'sources') {
				root = join(folder, 'scanned');
				mkdirSync(root);
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
		writeFileSync(
			join(root, 'package.json'),
			JSON.stringify({ ...packed, dependencies: { 'form-data': '^4.0.0' } }),
		);
		writeFileSync(join(root, 'dist', 'later.js'), "setTimeout(() => require('fs'), 1);\n");
		const { passed, messages } = scan(root, 'tarball');
		expect(passed).toBe(false);
		expect(JSON.stringify(messages)).toMatch(/no-restricted-globals/);
		expect(JSON.stringify(messages)).toMatch(/no-runtime-dependencies/);
		expect(JSON.stringify(messages)).toMatch(/no-restricted-imports/);
	}, 120_000);
});
