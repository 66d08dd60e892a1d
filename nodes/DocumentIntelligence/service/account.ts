import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';

export const CREDENTIAL_NAME = 'documentIntelligenceApi';

/** Hosts of the public regions (docs/service-contract.md, addresses). A key works in the region it was created in. */
export const REGION_HOSTS: Readonly<Record<string, string>> = {
	us: 'api-us.cogneris.ai',
	eu: 'api-eu.cogneris.ai',
};

/** What the service grants a key in a minute (docs/service-contract.md, limits). */
export const REQUESTS_PER_MINUTE = 50;

export const CONCURRENT_REQUESTS = { usual: 10, most: 50 };

const LIVE_KEY_PREFIX = 'xtkt_live_';
export const SANDBOX_KEY_PREFIX = 'xtkt_test_';

/** What a request needs to know of the credential. */
export interface Account {
	apiKey: string;
	/** Whether the key is for trying things out: it processes documents as jobs only, without a template. */
	isSandbox: boolean;
	/** Absolute address without a trailing slash, for example `https://api-eu.cogneris.ai`. */
	baseUrl: string;
	/** How many requests the user allows this node to start in a minute. */
	requestsPerMinute: number;
	/** How many requests of one execution may be in flight at a time. */
	concurrentRequests: number;
}

/**
 * Reads and checks the credential; nothing is sent with a key or to an address that cannot be valid.
 *
 * @throws DocumentError; its texts never contain the key
 */
export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	const apiKey = readApiKey(credential.apiKey);
	return {
		apiKey,
		isSandbox: apiKey.startsWith(SANDBOX_KEY_PREFIX),
		baseUrl: readBaseUrl(credential),
		requestsPerMinute: readRequestsPerMinute(credential),
		concurrentRequests: readConcurrentRequests(credential),
	};
}

function readApiKey(value: unknown): string {
	const apiKey = textOf(value);
	// A header value holds visible ASCII only; anything else is a damaged paste.
	const isKnown = apiKey.startsWith(LIVE_KEY_PREFIX) || apiKey.startsWith(SANDBOX_KEY_PREFIX);
	if (!isKnown || !/^[\x21-\x7e]+$/.test(apiKey)) {
		throw new DocumentError(
			apiKey === ''
				? 'The credential has no API key'
				: 'The API key in the credential does not look like a key of the service',
			`Keys start with ${LIVE_KEY_PREFIX}, or ${SANDBOX_KEY_PREFIX} for a sandbox. The platform shows a key once, when it is created: if it is lost, create a new one there.`,
		);
	}
	return apiKey;
}

function readBaseUrl(credential: ICredentialDataDecryptedObject): string {
	const region = textOf(credential.region) || 'us';
	if (region !== 'custom') {
		const host = Object.hasOwn(REGION_HOSTS, region) ? REGION_HOSTS[region] : undefined;
		if (host === undefined) {
			throw new DocumentError(
				`The credential names a region "${region}" that the service does not have`,
				'Open the credential and choose the region in which the key was created.',
			);
		}
		return `https://${host}`;
	}
	const address = textOf(credential.baseUrl);
	const url = URL.canParse(address) ? new URL(address) : undefined;
	if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
		throw new DocumentError(
			address === ''
				? 'The credential has no address'
				: 'The address in the credential is not a web address',
			'Open the credential and enter the full address, for example https://documents.example.com.',
		);
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
		throw new DocumentError(
			'The address in the credential starts with http://, which would send the API key and the documents unencrypted',
			'Change it to https://. Only addresses of the computer that n8n runs on may use http:// (localhost, 127.0.0.1 or [::1]).',
		);
	}
	return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Pasted white space is forgiven. */
function textOf(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

function readRequestsPerMinute({
	requestsPerMinute = REQUESTS_PER_MINUTE,
	region,
}: ICredentialDataDecryptedObject): number {
	const number = Number(requestsPerMinute);
	const most = region === 'custom' ? Number.MAX_SAFE_INTEGER : REQUESTS_PER_MINUTE;
	if (Number.isInteger(number) && number >= 1 && number <= most) return number;
	throw new DocumentError(
		'Requests per Minute in the credential is not in the allowed range',
		`Open the credential and enter a whole number from 1 to ${REQUESTS_PER_MINUTE}; only a custom address may have more.`,
	);
}

function readConcurrentRequests({
	concurrentRequests = CONCURRENT_REQUESTS.usual,
}: ICredentialDataDecryptedObject): number {
	const number = Number(concurrentRequests);
	if (Number.isInteger(number) && number >= 1 && number <= CONCURRENT_REQUESTS.most) return number;
	throw new DocumentError(
		'Concurrent Requests in the credential is not in the allowed range',
		`Open the credential and enter a whole number from 1 to ${CONCURRENT_REQUESTS.most}.`,
	);
}

function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
