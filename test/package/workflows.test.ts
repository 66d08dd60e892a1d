import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// A release runs only when there is something to release, too late to find out that it does not: what it has to do
// is held here. The files are read as text; there is no YAML parser among what this package needs.

const repository = join(__dirname, '..', '..');
const read = (name: string) => readFileSync(join(repository, name), 'utf8');
const folder = join('.github', 'workflows');
const workflows = readdirSync(join(repository, folder)).map((name) => join(folder, name));
const publish = read(join(folder, 'publish.yml'));
const ci = read(join(folder, 'ci.yml'));
const { version } = JSON.parse(read('package.json')) as { version: string };

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

test.each(workflows)('actions are those of a commit, whatever its tag becomes: %s', (name) => {
	const actions = [...read(name).matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
	expect(actions.length).toBeGreaterThan(0);
	const pinned = /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
	expect(actions.filter((action) => !pinned.test(action))).toEqual([]);
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
			const ties =
				/.*("resolved":|registry-url|^registry\s*=|:registry\b|_auth|publishConfig|\bregistry\.|--registry).*/gm;
			expect(read(name).match(ties)).toBeNull();
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
			packages: Record<string, { version?: string; integrity?: string; inBundle?: boolean }>;
		};
		const installed = Object.entries(packages).filter(
			([path, entry]) => path !== '' && !entry.inBundle,
		);
		expect(installed.length).toBeGreaterThan(100);
		const unsure = installed.filter(
			([, { integrity = '', version = '' }]) =>
				!integrity.startsWith('sha512-') || !/^\d/.test(version),
		);
		expect(unsure).toEqual([]);
	});
});
