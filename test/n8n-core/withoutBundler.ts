import type { INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../credentials/DocumentIntelligenceApi.credentials';
import { nodeParameters } from '../../nodes/DocumentIntelligence/operations/index';

const description = {
	name: 'documentIntelligence',
	properties: nodeParameters,
	credentials: [{ name: 'documentIntelligenceApi', required: true }],
};

/** For programs beside jest: without a bundler, the name of the node's file is that of the JSON next to it. */
export const types = {
	node: { description } as unknown as INodeType,
	credential: new DocumentIntelligenceApi(),
};
