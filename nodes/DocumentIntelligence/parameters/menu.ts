import {
	updateDisplayOptions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import {
	CONCURRENCY,
	IGNORE_UNSUPPORTED_FILES,
	INCLUDE_INPUT_FIELDS,
	MAX_RETRIES,
	ON_RATE_LIMIT,
	PROCESSING,
	TIMEOUT,
} from './options';
import type { ReadParameter } from './readParameter';

const FULL_RESULT: INodePropertyOptions = {
	name: 'Full Result',
	value: 'raw',
	description: 'One item per request with the result exactly as the service returned it',
};

interface OutputChoice extends INodePropertyOptions {
	value: string;
}

/** What the panel shows of an operation. */
export interface OperationMenu {
	/** Stored in workflows, so never changed. */
	value: string;
	name: string;
	description: string;
	action: string;
	/** What the service calls it as a job; undefined where it cannot be one. */
	jobOperation?: string;
	/** Default of the Timeout option, in seconds. */
	timeoutSeconds: number;
	/** Its form of the option Include Input File. */
	includeInputFile: INodeProperties & { default: boolean };
	/** Where its files come from. */
	fileParameters: INodeProperties[];
	/** The parameters that only this operation has. */
	parameters: INodeProperties[];
	/** The options that not every operation has. */
	options: INodeProperties[];
	/** The choices of Output besides Full Result; the first is the default. */
	outputs: [OutputChoice, ...OutputChoice[]];
	/** Parameters that belong to a choice of Output. */
	outputParameters?: INodeProperties[];
}

/** Shows a parameter only where the node is a tool of an AI agent; versions of n8n without tools never look at it. */
const AS_TOOL = { '@tool': [true] };

const INPUT_SOURCE: INodeProperties = {
	displayName: 'Input Source',
	name: 'inputSource',
	type: 'options',
	options: [
		{
			name: 'Binary Field',
			value: 'binaryField',
			description: 'Use a file that an earlier node outputs with the item',
		},
		{ name: 'File URL', value: 'fileUrl', description: 'The file is fetched from a link' },
	],
	default: 'binaryField',
	description: 'Where the document comes from',
};

/** Every parameter of the node, derived from its operations. */
export const parametersOf = (operations: readonly OperationMenu[]): INodeProperties[] => [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: operations.map(({ name, value, description, action }) => ({
			name,
			value,
			description,
			action,
		})),
		default: 'extract',
	},
	{ ...INPUT_SOURCE, displayOptions: { hide: AS_TOOL } },
	{ ...INPUT_SOURCE, default: 'fileUrl', displayOptions: { show: AS_TOOL } },
	{
		displayName: 'AI agents cannot pass files. Choose File URL and let the model fill in the link.',
		name: 'binaryFieldNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { ...AS_TOOL, inputSource: ['binaryField'] } },
	},
	...operations.flatMap(({ value, fileParameters, parameters: own }) =>
		shownFor([value], [...fileParameters, ...own]),
	),
	...operations.flatMap((operation) =>
		shownFor(
			[operation.value],
			[outputParameter(operation), ...(operation.outputParameters ?? [])],
		),
	),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: options(operations),
	},
];

function outputParameter({ outputs }: OperationMenu): INodeProperties {
	const options = [...outputs, FULL_RESULT];
	const [{ value }] = outputs;
	return { displayName: 'Output', name: 'output', type: 'options', options, default: value };
}

/** What Output says. n8n does not store it where it is the default. */
export function readOutput({ outputs: [first] }: OperationMenu, read: ReadParameter): string {
	return read('output', first.value);
}

function shownFor(values: string[], properties: INodeProperties[]): INodeProperties[] {
	return updateDisplayOptions({ show: { operation: values } }, properties);
}

/** The options of all operations and those that only some have, by their labels. */
function options(operations: readonly OperationMenu[]): INodeProperties[] {
	const ofSome = new Set(
		operations.flatMap((operation) => [operation.includeInputFile, ...operation.options]),
	);
	return [
		...[
			CONCURRENCY,
			IGNORE_UNSUPPORTED_FILES,
			INCLUDE_INPUT_FIELDS,
			MAX_RETRIES,
			ON_RATE_LIMIT,
		].map((property) => option(operations, property)),
		option(
			operations.filter(({ jobOperation }) => jobOperation !== undefined),
			PROCESSING,
		),
		...timeouts(operations),
		...[...ofSome].map((property) =>
			option(
				operations.filter(
					(operation) =>
						operation.includeInputFile === property || operation.options.includes(property),
				),
				property,
			),
		),
	].sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

/** Inside a collection, other parameters are addressed from the root. */
function option(shownFor: readonly OperationMenu[], property: INodeProperties): INodeProperties {
	const { show, ...others } = property.displayOptions ?? {};
	const operation = shownFor.map(({ value }) => value);
	return {
		...property,
		displayOptions: { ...others, show: { ...show, '/operation': operation } },
	};
}

/** Timeout, once for each of its defaults. */
function timeouts(operations: readonly OperationMenu[]): INodeProperties[] {
	return [...new Set(operations.map(({ timeoutSeconds }) => timeoutSeconds))].map((seconds) =>
		option(
			operations.filter(({ timeoutSeconds }) => timeoutSeconds === seconds),
			{ ...TIMEOUT, default: seconds },
		),
	);
}
