import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { connectionLoss } from './connectionLoss';
import { unlessAborted } from '../waiting/waiting';
import { readAccount } from './account';
import { CONNECTION_MESSAGES } from './client';
import { entryFor, parseResponse } from './envelope';

const TIMEOUT_SECONDS = 30;

/** A live key gets 400 "file missing", so nothing is processed. */
const LIVE_PROBE = {
	method: 'POST',
	path: '/Document/extraction',
	notAllowed:
		'The API key is valid, but Cogneris does not allow Extract with it. Check in your Cogneris account that a subscription for extraction is active. You can save the credential and use it for what the account allows.',
};

const SANDBOX_PROBE = {
	method: 'GET',
	path: '/api/v1/document-jobs?limit=1',
	notAllowed:
		'The API key is valid, but Cogneris does not allow the request. Check in your Cogneris account what this API key is allowed to do. You can save the credential all the same.',
};

const WRONG_ADDRESS =
	'A server responded at this address, but it is not Cogneris. Check the region or the custom address.';

/** By status, its first digit, or code: these mean the same whatever else the body is. */
const TEST_MESSAGES: Readonly<Record<string, string>> = {
	'3xx':
		'The address redirects to another one, and the API key is not sent there. Open the address in a browser to see where it leads, and enter that address.',
	401: 'Cogneris rejected the API key. Check that it is complete, that it has not been revoked, and that the region is the one it was created in.',
	404: WRONG_ADDRESS,
	405: WRONG_ADDRESS,
	429: 'The key has used up its requests for this minute. The key itself was not rejected: wait a minute and test again.',
	'5xx': 'Cogneris is temporarily unavailable at this address. Wait a few minutes and test again.',
	admission_quota_exceeded:
		'The document quota of the account is exhausted, so Cogneris accepts no more documents at the moment. The key itself was not rejected: test again later.',
};

/** Cogneris declares no body for these, so one without its form is no sign of a proxy. */
const STATUSES_WITHOUT_BODY = [413, 415];

const CHECK_ADDRESS = 'Check the region or the custom address.';
const UNKNOWN_HOST = `No server with this name was found. ${CHECK_ADDRESS} If it is right, check the name server (DNS) of the n8n server.`;
const NO_RESPONSE = `No response arrived within ${TIMEOUT_SECONDS} seconds. ${CHECK_ADDRESS} If it is right, a proxy or firewall may block the connection.`;
const CONNECTION_LOST = `The connection was lost before a response arrived. ${CHECK_ADDRESS} If it is right, test again.`;

/** By the code of the connection error, which may say more than the reason why nothing was sent. */
const CODE_MESSAGES: Readonly<Record<string, string>> = {
	ENOTFOUND: UNKNOWN_HOST,
	EAI_AGAIN: UNKNOWN_HOST,
	ECONNREFUSED: `The server refused the connection. ${CHECK_ADDRESS} If it is right, the server may be off, or a firewall may block the connection.`,
	EPROTO:
		'The server does not use HTTPS on this port. Check the port in the custom address, and whether a proxy is in between.',
	ECONNABORTED: NO_RESPONSE,
	ETIMEDOUT: NO_RESPONSE,
	EPIPE: CONNECTION_LOST,
};

interface TestResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	/** Undefined if the response has none. */
	body?: string;
}

/** The test of a credential: one request without a file, to the address of the credential and no other. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
	deadline = AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
): Promise<INodeCredentialTestResult> {
	// n8n offers a test no other request than this one.
	const { request } = this.helpers;
	try {
		const { apiKey, baseUrl, isSandbox } = readAccount(data);
		const { method, path, notAllowed } = isSandbox ? SANDBOX_PROBE : LIVE_PROBE;
		const responding = request({
			method,
			uri: baseUrl + path,
			headers: {
				Accept: 'application/json, application/problem+json',
				Authorization: `Bearer ${apiKey}`,
			},
			// So that the key stays at its origin.
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
			timeout: TIMEOUT_SECONDS * 1000,
		}) as Promise<TestResponse>;
		return judge(await unlessAborted(responding, deadline), baseUrl, notAllowed);
	} catch (thrown) {
		if (thrown instanceof DocumentError) return failed(`${thrown.message}. ${thrown.description}`);
		return failed(deadline.aborted ? NO_RESPONSE : connectionMessage(thrown));
	}
}

function judge(
	{ statusCode, headers, body = '' }: TestResponse,
	baseUrl: string,
	notAllowed: string,
): INodeCredentialTestResult {
	const parsed = parseResponse({ status: statusCode, headers, body: Buffer.from(body) });
	const { httpCode, isFromCogneris } = parsed;
	const message = entryFor(TEST_MESSAGES, parsed);
	if (message !== undefined) return failed(message);
	if (!isFromCogneris && !STATUSES_WITHOUT_BODY.includes(httpCode))
		return failed(
			`A proxy or firewall answered instead of Cogneris, with status ${httpCode}. Ask your network administrator to allow ${baseUrl}, or check the address.`,
		);
	if (httpCode === 403) return failed(notAllowed);
	return { status: 'OK', message: 'Connection successful!' };
}

function connectionMessage(thrown: unknown): string {
	const { code = '', notSent } = connectionLoss(thrown);
	const reason = notSent && CONNECTION_MESSAGES[notSent]('the API key').join('. ');
	const suffix = code === '' ? '' : ` (${code})`;
	return `${CODE_MESSAGES[code] ?? reason ?? CONNECTION_LOST}${suffix}`;
}

function failed(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}
