import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { succeed } from './processes';
import { builtPackage, installFlags, nodePackage, recipes, type N8nVersion } from './recipes';
import { until } from './until';

export interface InstalledN8n {
	version: N8nVersion;
	/** The installed packages: `node_modules` lies in it. */
	folder: string;
	/** The Node binary n8n runs on. */
	node: string;
	/** n8n's command line, to be run by that Node. */
	cli: string;
}

/**
 * A pinned n8n with its own Node, installed once and kept outside this repository. A folder that is complete is used as it is; one
 * that was interrupted, or made by another recipe, is made anew.
 */
export async function installN8n(version: N8nVersion): Promise<InstalledN8n> {
	const cache = cacheFolder();
	const nodeFolder = join(cache, 'node-24');
	const folder = join(cache, `n8n-${version}`);
	const node = nodeBinary(nodeFolder);

	await completeFolder(nodeFolder, { nodePackage }, async () => await installNode(nodeFolder));
	await completeFolder(
		folder,
		{ version, recipe: recipes[version].overrides, installFlags, builtPackage },
		async () => await installPackages(folder, version, node),
	);
	return { version, folder, node, cli: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

function cacheFolder(): string {
	const own = process.env.N8N_HOST_CACHE;
	if (own) return own;
	return join(
		process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
		'n8n-nodes-document-intelligence',
	);
}

function nodeBinary(nodeFolder: string): string {
	const binary = process.platform === 'win32' ? 'node.exe' : 'node';
	return join(nodeFolder, 'node_modules', nodePackage.name, 'bin', binary);
}

async function installNode(folder: string): Promise<void> {
	console.log(
		`installing Node ${nodePackage.version} for n8n, about 20 seconds, once, in ${folder}`,
	);
	await writePackage(folder, { dependencies: { [nodePackage.name]: nodePackage.version } });
	await npm(['install', ...installFlags], folder);
	await succeed(nodeBinary(folder), ['--version']);
}

async function installPackages(folder: string, version: N8nVersion, node: string): Promise<void> {
	const { minutes, megabytes, overrides } = recipes[version];
	console.log(
		`installing n8n ${version}, about ${minutes} minutes and ${megabytes / 1000} GB, once, in ${folder}`,
	);
	await writePackage(folder, {
		dependencies: { n8n: version },
		overrides,
		// npm from version 11 on asks for this consent; earlier ones ignore it.
		allowScripts: { [builtPackage]: true },
	});
	await npm(['install', ...installFlags], folder);
	await buildSqlite(folder, node);
}

/** Its install script downloads a ready-made binary, or compiles one where that cannot be reached. */
async function buildSqlite(folder: string, node: string): Promise<void> {
	const open = `new (require('${builtPackage}').Database)(':memory:', (error) => process.exit(error ? 1 : 0))`;
	try {
		await npm(
			['rebuild', builtPackage, '--ignore-scripts=false', '--foreground-scripts'],
			folder,
			// The headers for compiling came along with Node.
			{ npm_config_nodedir: join(node, '..', '..') },
		);
		await succeed(node, ['-e', open], { cwd: folder });
	} catch (error) {
		throw new Error(
			`${(error as Error).message}\n\nn8n keeps its data in SQLite, whose ready-made binary comes from github.com. ` +
				'Where it cannot be downloaded or does not fit, it is compiled, which takes Python 3, make and a C++ compiler.',
		);
	}
}

async function writePackage(folder: string, content: object): Promise<void> {
	const description = { name: 'n8n-host', private: true, ...content };
	await writeFile(join(folder, 'package.json'), JSON.stringify(description, null, 2));
}

async function npm(args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<void> {
	await succeed('npm', args, { cwd, env: { ...environmentOutsideNpmScript(), ...env } });
}

/** `npm run` hands the settings of its own project to every process below it. They must not reach another project's install. */
export function environmentOutsideNpmScript(): NodeJS.ProcessEnv {
	const projectSettings =
		/^npm_(package_|lifecycle_|config_(ignore_scripts|local_prefix|prefix|omit|include|package_lock)$)/;
	return Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !projectSettings.test(name)),
	);
}

async function completeFolder(
	folder: string,
	recipe: object,
	fill: () => Promise<void>,
): Promise<void> {
	const wanted = createHash('sha256').update(JSON.stringify(recipe)).digest('hex');
	const marker = join(folder, 'complete');
	const isComplete = async (): Promise<boolean> =>
		existsSync(marker) && (await readFile(marker, 'utf8')) === wanted;

	if (await isComplete()) return;
	await mkdir(join(folder, '..'), { recursive: true });
	const unlock = await lock(`${folder}.lock`);
	try {
		// Another process may have done the work while this one waited.
		if (await isComplete()) return;
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder, { recursive: true });
		await fill();
		// Last, so that whatever stopped halfway never counts as complete.
		await writeFile(marker, wanted);
	} finally {
		await unlock();
	}
}

/** Only one process may install into a folder. A lock whose process is gone counts for nothing. */
async function lock(path: string): Promise<() => Promise<void>> {
	const isMine = async () => {
		// Empty for the instant between its making and its writing, which is not a reason to take it away.
		const owner = Number(await readFile(path, 'utf8').catch(() => ''));
		if (owner > 0 && !isAlive(owner)) await rm(path, { force: true });
		return await writeFile(path, String(process.pid), { flag: 'wx' }).then(
			() => true,
			() => false,
		);
	};
	await until(isMine, 60 * 60, `the process that holds ${path} had not installed`);
	return async () => await rm(path, { force: true });
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
