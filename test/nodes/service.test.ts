import type { INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { keysIn, useService } from './service';

// After each test, useService looks for the key in whatever the node gave out. This is the proof that it would be found.

const service = useService();

test('no key is shown: one that a node shows in an item is found', async () => {
	const node: INodeType = {
		description: new DocumentIntelligence().description,
		async execute() {
			const { apiKey } = await this.getCredentials<{ apiKey: string }>('documentIntelligenceApi');
			return [[{ json: { note: `with ${apiKey}` } }]];
		},
	};
	const types = { node, credential: new DocumentIntelligenceApi() };
	await service.run({ operation: 'extract' }, [{ json: {} }], { types });
	expect(service.keysShown().join()).toContain(`with ${service.credential.apiKey}`);
});

test.each([' xtkt_live_a \n', `xtkt_live_${'a'.repeat(60)}\r\nX-Other: 1`, `xtkt_live_"'\\`])(
	'no key is shown: %j is found on a cause and on a hidden property',
	(key) => {
		const shown = key.trim();
		const hidden = Object.defineProperty({}, 'request', { value: { key: shown } });
		expect(keysIn(new Error('x', { cause: shown }), [key])).not.toEqual([]);
		expect(keysIn(hidden, [key])).not.toEqual([]);
		expect(keysIn({ text: '5 and  more' }, ['', ' ', 5, undefined])).toEqual([]);
	},
);
