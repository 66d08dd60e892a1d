import type { INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { keysIn, thrownBy, useService } from '../../service';

// After each test of the node its key is looked for in whatever was given out. This is the proof that it would be found.

const service = useService();

describe.each(['of the test', 'given for the run'])('A node that shows the key %s', (whose) => {
	const credential = () =>
		whose === 'of the test'
			? service.credential
			: { ...service.credential, apiKey: 'xtkt_live_revoked' };

	/** The node, but what it does with its credential is this. */
	async function run(
		execute: (apiKey: string) => Awaited<ReturnType<NonNullable<INodeType['execute']>>>,
	) {
		const node: INodeType = {
			description: new DocumentIntelligence().description,
			async execute() {
				return execute(
					(await this.getCredentials<{ apiKey: string }>('documentIntelligenceApi')).apiKey,
				);
			},
		};
		return await service.run({ operation: 'extract' }, [{ json: {} }], {
			credential: credential(),
			types: { node, credential: new DocumentIntelligenceApi() },
		});
	}

	test('on the cause of an error is found', async () => {
		const cause = (apiKey: string) =>
			new Error('401', { cause: { headers: { authorization: `Bearer ${apiKey}` } } });
		await thrownBy(
			run((apiKey) => {
				throw new Error('Refused', { cause: cause(apiKey) });
			}),
		);
		expect(service.keysShown()).not.toEqual([]);
		// Told once, or the search after this test would fail it.
		expect(service.keysShown()).toEqual([]);
	});

	test('in an item is found', async () => {
		await run((apiKey) => [[{ json: { note: `with ${apiKey}` } }]]);
		expect(service.keysShown().join('\n')).toContain(`with ${credential().apiKey}`);
	});

	test('nowhere has nothing to be found', async () => {
		await run((apiKey) => [[{ json: { ending: apiKey.slice(-4) } }]]);
		expect(service.keysShown()).toEqual([]);
	});
});

test.each([
	['with white space around it', ' xtkt_live_a \n', 'xtkt_live_a'],
	[
		'with a line break inside',
		`xtkt_live_${'a'.repeat(60)}\r\nX-Other: 1`,
		`xtkt_live_${'a'.repeat(60)}\r\nX-Other: 1`,
	],
	['with quotes', `xtkt_live_"'\\`, `xtkt_live_"'\\`],
])('a key %s is found on a cause and on a hidden property', (_, key, shown) => {
	expect(keysIn(new Error('x', { cause: shown }), [key])).not.toEqual([]);
	expect(
		keysIn(Object.defineProperty({}, 'request', { value: { key: shown } }), [key]),
	).not.toEqual([]);
});

test('what is no key is not looked for', () => {
	expect(keysIn({ text: '5 and  more' }, ['', ' ', 5, undefined])).toEqual([]);
});
