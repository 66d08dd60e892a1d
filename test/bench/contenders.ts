import type { Workflow, WorkflowNode } from '../n8n/host';

/** What the benchmark compares: nodes that send the files of their input to the service. */
export interface Contender {
	name: string;
	nodes: WorkflowNode[];
}

const credentials = { documentIntelligenceApi: { name: 'Benchmark' } };

/** The node under test, with the options given. */
export function documentIntelligence(operation: string, options: object = {}): Contender {
	return {
		name: 'Document Intelligence',
		nodes: [node('Send', 'n8n-nodes-document-intelligence.documentIntelligence', 1, { operation, output: 'raw', options }, credentials)],
	};
}

/** n8n's HTTP Request node with the same credential, sending the same form. */
export function httpRequest(name: string, url: string, options: object = {}): Contender {
	const parameters = {
		method: 'POST',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'documentIntelligenceApi',
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: { parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }] },
		options,
	};
	return {
		name,
		// A document that fails is counted, not the end of the run.
		nodes: [{ ...node('Send', 'n8n-nodes-base.httpRequest', 4.2, parameters, credentials), onError: 'continueRegularOutput' }],
	};
}

/** Reads the files from disk and hands them to the contender. */
export function workflowOf({ name, nodes }: Contender, files: string): Workflow {
	const chain = [
		node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
		node('Read', 'n8n-nodes-base.readWriteFile', 1, { operation: 'read', fileSelector: files, options: {} }),
		...nodes,
	];
	const links = chain.slice(0, -1).map((from, position) => [
		from.name,
		{ main: [[{ node: chain[position + 1]?.name, type: 'main', index: 0 }]] },
	]);
	return { name, nodes: chain, connections: Object.fromEntries(links) as object, settings: { executionOrder: 'v1' } };
}

function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown>,
	withCredentials?: WorkflowNode['credentials'],
): WorkflowNode {
	return {
		id: name,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
		...(withCredentials === undefined ? {} : { credentials: withCredentials }),
	};
}
