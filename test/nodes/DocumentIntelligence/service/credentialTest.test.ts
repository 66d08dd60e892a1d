import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, ICredentialTestFunctions } from 'n8n-workflow';

import { DocumentIntelligence } from '../../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { DocumentIntelligenceTrigger } from '../../../../nodes/DocumentIntelligence/DocumentIntelligenceTrigger.node';
import { CREDENTIAL_NAME } from '../../../../nodes/DocumentIntelligence/service/account';
import { testCredential } from '../../../../nodes/DocumentIntelligence/service/credentialTest';
import { startScriptedServer, type Scripted, type ScriptedServer } from '../../scriptedServer';

const KEY = 'xtkt_live_valid_credential';
const SANDBOX_KEY = 'xtkt_test_1';

const custom = (baseUrl: string) => ({ region: 'custom', baseUrl });

describe('The test of a credential', () => {
	let server: ScriptedServer;
	const answering = (answer: Scripted) => {
		for (const path of ['/Document/extraction', '/api/v1/document-jobs'])
			server.serve(path, answer);
	};
	const received = () =>
		server.received.map(
			({ method, url, headers, body }) =>
				`${method} ${url} ${headers.authorization} ${body.length} bytes`,
		);

	beforeAll(async () => {
		server = await startScriptedServer();
	});
	beforeEach(() => (server.received.length = 0));
	afterAll(() => server.close());

	const context = new CredentialTestContext({} as never) as ICredentialTestFunctions;

	async function tested(fields: ICredentialDataDecryptedObject = {}, deadline?: AbortSignal) {
		const data = { apiKey: KEY, ...custom(server.url), ...fields };
		return await testCredential.call(context, { id: '', name: '', type: '', data }, deadline);
	}

	const as = (type: string, body: string) => ({ headers: { 'content-type': type }, body });
	const html = as('text/html', '<html>Blocked</html>');
	const json = (body: object) => as('application/json', JSON.stringify(body));
	const otherJson = json({ message: 'Denied' });
	const problem = as('application/problem+json; charset=utf-8', '{"title":"Invalid"}');
	const envelope = (httpStatusCode: number) =>
		json({ data: null, meta: { httpStatusCode }, hasErrors: true });

	test.each([
		[KEY, `POST /Document/extraction Bearer ${KEY} 0 bytes`],
		[' xtkt_test_1\n', 'GET /api/v1/document-jobs?limit=1 Bearer xtkt_test_1 0 bytes'],
	])('with the key %j is one request without a file: %s', async (apiKey, request) => {
		answering({ status: 400, ...problem });
		expect(await tested({ apiKey })).toEqual({ status: 'OK', message: 'Connection successful!' });
		expect(received()).toEqual([request]);
	});

	const PROXY =
		/^A proxy or firewall answered instead of Cogneris, with status \d+\. .* allow http:\/\/127/;
	const NO_EXTRACT = /key is valid, .* allow Extract .* subscription for extraction/;
	const NOT_ALLOWED = /key is valid, but Cogneris does not allow the request((?!subscription).)*$/;
	const QUOTA = /^The document quota of the account is exhausted((?!minute).)*$/;

	test.each<[title: string, response: Scripted, says: RegExp, apiKey?: string]>([
		['200, a web page', { status: 200, ...html }, PROXY],
		['400, empty', { status: 400 }, PROXY],
		['400, a web page', { status: 400, ...html }, PROXY],
		['400, a problem document without content', { status: 400, ...problem, body: '' }, PROXY],
		['403, another JSON', { status: 403, ...otherJson }, PROXY],
		['407, empty', { status: 407 }, PROXY],
		['403, a problem document', { status: 403, ...problem }, NO_EXTRACT],
		['401 in an envelope under HTTP 200', envelope(401), /rejected the API key/],
		['403 for a sandbox key', { status: 403, ...problem }, NOT_ALLOWED, SANDBOX_KEY],
		['429 of the quota', { status: 429, ...json({ code: 'ADMISSION_QUOTA_EXCEEDED' }) }, QUOTA],
	])('fails and says why: %s', async (_, sent, says, apiKey = KEY) => {
		answering(sent);
		// Of a test that has passed, n8n shows words of its own.
		expect(await tested({ apiKey })).toEqual({
			status: 'Error',
			message: expect.stringMatching(says) as string,
		});
	});

	test.each<[status: number, says: RegExp]>([
		[302, /redirects to another one/],
		[401, /rejected the API key/],
		[404, /it is not Cogneris/],
		[405, /it is not Cogneris/],
		[413, /^Connection successful!$/],
		[415, /^Connection successful!$/],
		[429, /used up its requests for this minute/],
		[500, /temporarily unavailable/],
		[503, /temporarily unavailable/],
	])('reads status %i in the same way whatever the body is: %s', async (status, says) => {
		for (const { headers = {}, body = '' } of [{}, html, otherJson, problem]) {
			answering({ status, headers: { ...headers, location: '/elsewhere' }, body });
			expect((await tested()).message).toMatch(says);
		}
		expect(received()).toHaveLength(4);
	});

	test('takes no key along to another address', async () => {
		answering({ status: 302, headers: { location: '/elsewhere' } });
		// A request that is no POST would be redirected by itself.
		await tested({ apiKey: SANDBOX_KEY });
		expect(received()).toHaveLength(1);
	});

	test('ends after 30 seconds without a response', async () => {
		answering(() => undefined);
		const deadline = new AbortController();
		const ending = tested({}, deadline.signal);
		while (received().length === 0) await new Promise(setImmediate);
		deadline.abort();
		expect((await ending).message).toMatch(/^No response arrived within 30 seconds\./);
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
		const failing = { ...context, helpers: { ...context.helpers, request } };
		const data = { apiKey: KEY, region: 'us' };
		const { message } = await testCredential.call(failing, { id: '', name: '', type: '', data });
		expect(message).toMatch(says);
		expect(message).not.toContain(KEY);
	});

	test.each<[fields: ICredentialDataDecryptedObject, says: RegExp]>([
		[{ apiKey: '' }, /^The credential has no API key\. Enter the key/],
		[custom('http://example.com'), /unencrypted\. Change it to https/],
	])('sends nothing with the credential %j', async (fields, says) => {
		expect((await tested(fields)).message).toMatch(says);
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
