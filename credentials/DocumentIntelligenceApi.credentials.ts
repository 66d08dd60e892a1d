import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	IHttpRequestMethods,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';

import {
	CONCURRENT_REQUESTS,
	readAccount,
	REGION_HOSTS,
	REQUESTS_PER_MINUTE,
	SANDBOX_KEY_PREFIX,
	type Account,
} from '../nodes/DocumentIntelligence/service/account';

/** The host name alone, as n8n compares it; an IPv6 address is in brackets. */
const hostExpression = `={{ (${JSON.stringify(REGION_HOSTS)})[$self.region] || (($self.baseUrl || '').trim().match(/^(?:https?:\\/\\/)?(\\[[^\\]]*\\]|[^\\/:?#]+)/i) || [])[1] }}`;
const baseUrlExpression = `={{ $credentials.region === 'custom' ? ($credentials.baseUrl || '').trim().replace(/\\/+$/, '') : 'https://' + (${JSON.stringify(REGION_HOSTS)})[$credentials.region] }}`;

function testedBy(sandbox: string, live: string): string {
	return `={{ ($credentials.apiKey || '').trim().startsWith('${SANDBOX_KEY_PREFIX}') ? '${sandbox}' : '${live}' }}`;
}

const NOT_ACCEPTED =
	'Cogneris rejected the API key. Check that it is complete, that it has not been revoked, and that the region is the one it was created in.';
const NO_SUBSCRIPTION =
	"The API key is valid but can't process documents. Check in your Cogneris account that the subscription is active.";
const WRONG_ADDRESS =
	'A server responded at this address, but it is not Cogneris. Check the region or the custom address.';
const RATE_LIMITED =
	'The key has used up its requests for this minute. The key itself was not rejected: wait a minute and test again.';
const REDIRECTED =
	'The address redirects to another one, and the API key is not sent there. Open the address in a browser to see where it leads, and enter that address.';
const NOT_AVAILABLE =
	'Cogneris is temporarily unavailable at this address. Wait a few minutes and test again.';

/** n8n 2 has to treat these as failed, as they may lack a body; it accepts any other. */
const MESSAGES_BY_STATUS = [
	...[301, 302, 303, 307, 308].map((status) => ({ status, message: REDIRECTED })),
	...[404, 405].map((status) => ({ status, message: WRONG_ADDRESS })),
	{ status: 429, message: RATE_LIMITED },
	...[500, 502, 503, 504].map((status) => ({ status, message: NOT_AVAILABLE })),
];

/** The status is in a problem document, in the envelope, or only in HTTP. */
const rulesFor = ({ status: value, message }: { status: number; message: string }) => [
	{ type: 'responseSuccessBody', properties: { key: 'status', value, message } },
	{ type: 'responseSuccessBody', properties: { key: 'meta.httpStatusCode', value, message } },
	{ type: 'responseCode', properties: { value, message } },
];

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
	const { url, uri, baseURL, ...others } = request as IHttpRequestOptions & { uri?: string };
	const target = new URL(addressOf(url ?? uri ?? '', baseURL));
	if (!/^https?:$/.test(target.protocol) || target.origin !== new URL(account.baseUrl).origin)
		throw new Error(
			`This credential is for ${account.baseUrl} and may not be used for ${target.host}. The API key is only ever sent to the address in the credential.`,
		);
	return {
		...others,
		url: target.href,
		headers: { ...request.headers, Authorization: `Bearer ${account.apiKey}` },
		// By default, n8n restores the header on a redirect to another origin.
		sendCredentialsOnCrossOriginRedirect: false,
	};
}

/** Joins a base and a relative address as n8n's client does. */
function addressOf(url: string, base = ''): string {
	if (base === '' || /^([a-z][a-z\d+.-]*:)?\/\//i.test(url)) return url;
	return url === '' ? base : `${base.replace(/\/+$/, '')}/${url.replace(/^\/+/, '')}`;
}

export class DocumentIntelligenceApi implements ICredentialType {
	name = 'documentIntelligenceApi';
	displayName = 'Document Intelligence API';
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
			placeholder: 'e.g. xtkt_live_…',
			hint: 'Live keys start with xtkt_live_, sandbox keys with xtkt_test_. Create a key at cogneris.ai, where it is shown only once.',
			description:
				'Sandbox keys are free test keys. They process all documents as jobs, in the background, and do not support Match Faces or a chosen template.',
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
			description: 'The region of your account. A key works only in the region it was created in.',
		},
		{
			displayName: 'Address',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://documents.example.com',
			description:
				'Address of the Cogneris server, such as https://documents.example.com. It must start with https:// unless the server is on the same computer as n8n.',
			displayOptions: { show: { region: ['custom'] } },
		},
		{
			displayName: 'Requests per Minute',
			name: 'requestsPerMinute',
			type: 'number',
			default: REQUESTS_PER_MINUTE,
			typeOptions: { minValue: 1, numberPrecision: 0 },
			description: `How many requests per minute to send with this credential. Cogneris allows ${REQUESTS_PER_MINUTE} for each key. You can enter more only with a custom address. Enter a lower number if other programs use the same key.`,
		},
		{
			displayName: 'Concurrent Requests',
			name: 'concurrentRequests',
			type: 'number',
			default: CONCURRENT_REQUESTS.usual,
			typeOptions: { minValue: 1, maxValue: CONCURRENT_REQUESTS.most, numberPrecision: 0 },
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

	/** Runs for every use of the credential. */
	authenticate: IAuthenticate = async (credentials, requestOptions) =>
		await Promise.resolve(withKey(accountOf(credentials), requestOptions));

	/**
	 * A valid live key gets 400 "file missing", so nothing is uploaded or billed; a sandbox key lists one job. n8n 2
	 * reads `except`, and n8n 1 needs the rules for the body (docs/internals/n8n-behaviour.md, Credential).
	 */
	test: ICredentialTestRequest = {
		request: {
			baseURL: baseUrlExpression,
			url: testedBy('/api/v1/document-jobs?limit=1', '/Document/extraction'),
			method: testedBy('GET', 'POST') as IHttpRequestMethods,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: {
				ignore: true,
				except: MESSAGES_BY_STATUS.map(({ status }) => status),
			},
		},
		rules: [
			...rulesFor({ status: 401, message: NOT_ACCEPTED }),
			...rulesFor({ status: 403, message: NO_SUBSCRIPTION }),
			...MESSAGES_BY_STATUS.flatMap(rulesFor),
			// A web page: such responses have only their first character in common.
			{ type: 'responseSuccessBody', properties: { key: '0', value: '<', message: WRONG_ADDRESS } },
		] as ICredentialTestRequest['rules'],
	};
}
