import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { LIVE_KEY_PREFIX, REGION_HOSTS, SANDBOX_KEY_PREFIX } from '../text/cogneris';
import { DocumentError } from '../text/errors';

export const CREDENTIAL_NAME = 'documentIntelligenceApi';

/** The service's limit for one key (docs/internals/service-contract.md, Limits). */
export const REQUESTS_PER_MINUTE = 50;

export const CONCURRENT_REQUESTS = { preferred: 10, max: 50 };

/** A header value has visible ASCII only, so any other character comes from a damaged paste. */
const KEY = new RegExp(`^(${LIVE_KEY_PREFIX}|${SANDBOX_KEY_PREFIX})[\\x21-\\x7e]+$`);

export interface Account {
	apiKey: string;
	/** A sandbox key processes documents as jobs only, and without a template. */
	isSandbox: boolean;
	/** Absolute address without a trailing slash. */
	baseUrl: string;
	requestsPerMinute: number;
	/** The limit for one execution. */
	concurrentRequests: number;
}

/** Nothing is sent with a key or to an address that cannot be valid. Messages never contain the key. */
export function readAccount(credential: ICredentialDataDecryptedObject): Account {
	const { preferred, max } = CONCURRENT_REQUESTS;
	const { requestsPerMinute = REQUESTS_PER_MINUTE, concurrentRequests = preferred } = credential;
	const apiKey = trimmed(credential.apiKey);
	if (!KEY.test(apiKey))
		throw new DocumentError(
			apiKey === ''
				? 'The credential has no API key'
				: 'The API key in the credential is not a Cogneris API key',
			`Enter the key without any other text. Keys start with ${LIVE_KEY_PREFIX}, or ${SANDBOX_KEY_PREFIX} for a sandbox. If you no longer have the key, create a new one in your Cogneris account.`,
		);
	const perMinute = credential.region === 'custom' ? Infinity : REQUESTS_PER_MINUTE;
	return {
		apiKey,
		isSandbox: apiKey.startsWith(SANDBOX_KEY_PREFIX),
		baseUrl: readBaseUrl(credential),
		requestsPerMinute: wholeNumber('Requests per Minute', requestsPerMinute, perMinute),
		concurrentRequests: wholeNumber('Concurrent Requests', concurrentRequests, max),
	};
}

function readBaseUrl(credential: ICredentialDataDecryptedObject): string {
	const region = trimmed(credential.region) || 'us';
	if (Object.hasOwn(REGION_HOSTS, region)) return `https://${REGION_HOSTS[region]}`;
	if (region !== 'custom')
		throw new DocumentError(
			'The region in the credential is not a Cogneris region',
			'Open the credential and choose the region in which the key was created.',
		);
	const address = trimmed(credential.baseUrl);
	const { protocol, hostname, origin, pathname, username } = new URL(
		URL.canParse(address) ? address : 'none:',
	);
	if (!['https:', 'http:'].includes(protocol) || username !== '')
		throw new DocumentError(
			address === ''
				? 'The credential has no address'
				: 'The address in the credential cannot be used',
			'Open the credential and enter the full address without a user name or password, for example https://documents.example.com.',
		);
	if (protocol === 'http:' && !/^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname))
		throw new DocumentError(
			'The address in the credential starts with http://, which would send the API key and the documents unencrypted',
			'Change it to https://. Only addresses of the computer that n8n runs on may use http:// (localhost, 127.0.0.1 or [::1]).',
		);
	return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** Names and literal addresses of this computer and of private networks, as a URL has them. */
const PRIVATE_HOST =
	/^((.+\.)?localhost\.?|(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+|\[(::|f[cd]|fe[89ab]).*)$/;

/** Whether a link in an answer may be followed: it is public, unless the credential's own address is a private one. */
export function mayFollow(link: string, { baseUrl }: Account): boolean {
	const isPrivate = (address: string) => PRIVATE_HOST.test(new URL(address).hostname);
	if (!URL.canParse(link)) return false;
	const { protocol } = new URL(link);
	if (isPrivate(baseUrl)) return protocol === 'https:' || protocol === 'http:';
	return protocol === 'https:' && !isPrivate(link);
}

function trimmed(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

function wholeNumber(label: string, value: unknown, max: number): number {
	const number = Number(value);
	if (Number.isInteger(number) && number >= 1 && number <= max) return number;
	throw new DocumentError(
		`'${label}' in the credential is not a whole number ${max === Infinity ? 'above 0' : `from 1 to ${max}`}`,
		'Open the credential and change it.',
	);
}
