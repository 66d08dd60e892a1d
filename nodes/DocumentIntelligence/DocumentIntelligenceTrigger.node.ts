import {
	NodeConnectionTypes,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { triggerParameters } from './documents/polling/parameters';
import { pollJobs } from './documents/polling/poll';

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
		subtitle: "={{ 'Job ' + $parameter.events.join(' or ') }}",
		description: 'Starts the workflow when a job of Cogneris Document AI has finished',
		defaults: { name: 'Document Intelligence Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'documentIntelligenceApi', required: true }],
		properties: triggerParameters,
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await pollJobs(this);
	}
}
