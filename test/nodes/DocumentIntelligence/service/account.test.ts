import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import {
	mayFollow,
	readAccount,
	type Account,
} from '../../../../nodes/DocumentIntelligence/service/account';
import { thrownBy } from '../../service';

const KEY = 'xtkt_live_valid_account';
const URL = 'https://documents.example.com';

const accountOf = (fields: ICredentialDataDecryptedObject) =>
	readAccount({ apiKey: KEY, region: 'custom', baseUrl: URL, ...fields });

test.each<[ICredentialDataDecryptedObject, Partial<Account>]>([
	[{}, { apiKey: KEY, baseUrl: URL, isSandbox: false }],
	[{}, { requestsPerMinute: 50, concurrentRequests: 10 }],
	// An address left over.
	[{ region: 'us' }, { baseUrl: 'https://api-us.cogneris.ai' }],
	[{ region: 'eu' }, { baseUrl: 'https://api-eu.cogneris.ai' }],
	[{ region: '' }, { baseUrl: 'https://api-us.cogneris.ai' }],
	[{ baseUrl: ` \t${URL}///\n` }, { baseUrl: URL }],
	[{ baseUrl: `${URL}/v2/` }, { baseUrl: `${URL}/v2` }],
	[{ baseUrl: `${URL.toUpperCase()}:443` }, { baseUrl: URL }],
	[{ baseUrl: 'http://localhost:3000' }, { baseUrl: 'http://localhost:3000' }],
	[{ baseUrl: 'http://127.8.9.10/' }, { baseUrl: 'http://127.8.9.10' }],
	[{ baseUrl: 'http://[::1]:3000' }, { baseUrl: 'http://[::1]:3000' }],
	[{ requestsPerMinute: 1, concurrentRequests: 1 }, { requestsPerMinute: 1 }],
	[{ requestsPerMinute: '20', concurrentRequests: '50' }, { concurrentRequests: 50 }],
	[{ requestsPerMinute: 10_000 }, { requestsPerMinute: 10_000 }],
	[{ apiKey: `\n ${KEY}\t\r\n` }, { apiKey: KEY }],
	[{ apiKey: 'xtkt_test_1' }, { isSandbox: true }],
])('a good credential: %j: %j', (fields, expected) => {
	expect(accountOf(fields)).toMatchObject(expected);
});

const NO_KEY = /has no API key.*xtkt_live_/;
const OTHER_KEY = /is not a Cogneris API key.*xtkt_live_/;
const NO_ADDRESS = /cannot be used.*full address/;
const UNENCRYPTED = /unencrypted.*https:\/\//;
const PER_MINUTE = /'Requests per Minute' in the credential is not.*whole number above 0/;
const AT_A_TIME = /'Concurrent Requests'.*whole number from 1 to 50/;

test.each<[ICredentialDataDecryptedObject, RegExp]>([
	[{ apiKey: '' }, NO_KEY],
	[{ apiKey: 5 }, NO_KEY],
	[{ apiKey: 'sk-live-123456' }, OTHER_KEY],
	[{ apiKey: ' xtkt_live_ ' }, OTHER_KEY],
	[{ apiKey: 'xtkt_live_valid 1' }, OTHER_KEY],
	[{ apiKey: 'xtkt_live_valid_1\r\nX-Other: 1' }, OTHER_KEY],
	[{ apiKey: 'xtkt_live_valid…' }, OTHER_KEY],
	[{ region: 'constructor' }, /region in the credential.*choose the region/],
	[{ baseUrl: '' }, /has no address.*full address/],
	[{ baseUrl: 'documents.example.com' }, NO_ADDRESS],
	[{ baseUrl: 'ftp://documents.example.com' }, NO_ADDRESS],
	[{ baseUrl: 'https://me:secret@documents.example.com' }, NO_ADDRESS],
	[{ baseUrl: 'http://documents.example.com' }, UNENCRYPTED],
	[{ baseUrl: 'http://10.0.0.5:8080' }, UNENCRYPTED],
	[{ baseUrl: 'http://localhost.example.com' }, UNENCRYPTED],
	[{ baseUrl: 'http://my-localhost' }, UNENCRYPTED],
	[{ requestsPerMinute: 0 }, PER_MINUTE],
	[{ requestsPerMinute: 'many' }, PER_MINUTE],
	[{ region: 'us', requestsPerMinute: 51 }, /'Requests per Minute'.*from 1 to 50/],
	[{ concurrentRequests: 0 }, AT_A_TIME],
	[{ concurrentRequests: 51 }, AT_A_TIME],
])(
	'a credential that cannot be right: %j: the message says so without the key',
	async (fields, expected) => {
		const reading = Promise.resolve().then(() => accountOf(fields));
		const { message, description } = await thrownBy(reading);
		const said = `${message} ${description}`;
		expect(said).toMatch(expected);
		const { apiKey = KEY } = fields as { apiKey?: string };
		const secret = String(apiKey).trim().replace('xtkt_live_', '');
		if (secret !== '') expect(said).not.toContain(secret);
	},
);

describe('A link in an answer', () => {
	test.each([
		'https://storage.example.com/a.png?sig=1',
		'https://10.example.com/a.png',
		'https://172.15.0.1/a.png',
		'https://[2001:db8::1]/a.png',
	])('is followed: %s', (link) => {
		expect(mayFollow(link, accountOf({}))).toBe(true);
	});

	test.each([
		'http://storage.example.com/a.png',
		'file:///etc/passwd',
		'nonsense',
		'https://localhost/a.png',
		'https://a.localhost./a.png',
		'https://127.0.0.1:8443/internal',
		'https://2130706433/internal',
		'https://0.0.0.0/',
		'https://10.0.0.1/',
		'https://100.64.0.1/',
		'https://169.254.169.254/latest/meta-data',
		'https://172.31.0.1/',
		'https://192.168.1.1/',
		'https://[::1]/',
		'https://[::ffff:10.0.0.1]/',
		'https://[fd00::1]/',
		'https://[fe80::1]/',
	])('is not followed: %s', (link) => {
		expect(mayFollow(link, accountOf({}))).toBe(false);
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
