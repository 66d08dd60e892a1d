import type { INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { keysIn, thrownBy, useService } from '../../service';

// After each test of the node its key is looked for in whatever was given out. This is the proof that it would be found.

const service = useService();

test.each(['of the test', 'given for the run'])(
	'the key %s is found if a node shows it',
	async (whose) => {
		const own = whose === 'of the test' ? {} : { apiKey: 'xtkt_live_revoked' };
		const credential = { ...service.credential, ...own };
		/** The node, but what it does with its credential is this. */
		const run = async (show: (apiKey: string) => string) => {
			const node: INodeType = {
				description: new DocumentIntelligence().description,
				async execute() {
					const { apiKey } = await this.getCredentials<{ apiKey: string }>(
						'documentIntelligenceApi',
					);
					return [[{ json: { note: show(apiKey) } }]];
				},
			};
			const types = { node, credential: new DocumentIntelligenceApi() };
			return await service.run({ operation: 'extract' }, [{ json: {} }], { credential, types });
		};

		await run((apiKey) => `with ${apiKey}`);
		expect(service.keysShown().join('\n')).toContain(`with ${credential.apiKey}`);
		// Told once, or the search after this test would fail it.
		expect(service.keysShown()).toEqual([]);
		await thrownBy(
			run((apiKey) => {
				const cause = new Error('401', { cause: { authorization: `Bearer ${apiKey}` } });
				throw new Error('Refused', { cause });
			}),
		);
		expect(service.keysShown()).not.toEqual([]);
		await run((apiKey) => apiKey.slice(-4));
		expect(service.keysShown()).toEqual([]);
	},
);

const BROKEN = `xtkt_live_${'a'.repeat(60)}\r\nX-Other: 1`;

test.each([
	['with white space around it', ' xtkt_live_a \n', 'xtkt_live_a'],
	['with a line break inside', BROKEN, BROKEN],
	['with quotes', `xtkt_live_"'\\`, `xtkt_live_"'\\`],
])('a key %s is found on a cause and on a hidden property', (_, key, shown) => {
	const hidden = Object.defineProperty({}, 'request', { value: { key: shown } });
	expect(keysIn(new Error('x', { cause: shown }), [key])).not.toEqual([]);
	expect(keysIn(hidden, [key])).not.toEqual([]);
	expect(keysIn({ text: '5 and  more' }, ['', ' ', 5, undefined])).toEqual([]);
});
