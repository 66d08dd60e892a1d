import { execFileSync, spawnSync } from 'node:child_process';
import {
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// A release runs only when there is something to release, too late to find out that it does not: what it has to do
// is held here. The files are read as text; there is no YAML parser among what this package needs.

const repository = join(__dirname, '..', '..');
const read = (name: string) => readFileSync(join(repository, name), 'utf8');
const folder = join('.github', 'workflows');
const workflows = readdirSync(join(repository, folder)).map((name) => join(folder, name));
const publish = read(join(folder, 'publish.yml'));
const ci = read(join(folder, 'ci.yml'));
const { version, scripts } = JSON.parse(read('package.json')) as {
	version: string;
	scripts: Record<string, string>;
};

/** What stands under a key, at so many spaces, without its comments. */
function section(workflow: string, key: string, indent = 0): string {
	const [, rest = ''] = workflow.split(new RegExp(`^ {${indent}}${key}:`, 'm'));
	return (rest.split(new RegExp(`^ {0,${indent}}\\w`, 'm'))[0] ?? '')
		.replace(/^\s*#.*$/gm, '')
		.trim();
}

/** The commands in their order, those of several lines one by one. */
function commandsOf(workflow: string): string[] {
	const blocks = [...workflow.matchAll(/^( *)(?:- )?run: (?:\|\n((?:\1 +.*\n?)+)|(.*))$/gm)];
	return blocks
		.flatMap(([, , lines, line]) =>
			(lines ?? line ?? '').split('\n').map((command) => command.trim()),
		)
		.filter((command) => command !== '');
}

describe('The workflow that publishes', () => {
	const commands = commandsOf(publish);
	const job = section(publish, 'publish', 2);

	test('begins with a tag of a version, and with nothing else', () => {
		expect(section(publish, 'on')).toMatch(/^push:\s+tags: \['v\*\.\*\.\*'\]$/);
	});

	test('may ask for an identity where it publishes, and write nothing', () => {
		expect(publish.match(/^.*: write$/gm)?.map((line) => line.trim())).toEqual(['id-token: write']);
		expect(job).toContain('id-token: write');
		expect(publish).not.toMatch(/permissions: write-all|secrets\.|_TOKEN|_authToken/);
	});

	test('uses the Node whose npm can publish with an identity', () => {
		expect(new Set(publish.match(/node-version:.*/g))).toEqual(new Set(['node-version: 24']));
		expect(job).toContain('node-version: 24');
	});

	test('installs without scripts, tests, and then publishes with provenance', () => {
		expect(commandsOf(job)).toEqual([expect.stringMatching(/^npm publish .*--provenance\b/)]);
		expect(commands.filter((command) => command.includes('npm publish'))).toEqual(commandsOf(job));
		expect(commands.indexOf('npm test')).toBeGreaterThan(
			commands.indexOf('npm ci --ignore-scripts'),
		);
		expect(commands).toContain('npm ci --ignore-scripts');
		// The tests are in the job that this one waits for.
		const [, before = 'none'] = /^\s*needs: (\w+)$/m.exec(job) ?? [];
		expect(commandsOf(section(publish, before, 2))).toContain('npm test');
		expect(publish).not.toMatch(/continue-on-error|if: always/);
	});

	test.each([
		[`v${version}`, 0],
		['v99.0.0', 1],
		[version, 1],
	])('the tag %s ends its check with %i', (tag, status) => {
		const check = commands.find((command) => command.includes('$GITHUB_REF_NAME'));
		expect(
			spawnSync('bash', ['-e', '-c', String(check)], {
				cwd: repository,
				env: { ...process.env, GITHUB_REF_NAME: tag },
			}).status,
		).toBe(status);
	});
});

describe('The workflow for changes', () => {
	test('runs on the main branch and on what is proposed', () => {
		expect(section(ci, 'on')).toMatch(/push:\s+branches: \[main\]/);
		expect(section(ci, 'on')).toMatch(/^\s*pull_request:/m);
	});

	test('runs the tests, and each part of those in a real n8n', () => {
		expect(commandsOf(ci)).toContain('npm test');
		expect(commandsOf(ci)).toContain('npm run test:e2e -- ${{ matrix.parts }}');
		const [, all = ''] = /^const parts: .* = \{([^}]*)\};$/m.exec(read('test/e2e/main.ts')) ?? [];
		const run = [...ci.matchAll(/ parts: (.*)$/gm)].flatMap(([, parts]) =>
			String(parts).split(' '),
		);
		expect(run.sort()).toEqual((all.match(/\w+/g) ?? []).sort());
		expect(ci).not.toMatch(/: write$|continue-on-error/m);
	});
});

describe('Installing', () => {
	test.each(workflows)('runs no scripts of packages: %s', (name) => {
		const installing = commandsOf(read(name)).filter((command) =>
			/\bnpm (ci|i|install)\b/.test(command),
		);
		expect(installing.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
	});

	test('runs none for developers either', () => {
		expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
	});

	test.each([...workflows, 'package.json', '.npmrc', 'package-lock.json'])(
		'is not tied to a registry: %s',
		(name) => {
			const text = read(name);
			expect(text.match(/.*"resolved":.*/g)).toBeNull();
			expect(
				text.match(
					/.*(registry-url|^registry\s*=|:registry\b|_auth|publishConfig|\bregistry\.|--registry).*/gm,
				),
			).toBeNull();
		},
	);

	test('finds each package by its name and its hash', () => {
		// Addresses at which packages may be paid are the only ones.
		const withoutFunding = read('package-lock.json').replace(
			/"funding": (\[[^\]]*\]|\{[^}]*\})/g,
			'',
		);
		expect(withoutFunding.match(/.*:\/\/.*/g)).toBeNull();
		const { packages } = JSON.parse(read('package-lock.json')) as {
			packages: Record<
				string,
				{ version?: string; integrity?: string; bundled?: boolean; inBundle?: boolean }
			>;
		};
		const installed = Object.entries(packages).filter(
			([path, entry]) => path !== '' && !entry.inBundle,
		);
		expect(installed.length).toBeGreaterThan(100);
		expect(
			installed.filter(
				([, entry]) => !entry.integrity?.startsWith('sha512-') || !/^\d/.test(entry.version ?? ''),
			),
		).toEqual([]);
	});
});

// Who has the sources as an archive may have no git, and releases nothing.
const withGit = spawnSync('git', ['--version']).status === 0 ? describe : describe.skip;

withGit('npm run release', () => {
	let place: string;
	let clone: string;

	/** Git and npm of this machine, without its settings; a hook of git would lead into this repository. */
	const env = {
		...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))),
		GIT_CONFIG_GLOBAL: join(__dirname, 'no-such-file'),
		GIT_CONFIG_NOSYSTEM: '1',
		...Object.fromEntries(
			['AUTHOR', 'COMMITTER'].flatMap((who) => [
				[`GIT_${who}_NAME`, 'a'],
				[`GIT_${who}_EMAIL`, 'a@example.com'],
			]),
		),
	};
	const git = (...args: string[]) =>
		execFileSync('git', args, { cwd: clone, env, encoding: 'utf8', stdio: 'pipe' }).trim();

	/** A package with this script and tests that pass or fail, and the repository it is pushed to. */
	beforeEach(() => {
		place = mkdtempSync(join(tmpdir(), 'release-'));
		clone = place;
		git('init', '--quiet', '--bare', '--initial-branch=main', 'there.git');
		git('clone', '--quiet', 'there.git', 'here');
		clone = join(place, 'here');
		copyFileSync(join(repository, '.npmrc'), join(clone, '.npmrc'));
		mkdirSync(join(clone, '.github'));
		copyFileSync(join(repository, '.github', 'release.mjs'), join(clone, '.github', 'release.mjs'));
		writeFileSync(
			join(clone, 'package.json'),
			JSON.stringify({
				name: 'x',
				version: '0.1.0',
				scripts: { test: 'test ! -e broken', release: scripts.release },
			}),
		);
		git('add', '.');
		git('commit', '--quiet', '-m', 'First');
		git('push', '--quiet', '-u', 'origin', 'HEAD:main');
	});
	afterEach(() => rmSync(place, { recursive: true, force: true }));

	const release = (...version: string[]) =>
		spawnSync('npm', ['run', 'release', '--', ...version], { cwd: clone, env, encoding: 'utf8' });
	const tags = () => git('ls-remote', '--tags', 'origin').match(/v[\d.]+$/gm) ?? [];

	test.each([
		['minor', '0.2.0'],
		['1.0.0', '1.0.0'],
		// The first release.
		['0.1.0', '0.1.0'],
	])('%s sets the version %s, and pushes the commit with its tag', (asked, version) => {
		expect(release(asked).status).toBe(0);
		expect(tags()).toEqual([`v${version}`]);
		expect(git('ls-remote', 'origin', 'refs/heads/main')).toContain(
			git('rev-parse', `v${version}^{commit}`),
		);
		expect(
			(JSON.parse(git('show', `v${version}:package.json`)) as { version: string }).version,
		).toBe(version);
	});

	test.each([
		[true, 0, /^\d+ index\.js$/m],
		[false, 1, /a\.js:3 not allowed\n[^]*does not pass/],
	])(
		'--dry-run shows what would be published, and its scan (passed: %j)',
		(passed, status, expected) => {
			const manifest = { name: 'x', version: '0.1.0' };
			const scripts = { build: 'touch index.js', release: 'node .github/release.mjs' };
			const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
			const messages = passed ? [] : [{ filePath: 'a.js', line: 3, message: 'not allowed' }];
			const scan = `console.log('${JSON.stringify({ passed, linted: 1, messages })}')`;
			mkdirSync(join(clone, 'test', 'package'), { recursive: true });
			writeFileSync(join(clone, 'test', 'package', 'scan.mjs'), scan);
			writeFileSync(join(clone, 'package-lock.json'), JSON.stringify(lock));
			writeFileSync(
				join(clone, 'package.json'),
				JSON.stringify({ ...manifest, scripts, files: ['index.js'] }),
			);
			git('add', '.');
			git('commit', '--quiet', '-m', 'Second');
			const before = git('rev-parse', 'HEAD');
			const { stdout, stderr, ...dryRun } = release('--dry-run', '0.1.0');
			expect({ output: stdout + stderr, status: dryRun.status }).toEqual({
				output: expect.stringMatching(expected) as string,
				status,
			});
			expect([git('rev-parse', 'HEAD'), git('status', '--short'), git('tag'), tags()]).toEqual([
				before,
				'',
				'',
				[],
			]);
		},
	);

	test.each([
		['a test fails', true, ['minor'], /broken/],
		['no version is named', false, [], /Specify a version/],
		['the version is none', false, ['next'], /Specify a version/],
		['the version exists', false, ['0.0.9'], /v0\.0\.9 already exists/],
	])('leaves everything as it was when %s', (_, broken, version, output) => {
		git('tag', 'v0.0.9');
		const before = git('rev-parse', 'HEAD');
		if (broken) writeFileSync(join(clone, 'broken'), '');
		const { status, stdout, stderr } = release(...version);
		expect(status).not.toBe(0);
		expect(stdout + stderr).toMatch(output);
		expect([git('rev-parse', 'HEAD'), git('tag'), tags()]).toEqual([before, 'v0.0.9', []]);
	});
});
