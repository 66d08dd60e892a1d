// `npm test`: everything that every change must pass; `npm test -- <path>`: the suites of a folder or file alone.
import './set-up.mjs';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const options = { cwd: project, shell: process.platform === 'win32' };
const paths = process.argv.slice(2);

try {
	// Lint takes as long as the other two together, so two cores are busy for half the time.
	if (paths.length === 0) await Promise.all([lane('lint'), lane('build', 'typecheck')]);
	await run('npx', ['jest', '--config', 'test/jest.config.js', ...paths], 'inherit');
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
}

/** Runs scripts of package.json one after the other, and shows what each printed once it has ended. */
async function lane(...scripts) {
	for (const script of scripts) await run('npm', ['run', script], 'pipe');
}

async function run(command, args, output) {
	const child = spawn(command, args, { ...options, stdio: ['ignore', output, output] });
	const printed = [];
	for (const stream of [child.stdout, child.stderr])
		stream?.on('data', (chunk) => printed.push(chunk));
	const code = await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', resolve);
	});
	process.stdout.write(Buffer.concat(printed));
	if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with code ${code}`);
}
