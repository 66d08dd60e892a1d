import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createHost } from '../n8n/host';
import { environmentOutsideNpmScript, installN8n } from '../n8n/install';
import { finish, lastLines, succeed } from '../n8n/processes';
import { n8nVersions, type N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import { NODE_TYPE } from './workflows';
import type { Setting } from './setting';

const PACKAGE = 'n8n-nodes-document-intelligence';

interface Manifest {
	dependencies?: Record<string, string>;
	devDependencies?: unknown;
	peerDependencies?: unknown;
	optionalDependencies?: unknown;
}

/** Installs the package as n8n does, with only the modules that n8n's official image provides. */
export async function install(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		const host = await createHost({ packageTarball: setting.tarball, version });
		try {
			const unpacked = join(host.userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE);
			await check(`Installed as n8n ${version} does`, async () => await installAsN8n(unpacked));
			await check(
				`Loaded with nothing but the direct dependencies of n8n ${version} in reach`,
				async () => await loadAlone(unpacked, version, join(setting.folder, `image-${version}`)),
			);
			const server = await host.start();
			await check(`Served by n8n ${version}`, async () => await served(server));
		} finally {
			await host.stop();
		}
	}
}

/** n8n removes everything except the dependencies from package.json, and installs these without running scripts. */
async function installAsN8n(unpacked: string): Promise<string> {
	const path = join(unpacked, 'package.json');
	const { devDependencies, peerDependencies, optionalDependencies, ...manifest } = JSON.parse(
		await readFile(path, 'utf8'),
	) as Manifest;
	expectEqual(Object.keys(manifest.dependencies ?? {}), [], 'dependencies');
	await writeFile(path, JSON.stringify(manifest, null, 2));
	const flags = [
		'--audit=false',
		'--fund=false',
		'--bin-links=false',
		'--install-strategy=shallow',
		'--ignore-scripts=true',
		'--package-lock=false',
	];
	// Without network access, because anything to download would be a dependency.
	await succeed('npm', ['install', ...flags, '--offline'], {
		cwd: unpacked,
		env: environmentOutsideNpmScript(),
	});
	const left = [devDependencies, peerDependencies, optionalDependencies].filter(
		(entry) => entry !== undefined,
	).length;
	return `nothing to fetch; ${left} kinds of dependencies taken out first`;
}

/** Uses n8n's own loader, in a process that resolves modules as n8n's official image does. */
async function loadAlone(unpacked: string, version: N8nVersion, image: string): Promise<string> {
	const { folder, node } = await installN8n(version);
	const modules = join(folder, 'node_modules');
	const { dependencies = {} } = JSON.parse(
		await readFile(join(modules, 'n8n', 'package.json'), 'utf8'),
	) as Manifest;
	for (const name of Object.keys(dependencies)) {
		const link = join(image, 'node_modules', name);
		await mkdir(join(link, '..'), { recursive: true });
		await symlink(join(modules, name), link);
	}
	const script = `
		require('reflect-metadata');
		const { PackageDirectoryLoader } = require('n8n-core');
		const loader = new PackageDirectoryLoader(${JSON.stringify(unpacked)});
		loader.loadAll().then(() => {
			const { nodes, credentials } = loader.types;
			process.stdout.write('LOADED' + JSON.stringify({ nodes: nodes.map(({ name }) => name), credentials: credentials.map(({ name }) => name) }) + '\\n');
			process.exit();
		});
	`;
	const env = {
		...environmentOutsideNpmScript(),
		NODE_PATH: join(image, 'node_modules'),
		N8N_USER_FOLDER: image,
	};
	const { stdout, stderr } = await finish(node, ['-e', script], { cwd: image, env });
	const loaded = /LOADED(.*)/.exec(stdout)?.[1];
	expect(loaded !== undefined, lastLines(`${stdout}\n${stderr}`, 10));
	const { nodes, credentials } = JSON.parse(loaded) as { nodes: string[]; credentials: string[] };
	expect(
		nodes.some((name) => name.endsWith('documentIntelligence')),
		`nodes: ${nodes.join(', ')}`,
	);
	expectEqual(credentials, ['documentIntelligenceApi'], 'credentials');
	return `${nodes.join(', ')} and ${credentials.join(', ')}, with ${Object.keys(dependencies).length} packages in reach`;
}

type IconUrl = string | { light: string; dark: string };

async function served(server: Server): Promise<string> {
	const types = async (kind: string) => {
		const response = await fetch(`${server.url}/types/${kind}.json`, {
			headers: { cookie: server.cookie },
		});
		expect(response.ok, `${kind}.json: ${response.status}`);
		return (await response.json()) as Array<{ name: string; iconUrl?: IconUrl }>;
	};
	const node = (await types('nodes')).find(({ name }) => name === NODE_TYPE);
	const credential = (await types('credentials')).find(
		({ name }) => name === 'documentIntelligenceApi',
	);
	expect(
		node !== undefined && credential !== undefined,
		'n8n does not have the node and its credential',
	);
	const icons = [node, credential].flatMap(({ iconUrl }) =>
		typeof iconUrl === 'object' ? [iconUrl.light, iconUrl.dark] : [iconUrl ?? ''],
	);
	expectEqual(icons.length, 4, 'icons, of node and credential, light and dark');
	for (const icon of icons) {
		const response = await fetch(`${server.url}/${icon}`, { headers: { cookie: server.cookie } });
		const content = await response.text();
		expect(
			response.ok &&
				(response.headers.get('content-type') ?? '').includes('svg') &&
				content.includes('<svg'),
			`${icon}: ${response.status} ${content.slice(0, 100)}`,
		);
	}
	return `node, credential and ${icons.length} icons as SVG over HTTP`;
}
