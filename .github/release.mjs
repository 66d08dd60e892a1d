// Tests, sets the version, commits, tags and pushes: `npm run release -- 0.1.0`, or patch, minor or major.
// The workflow `publish` takes over from the tag.
import { execFileSync } from 'node:child_process';

const version = process.argv[2] ?? '';

/** npm is a batch file on Windows, which only a shell can start. */
const run = (command, ...args) =>
	execFileSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });

function refuse(reason) {
	console.error(reason);
	process.exit(1);
}

if (!/^(major|minor|patch|\d+\.\d+\.\d+)$/.test(version)) {
	refuse('Say which version: npm run release -- 0.1.0, or patch, minor or major');
}
if (execFileSync('git', ['tag', '--list', `v${version}`], { encoding: 'utf8' }).trim() !== '') {
	refuse(`v${version} is there already`);
}

try {
	run('npm', 'test');
	// The version of the first release is in package.json already.
	run('npm', 'version', version, '--allow-same-version');
	run('git', 'push', '--follow-tags');
} catch ({ message }) {
	refuse(message);
}
