import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { readAccount } from '../../../../nodes/DocumentIntelligence/service/account';
import { useBinaryMode } from '../../../n8n-core/runNode';
import { storedSample } from '../../samples';
import { AVOIDED_WORDS, failureOf, thrownBy, useService } from '../../service';

const KEY = 'xtkt_live_valid_account';

describe('A good credential', () => {
	test.each<[string, ICredentialDataDecryptedObject, string]>([
		['United States', { region: 'us' }, 'https://api-us.cogneris.ai'],
		['Europe', { region: 'eu' }, 'https://api-eu.cogneris.ai'],
		['no region yet', {}, 'https://api-us.cogneris.ai'],
		[
			'a region, with an address left over',
			{ region: 'eu', baseUrl: 'https://other.example' },
			'https://api-eu.cogneris.ai',
		],
		[
			'a custom address',
			{ region: 'custom', baseUrl: 'https://documents.example.com' },
			'https://documents.example.com',
		],
		[
			'a trailing slash',
			{ region: 'custom', baseUrl: 'https://documents.example.com/' },
			'https://documents.example.com',
		],
		[
			'several trailing slashes',
			{ region: 'custom', baseUrl: 'https://documents.example.com///' },
			'https://documents.example.com',
		],
		[
			'pasted white space',
			{ region: 'custom', baseUrl: ' \thttps://documents.example.com/\n' },
			'https://documents.example.com',
		],
		[
			'a path',
			{ region: 'custom', baseUrl: 'https://example.com/documents/v2/' },
			'https://example.com/documents/v2',
		],
		[
			'a port',
			{ region: 'custom', baseUrl: 'https://example.com:8443' },
			'https://example.com:8443',
		],
		[
			'the usual port',
			{ region: 'custom', baseUrl: 'https://example.com:443' },
			'https://example.com',
		],
		[
			'capitals',
			{ region: 'custom', baseUrl: 'HTTPS://Documents.Example.COM' },
			'https://documents.example.com',
		],
		[
			'this computer by name',
			{ region: 'custom', baseUrl: 'http://localhost:3000' },
			'http://localhost:3000',
		],
		[
			'this computer by number',
			{ region: 'custom', baseUrl: 'http://127.0.0.1:3000/' },
			'http://127.0.0.1:3000',
		],
		[
			'this computer by another number',
			{ region: 'custom', baseUrl: 'http://127.8.9.10' },
			'http://127.8.9.10',
		],
		[
			'this computer by IPv6',
			{ region: 'custom', baseUrl: 'http://[::1]:3000' },
			'http://[::1]:3000',
		],
	])('%s', (_, fields, baseUrl) => {
		expect(readAccount({ apiKey: KEY, ...fields })).toMatchObject({ apiKey: KEY, baseUrl });
	});

	test.each<[ICredentialDataDecryptedObject, number]>([
		[{ region: 'us' }, 50],
		[{ region: 'us', requestsPerMinute: 1 }, 1],
		[{ region: 'eu', requestsPerMinute: 50 }, 50],
		[{ region: 'eu', requestsPerMinute: '20' }, 20],
		[{ region: 'custom', baseUrl: 'https://example.com', requestsPerMinute: 51 }, 51],
		[{ region: 'custom', baseUrl: 'https://example.com', requestsPerMinute: 10_000 }, 10_000],
	])('%j starts so many requests a minute: %d', (fields, expected) => {
		expect(readAccount({ apiKey: KEY, ...fields }).requestsPerMinute).toBe(expected);
	});

	test.each<[unknown, number]>([
		[undefined, 10],
		[1, 1],
		['50', 50],
	])('Concurrent Requests %p: %d at a time', (concurrentRequests, expected) => {
		const credential = { apiKey: KEY, concurrentRequests } as ICredentialDataDecryptedObject;
		expect(readAccount(credential).concurrentRequests).toBe(expected);
	});

	test('pasted white space around the key is forgiven', () => {
		expect(readAccount({ apiKey: `\n ${KEY}\t\r\n`, region: 'us' })).toMatchObject({ apiKey: KEY });
	});
});

describe('A credential that cannot be right', () => {
	const service = useService();

	beforeAll(async () => await useBinaryMode('filesystem'));

	// The address of the stand-in stays wherever the case is about the key.
	test.each<[string, ICredentialDataDecryptedObject, RegExp, RegExp]>([
		['no key', { apiKey: '' }, /has no API key/, /xtkt_live_/],
		['only white space', { apiKey: ' \n' }, /has no API key/, /xtkt_live_/],
		['a key that is no text', { apiKey: 5 }, /has no API key/, /xtkt_live_/],
		['another prefix', { apiKey: 'sk-live-123456' }, /is not a Cogneris API key/, /xtkt_live_/],
		[
			'the prefix inside',
			{ apiKey: 'my xtkt_live_valid_1' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		[
			'the prefix in capitals',
			{ apiKey: 'XTKT_LIVE_valid_1' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		[
			'white space inside',
			{ apiKey: 'xtkt_live_valid 1' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		[
			'a line break inside, with a header in tow',
			{ apiKey: 'xtkt_live_valid_1\r\nX-Other: 1' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		[
			'a pasted "Bearer"',
			{ apiKey: 'Bearer xtkt_live_valid_1' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		[
			'letters that no header takes',
			{ apiKey: 'xtkt_live_välid_1' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		[
			'dots of a masked key',
			{ apiKey: 'xtkt_live_valid…' },
			/is not a Cogneris API key/,
			/xtkt_live_/,
		],
		['an unknown region', { region: 'mars' }, /region in the credential/, /choose the region/],
		[
			'a region from the prototype',
			{ region: 'constructor' },
			/region in the credential/,
			/choose the region/,
		],
		['no address', { baseUrl: '' }, /has no address/, /full address/],
		[
			'an address without a scheme',
			{ baseUrl: 'documents.example.com' },
			/not a web address/,
			/full address/,
		],
		[
			'a host and port without a scheme',
			{ baseUrl: 'localhost:3000' },
			/not a web address/,
			/full address/,
		],
		['a word', { baseUrl: 'production' }, /not a web address/, /full address/],
		[
			'another scheme',
			{ baseUrl: 'ftp://documents.example.com' },
			/not a web address/,
			/full address/,
		],
		['a file', { baseUrl: 'file:///etc/passwd' }, /not a web address/, /full address/],
		[
			'http to another computer',
			{ baseUrl: 'http://documents.example.com' },
			/unencrypted/,
			/https:\/\//,
		],
		[
			'http to a host that only begins like this computer',
			{ baseUrl: 'http://127.0.0.1.example.com' },
			/unencrypted/,
			/https:\/\//,
		],
		[
			'http to a host that only ends like this computer',
			{ baseUrl: 'http://example.com.localhost.example' },
			/unencrypted/,
			/https:\/\//,
		],
		[
			'no requests at all',
			{ requestsPerMinute: 0 },
			/'Requests per Minute' in the credential is not in the allowed range/,
			/whole number from 1 to 50; only a custom/,
		],
		['less than none', { requestsPerMinute: -1 }, /Requests per Minute/, /from 1 to 50/],
		['half a request', { requestsPerMinute: 1.5 }, /Requests per Minute/, /whole number/],
		['a word for a number', { requestsPerMinute: 'many' }, /Requests per Minute/, /whole number/],
		[
			'more than a region grants',
			{ region: 'us', requestsPerMinute: 51 },
			/Requests per Minute/,
			/from 1 to 50/,
		],
		['none at a time', { concurrentRequests: 0 }, /Concurrent Requests/, /from 1 to 50/],
		['too many at a time', { concurrentRequests: 51 }, /Concurrent Requests/, /from 1 to 50/],
		['http to the private network', { baseUrl: 'http://192.168.1.5' }, /unencrypted/, /https:\/\//],
	])('%s: said before anything is sent', async (_, fields, message, description) => {
		const credential = { ...service.credential, ...fields };
		const item = { json: {}, binary: { data: await storedSample('invoice-us.pdf') } };

		const { items } = await service.run({ operation: 'extract' }, [item], {
			credential,
			onError: 'continueRegularOutput',
		});
		const failure = failureOf(items[0]);
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(description);
		expect(`${failure.message} ${failure.description}`).not.toMatch(AVOIDED_WORDS);

		const thrown = await thrownBy(service.run({ operation: 'extract' }, [item], { credential }));
		expect(thrown.message).toBe(failure.message);
		expect(thrown.description).toContain(failure.description);

		expect(await service.calls()).toEqual([]);
		const typed = typeof fields.apiKey === 'string' ? fields.apiKey.trim() : '';
		if (typed !== '')
			expect(JSON.stringify([items, thrown.message, thrown.description])).not.toContain(typed);
	});
});
