import { spawnSync } from 'node:child_process';

import { filesIn, repository, textOf } from './repository';

// A release runs only when there is something to release, too late to find out that it does not: what it has to do
// is held here. The files are read as text; there is no YAML parser among what this package needs.

const workflows = filesIn('.github/workflows', '');
const publish = textOf('.github/workflows/publish.yml');
const ci = textOf('.github/workflows/ci.yml');

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
		.flatMap(([, , lines, line]) => (lines ?? line ?? '').split('\n'))
		.map((command) => command.trim())
		.filter((command) => command !== '');
}

describe('The workflow that publishes', () => {
	const job = section(publish, 'publish', 2);

	test('begins with a tag of a version, and with nothing else', () => {
		expect(section(publish, 'on')).toMatch(/^push:\s+tags: \['v\*\.\*\.\*'\]$/);
	});

	test('may ask for an identity where it publishes, and write nothing', () => {
		expect(publish.match(/^.*: write$/gm)?.map((line) => line.trim())).toEqual(['id-token: write']);
		expect(job).toContain('id-token: write');
		expect(publish).not.toMatch(/permissions: write-all|secrets\.|_TOKEN|_authToken/);
	});

	test('publishes with provenance, by the Node whose npm can, when another job has tested', () => {
		expect(job).toContain('node-version: 24');
		expect(commandsOf(job)).toEqual([expect.stringMatching(/^npm publish .*--provenance\b/)]);
		const [, before = 'none'] = /^\s*needs: (\w+)$/m.exec(job) ?? [];
		const commands = commandsOf(section(publish, before, 2));
		expect(commands.filter((command) => /^npm (ci|test)/.test(command))).toEqual([
			'npm ci --ignore-scripts',
			'npm test',
		]);
		expect(publish).not.toMatch(/continue-on-error|if: always/);
	});

	const { version } = JSON.parse(textOf('package.json')) as { version: string };
	test.each([
		[`v${version}`, 0],
		['v99.0.0', 1],
	])('the tag %s ends its check with %i', (tag, status) => {
		const check = commandsOf(publish).find((command) => command.includes('$GITHUB_REF_NAME'));
		const env = { ...process.env, GITHUB_REF_NAME: tag };
		const ended = spawnSync('bash', ['-e', '-c', String(check)], { cwd: repository, env });
		expect(ended.status).toBe(status);
	});
});

test('the workflow for changes runs the tests, and each part of those in a real n8n', () => {
	expect(section(ci, 'on')).toMatch(/push:\s+branches: \[main\]/);
	expect(section(ci, 'on')).toMatch(/^\s*pull_request:/m);
	expect(commandsOf(ci)).toContain('npm test');
	expect(commandsOf(ci)).toContain('npm run test:e2e -- ${{ matrix.parts }}');
	const [, all = ''] = /^const parts: .* = \{([^}]*)\};$/m.exec(textOf('test/e2e/main.ts')) ?? [];
	const run = [...ci.matchAll(/ parts: (.*)$/gm)].flatMap(([, parts = '']) => parts.split(' '));
	expect(run.sort()).toEqual(all.match(/\w+/g)?.sort());
	expect(ci).not.toMatch(/: write$|continue-on-error/m);
});

test.each(workflows)('%s takes actions of a commit, and runs no scripts of packages', (name) => {
	const workflow = textOf(name);
	const actions = [...workflow.matchAll(/uses: (.*)$/gm)].map(([, action = '']) => action);
	expect(actions.length).toBeGreaterThan(0);
	const pinned = /^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
	expect(actions.filter((action) => !pinned.test(action))).toEqual([]);
	const installing = commandsOf(workflow).filter((command) =>
		/\bnpm (ci|i|install)\b/.test(command),
	);
	expect(installing.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
});

describe('Installing', () => {
	test('runs no scripts of packages for developers either', () => {
		expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
	});

	test.each([...workflows, 'package.json', '.npmrc', 'package-lock.json'])(
		'is not tied to a registry: %s',
		(name) => {
			const ties =
				/.*("resolved":|registry-url|^registry\s*=|:registry\b|_auth|publishConfig|\bregistry\.|--registry).*/gm;
			expect(textOf(name).match(ties)).toBeNull();
		},
	);

	test('checks each package by its hash', () => {
		const { packages } = JSON.parse(textOf('package-lock.json')) as {
			packages: Record<string, { version?: string; integrity?: string; inBundle?: boolean }>;
		};
		const installed = Object.entries(packages).filter(
			([path, { inBundle }]) => path !== '' && !inBundle,
		);
		expect(installed.length).toBeGreaterThan(100);
		// A version that is an address would be downloaded from there.
		const unsure = installed.filter(
			([, { integrity = '', version = '' }]) =>
				!integrity.startsWith('sha512-') || !/^\d/.test(version),
		);
		expect(unsure).toEqual([]);
	});
});
