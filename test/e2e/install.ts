import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createHost } from '../n8n/host';
import { environmentOutsideNpmScript } from '../n8n/install';
import { succeed } from '../n8n/processes';
import { n8nVersions } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import type { Setting } from './setting';
import { NODE_TYPE } from './workflows';

/** Installs the package as n8n does, and starts n8n with it. What it finds beside n8n-workflow, package.slow.test.ts says: nothing. */
export async function install(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		const host = await createHost({ packageTarball: setting.tarball, version });
		try {
			const nodes = join(host.userFolder, '.n8n', 'nodes', 'node_modules');
			const unpacked = join(nodes, 'n8n-nodes-document-intelligence');
			await check(`Installed as n8n ${version} does`, async () => await installAsN8n(unpacked));
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
	const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, object | undefined>;
	expectEqual(Object.keys(manifest.dependencies ?? {}), [], 'dependencies');
	for (const kind of ['devDependencies', 'peerDependencies', 'optionalDependencies'])
		delete manifest[kind];
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
	return 'nothing to fetch';
}

async function served(server: Server): Promise<string> {
	const get = async (path: string) => {
		const headers = { cookie: server.cookie };
		const response = await fetch(`${server.url}/${path}`, { headers });
		expect(response.ok, `${path}: ${response.status}`);
		return response;
	};
	const icons: string[] = [];
	for (const [kind, names] of [
		['nodes', [NODE_TYPE, `${NODE_TYPE}Trigger`]],
		['credentials', ['documentIntelligenceApi']],
	] as const) {
		const types = (await (await get(`types/${kind}.json`)).json()) as Array<{
			name: string;
			iconUrl?: { light: string; dark: string };
		}>;
		for (const wanted of names) {
			const type = types.find(({ name }) => name === wanted);
			expect(type !== undefined, `n8n does not have ${wanted}`);
			icons.push(type.iconUrl?.light ?? 'no light icon', type.iconUrl?.dark ?? 'no dark icon');
		}
	}
	for (const icon of icons) {
		const response = await get(icon);
		const type = response.headers.get('content-type') ?? '';
		const content = await response.text();
		expect(type.includes('svg') && content.includes('<svg'), `${icon}: ${content.slice(0, 100)}`);
	}
	return `node, trigger and credential, and ${icons.length} icons as SVG over HTTP`;
}
