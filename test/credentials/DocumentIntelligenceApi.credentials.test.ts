import {
	assertCredentialAllowsUrl,
	Workflow,
	type ICredentialDataDecryptedObject,
	type IHttpRequestOptions,
	type INode,
	type INodeTypes,
} from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';

const type = new DocumentIntelligenceApi();
const KEY = 'xtkt_live_valid_credential';

async function authenticated(
	fields: ICredentialDataDecryptedObject,
	request: Partial<IHttpRequestOptions> & { uri?: string },
) {
	if (typeof type.authenticate !== 'function')
		throw new Error('The credential has no authenticate function.');
	return await type.authenticate(
		{ apiKey: KEY, region: 'us', ...fields },
		request as IHttpRequestOptions,
	);
}

const custom = (baseUrl: string) => ({ region: 'custom', baseUrl });

test('an empty API Key shows how one begins', () => {
	const key = type.properties.find(({ name }) => name === 'apiKey');
	expect(key).toMatchObject({
		placeholder: 'e.g. xtkt_live_…',
		hint: expect.stringMatching(/xtkt_live_.*xtkt_test_/) as string,
	});
});

describe('The key', () => {
	const US = 'https://api-us.cogneris.ai';

	test.each<
		[
			string,
			ICredentialDataDecryptedObject,
			Partial<IHttpRequestOptions> & { uri?: string },
			string,
		]
	>([
		['an absolute address', {}, { url: `${US}/Document/extraction` }, `${US}/Document/extraction`],
		['a port and capitals', {}, { url: 'HTTPS://API-US.cogneris.ai:443/x' }, `${US}/x`],
		['a base and a path', {}, { baseURL: US, url: '/x?limit=1' }, `${US}/x?limit=1`],
		['a base with a path', {}, { baseURL: `${US}/v2/`, url: '/x' }, `${US}/v2/x`],
		['a base alone', {}, { baseURL: US }, `${US}/`],
		['`uri`, as n8n 1 says', {}, { uri: `${US}/x` }, `${US}/x`],
		[
			'Europe',
			{ region: 'eu' },
			{ url: 'https://api-eu.cogneris.ai/x' },
			'https://api-eu.cogneris.ai/x',
		],
		[
			'a custom address',
			custom('https://documents.example.com/v2/'),
			{ url: 'https://documents.example.com/v2/Document/crop' },
			'https://documents.example.com/v2/Document/crop',
		],
		[
			'this computer',
			custom('http://localhost:3000'),
			{ url: 'http://localhost:3000/x' },
			'http://localhost:3000/x',
		],
	])(
		'is added for %s, and the address that was checked is the one that is used',
		async (_, fields, request, url) => {
			const others = { method: 'POST' as const, timeout: 5 };
			const options = {
				...others,
				headers: { Accept: 'application/json', 'X-Own': '1' },
				...request,
			};
			const before = structuredClone(options);
			expect(await authenticated(fields, options)).toEqual({
				...others,
				url,
				headers: { Accept: 'application/json', 'X-Own': '1', Authorization: `Bearer ${KEY}` },
				sendCredentialsOnCrossOriginRedirect: false,
			});
			// The request of the caller is not the one that carries the key.
			expect(options).toEqual(before);
		},
	);

	test('is not passed on by a redirect to another origin, whatever the caller asks for', async () => {
		const request = await authenticated(
			{},
			{ url: 'https://api-us.cogneris.ai/x', sendCredentialsOnCrossOriginRedirect: true },
		);
		expect(request).toMatchObject({ sendCredentialsOnCrossOriginRedirect: false });
	});

	test('is sent without the white space it was pasted with', async () => {
		const { headers } = await authenticated(
			{ apiKey: ` ${KEY}\n` },
			{ url: 'https://api-us.cogneris.ai/x' },
		);
		expect(headers).toEqual({ Authorization: `Bearer ${KEY}` });
	});

	test.each<
		[string, ICredentialDataDecryptedObject, Partial<IHttpRequestOptions> & { uri?: string }]
	>([
		['another host', {}, { url: 'https://example.com/Document/extraction' }],
		['the other region', {}, { url: 'https://api-eu.cogneris.ai/Document/extraction' }],
		['a host that begins alike', {}, { url: 'https://api-us.cogneris.ai.example.com/' }],
		['a host that ends alike', {}, { url: 'https://not-api-us.cogneris.ai/' }],
		['a subdomain', {}, { url: 'https://x.api-us.cogneris.ai/' }],
		['the host as a user name', {}, { url: 'https://api-us.cogneris.ai@example.com/' }],
		['the host as a path', {}, { url: 'https://example.com/api-us.cogneris.ai' }],
		['backslashes', {}, { url: 'https://example.com\\@api-us.cogneris.ai/' }],
		['another port', {}, { url: 'https://api-us.cogneris.ai:8443/' }],
		['the host without encryption', {}, { url: 'http://api-us.cogneris.ai/' }],
		[
			'a base, but an absolute address elsewhere',
			{},
			{ baseURL: 'https://api-us.cogneris.ai', url: 'https://example.com/' },
		],
		[
			'a base, but an address without scheme elsewhere',
			{},
			{ baseURL: 'https://api-us.cogneris.ai', url: '//example.com/' },
		],
		['a base elsewhere', {}, { baseURL: 'https://example.com', url: '/Document/extraction' }],
		['`uri` elsewhere', {}, { uri: 'https://example.com/' }],
		[
			'another port of this computer',
			custom('http://localhost:3000'),
			{ url: 'http://localhost:3001/' },
		],
		[
			'a base elsewhere, and a blank before the address',
			{},
			{ baseURL: 'https://example.com', url: ` ${US}/x` },
		],
		[
			'a base elsewhere, and backslashes',
			{},
			{ baseURL: 'https://example.com', url: '\\\\api-us.cogneris.ai/x' },
		],
		[
			'a base elsewhere, and a line break in the scheme',
			{},
			{ baseURL: 'https://example.com', url: `ht\ntps://api-us.cogneris.ai/x` },
		],
		['a base elsewhere, and a blob', {}, { baseURL: 'https://example.com', url: `blob:${US}/x` }],
		['a blob', {}, { url: `blob:${US}/x` }],
		['`uri` here, and `url` elsewhere', {}, { uri: `${US}/x`, url: 'https://example.com/' }],
		['no address at all', {}, {}],
		['an address that is none', {}, { url: 'not an address' }],
	])('is refused to %s, without being named', async (_, fields, request) => {
		const refusal: unknown = await authenticated(fields, request).then(
			() => 'sent',
			(thrown: unknown) => thrown,
		);
		expect(refusal).not.toBe('sent');
		expect(String(refusal)).not.toContain(KEY);
	});

	test.each<[string, ICredentialDataDecryptedObject, RegExp]>([
		['a key of another service', { apiKey: 'sk-12345' }, /is not a Cogneris API key/],
		[
			'a key with a line break',
			{ apiKey: 'xtkt_live_1\r\nX-Other: 1' },
			/is not a Cogneris API key/,
		],
		['no key', { apiKey: '' }, /no API key/],
		['http to another computer', custom('http://documents.example.com'), /unencrypted/],
		['no address', custom(''), /no address/],
		['an unknown region', { region: 'mars' }, /region/],
	])('%s is refused before anything is sent', async (_, fields, message) => {
		await expect(authenticated(fields, { url: 'http://documents.example.com/x' })).rejects.toThrow(
			message,
		);
		await expect(authenticated(fields, { url: 'https://api-us.cogneris.ai/x' })).rejects.toThrow(
			message,
		);
	});
});

describe('The test of a credential', () => {
	function resolved(apiKey: string, name: 'url' | 'method') {
		const workflow = new Workflow({
			nodes: [],
			connections: {},
			active: false,
			nodeTypes: {} as INodeTypes,
		});
		const node = { parameters: {}, name: 'Test' } as INode;
		return workflow.expression.getSimpleParameterValue(node, type.test.request[name], 'internal', {
			$credentials: { apiKey },
		});
	}

	test.each([
		['xtkt_live_1', 'POST', '/Document/extraction'],
		[' xtkt_test_1\n', 'GET', '/api/v1/document-jobs?limit=1'],
		['', 'POST', '/Document/extraction'],
	])('of %j uses a route that such keys may use: %s %s', (apiKey, method, url) => {
		expect([resolved(apiKey, 'method'), resolved(apiKey, 'url')]).toEqual([method, url]);
	});
});

describe('The domains that n8n lets the credential be used for', () => {
	const property = (name: string) => type.properties.find((candidate) => candidate.name === name);

	const node: INode = {
		id: 'x',
		name: 'HTTP Request',
		type: 'x',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};

	/** n8n fills in the defaults of the hidden fields, and resolves them over the credential's own values. */
	function asN8nReadsIt(fields: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
		const nodeTypes = {
			getByNameAndVersion: () => ({ description: { properties: [] } }),
			getKnownTypes: () => ({}),
		};
		const workflow = new Workflow({
			nodes: [node],
			connections: {},
			active: false,
			nodeTypes: nodeTypes as unknown as INodeTypes,
		});
		const values = Object.fromEntries(
			type.properties.map(({ name, default: value }) => [name, value]),
		);
		Object.assign(values, { apiKey: KEY }, fields);
		return workflow.expression.getParameterValue(
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
		expect(property('allowedHttpRequestDomains')).toMatchObject({
			type: 'hidden',
			default: 'domains',
		});
		expect(property('allowedDomains')).toMatchObject({ type: 'hidden' });
	});

	test.each<[string, ICredentialDataDecryptedObject, string]>([
		['United States', {}, 'api-us.cogneris.ai'],
		['Europe', { region: 'eu' }, 'api-eu.cogneris.ai'],
		[
			'Europe, with an address left over',
			{ region: 'eu', baseUrl: 'https://example.com' },
			'api-eu.cogneris.ai',
		],
		['a custom address', custom('https://documents.example.com'), 'documents.example.com'],
		[
			'a custom address with port and path',
			custom('https://documents.example.com:8443/v2/'),
			'documents.example.com',
		],
		['pasted white space', custom('  https://documents.example.com/\n'), 'documents.example.com'],
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
		]) {
			expect(mayGoTo(other, fields)).toBe(false);
		}
	});

	test.each<[string, ICredentialDataDecryptedObject]>([
		['no custom address yet', custom('')],
		['an unknown region', { region: 'mars' }],
	])('%s: none at all', (_, fields) => {
		expect(mayGoTo('https://example.org/', fields)).toBe(false);
		expect(mayGoTo('https://api-us.cogneris.ai/', fields)).toBe(false);
	});
});
