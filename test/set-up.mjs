// Plain JavaScript without imports from packages: this runs on a fresh clone, where nothing is installed yet.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

if (!dependenciesAreInstalled()) {
	console.log('installing dependencies (npm ci), about a minute');
	const { status, signal } = spawnSync(
		'npm',
		['ci', '--no-audit', '--no-fund', '--loglevel=error'],
		{
			cwd: project,
			stdio: 'inherit',
			// npm is a batch file on Windows, which only a shell can start.
			shell: process.platform === 'win32',
		},
	);
	if (status !== 0) {
		console.error(`npm ci ended with ${signal ?? `code ${status}`}`);
		process.exit(1);
	}
}

/** Dates say nothing here, as git and npm set them in any order. npm notes what it installed; that note is compared. */
function dependenciesAreInstalled() {
	const wanted = packagesIn('package-lock.json');
	const installed = packagesIn('node_modules/.package-lock.json');
	return Object.entries(wanted).every(
		([path, { version, optional }]) =>
			// The project itself has no entry there; optional packages are for other systems.
			path === '' || optional || installed[path]?.version === version,
	);
}

function packagesIn(lockFile) {
	try {
		return JSON.parse(readFileSync(`${project}/${lockFile}`, 'utf8')).packages;
	} catch {
		return {};
	}
}
