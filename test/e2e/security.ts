import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Host } from '../n8n/host';
import { n8nVersions } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import type { Fault } from '../stand-in/control';
import { check, expect, expectEqual } from './checks';
import { startReceiver } from './receiver';
import { addCredential, documents, fresh, withHost, type Setting } from './setting';
import { documentIntelligence, node, readFiles, start, workflow } from './workflows';

/** Ways for a request to go wrong, each met by one run. */
const FAULTS: Fault[] = [
	{ kind: 'internal500' },
	{ kind: 'problem', status: 400, code: 'MALFORMED', detail: 'The request is malformed.' },
	{ kind: 'envelopeError', status: 200 },
	{ kind: 'html502' },
	{ kind: 'emptyBody' },
	{ kind: 'truncatedJson' },
	{ kind: 'truncatedBody' },
	{ kind: 'reset' },
	{ kind: 'refuse' },
	{ kind: 'qualityBlock' },
	{ kind: 'quotaExceeded' },
	{ kind: 'redirect', location: '/elsewhere' },
];

/** Words that stand in the documents that are sent, and the first bytes of every PDF. */
const CONTENTS = ['Tallowmere', 'INV-2026-0117', 'Oak reading table', '%PDF-', 'JVBERi0'];

/** After everything that can go wrong has, the key and what stands in documents are looked for in all that n8n wrote. */
export async function security(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		const userFolder = await mkdtemp(join(setting.folder, 'searched-'));
		const keys: string[] = [];
		let log = '';
		// Files in the item, so that documents go through n8n's database and messages rather than past them.
		await withHost(setting, { version, userFolder, binaryData: 'default', env: { N8N_LOG_LEVEL: 'debug' } }, async (server, host) => {
			await check(`A set of failures in n8n ${version}`, async () => await fail(setting, server, host, keys));
			log = server.log();
			await server.stop();
			log = server.log();
		});

		await check(`The API key in what n8n ${version} wrote`, async () => {
			const files = await filesOf(userFolder);
			const places = [...files, { name: "n8n's output", content: Buffer.from(log) }];
			for (const key of keys) {
				// In clear, as part of a base64 text, and its part that says who it is.
				for (const form of [key, Buffer.from(`Bearer ${key}`).toString('base64').slice(0, -4), key.slice('xtkt_live_valid_'.length)]) {
					const found = places.filter(({ content }) => content.includes(form)).map(({ name }) => name);
					expectEqual(found, [], 'a key is in clear in');
				}
			}
			// Otherwise the search may have looked at nothing.
			const database = files.filter(({ name }) => name.includes('database.sqlite'));
			expect(database.some(({ content }) => content.includes('Tallowmere')), 'the search does not see the executions in the database');
			expect(database.some(({ content }) => content.includes('No template fits')), 'the search does not see the failures in the database');
			return `${keys.length} keys in none of ${files.length} files and ${log.split('\n').length} lines of log; the executions themselves are in the database`;
		});

		await check(`Contents of documents in the log of n8n ${version}`, async () => {
			const logs = (await filesOf(userFolder)).filter(({ name }) => name.endsWith('.log'));
			const places = [...logs, { name: "n8n's output", content: Buffer.from(log) }];
			for (const words of CONTENTS) {
				const found = places.filter(({ content }) => content.includes(words)).map(({ name }) => name);
				expectEqual(found, [], `"${words}" is in`);
			}
			expect(log.includes('Document Intelligence finished'), 'the log does not have the debug line of the node');
			return `none of ${CONTENTS.length} words in ${places.length} logs at level debug`;
		});
		await rm(userFolder, { recursive: true, force: true });
	}
}

async function fail({ standIn, folder }: Setting, server: Server, host: Host, keys: string[]): Promise<string> {
	const receiver = await startReceiver();
	const own = (kind: string) => {
		const key = `xtkt_live_${kind}_secret-of-${host.version.replace(/\W/g, '-')}-${process.pid}`;
		keys.push(key);
		return key;
	};
	const statuses: string[] = [];
	const run = async (name: string, pattern: string, parameters: object, credential: string, onError?: string) => {
		const execution = await server.run(
			workflow(name, [start(), readFiles(pattern), documentIntelligence({ operation: 'extract', ...parameters }, { credential, onError })]),
		);
		statuses.push(execution.status);
	};
	try {
		await fresh(standIn);
		const invoice = join(documents, 'invoice-us.pdf');
		await addCredential(server, standIn, { name: 'Good', apiKey: own('valid') });
		await addCredential(server, standIn, { name: 'Revoked', apiKey: own('revoked') });
		await addCredential(server, standIn, { name: 'Unsubscribed', apiKey: own('unsubscribed') });
		await addCredential(server, standIn, { name: 'Wrong Address', apiKey: own('valid_elsewhere'), baseUrl: receiver.sameHostUrl });
		await addCredential(server, standIn, { name: 'Nobody There', apiKey: own('valid_nowhere'), baseUrl: 'http://127.0.0.1:9' });

		// One that succeeds, so that there is something to be found.
		await run('Succeeds', invoice, {}, 'Good');
		expectEqual(statuses, ['success'], 'the run without a fault');
		for (const fault of FAULTS) {
			await standIn.queueFaults([fault]);
			await run(`Fault ${fault.kind}`, invoice, { options: { maxRetries: 0 } }, 'Good');
		}
		for (const credential of ['Revoked', 'Unsubscribed', 'Wrong Address', 'Nobody There']) {
			await run(credential, invoice, { options: { maxRetries: 0 } }, credential);
			await run(`${credential}, goes on`, invoice, { options: { maxRetries: 0 } }, credential, 'continueRegularOutput');
		}
		await standIn.queueFaults([{ kind: 'hang' }]);
		await run('Too slow', invoice, { options: { timeout: 1 } }, 'Good');
		await run('No template', join(documents, 'portrait.png'), {}, 'Good');
		const large = join(folder, 'too-large.pdf');
		await writeFile(large, Buffer.concat([await readFile(invoice), Buffer.alloc(11 * 2 ** 20)]));
		await run('Too large', large, {}, 'Good');
		await run('Not supported', join(documents, 'notes.txt'), {}, 'Good');
		await run('No such field', invoice, { binaryPropertyName: 'invoice' }, 'Good');

		const elsewhere = await server.run(
			workflow('HTTP Request elsewhere', [
				start(),
				node('HTTP Request', 'n8n-nodes-base.httpRequest', 4.2, {
					url: receiver.url,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: 'documentIntelligenceApi',
					options: {},
				}, { credentials: { documentIntelligenceApi: { name: 'Good' } } }),
			]),
		);
		statuses.push(elsewhere.status);
		for (const [kind, baseUrl] of [['revoked', standIn.url], ['valid_tested', receiver.sameHostUrl]] as const) {
			await server.testCredential({
				name: 'Tested',
				type: 'documentIntelligenceApi',
				data: { apiKey: own(kind), region: 'custom', baseUrl, requestsPerMinute: 50 },
			});
		}
		const failed = statuses.filter((status) => status === 'error').length;
		return `${statuses.length} runs, ${failed} of them stopped`;
	} finally {
		await receiver.stop();
	}
}

/** Every file below a folder, except the package itself. */
async function filesOf(folder: string): Promise<Array<{ name: string; content: Buffer }>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const paths = entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.includes('node_modules'));
	return await Promise.all(paths.map(async (path) => ({ name: relative(folder, path), content: await readFile(path) })));
}
