import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { TRIGGER_HINT } from './parameters/hints';
import { testCredential } from './service/credentialTest';
import { triggerParameters } from './trigger/parameters';
import { pollJobs } from './trigger/poll';

export class DocumentIntelligenceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Document Intelligence Trigger',
		name: 'documentIntelligenceTrigger',
		icon: {
			light: 'file:documentIntelligence.svg',
			dark: 'file:documentIntelligence.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: `={{ ['succeeded', 'failed'].filter((event) => [$parameter.events].flat().includes(event)).map((event) => ({ succeeded: 'Job Succeeded', failed: 'Job Failed' })[event]).join(' or ') }}`,
		// The nodes panel shows it for the node as well (docs/internals/n8n-behavior.md, Polling triggers).
		description:
			'Read documents with Cogneris Document AI: classify, crop and split documents, extract fields, and match faces, or start the workflow when a job has finished',
		defaults: { name: 'Document Intelligence Trigger' },
		polling: true,
		builderHint: { searchHint: TRIGGER_HINT },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'documentIntelligenceApi', required: true, testedBy: 'testCredential' }],
		properties: triggerParameters,
	};

	methods = { credentialTest: { testCredential } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollJobs(this);
	}
}
