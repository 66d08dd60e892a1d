import { selfSigned } from '../certificate';
import type { WorkflowNode } from '../n8n/host';
import { freePorts } from '../n8n/processes';
import type { N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import type { Fault } from '../stand-in/startStandIn';
import { check, expect, expectEqual, Missing } from './checks';
import { startReceiver, type Receiver } from './receiver';
import { addCredential, fresh, newKey, withHost, type Setting } from './setting';
import { node, reasonOf, start, workflow } from './workflows';

/** Versions of the HTTP Request node that differ in what a redirect may carry: 4.4 and later hold the key back by themselves. */
const HTTP_REQUEST_VERSIONS: Record<N8nVersion, number[]> = {
	'1.123.81': [2, 4.3],
	'2.41.1': [2, 4.3, 4.5],
};

type Certificate = Awaited<ReturnType<typeof selfSigned>>;

/** What the credential does in the hands of others: n8n's HTTP Request node, and n8n's test of a credential. */
export async function credentialChecks(setting: Setting, version: N8nVersion): Promise<void> {
	await withHost(setting, { version }, async (server) => {
		await check(
			`The API key on redirects of the HTTP Request node in n8n ${version}`,
			async () => await redirects(setting, server, version, await certificate()),
		);
		await check(
			`What the credential test says of answers in n8n ${version}`,
			async () => await answers(setting, server),
		);
		await check(
			`What the credential test says of redirects and 503 in n8n ${version}`,
			async () => await answersWithoutWords(server, version),
		);
		await check(
			`The credential test at addresses that cannot be reached in n8n ${version}`,
			async () => await unreachable(server, version, await certificate()),
		);
	});
}

async function certificate(): Promise<Certificate> {
	return await selfSigned().catch((error: NodeJS.ErrnoException) => {
		throw error.code === 'ENOENT' ? new Missing('there is no openssl') : error;
	});
}

async function redirects(
	{ standIn }: Setting,
	server: Server,
	version: N8nVersion,
	tls: Certificate,
): Promise<string> {
	const encrypted = await startReceiver({ certificate: tls });
	const plain = await startReceiver();
	const service = await startReceiver({
		certificate: tls,
		answers: {
			'/to-itself': redirect('/there'),
			'/to-another-port': redirect(`${encrypted.sameHostUrl}/there`),
			'/to-plain-http': redirect(`${plain.sameHostUrl}/there`),
		},
	});
	const places: Array<[path: string, target: Receiver, withKey: number]> = [
		// Otherwise the key might be missing everywhere, and the rest for that reason.
		['/to-itself', service, 1],
		['/to-another-port', encrypted, 0],
		['/to-plain-http', plain, 0],
	];
	const wrong: string[] = [];
	let followed = 0;
	try {
		const key = await addCredential(server, standIn, { baseUrl: service.sameHostUrl });
		for (const typeVersion of HTTP_REQUEST_VERSIONS[version]) {
			for (const asksForKey of typeVersion > 4.3 ? [false, true] : [false]) {
				for (const [path, target, withKey] of places) {
					target.received.length = 0;
					const name = `HTTP Request ${typeVersion}${asksForKey ? ' that asks for it' : ''}, ${path}`;
					const request = httpRequest(typeVersion, service.sameHostUrl + path, asksForKey);
					const execution = await server.run(workflow(name, [start(), request]));
					expect(execution.status === 'success', `${name}: ${reasonOf(execution)}`);
					const arrived = target.received.filter((one) => one.path === '/there');
					expectEqual(arrived.length, 1, `requests that followed ${name}`);
					followed += arrived.length;
					const carried = arrived.filter(({ headers }) => JSON.stringify(headers).includes(key));
					if (carried.length !== withKey) wrong.push(`${name}: ${carried.length}`);
				}
			}
		}
		expectEqual(wrong, [], 'requests that carried the key');
		return `${followed} redirects followed, the key only to the same origin`;
	} finally {
		await Promise.all([encrypted, plain, service].map(async (one) => await one.stop()));
	}
}

function redirect(location: string): { status: number; headers: Record<string, string> } {
	return { status: 302, headers: { location } };
}

function httpRequest(typeVersion: number, url: string, asksForKey: boolean): WorkflowNode {
	const allowUnauthorizedCerts = true;
	const options = {
		allowUnauthorizedCerts,
		...(asksForKey && { sendCredentialsOnCrossOriginRedirect: true }),
	};
	const parameters = {
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'documentIntelligenceApi',
		// Version 2 has it as a parameter of its own.
		...(typeVersion < 3 ? { allowUnauthorizedCerts, options: {} } : { options }),
	};
	return node('HTTP Request', 'n8n-nodes-base.httpRequest', typeVersion, parameters, {
		credentials: { documentIntelligenceApi: { name: 'Document Intelligence' } },
	});
}

async function answers({ standIn }: Setting, server: Server): Promise<string> {
	const cases: Array<[says: string, fault: Fault | null, apiKey?: string, path?: string]> = [
		['Connection successful', null],
		['rejected the API key', null, standIn.keys.revoked],
		['Connection successful', null, standIn.keys.sandbox],
		["can't process documents", null, standIn.keys.unsubscribed],
		['it is not Cogneris', null, undefined, '/elsewhere'],
		['used up its requests for this minute', { kind: 'rateLimit' }],
	];
	const wrong: string[] = [];
	for (const [says, fault, apiKey, path = ''] of cases) {
		await fresh(standIn);
		await standIn.queueFaults([fault]);
		const { message } = await testAt(server, standIn.url + path, apiKey);
		if (!message.includes(says)) wrong.push(`"${message}" instead of "${says}"`);
		const sent = (await standIn.requests()).map(({ parts }) => parts.length);
		if (JSON.stringify(sent) !== '[0]') wrong.push(`"${says}": parts of requests ${sent.join()}`);
	}
	expectEqual(wrong, [], 'answers that are not as expected');
	return `${cases.length} answers, each in its own words, from one request without a file`;
}

/** Answers that carry nothing a rule on the body could look at, so that n8n 1 takes them for good ones. */
async function answersWithoutWords(server: Server, version: N8nVersion): Promise<string> {
	const elsewhere = await startReceiver();
	const cases = [
		[redirect(`${elsewhere.sameHostUrl}/there`), 'redirects to another one'],
		[{ status: 503 }, 'is temporarily unavailable'],
	] as const;
	const saw: string[] = [];
	try {
		for (const [answer, says] of cases) {
			const service = await startReceiver({ answers: { '/Document/extraction': answer } });
			const { message } = await testAt(server, service.sameHostUrl).finally(
				async () => await service.stop(),
			);
			expectEqual(service.received.length, 1, 'requests at the address');
			const expected = version.startsWith('1.') ? 'Connection successful' : says;
			expect(message.includes(expected), `${answer.status}: ${message}`);
			saw.push(`${answer.status}: ${message}`);
		}
		expectEqual(elsewhere.received, [], 'requests where it redirects to');
		return saw.join('; ');
	} finally {
		await elsewhere.stop();
	}
}

/** What n8n says when a credential for this address is tested. */
async function testAt(
	server: Server,
	baseUrl: string,
	apiKey = newKey(),
): Promise<{ status: 'OK' | 'Error'; message: string }> {
	return await server.testCredential({
		name: 'Tested',
		type: 'documentIntelligenceApi',
		data: { apiKey, region: 'custom', baseUrl, requestsPerMinute: 50 },
	});
}

/** What the test of a credential says, and what the README explains, where no answer comes. */
const UNREACHABLE: Record<Unreachable, Record<Generation, string>> = {
	noSuchHost: {
		2: 'ENOTFOUND',
		1: 'The connection cannot be established, this usually occurs due to an incorrect host (domain) value',
	},
	closedPort: {
		2: 'ECONNREFUSED',
		1: 'The service refused the connection - perhaps it is offline',
	},
	untrusted: { 2: 'DEPTH_ZERO_SELF_SIGNED_CERT', 1: 'self-signed certificate' },
	plainHttp: { 2: 'EPROTO', 1: 'wrong version number' },
};

type Unreachable = 'noSuchHost' | 'closedPort' | 'untrusted' | 'plainHttp';
type Generation = 1 | 2;

async function unreachable(server: Server, version: N8nVersion, tls: Certificate): Promise<string> {
	const untrusted = await startReceiver({ certificate: tls });
	const plain = await startReceiver();
	const [closedPort = 0] = await freePorts(1);
	const addresses: Record<Unreachable, string> = {
		// A label of more than 63 characters cannot be asked for, so this needs no name server.
		noSuchHost: `https://${'x'.repeat(64)}.example.com`,
		closedPort: `https://127.0.0.1:${closedPort}`,
		untrusted: untrusted.sameHostUrl,
		plainHttp: plain.sameHostUrl.replace('http:', 'https:'),
	};
	const generation: Generation = version.startsWith('1.') ? 1 : 2;
	try {
		const wrong: string[] = [];
		for (const [name, says] of Object.entries(UNREACHABLE)) {
			const { status, message } = await testAt(server, addresses[name as Unreachable]);
			if (status !== 'Error' || !message.includes(says[generation]))
				wrong.push(`${name}: ${status} ${message}`);
		}
		expect(wrong.length === 0, wrong.join('; '));
		expectEqual(
			[untrusted, plain].map(({ received }) => received.length),
			[0, 0],
			'requests',
		);
		return Object.values(UNREACHABLE)
			.map((says) => says[generation])
			.join('; ');
	} finally {
		await Promise.all([untrusted, plain].map(async (one) => await one.stop()));
	}
}
