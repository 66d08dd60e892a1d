import {
	documentIntelligence as nodeUnderTest,
	httpRequest as httpRequestNode,
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
): Contender {
	return {
		name: 'Document Intelligence',
		node: nodeUnderTest({ operation, output, options }, { name, credential }),
	};
}

/** n8n's HTTP Request node with the same credential, sending the same form. */
export function httpRequest(contender: string, url: string, options: object = {}): Contender {
	// A document that fails is counted, not the end of the run.
	return {
		name: contender,
		node: {
			...httpRequestNode(url, { name, credential, options }),
			onError: 'continueRegularOutput',
		},
	};
}

/** Reads the files from disk and hands them to the contender. */
export function workflowOf({ name: contender, node }: Contender, files: string): Workflow {
	return workflow(contender, [start(), readFiles(files), node]);
}
