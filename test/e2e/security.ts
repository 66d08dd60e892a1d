import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { WorkflowNode } from '../n8n/host';
import { n8nVersions, type N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import type { Fault } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { credentialTest, httpRequests, testAt } from './credential';
import { privateAddresses } from './privateAddresses';
import { BEGINNINGS, expectNoKey, expectNowhere, filesOf, type Place } from './secrets';
import {
	addCredential,
	documents,
	fresh,
	nameOf,
	OTHER_JSON,
	scriptedServer,
	withHost,
	type Setting,
} from './setting';
import { documentIntelligence, NODE, reasonOf, sending, start, workflow } from './workflows';

/** Sent in runs that succeed, so the database may contain its contents. */
const GOOD = join(documents, 'invoice-uk.pdf');
const WORD_OF_GOOD = 'Brindlecombe';

/** Sent in runs that fail, and words that it contains. */
const BAD = join(documents, 'invoice-us.pdf');
const WORDS_OF_BAD = ['Tallowmere', 'INV-2026-0117', 'Oak reading table'];

/** Runs a set of failures, then searches everything that n8n wrote for the key and for document contents. */
export async function security(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		// Files inside items are stored in n8n's database.
		await failures(setting, version, 'default');
		// With files on disk, the default, the database must not contain them.
		await failures(setting, version, 'filesystem');
	}
	await privateAddresses(setting);
}

async function failures(
	setting: Setting,
	version: N8nVersion,
	binaryData: 'default' | 'filesystem',
): Promise<void> {
	const where = nameOf(version, binaryData);
	const userFolder = await mkdtemp(join(setting.folder, 'searched-'));
	const env = { N8N_LOG_LEVEL: 'debug' };
	const failing = new Failing();
	let output = '';
	await withHost(setting, { version, userFolder, binaryData, env }, async (server) => {
		const failed = check(
			`A set of failures in ${where}`,
			async () => await failing.run(setting, server),
		);
		if (binaryData === 'filesystem') {
			await credentialTest(setting, server, version);
			await failed;
			await check(
				`The HTTP Request node of n8n ${version} sends the API key to the address of the credential alone`,
				async () => await httpRequests(setting, server, version),
			);
		}
		await failed;
		await server.stop();
		output = server.log();
	});
	const { keys, executions } = failing;
	const files = await filesOf(userFolder);
	const database = files.filter(({ name }) => name.includes('database.sqlite'));
	const log = [
		...files.filter(({ name }) => name.endsWith('.log')),
		{ name: "n8n's output", content: output },
	];

	await check(`The API key in what ${where} wrote`, () => {
		const places = [...log, ...executions, ...files];
		// Also the part of a key after its prefix.
		for (const key of keys) expectNowhere(key.slice(key.indexOf('secret-of')), places);
		return expectNoKey(keys, places, [
			...[WORD_OF_GOOD, 'No template fits'].flatMap((word): Array<[string, Place[]]> => [
				[word, database],
				[word, executions],
			]),
			['Document Intelligence finished', log],
		]);
	});

	await check(`Contents of documents in what ${where} wrote`, () => {
		const places = binaryData === 'default' ? log : [...log, ...database, ...executions];
		for (const words of [...BEGINNINGS, ...WORDS_OF_BAD]) expectNowhere(words, places);
		return `none of ${BEGINNINGS.length + WORDS_OF_BAD.length} words in ${binaryData === 'default' ? 'the log' : `the log, the database and ${executions.length} executions`}`;
	});
	await rm(userFolder, { recursive: true, force: true });
}

/** A run, how it ends, and words of the message that stops it or that its item has. */
interface Case {
	name: string;
	nodes: WorkflowNode[];
	/** Stopped at the node unless its item of this output says why, or unless it succeeds. */
	output?: number;
	says?: string;
	fault?: Fault;
}

/** Failures that differ in what n8n has to write down: a response of each kind, none, a timeout, a link, a rejected key. */
class Failing {
	readonly keys: string[] = [];
	/** As n8n returns them, one text each, because the database file splits them into pages. */
	readonly executions: Place[] = [];

	async run({ standIn }: Setting, server: Server): Promise<string> {
		const other = await scriptedServer({ otherwise: OTHER_JSON });
		await fresh(standIn);
		const accounts = [
			['Document Intelligence', 'valid', standIn.url, ''],
			['Revoked', 'revoked', standIn.url, 'rejected the API key'],
			['Unsubscribed', 'unsubscribed', standIn.url, 'does not allow the extraction'],
			['Wrong Address', 'valid_elsewhere', other.url, 'could not be read'],
			['Nobody There', 'valid_nowhere', 'http://127.0.0.1:9', 'cannot be reached'],
		] as const;
		for (const [name, kind, baseUrl] of accounts)
			await addCredential(server, standIn, { name, apiKey: this.key(kind), baseUrl });
		const cases: Case[] = [
			...(await linkCases()),
			...faultCases(`${other.url}/elsewhere`),
			...accounts.slice(1).map(([credential, , , says]) => {
				const nodes = sending(BAD, EXTRACT, { credential });
				return { name: credential, nodes, says };
			}),
			...goesOn({ credential: 'Revoked' }, 'rejected the API key'),
			...goesOn({}, 'was lost before', { kind: 'reset' }),
		];
		for (const one of cases) {
			await standIn.queueFaults(one.fault ? [one.fault] : []);
			await this.expectEnd(server, one);
		}
		const requests = other.received.map(({ url }) => url);
		expect(!requests.includes('/elsewhere'), 'a redirect to another host was followed');
		for (const [kind, baseUrl, says] of [
			['revoked', standIn.url, 'rejected the API key'],
			['valid_tested', other.url, 'A proxy or firewall answered'],
		] as const) {
			const { message } = await testAt(server, baseUrl, this.key(kind));
			expect(message.includes(says), `the credential's test with ${kind}: ${message}`);
		}
		return `${cases.length} runs and 2 tests of a credential, all as expected`;
	}

	private key(kind: string): string {
		const key = `xtkt_live_${kind}_secret-of-${this.keys.length}-${process.pid}`;
		this.keys.push(key);
		return key;
	}

	private async expectEnd(server: Server, { name, nodes, output, says }: Case): Promise<void> {
		const execution = await server.run(workflow(name, nodes));
		const { id, status, error, lastNode } = execution;
		const stored = JSON.stringify(await server.rest('GET', `/rest/executions/${id}`));
		this.executions.push({ name: `execution "${name}"`, content: stored });
		const ends = `"${name}" ends as ${reasonOf(execution)}`;
		const stops = says !== undefined && output === undefined;
		expectEqual([status, lastNode], [stops ? 'error' : 'success', NODE], ends);
		if (says === undefined) return;
		const said = stops ? error?.message : JSON.stringify(execution.items(NODE, output)[0]?.json);
		expect(said?.includes(says) ?? false, `${ends}, with ${said}`);
	}
}

const EXTRACT = { operation: 'extract' };

/** Runs that succeed, and those with a link. */
async function linkCases(): Promise<Case[]> {
	const files = await scriptedServer();
	const served = async (path: string, file: string) =>
		files.serve(path, {
			headers: { 'content-type': 'application/pdf' },
			body: await readFile(file),
		});
	const link = (fileUrl: string) => [
		start(),
		documentIntelligence({ ...EXTRACT, inputSource: 'fileUrl', fileUrl }),
	];
	const [good, bad] = [await served('/good/uk.pdf', GOOD), await served('/bad/us.pdf', BAD)];
	const cards = sending('two-cards.jpg', { operation: 'crop' });
	const noImage: Fault = { kind: 'answer', data: { documents: [{ imageUrl: bad }] } };
	const refused: Fault = { kind: 'html502' };
	return [
		{ name: 'Succeeds', nodes: sending(GOOD, EXTRACT) },
		{ name: 'Crops', nodes: cards },
		{ name: 'Reads a link', nodes: link(good) },
		{ name: 'No such link', nodes: link(`${files.url}/nowhere.pdf`), says: 'with status 404' },
		{ name: 'Link, refused', nodes: link(bad), says: 'gateway could not process', fault: refused },
		{ name: 'No image', nodes: cards, says: 'could not be downloaded', fault: noImage },
	];
}

function faultCases(elsewhere: string): Case[] {
	const faults: Array<[fault: Fault, says: string]> = [
		[{ kind: 'internal500' }, 'could not process'],
		[{ kind: 'envelopeError', status: 200 }, 'did not process'],
		[{ kind: 'truncatedJson' }, 'could not be read'],
		[{ kind: 'truncatedBody' }, 'was lost before'],
		[{ kind: 'reset' }, 'was lost before'],
		[{ kind: 'qualityBlock' }, 'The quality of'],
		[{ kind: 'redirect', location: elsewhere }, 'redirected the request'],
	];
	const slow = sending(BAD, { ...EXTRACT, options: { timeout: 1 } });
	const noTemplate = sending('portrait.png', EXTRACT);
	return [
		...faults.map(([fault, says]) => {
			const nodes = sending(BAD, EXTRACT);
			return { name: `Fault ${fault.kind}`, nodes, says, fault };
		}),
		{ name: 'Too slow', nodes: slow, says: 'within 1 second', fault: { kind: 'hang' } },
		{ name: 'No template', nodes: noTemplate, says: 'Cogneris rejected' },
	];
}

/** With the other On Error modes, because n8n writes down an item in other places than an error. */
function goesOn(further: { credential?: string }, says: string, fault?: Fault): Case[] {
	return ['continueRegularOutput', 'continueErrorOutput'].map((onError, output) => ({
		name: `${says}, ${onError}`,
		nodes: sending(BAD, EXTRACT, { ...further, onError }),
		output,
		says,
		fault,
	}));
}
