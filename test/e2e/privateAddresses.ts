import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import {
	addCredential,
	byName,
	documents,
	fresh,
	scriptedServer,
	withHost,
	type Setting,
} from './setting';
import {
	documentIntelligence,
	NODE,
	reasonOf,
	sending,
	start,
	succeeded,
	workflow,
} from './workflows';

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
	await withHost(setting, { env }, async (server) => {
		await check(
			'Links to private addresses, and a service at one, with the protection of n8n 2',
			async () => await expectProtection(setting, server),
		);
	});
}

async function expectProtection({ standIn }: Setting, server: Server): Promise<string> {
	const target = await scriptedServer();
	const files = await scriptedServer();
	await fresh(standIn);
	await addCredential(server, standIn, { baseUrl: byName(standIn.url) });
	await addCredential(server, standIn, { name: 'By Number' });
	const loopback = `${target.url}/invoice.pdf`;
	const redirect = (path: string, location: string) =>
		byName(files.serve(path, { status: 302, headers: { location } }));
	const forbidden = [
		...[loopback, redirect('/to-loopback.pdf', loopback)],
		...[METADATA, redirect('/to-metadata.pdf', METADATA)],
	];

	const fromLink = (fileUrl: string) =>
		workflow(`File URL ${fileUrl}`, [
			start(),
			documentIntelligence({ operation: 'extract', inputSource: 'fileUrl', fileUrl }),
		]);
	const cropped = workflow('Crop', sending('two-cards.jpg', { operation: 'crop' }));
	const credential = 'By Number';
	const byNumber = workflow(
		credential,
		sending('invoice-us.pdf', { operation: 'extract' }, { credential }),
	);
	const expectBlocked = async (made: ReturnType<typeof workflow>, link: string) => {
		const before = await blocked(server);
		const execution = await server.run(made);
		expectEqual([execution.status, execution.lastNode], ['error', NODE], `the end of ${link}`);
		expect(execution.error?.message.includes('SSRF protection') ?? false, reasonOf(execution));
		expect((await blocked(server)) > before, `n8n did not count ${link} as blocked`);
	};
	await expectBlocked(byNumber, standIn.url);
	expectEqual((await standIn.requests()).length, 0, 'requests at the service');
	for (const link of forbidden) {
		await expectBlocked(fromLink(link), link);
		await standIn.queueFaults([{ kind: 'answer', data: { documents: [{ imageUrl: link }] } }]);
		await expectBlocked(cropped, link);
	}
	// Crop retries the download of an image once.
	expectEqual(files.received.length, 6, 'redirects that were asked for');
	expectEqual(target.received, [], 'requests at the private address');

	// Proves that not everything is blocked.
	const headers = { 'content-type': 'application/pdf' };
	const body = await readFile(join(documents, 'invoice-us.pdf'));
	await succeeded(server, fromLink(byName(files.serve('/invoice.pdf', { headers, body }))));
	return `File URL and Crop, to loopback, to ${new URL(METADATA).hostname} and by redirects: no request arrived; an allowed host is still read`;
}

/** How often n8n logged a blocked request. */
async function blocked(server: Server): Promise<number> {
	const metrics = await (await fetch(`${server.url}/metrics`)).text();
	return [...metrics.matchAll(/^n8n_ssrf_blocked_checks_total\{.*\} (\d+)$/gm)].reduce(
		(sum, [, count]) => sum + Number(count),
		0,
	);
}
