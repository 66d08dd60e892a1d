import type { INode, INodeParameters, OnError } from 'n8n-workflow';

/** The node as a workflow holds it. */
export function nodeWith(parameters: INodeParameters, onError?: OnError): INode {
	return {
		id: 'node',
		name: 'Document Intelligence',
		type: 'n8n-nodes-document-intelligence.documentIntelligence',
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: {
			documentIntelligenceApi: { id: 'credential', name: 'Document Intelligence account' },
		},
		onError,
	};
}
