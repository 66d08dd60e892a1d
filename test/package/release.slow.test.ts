import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ANN, repository, textOf } from './repository';

const { scripts } = JSON.parse(textOf('package.json')) as { scripts: { release: string } };

const inGithub = (name: string) => join('.github', name);

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

// Who has the sources as an archive may have no git, and releases nothing.
const withGit = spawnSync('git', ['--version']).status === 0 ? describe : describe.skip;

withGit('npm run release', () => {
	let place: string;
	let clone: string;

	const git = (...args: string[]) =>
		execFileSync('git', args, { cwd: clone, env, encoding: 'utf8', stdio: 'pipe' }).trim();
	const release = (...options: string[]) => {
		const args = ['run', 'release', '--', ...options];
		const { status, stdout, stderr } = spawnSync('npm', args, {
			cwd: clone,
			env,
			encoding: 'utf8',
		});
		return { status, output: stdout + stderr };
	};
	const commit = (files: Record<string, string>) => {
		for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, name), text);
		git('add', '.');
		git('commit', '--quiet', '-m', 'Change');
	};
	/** What a release may change. */
	const state = () => ({
		head: git('rev-parse', 'HEAD'),
		changes: git('status', '--short'),
		tags: git('tag').split('\n'),
		pushed: git('ls-remote', 'origin'),
	});

	/** A package with this script and tests that pass or fail, and the repository it is pushed to. */
	beforeEach(() => {
		place = mkdtempSync(join(tmpdir(), 'release-'));
		clone = place;
		git('init', '--quiet', '--bare', '--initial-branch=main', 'there.git');
		git('clone', '--quiet', 'there.git', 'here');
		clone = join(place, 'here');
		mkdirSync(join(clone, '.github'));
		for (const name of ['.npmrc', ...['release.mjs', 'publisher.mjs'].map(inGithub)])
			copyFileSync(join(repository, name), join(clone, name));
		commit({
			[inGithub('publisher.json')]: JSON.stringify(ANN),
			'package.json': JSON.stringify({
				name: 'x',
				version: '0.1.0',
				scripts: { test: 'test ! -e broken', release: scripts.release },
			}),
		});
		git('push', '--quiet', '-u', 'origin', 'HEAD:main');
	});
	afterEach(() => rmSync(place, { recursive: true, force: true }));

	test('sets the version, and pushes the commit with its tag: the first, the next, and a named one', () => {
		for (const [asked = '', version] of [
			['0.1.0', '0.1.0'],
			['minor', '0.2.0'],
			['1.0.0', '1.0.0'],
		]) {
			expect(release(asked).status).toBe(0);
			const tagged = git('rev-parse', `v${version}^{commit}`);
			expect(git('ls-remote', 'origin', 'refs/heads/main')).toContain(tagged);
			expect(git('ls-remote', '--tags', 'origin')).toContain(`${tagged}\trefs/tags/v${version}^{}`);
			expect(JSON.parse(git('show', `v${version}:package.json`))).toMatchObject({ version });
		}
	});

	test('--dry-run shows what would be published, and its scan, and changes nothing', () => {
		const manifest = { name: 'x', version: '0.1.0' };
		const scan = (passed: boolean, messages: object[]) =>
			`console.log('${JSON.stringify({ passed, linted: 1, messages })}')`;
		mkdirSync(join(clone, 'test', 'package'), { recursive: true });
		commit({
			'test/package/scan.mjs': scan(true, []),
			'package-lock.json': JSON.stringify({
				...manifest,
				lockfileVersion: 3,
				packages: { '': manifest },
			}),
			'package.json': JSON.stringify({
				...manifest,
				scripts: { build: 'touch index.js', release: scripts.release },
				files: ['index.js'],
			}),
		});
		const before = state();
		expect(release('--dry-run', '0.1.0')).toEqual({
			status: 0,
			output: expect.stringMatching(/^\d+ index\.js$/m) as string,
		});
		expect(state()).toEqual(before);

		commit({
			'test/package/scan.mjs': scan(false, [{ filePath: 'a.js', line: 3, message: 'not allowed' }]),
		});
		expect(release('--dry-run', '0.1.0')).toEqual({
			status: 1,
			output: expect.stringMatching(/a\.js:3 not allowed\n[^]*does not pass/) as string,
		});
	});

	test('leaves everything as it was if it refuses, and says why', () => {
		const expectRefusal = (version: string[], reason: RegExp) => {
			const before = state();
			expect(release(...version)).toEqual({
				status: 1,
				output: expect.stringMatching(reason) as string,
			});
			expect(state()).toEqual(before);
		};
		git('tag', 'v0.0.9');
		writeFileSync(join(clone, 'broken'), '');
		expectRefusal([], /Specify a version/);
		expectRefusal(['next'], /Specify a version/);
		expectRefusal(['0.0.9'], /v0\.0\.9 already exists/);
		expectRefusal(['minor'], /broken/);
		rmSync(join(clone, 'broken'));
		commit({ [inGithub('publisher.json')]: textOf(inGithub('publisher.json')) });
		expectRefusal(
			['0.1.0'],
			/Nobody has set author\.name, author\.email, homepage, repository, documentation, licenseHolder in /,
		);
	});
});
