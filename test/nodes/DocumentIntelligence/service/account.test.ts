import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { mayFollow, readAccount } from '../../../../nodes/DocumentIntelligence/service/account';
import { itemsWith } from '../../samples';
import { failureOf, goOn, thrownBy, useService } from '../../service';

const KEY = 'xtkt_live_valid_account';
const URL = 'https://documents.example.com';

const accountOf = (fields: ICredentialDataDecryptedObject) =>
	readAccount({ apiKey: KEY, region: 'custom', baseUrl: URL, ...fields });

describe('A good credential', () => {
	test.each<[string, ICredentialDataDecryptedObject, string]>([
		['United States, an address left over', { region: 'us' }, 'https://api-us.cogneris.ai'],
		['Europe', { region: 'eu' }, 'https://api-eu.cogneris.ai'],
		['no region yet', { region: '' }, 'https://api-us.cogneris.ai'],
		['a custom address', {}, URL],
		['white space and slashes', { baseUrl: ` \t${URL}///\n` }, URL],
		['a path', { baseUrl: `${URL}/v2/` }, `${URL}/v2`],
		['the usual port, in capitals', { baseUrl: `${URL.toUpperCase()}:443` }, URL],
		['this computer by name', { baseUrl: 'http://localhost:3000' }, 'http://localhost:3000'],
		['this computer by number', { baseUrl: 'http://127.8.9.10/' }, 'http://127.8.9.10'],
		['this computer by IPv6', { baseUrl: 'http://[::1]:3000' }, 'http://[::1]:3000'],
	])('%s', (_, fields, baseUrl) => {
		expect(accountOf(fields)).toMatchObject({ apiKey: KEY, baseUrl, isSandbox: false });
	});

	test.each<[ICredentialDataDecryptedObject, object]>([
		[{}, { requestsPerMinute: 50, concurrentRequests: 10 }],
		[{ requestsPerMinute: 1, concurrentRequests: 1 }, { requestsPerMinute: 1 }],
		[{ requestsPerMinute: '20', concurrentRequests: '50' }, { concurrentRequests: 50 }],
		[{ requestsPerMinute: 10_000 }, { requestsPerMinute: 10_000 }],
		[{ apiKey: `\n ${KEY}\t\r\n` }, { apiKey: KEY }],
		[{ apiKey: 'xtkt_test_1' }, { isSandbox: true }],
	])('%j: %j', (fields, expected) => {
		expect(accountOf(fields)).toMatchObject(expected);
	});
});

const NO_KEY = /has no API key.*xtkt_live_/;
const OTHER_KEY = /is not a Cogneris API key.*xtkt_live_/;
const NO_ADDRESS = /cannot be used.*full address/;
const UNENCRYPTED = /unencrypted.*https:\/\//;
const PER_MINUTE = /'Requests per Minute' in the credential is not.*whole number above 0/;
const AT_A_TIME = /'Concurrent Requests'.*whole number from 1 to 50/;

test.each(['xtkt_live_', ' xtkt_test_ '])(
	'a key that is only the prefix %j is refused',
	(apiKey) => {
		expect(() => accountOf({ apiKey })).toThrow(/is not a Cogneris API key$/);
	},
);

describe('A credential that cannot be right', () => {
	test.each<[ICredentialDataDecryptedObject, RegExp]>([
		[{ apiKey: '' }, NO_KEY],
		[{ apiKey: 5 }, NO_KEY],
		[{ apiKey: 'sk-live-123456' }, OTHER_KEY],
		[{ apiKey: 'xtkt_live_valid 1' }, OTHER_KEY],
		[{ apiKey: 'xtkt_live_valid_1\r\nX-Other: 1' }, OTHER_KEY],
		[{ apiKey: 'xtkt_live_valid…' }, OTHER_KEY],
		[{ region: 'constructor' }, /region in the credential.*choose the region/],
		[{ baseUrl: '' }, /has no address.*full address/],
		[{ baseUrl: 'documents.example.com' }, NO_ADDRESS],
		[{ baseUrl: 'ftp://documents.example.com' }, NO_ADDRESS],
		[{ baseUrl: 'https://me:secret@documents.example.com' }, NO_ADDRESS],
		[{ baseUrl: 'http://documents.example.com' }, UNENCRYPTED],
		[{ baseUrl: 'http://example.com.localhost.example' }, UNENCRYPTED],
		[{ requestsPerMinute: 0 }, PER_MINUTE],
		[{ requestsPerMinute: 'many' }, PER_MINUTE],
		[{ region: 'us', requestsPerMinute: 51 }, /'Requests per Minute'.*from 1 to 50/],
		[{ concurrentRequests: 0 }, AT_A_TIME],
		[{ concurrentRequests: 51 }, AT_A_TIME],
	])('%j', (fields, expected) => {
		let said = '';
		try {
			accountOf(fields);
		} catch (thrown) {
			const { message, description } = thrown as Error & { description: string };
			said = `${message} ${description}`;
		}
		expect(said).toMatch(expected);
		const typed = typeof fields.apiKey === 'string' ? fields.apiKey.trim() : '';
		if (typed !== '') expect(said).not.toContain(typed);
	});

	const service = useService();

	test('is said before anything is sent, whether or not the run stops', async () => {
		const credential = { ...service.credential, apiKey: 'Bearer xtkt_live_valid_1' };
		const files = await itemsWith('invoice-us.pdf');
		const run = async (more = {}) =>
			await service.run({ operation: 'extract' }, files, { credential, ...more });
		const failure = failureOf((await run(goOn)).items[0]);
		expect(failure.message).toBe('The API key in the credential is not a Cogneris API key');
		const thrown = await thrownBy(run());
		expect(thrown.message).toBe(failure.message);
		expect(thrown.description).toContain(failure.description);
		expect(await service.calls()).toEqual([]);
	});
});

describe('A link in an answer', () => {
	test.each<[string, boolean]>([
		['https://storage.example.com/a.png?sig=1', true],
		['https://10.example.com/a.png', true],
		['https://8.8.8.8/a.png', true],
		['https://172.15.0.1/a.png', true],
		['https://[2001:db8::1]/a.png', true],
		['http://storage.example.com/a.png', false],
		['file:///etc/passwd', false],
		['data:image/png;base64,AAAA', false],
		['nonsense', false],
		['https://localhost/a.png', false],
		['https://a.localhost./a.png', false],
		['https://127.0.0.1:8443/internal', false],
		['https://2130706433/internal', false],
		['https://0x7f.1/internal', false],
		['https://0.0.0.0/', false],
		['https://10.0.0.1/', false],
		['https://100.64.0.1/', false],
		['https://169.254.169.254/latest/meta-data', false],
		['https://172.31.0.1/', false],
		['https://192.168.1.1/', false],
		['https://[::1]/', false],
		['https://[::ffff:10.0.0.1]/', false],
		['https://[fd00::1]/', false],
		['https://[fe80::1]/', false],
	])('%s is followed: %s', (link, expected) => {
		expect(mayFollow(link, accountOf({}))).toBe(expected);
	});

	test.each(['http://127.0.0.1:3000', 'https://10.0.0.5', 'https://localhost'])(
		'may be a private one if the credential has %s',
		(baseUrl) => {
			const account = accountOf({ baseUrl });
			expect(mayFollow('http://127.0.0.1:4000/a.png', account)).toBe(true);
			expect(mayFollow('https://storage.example.com/a.png', account)).toBe(true);
			expect(mayFollow('file:///etc/passwd', account)).toBe(false);
		},
	);
});
