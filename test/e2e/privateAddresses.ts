import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Server } from '../n8n/server';
import { startScriptedServer, type ScriptedServer } from '../nodes/scriptedServer';
import { check, expect, expectEqual } from './checks';
import { addCredential, byName, documents, fresh, withHost, type Setting } from './setting';
import { documentIntelligence, NODE, readFiles, reasonOf, start, workflow } from './workflows';

/** The metadata address of cloud providers. */
const METADATA = 'http://169.254.169.254/latest/meta-data/';

/** n8n 2 can keep workflows from private addresses if this is turned on. n8n 1 cannot. */
export async function privateAddresses(setting: Setting): Promise<void> {
	const env = {
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		// The name of the stand-in; requests to 127.0.0.1 are still blocked.
		N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
		N8N_METRICS: 'true',
		N8N_METRICS_INCLUDE_SSRF_METRICS: 'true',
	};
	const target = await startScriptedServer();
	const files = await startScriptedServer();
	try {
		await withHost(setting, { env }, async (server) => {
			await check(
				'Links to private addresses, protection on',
				async () => await links(setting, server, target, files),
			);
			await check('A service at a private address, protection on', async () => {
				await fresh(setting.standIn);
				await addCredential(server, setting.standIn, { name: 'By Number' });
				const execution = await server.run(
					workflow('By number', [
						start(),
						readFiles(join(documents, 'invoice-us.pdf')),
						documentIntelligence({ operation: 'extract' }, { credential: 'By Number' }),
					]),
				);
				expectEqual(execution.status, 'error', 'status');
				expectEqual((await setting.standIn.requests()).length, 0, 'requests at the service');
				expect(
					execution.error?.message.startsWith("n8n's SSRF protection blocked the request") ?? false,
					reasonOf(execution),
				);
				return `nothing was sent: ${reasonOf(execution)}`;
			});
		});
	} finally {
		files.close();
		target.close();
	}
}

async function links(
	{ standIn }: Setting,
	server: Server,
	target: ScriptedServer,
	files: ScriptedServer,
): Promise<string> {
	await fresh(standIn);
	await addCredential(server, standIn, { baseUrl: byName(standIn.url) });
	const loopback = `${target.url}/invoice.pdf`;
	const redirect = (path: string, location: string) =>
		byName(files.serve(path, { status: 302, headers: { location } }));
	const forbidden = [
		...[loopback, redirect('/to-loopback.pdf', loopback)],
		...[METADATA, redirect('/to-metadata.pdf', METADATA)],
	];

	const fromLink = async (fileUrl: string) =>
		await server.run(
			workflow(`File URL ${fileUrl}`, [
				start(),
				documentIntelligence({ operation: 'extract', inputSource: 'fileUrl', fileUrl }),
			]),
		);
	const cropped = async (imageUrl: string) => {
		await standIn.queueFaults([{ kind: 'answer', data: { documents: [{ imageUrl }] } }]);
		return await server.run(
			workflow(`Crop ${imageUrl}`, [
				start(),
				readFiles(join(documents, 'two-cards.jpg')),
				documentIntelligence({ operation: 'crop' }),
			]),
		);
	};

	const said = new Set<string>();
	for (const run of [fromLink, cropped]) {
		for (const link of forbidden) {
			const before = await blocked(server);
			const execution = await run(link);
			expectEqual([execution.status, execution.lastNode], ['error', NODE], `the end of ${link}`);
			expect(execution.error?.message.includes('SSRF protection') ?? false, reasonOf(execution));
			expect((await blocked(server)) > before, `n8n did not count ${link} as blocked`);
			said.add(execution.error?.message.split(': ').at(-1) ?? '');
		}
	}
	// Crop retries the download of an image once.
	expectEqual(files.received.length, 6, 'redirects that were asked for');
	expectEqual(target.received, [], 'requests at the private address');

	// Proves that not everything is blocked.
	const allowed = byName(
		files.serve('/invoice.pdf', {
			headers: { 'content-type': 'application/pdf' },
			body: await readFile(join(documents, 'invoice-us.pdf')),
		}),
	);
	const execution = await fromLink(allowed);
	expect(execution.status === 'success', reasonOf(execution));
	return `File URL and Crop, to loopback, to ${new URL(METADATA).hostname} and by redirects: ${2 * forbidden.length} runs stopped (${[...said].join(' | ')}), no request arrived; an allowed host is still read`;
}

/** How often n8n logged a blocked request. */
async function blocked(server: Server): Promise<number> {
	const metrics = await (await fetch(`${server.url}/metrics`)).text();
	return [...metrics.matchAll(/^n8n_ssrf_blocked_checks_total\{.*\} (\d+)$/gm)].reduce(
		(sum, [, count]) => sum + Number(count),
		0,
	);
}
