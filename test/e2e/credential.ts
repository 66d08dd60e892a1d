import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { UNTRUSTED } from '../certificate';
import type { WorkflowNode } from '../n8n/host';
import { freePorts } from '../n8n/processes';
import type { N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { startScriptedServer, type ScriptedServer } from '../nodes/scriptedServer';
import type { Fault } from '../stand-in/startStandIn';
import { check, expect, expectEqual } from './checks';
import { addCredential, fresh, newKey, OTHER_JSON, withHost, type Setting } from './setting';
import { node, reasonOf, start, workflow } from './workflows';

/** Versions of the HTTP Request node that differ on redirects: 4.4 and later do not send the key to another origin. */
const HTTP_REQUEST_VERSIONS: Record<N8nVersion, number[]> = {
	'1.123.81': [2, 4.3],
	'2.41.1': [2, 4.3, 4.5],
};

/** The credential in n8n's HTTP Request node and in n8n's credential test. */
export async function credentialChecks(setting: Setting, version: N8nVersion): Promise<void> {
	await withHost(setting, { version }, async (server) => {
		await check(
			`The API key on redirects of the HTTP Request node in n8n ${version}`,
			async () => await redirects(setting, server, version),
		);
		await check(
			`What the credential test says of answers in n8n ${version}`,
			async () => await answers(setting, server),
		);
		await check(
			`What the credential test says of gateways in n8n ${version}`,
			async () => await answersOfGateways(server),
		);
		await check(
			`The credential test at addresses that cannot be reached in n8n ${version}`,
			async () => await unreachable(server),
		);
	});
}

async function redirects(
	{ standIn }: Setting,
	server: Server,
	version: N8nVersion,
): Promise<string> {
	const encrypted = await startScriptedServer({ otherwise: OTHER_JSON, tls: UNTRUSTED });
	const plain = await startScriptedServer({ otherwise: OTHER_JSON });
	const service = await startScriptedServer({ otherwise: OTHER_JSON, tls: UNTRUSTED });
	const places: Array<[target: ScriptedServer, withKey: number]> = [
		// Proves that the key is sent at all, because otherwise the checks below would pass without it.
		[service, 1],
		[encrypted, 0],
		[plain, 0],
	];
	const wrong: string[] = [];
	let followed = 0;
	try {
		const key = await addCredential(server, standIn, { baseUrl: service.url });
		for (const typeVersion of HTTP_REQUEST_VERSIONS[version]) {
			for (const asksForKey of typeVersion > 4.3 ? [false, true] : [false]) {
				for (const [target, withKey] of places) {
					target.received.length = 0;
					const url = service.serve('/here', redirect(`${target.url}/there`));
					const name = `HTTP Request ${typeVersion}${asksForKey ? ' that asks for it' : ''}, to ${target.url}`;
					const request = httpRequest(typeVersion, url, asksForKey);
					const execution = await server.run(workflow(name, [start(), request]));
					expect(execution.status === 'success', `${name}: ${reasonOf(execution)}`);
					const arrived = target.received.filter((one) => one.url === '/there');
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
		for (const one of [encrypted, plain, service]) one.close();
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
		// Version 2 has it as a separate parameter.
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
		['does not allow Extract', null, standIn.keys.unsubscribed],
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

/** Responses of gateways and proxies, which do not have the form that Cogneris uses. */
async function answersOfGateways(server: Server): Promise<string> {
	const elsewhere = await startScriptedServer();
	const service = await startScriptedServer();
	const cases = [
		[redirect(`${elsewhere.url}/there`), 'redirects to another one'],
		[{ status: 503 }, 'is temporarily unavailable'],
		[{ status: 403 }, 'A proxy or firewall answered'],
	] as const;
	const messages: string[] = [];
	try {
		for (const [answer, expected] of cases) {
			service.serve('/Document/extraction', answer);
			const { status, message } = await testAt(server, service.url);
			expectEqual(status, 'Error', message);
			expect(message.includes(expected), `${answer.status}: ${message}`);
			messages.push(`${answer.status}: ${message}`);
		}
		expectEqual(service.received.length, cases.length, 'requests at the address');
		expectEqual(elsewhere.received, [], 'requests to the address of the redirect');
		return messages.join('; ');
	} finally {
		for (const one of [elsewhere, service]) one.close();
	}
}

/** The result of n8n's test of a credential for this address. */
export async function testAt(
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

/** What the credential test says if no response arrives. */
const UNREACHABLE = {
	noSuchHost: /^No server with this name was found\..*\(ENOTFOUND\)$/,
	closedPort: /^The server refused the connection\..*\(ECONNREFUSED\)$/,
	untrusted: /^n8n does not trust the certificate.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
	plainHttp: /^The server does not use HTTPS on this port\..*\(EPROTO\)$/,
	silent: /^No response arrived within 30 seconds\./,
};

type Unreachable = keyof typeof UNREACHABLE;

async function unreachable(server: Server): Promise<string> {
	const untrusted = await startScriptedServer({ tls: UNTRUSTED });
	const plain = await startScriptedServer();
	const silent = createServer();
	await once(silent.listen(0, '127.0.0.1'), 'listening');
	const [closedPort = 0] = await freePorts(1);
	const addresses: Record<Unreachable, string> = {
		// A label of more than 63 characters is invalid, so this needs no name server.
		noSuchHost: `https://${'x'.repeat(64)}.example.com`,
		closedPort: `https://127.0.0.1:${closedPort}`,
		untrusted: untrusted.url,
		plainHttp: plain.url.replace('http:', 'https:'),
		silent: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
	};
	try {
		const started = Date.now();
		const messages = await Promise.all(
			Object.entries(UNREACHABLE).map(async ([name, expected]) => {
				const { status, message } = await testAt(server, addresses[name as Unreachable]);
				expect(status === 'Error' && expected.test(message), `${name}: ${status} ${message}`);
				return message;
			}),
		);
		const seconds = Math.round((Date.now() - started) / 1000);
		expect(seconds < 45, `the last of the tests ended after ${seconds} seconds`);
		expectEqual(
			[untrusted, plain].map(({ received }) => received.length),
			[0, 0],
			'requests',
		);
		return `${messages.join('; ')} (${seconds} seconds)`;
	} finally {
		silent.close();
		silent.closeAllConnections();
		for (const one of [untrusted, plain]) one.close();
	}
}
