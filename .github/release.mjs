// Tests, sets the version, commits, tags and pushes: `npm run release -- 0.1.0`, or patch, minor or major.
// The workflow `publish` takes over from the tag. With --dry-run, shows what it would publish, and changes nothing.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { placeholders } from './publisher.mjs';

const DRY_RUN = '--dry-run';
const options = process.argv.slice(2);
const [version = ''] = options.filter((option) => option !== DRY_RUN);

/** npm is a batch file on Windows, which only a shell can start. */
const shell = process.platform === 'win32';
const run = (command, ...args) => execFileSync(command, args, { stdio: 'inherit', shell });

function refuse(reason) {
	console.error(reason);
	process.exit(1);
}

if (!/^(major|minor|patch|\d+\.\d+\.\d+)$/.test(version)) {
	refuse('Specify a version: npm run release -- 0.1.0 (or patch, minor or major)');
}
if (execFileSync('git', ['tag', '--list', `v${version}`], { encoding: 'utf8' }).trim() !== '') {
	refuse(`v${version} already exists`);
}
const unset = placeholders.join(', ');
if (unset !== '' && !options.includes(DRY_RUN)) {
	refuse(`Nobody has set ${unset} in .github/publisher.json. Set them, and run npm run publisher`);
}

/** Packs and scans a clean clone of the last commit, without its tests. */
function showPackage() {
	const folder = mkdtempSync(join(tmpdir(), 'release-'));
	const clone = join(folder, 'clone');
	const output = (command, ...args) =>
		execFileSync(command, args, {
			cwd: clone,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'inherit'],
			shell,
		});
	try {
		run('git', 'clone', '--quiet', process.cwd(), clone);
		output('npm', 'ci', '--ignore-scripts');
		output('npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
		output('npm', 'run', 'build');
		const [packed] = JSON.parse(output('npm', 'pack', '--json', '--pack-destination', folder));
		run('tar', '-xzf', join(folder, packed.filename), '-C', folder);
		const scanner = join('test', 'package', 'scan.mjs');
		const scan = JSON.parse(output('node', scanner, join(folder, 'package'), 'tarball'));
		for (const { path, size } of packed.files) console.log(`${size} ${path}`);
		console.log(
			`${packed.filename}: ${packed.files.length} files, ${packed.size} bytes, ${packed.unpackedSize} unpacked`,
		);
		for (const { filePath, line, message } of scan.messages)
			console.log(`${filePath}:${line} ${message}`);
		if (!scan.passed) throw new Error("The package does not pass n8n's scan");
		console.log(`n8n's scan: passed, ${scan.linted} files. Nothing was published.`);
		if (unset !== '') console.log(`Before a release, set ${unset} in .github/publisher.json.`);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

try {
	if (options.includes(DRY_RUN)) {
		showPackage();
	} else {
		run('npm', 'test');
		// The version of the first release is in package.json already.
		run('npm', 'version', version, '--allow-same-version');
		run('git', 'push', '--follow-tags');
	}
} catch ({ message }) {
	refuse(message);
}
