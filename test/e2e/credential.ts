import { UNTRUSTED } from '../certificate';
import type { WorkflowNode } from '../n8n/host';
import { freePorts } from '../n8n/processes';
import type { N8nVersion } from '../n8n/recipes';
import type { Server } from '../n8n/server';
import { check, expect, expectEqual } from './checks';
import { addCredential, byName, newKey, OTHER_JSON, scriptedServer, type Setting } from './setting';
import { credentialNamed, node, start, succeeded, workflow } from './workflows';

/** The name of the node, and of its credential. */
const HTTP_REQUEST = 'HTTP Request';

/** Versions of the HTTP Request node that differ on redirects: 4.4 and later do not send the key to another origin. */
const HTTP_REQUEST_VERSIONS: Record<N8nVersion, number[]> = {
	'1.123.81': [2, 4.3],
	'2.41.1': [2, 4.3, 4.5],
};

/** The HTTP Request node sends the API key to the address of the credential alone. */
export async function httpRequests(
	{ standIn }: Setting,
	server: Server,
	version: N8nVersion,
): Promise<string> {
	const encrypted = await scriptedServer({ otherwise: OTHER_JSON, tls: UNTRUSTED });
	const plain = await scriptedServer({ otherwise: OTHER_JSON });
	const service = await scriptedServer({ otherwise: OTHER_JSON, tls: UNTRUSTED });
	const others = [encrypted, plain];
	const key = await addCredential(server, standIn, { name: HTTP_REQUEST, baseUrl: service.url });
	const requests = HTTP_REQUEST_VERSIONS[version].flatMap((typeVersion) =>
		(typeVersion > 4.3 ? [false, true] : [false]).map(
			(asksForKey) => (url: string) =>
				workflow(url, [start(), httpRequest(typeVersion, url, asksForKey)]),
		),
	);
	for (const request of requests) {
		await succeeded(server, request(`${service.url}/there`));
		for (const url of [byName(plain.url), plain.url])
			expectEqual((await server.run(request(url))).status, 'error', `the end of ${url}`);
	}
	const received = others.map((other) => other.received.length);
	expectEqual(received, [0, 0], 'requests elsewhere');
	for (const request of requests)
		for (const { url } of [service, ...others]) {
			const headers = { location: `${url}/there` };
			await succeeded(server, request(service.serve('/here', { status: 302, headers })));
		}
	const withKey = ({ received: all }: typeof service) =>
		all.filter(({ url, headers }) => url === '/there' && JSON.stringify(headers).includes(key))
			.length;
	// Asked directly and by a redirect, which proves that the key is sent at all.
	expectEqual(withKey(service), 2 * requests.length, 'requests to the service with the key');
	expectEqual(
		others.map((other) => [other.received.length, withKey(other)]),
		others.map(() => [requests.length, 0]),
		'requests that followed a redirect elsewhere, and those with the key',
	);
	return `${3 * requests.length} redirects followed, the key only to the same origin`;
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
	const type = 'n8n-nodes-base.httpRequest';
	return node(HTTP_REQUEST, type, typeVersion, parameters, credentialNamed(HTTP_REQUEST));
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

/** What each generation hands to the test: a body and its status, also of an error, or why there is none. Takes half a minute. */
export async function credentialTest(
	{ standIn }: Setting,
	server: Server,
	version: N8nVersion,
): Promise<void> {
	const elsewhere = await scriptedServer();
	const gateway = await scriptedServer();
	for (const [path, answer] of Object.entries({
		redirecting: { status: 302, headers: { location: `${elsewhere.url}/there` } },
		down: { status: 503 },
		closed: { status: 403 },
	}))
		gateway.serve(`/${path}/Document/extraction`, answer);
	const untrusted = await scriptedServer({ tls: UNTRUSTED });
	const plain = await scriptedServer();
	const silent = await scriptedServer({ otherwise: () => undefined });
	const [closedPort = 0] = await freePorts(1);
	const { url, keys } = standIn;
	const cases: Array<[baseUrl: string, says: RegExp, apiKey?: string]> = [
		[url, /^Connection successful/],
		[url, /^Connection successful/, keys.sandbox],
		[url, /rejected the API key/, keys.revoked],
		[url, /does not allow Extract/, keys.unsubscribed],
		[`${gateway.url}/redirecting`, /redirects to another one/],
		[`${gateway.url}/down`, /is temporarily unavailable/],
		[`${gateway.url}/closed`, /A proxy or firewall answered/],
		// A label of more than 63 characters is invalid, so this needs no name server.
		[`https://${'x'.repeat(64)}.example.com`, /^No server with this name .*\(ENOTFOUND\)$/],
		[`https://127.0.0.1:${closedPort}`, /^The server refused the .*\(ECONNREFUSED\)$/],
		[untrusted.url, /^n8n does not trust the certificate.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)$/],
		[plain.url.replace('http:', 'https:'), /^The server does not use HTTPS .*\(EPROTO\)$/],
		[silent.url, /^No response arrived within 30 seconds\./],
	];
	await check(`What the credential test of n8n ${version} says`, async () => {
		const started = Date.now();
		const said = await Promise.all(
			cases.map(async ([baseUrl, says, apiKey]) => {
				const { status, message } = await testAt(server, baseUrl, apiKey);
				const isOk = message.startsWith('Connection successful');
				expect(
					says.test(message) && (status === 'OK') === isOk,
					`${baseUrl}: ${status} ${message}`,
				);
				return message;
			}),
		);
		const seconds = Math.round((Date.now() - started) / 1000);
		expect(seconds < 45, `the last of the tests ended after ${seconds} seconds`);
		expectEqual(gateway.received.length, 3, 'requests at the gateway');
		const others = [elsewhere, untrusted, plain].flatMap(({ received }) => received);
		expectEqual(
			others,
			[],
			'requests to the address of the redirect, or without a trusted connection',
		);
		return `${said.join('; ')} (${seconds} seconds)`;
	});
}
