import {
	NodeConnectionTypes,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { parametersOf } from './parameters/menu';
import { labelOf, resources } from './operations';
import { runItems } from './run/runItems';
import { searchTemplates } from './run/searchTemplates';

/** What the canvas shows below the node's name, by the value of its operation. */
const labels = Object.fromEntries(
	resources.flatMap((resource) =>
		resource.operations.map((operation) => [operation.value, labelOf(resource, operation)]),
	),
);

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
		subtitle: `={{ (${JSON.stringify(labels)})[$parameter.operation] }}`,
		description:
			'Read invoices, receipts, identity cards and other documents with Cogneris Document AI: classify, extract fields, crop, split and match faces',
		defaults: { name: 'Document Intelligence' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'documentIntelligenceApi', required: true }],
		properties: parametersOf(resources),
	};

	methods = { listSearch: { searchTemplates } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this);
	}
}
