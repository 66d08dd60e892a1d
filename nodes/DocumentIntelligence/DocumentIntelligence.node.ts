import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { nodeHint, nodeMethods, nodeParameters, operationLabels } from './operations/index';
import { runItems } from './run/runItems';

export class DocumentIntelligence implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Document Intelligence',
		name: 'documentIntelligence',
		icon: {
			light: 'file:documentIntelligence.svg',
			dark: 'file:documentIntelligence.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle: `={{ (${JSON.stringify(operationLabels)})[$parameter.operation] }}`,
		description:
			'Read invoices, receipts, identity cards and other documents with Cogneris Document AI: classify, crop and split documents, extract fields, and match faces',
		defaults: { name: 'Document Intelligence' },
		usableAsTool: true,
		builderHint: nodeHint,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'documentIntelligenceApi', required: true, testedBy: 'testCredential' }],
		properties: nodeParameters,
	};

	methods = nodeMethods;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this);
	}
}
