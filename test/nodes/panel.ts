import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { resources } from '../../nodes/DocumentIntelligence/operations';
import { parametersOf as propertiesOf } from '../../nodes/DocumentIntelligence/parameters/menu';
import { nodeWith } from '../n8n-core/node';

/** What the editor shows of the node, by n8n's own rules. */

// Not from the node: without a bundler, its name is that of the JSON beside it.
const description: INodeTypeDescription = {
	displayName: 'Document Intelligence',
	name: 'documentIntelligence',
	group: ['transform'],
	description: '',
	version: 1,
	defaults: { name: 'Document Intelligence' },
	inputs: ['main'],
	outputs: ['main'],
	properties: propertiesOf(resources),
};
const { properties } = description;

/** What users type into the nodes panel who do not know the name of the node. */
export const SEARCHED = [
	'Extract PDF',
	'Read PDF',
	'PDF to Text',
	'Extract Invoice',
	'Face Match',
	'Facial Recognition',
];

/** The resource of an operation, as a workflow stores it: a document's is the default. */
function resourceOf(operation: string): INodeParameters {
	const resource = resources.find(({ operations }) =>
		operations.some(({ value }) => value === operation),
	);
	return resource === undefined || resource.value === 'document'
		? {}
		: { resource: resource.value };
}

/** With the defaults filled in, as the editor opens a node. */
export function parametersOf(operation: string, chosen: INodeParameters = {}): INodeParameters {
	return opened(description, { ...resourceOf(operation), operation, ...chosen });
}

/** The parameters that are shown for an operation, and for these choices. */
export function shown(operation: string, chosen: INodeParameters = {}): INodeProperties[] {
	return shownFor(description, properties, parametersOf(operation, chosen));
}

/** The options that are offered for an operation, and for these choices. */
export function optionsShown(operation: string, chosen: INodeParameters = {}): INodeProperties[] {
	return optionsFor(description, parametersOf(operation, chosen));
}

/** Of the one collection that is shown; the options of the others have the same name, as n8n stores them. */
export function optionsFor(
	description: INodeTypeDescription,
	values: INodeParameters,
): INodeProperties[] {
	const [options, ...more] = shownFor(description, description.properties, values).filter(
		({ name }) => name === 'options',
	);
	if (options === undefined || more.length > 0) throw new Error('Not one collection of options.');
	return shownFor(description, options.options as INodeProperties[], values);
}

/** These and those in collections. */
export function allOf(list: INodeProperties[]): INodeProperties[] {
	return list.flatMap((property) => [
		property,
		...(property.type === 'collection' ? allOf(property.options as INodeProperties[]) : []),
	]);
}

/** These choices with the defaults of all else, as the editor opens a node of this description. */
export function opened(
	description: INodeTypeDescription,
	chosen: INodeParameters,
): INodeParameters {
	const parameters = NodeHelpers.getNodeParameters(
		description.properties,
		chosen,
		true,
		false,
		null,
		description,
	);
	if (parameters === null) throw new Error('No parameters.');
	return parameters;
}

/** Conditions of the properties in a collection look at the parameters from the root. */
export function shownFor(
	description: INodeTypeDescription,
	properties: INodeProperties[],
	values: INodeParameters,
): INodeProperties[] {
	return properties.filter((property) =>
		NodeHelpers.displayParameter(values, property, nodeWith(values), description, values),
	);
}
