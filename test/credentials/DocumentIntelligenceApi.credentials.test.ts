import {
	assertCredentialAllowsUrl,
	type IAuthenticate,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INodeType,
} from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { workflowOf } from '../n8n-core/runNode';
import { plainNode } from '../n8n-core/runWorkflow';
import { thrownBy } from '../nodes/service';

const type = new DocumentIntelligenceApi();
const KEY = 'xtkt_live_valid_credential';
const US = 'https://api-us.cogneris.ai';
const EU = 'https://api-eu.cogneris.ai';
const OTHER = 'https://example.com';

/** A request as n8n passes it: n8n 1 has the address in `uri`. */
type Asked = Partial<IHttpRequestOptions> & { uri?: string };

async function authenticated(fields: ICredentialDataDecryptedObject, request: Asked) {
	const authenticate = type.authenticate as Extract<IAuthenticate, CallableFunction>;
	const credential = { apiKey: KEY, region: 'us', ...fields };
	return await authenticate(credential, request as IHttpRequestOptions);
}

const custom = (baseUrl: string) => ({ region: 'custom', baseUrl });

describe('The key', () => {
	test.each<[string, ICredentialDataDecryptedObject, Asked, string]>([
		['an absolute address', {}, { url: `${US}/Document/crop` }, `${US}/Document/crop`],
		['a port and capitals', {}, { url: 'HTTPS://API-US.cogneris.ai:443/x' }, `${US}/x`],
		['`uri`', {}, { uri: `${US}/x` }, `${US}/x`],
		['a base elsewhere', {}, { baseURL: OTHER, url: `${US}/x` }, `${US}/x`],
		['Europe', { region: 'eu' }, { url: `${EU}/x` }, `${EU}/x`],
		['pasted white space', { apiKey: ` ${KEY}\n` }, { url: `${US}/x` }, `${US}/x`],
	])(
		'is added for %s, and the address that was checked is the one that is used',
		async (_, fields, request, url) => {
			const redirects = { sendCredentialsOnCrossOriginRedirect: true };
			const headers = { Accept: '*/*' };
			const options = { method: 'POST' as const, headers, ...redirects, ...request };
			const before = structuredClone(options);
			expect(await authenticated(fields, options)).toEqual({
				method: 'POST',
				url,
				headers: { Accept: '*/*', Authorization: `Bearer ${KEY}` },
				sendCredentialsOnCrossOriginRedirect: false,
			});
			// The request of the caller is not the one that carries the key.
			expect(options).toEqual(before);
		},
	);

	test.each<[string, Asked]>([
		['another host', { url: `${OTHER}/x` }],
		['the other region', { url: `${EU}/x` }],
		['a host that ends alike', { url: 'https://x.api-us.cogneris.ai/' }],
		['a host that begins alike', { url: `${US}.example.com/` }],
		['the host as a user name', { url: `${US}@example.com/` }],
		['backslashes', { url: `${OTHER}\\@api-us.cogneris.ai/` }],
		['another port', { url: `${US}:8443/` }],
		['the host without encryption', { url: 'http://api-us.cogneris.ai/' }],
		['a base and a path', { baseURL: US, url: '/x' }],
		['a base, but an absolute address elsewhere', { baseURL: US, url: `${OTHER}/` }],
		['a blob', { url: `blob:${US}/x` }],
		['`uri` here, and `url` elsewhere', { uri: `${US}/x`, url: `${OTHER}/` }],
		['no address at all', {}],
	])('is refused to %s, without being named', async (_, request) => {
		const refusal = await thrownBy(authenticated({}, request));
		expect(refusal.message).not.toContain(KEY);
	});

	test('is refused if the credential cannot be right, with the next step in the message', async () => {
		await expect(
			authenticated(custom('http://example.com'), { url: 'http://example.com/x' }),
		).rejects.toThrow(/unencrypted\. Change it to https/);
	});
});

describe('The domains that n8n lets the credential be used for', () => {
	const node = plainNode('HTTP Request');

	/** n8n fills in the defaults of the hidden fields, and resolves them over the credential's own values. */
	function asN8nReadsIt(fields: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
		const nodeType = { description: { properties: [] } } as unknown as INodeType;
		const values = Object.fromEntries(
			type.properties.map(({ name, default: value }) => [name, value]),
		);
		Object.assign(values, { apiKey: KEY }, fields);
		return workflowOf(node, nodeType).expression.getParameterValue(
			values,
			null,
			0,
			0,
			node.name,
			[],
			'internal',
			{},
			undefined,
			false,
			values,
		) as ICredentialDataDecryptedObject;
	}

	function mayGoTo(url: string, fields: ICredentialDataDecryptedObject): boolean {
		try {
			assertCredentialAllowsUrl({ node, credentialData: asN8nReadsIt(fields), url });
			return true;
		} catch {
			return false;
		}
	}

	test('are limited, and the limit is not offered for change', () => {
		const hidden = type.properties.filter((property) => property.type === 'hidden');
		expect(hidden).toMatchObject([
			{ name: 'allowedHttpRequestDomains', default: 'domains' },
			{ name: 'allowedDomains' },
		]);
	});

	test.each<[string, ICredentialDataDecryptedObject, string]>([
		['United States', {}, 'api-us.cogneris.ai'],
		['Europe, with an address left over', { ...custom(OTHER), region: 'eu' }, 'api-eu.cogneris.ai'],
		['white space, port and path', custom(' https://example.com:8443/v2/\n'), 'example.com'],
		['capitals', custom('HTTPS://Documents.Example.com'), 'documents.example.com'],
		['this computer', custom('http://localhost:3000'), 'localhost'],
		['this computer by IPv6', custom('http://[::1]:3000'), '[::1]'],
	])('%s', (_, fields, host) => {
		expect(mayGoTo(`https://${host}/Document/extraction`, fields)).toBe(true);
		for (const other of [
			'https://example.org/',
			`https://x.${host}/`,
			`https://${host}.example.org/`,
			`https://example.org/${host}`,
		])
			expect(mayGoTo(other, fields)).toBe(false);
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['no custom address yet', custom('')],
		['an unknown region', { region: 'mars' }],
	])('%s: none at all', (_, fields) => {
		expect(mayGoTo('https://example.org/', fields)).toBe(false);
		expect(mayGoTo('https://api-us.cogneris.ai/', fields)).toBe(false);
	});
});
