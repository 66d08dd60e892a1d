import type { ServerResponse } from 'node:http';

import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, ICredentialTestFunctions } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { CREDENTIAL_NAME } from '../../../../nodes/DocumentIntelligence/service/account';
import { testCredential } from '../../../../nodes/DocumentIntelligence/service/credentialTest';
import { startScriptedServer, type ScriptedServer } from '../../scriptedServer';

const KEY = 'xtkt_live_valid_credential';

const custom = (baseUrl: string) => ({ region: 'custom', baseUrl });

describe('The test of a credential', () => {
	interface Response {
		status: number;
		type?: string;
		body?: string;
		location?: string;
	}
	let response: Response | 'silence';
	let server: ScriptedServer;
	let address: string;
	const received = () =>
		server.received.map(
			({ method, url, headers, body }) =>
				`${method} ${url} ${headers.authorization} ${body.length} bytes`,
		);

	beforeAll(async () => {
		const otherwise = (reply: ServerResponse) => {
			if (response === 'silence') return;
			const { status, type: contentType, body = '', location } = response;
			reply.writeHead(status, {
				...(contentType && { 'content-type': contentType }),
				...(location && { location }),
			});
			reply.end(body);
		};
		server = await startScriptedServer({ otherwise });
		address = server.url;
	});
	beforeEach(() => (server.received.length = 0));
	afterAll(() => server.close());

	const context = new CredentialTestContext({} as never) as ICredentialTestFunctions;

	async function tested(fields: ICredentialDataDecryptedObject = {}, deadline?: AbortSignal) {
		return await testCredential.call(
			context,
			{ id: '', name: '', type: '', data: { apiKey: KEY, ...custom(address), ...fields } },
			deadline,
		);
	}

	const html = { type: 'text/html', body: '<html>Blocked</html>' };
	const otherJson = { type: 'application/json', body: '{"message":"Denied"}' };
	const problem = { type: 'application/problem+json; charset=utf-8', body: '{"title":"Invalid"}' };
	const envelope = (httpStatusCode: number) => ({
		type: 'application/json',
		body: JSON.stringify({ data: null, meta: { httpStatusCode }, hasErrors: true }),
	});

	test.each([
		[KEY, `POST /Document/extraction Bearer ${KEY} 0 bytes`],
		[' xtkt_test_1\n', 'GET /api/v1/document-jobs?limit=1 Bearer xtkt_test_1 0 bytes'],
	])('with the key %j is one request without a file: %s', async (apiKey, request) => {
		response = { status: 400, ...problem };
		expect(await tested({ apiKey })).toEqual({ status: 'OK', message: 'Connection successful!' });
		expect(received()).toEqual([request]);
	});

	const PROXY =
		/^A proxy or firewall answered instead of Cogneris, with status (200|400|403|407)\. /;

	test.each<[title: string, response: Response]>([
		['200, a web page', { status: 200, ...html }],
		['400, empty', { status: 400 }],
		['400, a web page', { status: 400, ...html }],
		['400, another JSON', { status: 400, ...otherJson }],
		['400, a problem document without content', { status: 400, ...problem, body: '' }],
		['403, another JSON', { status: 403, ...otherJson }],
		['407, empty', { status: 407 }],
	])('sees a proxy in %s', async (_, sent) => {
		response = sent;
		const { status, message } = await tested();
		expect(status).toBe('Error');
		expect(message).toMatch(PROXY);
		expect(message).toContain(address);
	});

	test.each<[title: string, response: Response]>([
		['a problem document', { status: 403, ...problem }],
		['an envelope', { status: 403, ...envelope(403) }],
		['an envelope under HTTP 200', { status: 200, ...envelope(403) }],
	])('says that a key is valid and what the account lacks, said by %s', async (_, sent) => {
		response = sent;
		const { status, message } = await tested();
		// Of a test that has passed, n8n shows words of its own.
		expect(status).toBe('Error');
		expect(message).toMatch(/key is valid, .* allow Extract .* subscription for extraction/);
	});

	test('speaks of no subscription to a sandbox key that is not allowed', async () => {
		response = { status: 403, ...problem };
		const { status, message } = await tested({ apiKey: 'xtkt_test_1' });
		expect(status).toBe('Error');
		expect(message).toMatch(/key is valid, but Cogneris does not allow the request/);
		expect(message).not.toMatch(/subscription/);
	});

	test.each([
		{ code: 'ADMISSION_QUOTA_EXCEEDED' },
		{ code: 'x', errors: [{ code: 'admission_quota_exceeded' }] },
		{ meta: { errors: [{ code: 'ADMISSION_QUOTA_EXCEEDED' }] } },
	])('reads status 429 with %j as the document quota', async (body) => {
		response = { status: 429, type: 'application/json', body: JSON.stringify(body) };
		const { message } = await tested();
		expect(message).toMatch(/^The document quota of the account is exhausted/);
		expect(message).not.toMatch(/minute/);
	});

	test.each<[status: number, says: string | RegExp]>([
		[302, /redirects to another one/],
		[401, /rejected the API key/],
		[404, /it is not Cogneris/],
		[405, /it is not Cogneris/],
		[413, 'Connection successful!'],
		[415, 'Connection successful!'],
		[429, /used up its requests for this minute/],
		[500, /temporarily unavailable/],
		[503, /temporarily unavailable/],
	])('reads status %i in the same way whatever the body is: %s', async (status, says) => {
		for (const body of [{}, html, otherJson, problem]) {
			response = { status, ...body, ...(status === 302 ? { location: '/elsewhere' } : {}) };
			const { message } = await tested();
			if (typeof says === 'string') expect(message).toBe(says);
			else expect(message).toMatch(says);
		}
		expect(received()).toHaveLength(4);
	});

	test.each([KEY, 'xtkt_test_1'])(
		'does not take the key %s along to another address',
		async (apiKey) => {
			response = { status: 302, location: '/elsewhere' };
			expect((await tested({ apiKey })).message).toMatch(/redirects to another one/);
			expect(received()).toHaveLength(1);
		},
	);

	test('reads the actual status of an envelope under HTTP 200', async () => {
		response = { status: 200, ...envelope(401) };
		expect((await tested()).message).toMatch(/rejected the API key/);
	});

	test('ends after 30 seconds without a response', async () => {
		response = 'silence';
		const deadline = new AbortController();
		const ending = tested({}, deadline.signal);
		while (received().length === 0) await new Promise(setImmediate);
		deadline.abort();
		expect(await ending).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^No response arrived within 30 seconds\./) as string,
		});
	});

	test.each<[error: object, says: RegExp]>([
		[{ code: 'ENOTFOUND' }, /^No server with this name was found\..* \(ENOTFOUND\)$/],
		[{ code: 'ECONNREFUSED' }, /^The server refused the connection\..* \(ECONNREFUSED\)$/],
		[{ code: 'EPROTO' }, /^The server does not use HTTPS on this port\..* \(EPROTO\)$/],
		[{ code: 'ECONNABORTED' }, /^No response arrived within 30 seconds\..* \(ECONNABORTED\)$/],
		[
			{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
			/^n8n does not trust the certificate.* \(DEPTH_ZERO_SELF_SIGNED_CERT\)$/,
		],
		[{ name: 'SsrfBlockedIpError' }, /^n8n's SSRF protection blocked the request/],
		[{ code: 'ECONNRESET' }, /^The connection was lost.* \(ECONNRESET\)$/],
		[{}, /^The connection was lost .* test again\.$/],
	])('has words for %j', async (error, says) => {
		const request = async () =>
			await Promise.reject(Object.assign(new Error(`Sent Bearer ${KEY}`), error));
		const { status, message } = await testCredential.call(
			{ ...context, helpers: { ...context.helpers, request } },
			{ id: '', name: '', type: '', data: { apiKey: KEY, region: 'us' } },
		);
		expect(status).toBe('Error');
		expect(message).toMatch(says);
		expect(message).not.toContain(KEY);
	});

	test.each<[fields: ICredentialDataDecryptedObject, says: RegExp]>([
		[{ apiKey: '' }, /^The credential has no API key\. Enter the key/],
		[custom('http://example.com'), /unencrypted\. Change it to https/],
	])('sends nothing with the credential %j', async (fields, says) => {
		expect(await tested(fields)).toEqual({
			status: 'Error',
			message: expect.stringMatching(says) as string,
		});
		expect(received()).toEqual([]);
	});

	test('is offered by every node that uses the credential', () => {
		for (const node of [new DocumentIntelligence(), new DocumentIntelligenceTrigger()]) {
			const [credential] = node.description.credentials ?? [];
			expect(credential).toMatchObject({ name: CREDENTIAL_NAME, testedBy: 'testCredential' });
			expect(node.methods.credentialTest).toEqual({ testCredential });
		}
	});
});
