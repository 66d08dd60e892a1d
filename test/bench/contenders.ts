import {
	credentialNamed,
	documentIntelligence as nodeUnderTest,
	node,
	readFiles,
	start,
	workflow,
} from '../e2e/workflows';
import type { Workflow, WorkflowNode } from '../n8n/host';

/** What the benchmark compares: nodes that send the files of their input to the service. */
export interface Contender {
	name: string;
	node: WorkflowNode;
}

const name = 'Send';
const credential = 'Benchmark';

/** The node under test, with the options given. */
export function documentIntelligence(
	operation: string,
	options: object = {},
	output = 'raw',
	suffix = '',
): Contender {
	return {
		name: `Document Intelligence${suffix}`,
		node: nodeUnderTest({ operation, output, options }, { name, credential }),
	};
}

/** n8n's HTTP Request node with the same credential, sending the same form. */
export function httpRequest(contender: string, url: string, options: object = {}): Contender {
	const parameters = {
		method: 'POST',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'documentIntelligenceApi',
		sendBody: true,
		contentType: 'multipart-form-data',
		bodyParameters: {
			parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
		},
		options,
	};
	// A document that fails is counted, not the end of the run.
	const further = { ...credentialNamed(credential), onError: 'continueRegularOutput' };
	return {
		name: contender,
		node: node(name, 'n8n-nodes-base.httpRequest', 4.2, parameters, further),
	};
}

/** Reads the files from disk and hands them to the contender. */
export function workflowOf({ name: contender, node }: Contender, files: string): Workflow {
	return workflow(contender, [start(), readFiles(files), node]);
}
