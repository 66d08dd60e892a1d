import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Workflow, WorkflowNode } from '../n8n/host';
import { n8nVersions, type N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { startScriptedServer } from '../nodes/scriptedServer';
import type { Fault } from '../stand-in/startStandIn';
import { check, expect } from './checks';
import { credentialChecks, testAt } from './credential';
import { privateAddresses } from './privateAddresses';
import { BEGINNINGS, expectNowhere, filesOf, formsOf, isIn, type Place } from './secrets';
import { addCredential, documents, fresh, OTHER_JSON, withHost, type Setting } from './setting';
import { documentIntelligence, NODE, readFiles, start, workflow } from './workflows';

/** Faults, each for one run, and words of the message that the run must show. */
const FAULTS: Array<[fault: Fault, words: string]> = [
	[{ kind: 'internal500' }, 'could not process'],
	[
		{ kind: 'problem', status: 400, code: 'MALFORMED', detail: 'The request is malformed.' },
		'Cogneris rejected',
	],
	[{ kind: 'envelopeError', status: 200 }, 'did not process'],
	[{ kind: 'html502' }, 'gateway could not process'],
	[{ kind: 'emptyBody' }, 'could not be read'],
	[{ kind: 'truncatedJson' }, 'could not be read'],
	[{ kind: 'truncatedBody' }, 'was lost before'],
	[{ kind: 'reset' }, 'was lost before'],
	[{ kind: 'refuse' }, 'was lost before'],
	[{ kind: 'qualityBlock' }, 'The quality of'],
	// Not retried, because of its long Retry-After.
	[
		{
			kind: 'status',
			status: 429,
			headers: { 'content-type': 'application/problem+json', 'retry-after': '3600' },
			body: JSON.stringify({ code: 'ADMISSION_QUOTA_EXCEEDED' }),
		},
		'The document quota of the account is exhausted',
	],
	[{ kind: 'redirect', location: '/elsewhere' }, 'redirected the request'],
];

/** Sent in runs that succeed, so the database may contain its contents. */
const GOOD = join(documents, 'invoice-uk.pdf');
const WORD_OF_GOOD = 'Brindlecombe';

/** Sent in runs that fail, and words that it contains. */
const BAD = join(documents, 'invoice-us.pdf');
const WORDS_OF_BAD = ['Tallowmere', 'INV-2026-0117', 'Oak reading table'];

/** Everything that n8n stored about a set of failures. */
interface Left {
	keys: string[];
	/** As n8n returns them, one text each, because the database file splits them into pages. */
	executions: Place[];
	log: string;
}

/** Runs a set of failures, then searches everything that n8n wrote for the key and for document contents. */
export async function security(setting: Setting): Promise<void> {
	for (const version of n8nVersions) {
		// Files inside items are stored in n8n's database.
		await failures(setting, version, 'default');
		// With files on disk, the default, the database must not contain them.
		await failures(setting, version, 'filesystem');
		await credentialChecks(setting, version);
	}
	await privateAddresses(setting);
}

async function failures(
	setting: Setting,
	version: N8nVersion,
	binaryData: 'default' | 'filesystem',
): Promise<void> {
	const where = `n8n ${version}, files ${binaryData === 'default' ? 'in memory' : 'on disk'}`;
	const userFolder = await mkdtemp(join(setting.folder, 'searched-'));
	const left: Left = { keys: [], executions: [], log: '' };
	await withHost(
		setting,
		{ version, userFolder, binaryData, env: { N8N_LOG_LEVEL: 'debug' } },
		async (server) => {
			await check(`A set of failures in ${where}`, async () => await fail(setting, server, left));
			await server.stop();
			left.log = server.log();
		},
	);
	const files = await filesOf(userFolder);
	const database = files.filter(({ name }) => name.includes('database.sqlite'));
	const log = [
		...files.filter(({ name }) => name.endsWith('.log')),
		{ name: "n8n's output", content: left.log },
	];

	await check(`The API key in what ${where} wrote`, () => {
		const places = [...files, ...left.executions, ...log];
		for (const key of left.keys) {
			// Also the part of the key after its prefix.
			for (const form of [...formsOf(key), key.slice(key.indexOf('secret-of'))])
				expectNowhere(form, places);
		}
		// Proves that the search reads these places.
		for (const [name, searched] of [
			['files of the database', database],
			['executions', left.executions],
		] as const) {
			for (const word of [WORD_OF_GOOD, 'No template fits'])
				expect(isIn(word, searched), `the search does not see "${word}" in the ${name}`);
		}
		expect(
			isIn('Document Intelligence finished', log),
			'the log does not have the debug line of the node',
		);
		return `${left.keys.length} keys, in clear or base64, in none of ${files.length} files, ${left.executions.length} executions and ${left.log.split('\n').length} lines of log at level debug`;
	});

	await check(`Contents of documents in what ${where} wrote`, () => {
		const places = binaryData === 'default' ? log : [...log, ...database, ...left.executions];
		for (const words of [...BEGINNINGS, ...WORDS_OF_BAD]) expectNowhere(words, places);
		return `none of ${BEGINNINGS.length + WORDS_OF_BAD.length} words in ${binaryData === 'default' ? 'the log' : `the log, the database and ${left.executions.length} executions`}`;
	});
	await rm(userFolder, { recursive: true, force: true });
}

async function fail({ standIn, folder }: Setting, server: Server, left: Left): Promise<string> {
	const other = await startScriptedServer({ otherwise: OTHER_JSON });
	const files = await startScriptedServer();
	const own = (kind: string) => {
		const key = `xtkt_live_${kind}_secret-of-${left.keys.length}-${process.pid}`;
		left.keys.push(key);
		return key;
	};
	const wrong: string[] = [];
	let stopped = 0;

	const run = async (made: Workflow): Promise<Execution> => {
		const execution = await server.run(made);
		left.executions.push({
			name: `execution "${made.name}"`,
			content: JSON.stringify(await server.rest('GET', `/rest/executions/${execution.id}`)),
		});
		return execution;
	};
	const succeeds = async (name: string, nodes: WorkflowNode[]) => {
		const { status, error } = await run(workflow(name, nodes));
		if (status !== 'success') wrong.push(`"${name}" ended as ${status}: ${error?.message}`);
	};
	/** Runs a workflow that must stop at the node, with a message that has these words. */
	const stops = async (name: string, nodes: WorkflowNode[], says: string, ...faults: Fault[]) => {
		await standIn.queueFaults(faults);
		const { status, error, lastNode } = await run(workflow(name, nodes));
		if (status === 'error' && lastNode === NODE && error?.message.includes(says)) stopped += 1;
		else wrong.push(`"${name}" ended as ${status} at "${lastNode}": ${error?.message}`);
	};
	/** The same with an item that says it, and a workflow that continues. */
	const goesOn = async (name: string, nodes: WorkflowNode[], output: number, says: string) => {
		const execution = await run(workflow(name, nodes));
		const [item] = execution.items(NODE, output);
		const shown = JSON.stringify(item?.json) ?? 'nothing';
		if (execution.status !== 'success' || !shown.includes(says))
			wrong.push(`"${name}" ended as ${execution.status} with ${shown}`);
	};
	const send = (
		file: string,
		parameters: object = {},
		further: Partial<WorkflowNode> & { credential?: string } = {},
	) => [
		start(),
		readFiles(file),
		documentIntelligence(
			{ operation: 'extract', ...parameters },
			{ credential: 'Good', ...further },
		),
	];
	const link = (fileUrl: string) => [
		start(),
		documentIntelligence(
			{ operation: 'extract', inputSource: 'fileUrl', fileUrl },
			{ credential: 'Good' },
		),
	];
	const served = async (path: string, file: string) =>
		files.serve(path, {
			headers: { 'content-type': 'application/pdf' },
			body: await readFile(file),
		});

	try {
		await fresh(standIn);
		await addCredential(server, standIn, { name: 'Good', apiKey: own('valid') });
		const cards = send(join(documents, 'two-cards.jpg'), { operation: 'crop' });
		await succeeds('Succeeds', send(GOOD));
		await succeeds('Crops', cards);
		await succeeds('Reads a link', link(await served('/good/invoice-uk.pdf', GOOD)));
		const bad = await served('/bad/invoice-us.pdf', BAD);

		for (const [fault, says] of FAULTS) await stops(`Fault ${fault.kind}`, send(BAD), says, fault);
		const accounts = [
			['Revoked', own('revoked'), standIn.url, 'rejected the API key'],
			['Unsubscribed', own('unsubscribed'), standIn.url, 'does not allow the extraction'],
			['Wrong Address', own('valid_elsewhere'), other.url, 'could not be read'],
			['Nobody There', own('valid_nowhere'), 'http://127.0.0.1:9', 'cannot be reached'],
		] as const;
		for (const [name, apiKey, baseUrl, says] of accounts) {
			await addCredential(server, standIn, { name, apiKey, baseUrl });
			const sent = (onError?: string) => send(BAD, {}, { credential: name, onError });
			await stops(name, sent(), says);
			await goesOn(`${name}, goes on`, sent('continueRegularOutput'), 0, says);
			await goesOn(`${name}, by the error output`, sent('continueErrorOutput'), 1, says);
		}
		await stops('Too slow', send(BAD, { options: { timeout: 1 } }), 'arrived within 1 second', {
			kind: 'hang',
		});
		const large = join(folder, 'too-large.pdf');
		await writeFile(large, Buffer.concat([await readFile(BAD), Buffer.alloc(11 * 2 ** 20)]));
		await stops('Too large', send(large), 'is too large');
		await stops('No template', send(join(documents, 'portrait.png')), 'Cogneris rejected');
		await stops(
			'Not supported',
			send(join(documents, 'notes.txt')),
			'has an unsupported file type',
		);
		await stops(
			'No such field',
			send(BAD, { binaryPropertyName: 'invoice' }),
			'No file in the field "invoice"',
		);
		await stops('A link whose document is refused', link(bad), 'gateway could not process', {
			kind: 'html502',
		});
		await stops(
			'A link that leads nowhere',
			link(`${files.url}/nowhere.pdf`),
			'could not be downloaded: the server responded with status 404',
		);
		await stops('Crops no image', cards, 'could not be downloaded', {
			kind: 'answer',
			data: { documents: [{ imageUrl: bad }] },
		});

		const tests = [
			['valid_good', standIn.url, 'Connection successful'],
			['revoked', standIn.url, 'rejected the API key'],
			['valid_tested', other.url, 'A proxy or firewall answered'],
		] as const;
		for (const [kind, baseUrl, says] of tests) {
			const { message } = await testAt(server, baseUrl, own(kind));
			if (!message.includes(says)) wrong.push(`the credential's test with ${kind}: ${message}`);
		}
		expect(wrong.length === 0, wrong.join('; '));
		return `${left.executions.length} runs, ${stopped} of them stopped, and ${tests.length} tests of a credential, all as expected`;
	} finally {
		files.close();
		other.close();
	}
}
