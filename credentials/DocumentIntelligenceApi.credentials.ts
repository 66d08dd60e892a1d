import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialType,
	Icon,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import {
	CONCURRENT_REQUESTS,
	readAccount,
	REQUESTS_PER_MINUTE,
	type Account,
} from '../nodes/DocumentIntelligence/service/account';
import {
	LIVE_KEY_PREFIX,
	REGION_HOSTS,
	SANDBOX_KEY_PREFIX,
	WEBSITE,
} from '../nodes/DocumentIntelligence/text/cogneris';

/** The host name alone, as n8n compares it; an IPv6 address is in brackets. */
const hostExpression = `={{ (${JSON.stringify(REGION_HOSTS)})[$self.region] || (($self.baseUrl || '').trim().match(/^(?:https?:\\/\\/)?(\\[[^\\]]*\\]|[^\\/:?#]+)/i) || [])[1] }}`;

/** n8n shows only the message of this error, so the suggested fix is part of it. */
function accountOf(credentials: ICredentialDataDecryptedObject): Account {
	try {
		return readAccount(credentials);
	} catch (thrown) {
		const { message, description } = thrown as { message: string; description: string };
		throw new Error(`${message}. ${description}`);
	}
}

/** @returns a request to the parsed address; n8n's client reads some addresses differently */
function withKey(account: Account, request: IHttpRequestOptions): IHttpRequestOptions {
	// The HTTP Request node of n8n 1 passes the address as `uri`.
	const { url, uri, ...others } = request as IHttpRequestOptions & { uri?: string };
	const target = new URL(url ?? uri ?? '');
	if (!/^https?:$/.test(target.protocol) || target.origin !== new URL(account.baseUrl).origin)
		throw new Error(
			`This credential is for ${account.baseUrl} and may not be used for ${target.host}. The API key is only ever sent to the address in the credential.`,
		);
	return {
		...others,
		url: target.href,
		baseURL: undefined,
		headers: { ...request.headers, Authorization: `Bearer ${account.apiKey}` },
		// By default, n8n restores the header on a redirect to another origin.
		sendCredentialsOnCrossOriginRedirect: false,
	};
}

export class DocumentIntelligenceApi implements ICredentialType {
	name = 'documentIntelligenceApi';
	displayName = 'Cogneris Document Intelligence API';
	icon: Icon = {
		light: 'file:../nodes/DocumentIntelligence/documentIntelligence.svg',
		dark: 'file:../nodes/DocumentIntelligence/documentIntelligence.dark.svg',
	};
	documentationUrl = 'https://n8n-nodes-document-intelligence.example.com#credentials';
	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: `e.g. ${LIVE_KEY_PREFIX}…`,
			hint: `Create a key at ${WEBSITE} under Settings > API keys`,
			description: `Live keys start with ${LIVE_KEY_PREFIX}. Sandbox keys (${SANDBOX_KEY_PREFIX}) are for testing: documents are processed as jobs, in the background, and Match Faces, chosen templates and Additional Instructions are not available.`,
		},
		{
			displayName: 'Region',
			name: 'region',
			type: 'options',
			options: [
				{ name: 'Custom Address', value: 'custom' },
				{ name: 'Europe', value: 'eu' },
				{ name: 'United States', value: 'us' },
			],
			default: 'us',
			description: 'The region in which the API key was created',
		},
		{
			displayName: 'Address',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://documents.example.com',
			description:
				'Address of the server, such as https://documents.example.com. It must start with https:// unless the server is on the same computer as n8n.',
			displayOptions: { show: { region: ['custom'] } },
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			default: REQUESTS_PER_MINUTE,
			typeOptions: { minValue: 1, numberPrecision: 0 },
			description: `How many requests each n8n process sends per minute with this key. Cogneris allows ${REQUESTS_PER_MINUTE} for each key: enter a lower number if other programs use it, and a higher one only with a custom address.`,
		},
		{
			displayName: 'Concurrent Requests',
			name: 'concurrentRequests',
			type: 'number',
			default: CONCURRENT_REQUESTS.preferred,
			typeOptions: { minValue: 1, maxValue: CONCURRENT_REQUESTS.max, numberPrecision: 0 },
			description:
				'How many requests one execution sends at the same time, from 1 to 50. Results keep the order of the input.',
		},
		// These fields limit the credential in the HTTP Request node to one host name, on any port and scheme.
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'hidden',
			default: 'domains',
		},
		{
			displayName: 'Allowed Domains',
			name: 'allowedDomains',
			type: 'hidden',
			default: hostExpression,
		},
	];

	/** Runs for every use of the credential except its test (nodes/DocumentIntelligence/service/credentialTest.ts). */
	authenticate: IAuthenticate = async (credentials, requestOptions) =>
		await Promise.resolve(withKey(accountOf(credentials), requestOptions));
}
