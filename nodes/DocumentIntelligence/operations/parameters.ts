import { updateDisplayOptions, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { operations } from './index';
import { CONCURRENCY, CONFIDENCE_THRESHOLD, FILES_PER_REQUEST, MAX_RETRIES, TIMEOUT } from './numberOptions';
import type { Operation } from './operation';

const ALL = operations.map(({ value }) => value);

const FULL_RESULT: INodePropertyOptions = {
	name: 'Full Result',
	value: 'raw',
	description: 'One item per request with the result exactly as the service returned it',
};

/** Every parameter of the node, derived from the list of operations. */
export const parameters: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: operations.map(({ name, value, description, action }) => ({ name, value, description, action })),
		default: 'extract',
	},
	{
		displayName: 'Input Source',
		name: 'inputSource',
		type: 'options',
		options: [
			{ name: 'Binary Field', value: 'binaryField', description: 'The file comes with the item, from a node before this one' },
			{ name: 'File URL', value: 'fileUrl', description: 'The file is fetched from a link' },
		],
		default: 'binaryField',
		description: 'Where the document comes from',
	},
	...operations.flatMap(({ value, fileParameters, parameters: own }) => shownFor([value], [...fileParameters, ...own])),
	...operations.flatMap((operation) =>
		shownFor([operation.value], [outputParameter(operation), ...(operation.outputParameters ?? [])]),
	),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			option(ALL, CONCURRENCY),
			option(['extract', 'zeroShot'], CONFIDENCE_THRESHOLD),
			option(['crop'], {
				displayName: 'Download Images',
				name: 'downloadImages',
				type: 'boolean',
				default: true,
				description: 'Whether to fetch each cropped image into its item. The links to them expire after a short time.',
			}),
			option(['classify'], FILES_PER_REQUEST),
			option(ALL, {
				displayName: 'Ignore Unsupported Files',
				name: 'ignoreUnsupportedFiles',
				type: 'boolean',
				default: false,
				description: 'Whether to leave out files of a kind that the service does not read, such as calendar files beside an invoice. A hint on the output says what was left out.',
			}),
			option(['extract', 'zeroShot'], {
				displayName: 'Include Field Details',
				name: 'includeFieldDetails',
				type: 'boolean',
				default: false,
				description: 'Whether to put the confidence, page and bounding box beside each value',
			}),
			option(ALL, {
				displayName: 'Include Input Fields',
				name: 'includeInputFields',
				type: 'boolean',
				default: false,
				description: "Whether to add the input item's JSON to each result, under the name input; in Spreadsheet Rows as columns that begin with input_",
			}),
			...byDefault('passesFileOn', {
				displayName: 'Include Input File',
				name: 'includeInputFile',
				type: 'boolean',
				default: false,
				description: 'Whether to pass the document on to the next node, in the field data',
			}),
			option(ALL, MAX_RETRIES),
			option(ALL, {
				displayName: 'On Rate Limit',
				name: 'onRateLimit',
				type: 'options',
				options: [
					{ name: 'Fail', value: 'fail', description: 'Let the document fail at once' },
					{ name: 'Wait', value: 'wait', description: 'Send the document again in the next minute; a refusal costs nothing' },
				],
				default: 'wait',
				description: 'What to do when the service refuses a document because the requests of this minute are used up',
			}),
			...byDefault('timeoutSeconds', TIMEOUT),
		],
	},
];

function outputParameter({ outputs }: Operation): INodeProperties {
	const options = [...outputs, FULL_RESULT];
	return { displayName: 'Output', name: 'output', type: 'options', options, default: 'fields' };
}

function shownFor(values: string[], properties: INodeProperties[]): INodeProperties[] {
	return updateDisplayOptions({ show: { operation: values } }, properties);
}

/** Inside a collection, other parameters are addressed from the root. */
function option(values: string[], property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { '/operation': values } } };
}

/** An option whose default differs between operations: once for each default. */
function byDefault(key: 'passesFileOn' | 'timeoutSeconds', property: INodeProperties): INodeProperties[] {
	return [...new Set(operations.map((operation) => operation[key]))].map((value) =>
		option(
			operations.filter((operation) => operation[key] === value).map((operation) => operation.value),
			{ ...property, default: value },
		),
	);
}
