import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Execution } from '../n8n/execution';
import type { Workflow, WorkflowNode } from '../n8n/host';
import { n8nVersions, type N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { startScriptedServer } from '../nodes/scriptedServer';
import type { Fault } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { credentialChecks } from './credential';
import { privateAddresses } from './privateAddresses';
import { startReceiver } from './receiver';
import { BEGINNINGS, expectNowhere, filesOf, formsOf, isIn, type Place } from './secrets';
import { addCredential, documents, fresh, withHost, type Setting } from './setting';
import { documentIntelligence, node, nothing, NODE, readFiles, start, workflow } from './workflows';

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
		await privateAddresses(setting, version);
		await credentialChecks(setting, version);
	}
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

	await check(`The API key in what ${where} wrote`, async () => {
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
		return await Promise.resolve(
			`${left.keys.length} keys, in clear or base64, in none of ${files.length} files, ${left.executions.length} executions and ${left.log.split('\n').length} lines of log at level debug`,
		);
	});

	await check(`Contents of documents in what ${where} wrote`, async () => {
		const places = binaryData === 'default' ? log : [...log, ...database, ...left.executions];
		for (const words of [...BEGINNINGS, ...WORDS_OF_BAD]) expectNowhere(words, places);
		return await Promise.resolve(
			`none of ${BEGINNINGS.length + WORDS_OF_BAD.length} words in ${binaryData === 'default' ? 'the log' : `the log, the database and ${left.executions.length} executions`}`,
		);
	});
	await rm(userFolder, { recursive: true, force: true });
}

async function fail({ standIn, folder }: Setting, server: Server, left: Left): Promise<string> {
	const receiver = await startReceiver();
	const files = await startScriptedServer();
	const own = (kind: string) => {
		const key = `xtkt_live_${kind}_secret-of-${left.keys.length}-${process.pid}`;
		left.keys.push(key);
		return key;
	};
	const wrong: string[] = [];
	let stopped = 0;

	/** Runs a workflow and records a wrong end: it must stop with these words, or not stop. */
	const run = async (
		made: Workflow,
		expected: { stoppedAt?: string; says?: string },
	): Promise<Execution> => {
		const execution = await server.run(made);
		left.executions.push({
			name: `execution "${made.name}"`,
			content: JSON.stringify(await server.rest('GET', `/rest/executions/${execution.id}`)),
		});
		const { status, error, lastNode } = execution;
		if (status === 'error') stopped += 1;
		const goneOn = [0, 1]
			.flatMap((output) => (error === undefined ? execution.items(NODE, output) : []))
			.find(({ json }) => json.error !== undefined);
		const said = error?.message ?? JSON.stringify(goneOn?.json);
		const ended =
			expected.stoppedAt === undefined
				? status === 'success'
				: status === 'error' && lastNode === expected.stoppedAt;
		const saidIt = expected.says === undefined ? said === undefined : said?.includes(expected.says);
		if (!ended || !saidIt)
			wrong.push(`"${made.name}" ended as ${status} at "${lastNode}": ${said}`);
		return execution;
	};
	const send = (
		file: string,
		parameters: object,
		further: Partial<WorkflowNode> & { credential?: string } = {},
	) => [
		start(),
		readFiles(file),
		documentIntelligence(
			{ operation: 'extract', ...parameters },
			{ credential: 'Good', ...further },
		),
	];

	try {
		await fresh(standIn);
		await addCredential(server, standIn, { name: 'Good', apiKey: own('valid') });

		await run(workflow('Succeeds', send(GOOD, {})), {});
		await run(workflow('Crops', send(join(documents, 'two-cards.jpg'), { operation: 'crop' })), {});
		const good = files.serve('/good/invoice-uk.pdf', {
			headers: { 'content-type': 'application/pdf' },
			body: await readFile(GOOD),
		});
		const bad = files.serve('/bad/invoice-us.pdf', {
			headers: { 'content-type': 'application/pdf' },
			body: await readFile(BAD),
		});
		const link = (name: string, fileUrl: string) =>
			workflow(name, [
				start(),
				documentIntelligence(
					{ operation: 'extract', inputSource: 'fileUrl', fileUrl },
					{ credential: 'Good' },
				),
			]);
		await run(link('Reads a link', good), {});

		for (const [fault, says] of FAULTS) {
			await standIn.queueFaults([fault]);
			await run(workflow(`Fault ${fault.kind}`, send(BAD, {})), { stoppedAt: NODE, says });
		}
		const accounts = [
			{
				name: 'Revoked',
				apiKey: own('revoked'),
				baseUrl: standIn.url,
				says: 'rejected the API key',
			},
			{
				name: 'Unsubscribed',
				apiKey: own('unsubscribed'),
				baseUrl: standIn.url,
				says: 'does not allow the extraction',
			},
			{
				name: 'Wrong Address',
				apiKey: own('valid_elsewhere'),
				baseUrl: receiver.sameHostUrl,
				says: 'could not be read',
			},
			{
				name: 'Nobody There',
				apiKey: own('valid_nowhere'),
				baseUrl: 'http://127.0.0.1:9',
				says: 'cannot be reached',
			},
		];
		for (const { says, ...account } of accounts) {
			const credential = account.name;
			await addCredential(server, standIn, account);
			await run(workflow(credential, send(BAD, {}, { credential })), { stoppedAt: NODE, says });
			await run(
				workflow(
					`${credential}, goes on`,
					send(BAD, {}, { credential, onError: 'continueRegularOutput' }),
				),
				{ says },
			);
			const links: Parameters<typeof workflow>[2] = [
				['Start', 'Read'],
				['Read', NODE],
				[NODE, 'Done', 0],
				[NODE, 'Failed', 1],
			];
			const toErrorOutput = await run(
				workflow(
					`${credential}, by the error output`,
					[
						...send(BAD, {}, { credential, onError: 'continueErrorOutput' }),
						nothing('Done'),
						nothing('Failed'),
					],
					links,
				),
				{ says },
			);
			expectEqual(
				toErrorOutput.items('Failed').length,
				1,
				`items on the error output of "${credential}"`,
			);
		}
		await standIn.queueFaults([{ kind: 'hang' }]);
		await run(workflow('Too slow', send(BAD, { options: { timeout: 1 } })), {
			stoppedAt: NODE,
			says: 'arrived within 1 second',
		});
		const large = join(folder, 'too-large.pdf');
		await writeFile(large, Buffer.concat([await readFile(BAD), Buffer.alloc(11 * 2 ** 20)]));
		await run(workflow('Too large', send(large, {})), { stoppedAt: NODE, says: 'is too large' });
		await run(workflow('No template', send(join(documents, 'portrait.png'), {})), {
			stoppedAt: NODE,
			says: 'Cogneris rejected',
		});
		await run(workflow('Not supported', send(join(documents, 'notes.txt'), {})), {
			stoppedAt: NODE,
			says: 'has an unsupported file type',
		});
		await run(workflow('No such field', send(BAD, { binaryPropertyName: 'invoice' })), {
			stoppedAt: NODE,
			says: 'No file in the field "invoice"',
		});

		await standIn.queueFaults([{ kind: 'html502' }]);
		await run(link('A link whose document is refused', bad), {
			stoppedAt: NODE,
			says: 'gateway could not process',
		});
		await run(link('A link that leads nowhere', `${files.url}/nowhere.pdf`), {
			stoppedAt: NODE,
			says: 'could not be downloaded: the server responded with status 404',
		});
		await standIn.queueFaults([{ kind: 'answer', data: { documents: [{ imageUrl: bad }] } }]);
		await run(
			workflow('Crops no image', send(join(documents, 'two-cards.jpg'), { operation: 'crop' })),
			{ stoppedAt: NODE, says: 'could not be downloaded' },
		);

		const elsewhere = node(
			'HTTP Request',
			'n8n-nodes-base.httpRequest',
			4.2,
			{
				url: receiver.url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'documentIntelligenceApi',
				options: {},
			},
			{ credentials: { documentIntelligenceApi: { name: 'Good' } } },
		);
		await run(workflow('HTTP Request elsewhere', [start(), elsewhere]), {
			stoppedAt: 'HTTP Request',
			says: 'may not be used for localhost',
		});

		const tests = [
			{ kind: 'valid_good', baseUrl: standIn.url, status: 'OK', says: 'Connection successful' },
			{
				kind: 'revoked',
				baseUrl: standIn.url,
				status: 'Error',
				says: 'rejected the API key',
			},
			{
				kind: 'valid_tested',
				baseUrl: receiver.sameHostUrl,
				status: 'Error',
				says: 'A proxy or firewall answered',
			},
		];
		for (const { kind, baseUrl, status, says } of tests) {
			const tested = await server.testCredential({
				name: 'Tested',
				type: 'documentIntelligenceApi',
				data: { apiKey: own(kind), region: 'custom', baseUrl, requestsPerMinute: 50 },
			});
			if (tested.status !== status || !tested.message.includes(says))
				wrong.push(
					`the credential's test with ${kind} ended as ${tested.status}: ${tested.message}`,
				);
		}
		expect(wrong.length === 0, wrong.join('; '));
		return `${left.executions.length} runs, ${stopped} of them stopped, and ${tests.length} tests of a credential, all as expected`;
	} finally {
		files.close();
		await receiver.stop();
	}
}
