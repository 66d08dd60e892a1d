import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import { fileParameters, type FileSource } from './fileParameters';
import { choicesText, type OutputSchema } from './hints';
import {
	AS_TOOL,
	CONFIDENCE_THRESHOLD,
	FILE_NAMES,
	IGNORE_UNSUPPORTED_FILES,
	INCLUDE_INPUT_FIELDS,
	PROCESSED_BEFORE_AS_TOOL,
	PROCESSING,
	TEMPLATE,
	TIMEOUT,
} from './options';
import {
	checkParameter,
	parseChoice,
	readTemplateId,
	readThresholds,
	type ReadParameter,
} from './read';

type MenuChoice = Record<'name' | 'value' | 'description', string>;

export interface OperationMenu {
	/** Stored in workflows, so never changed. No two operations have the same, of whatever resource. */
	value: string;
	name: string;
	description: string;
	action: string;
	/** Its name as a job at the service; undefined if it cannot be a job. */
	jobOperation?: string;
	/** Its form of the options Timeout, File Names and Ignore Unsupported Files, if not the usual one. */
	timeout?: typeof TIMEOUT;
	fileNames?: INodeProperties;
	ignoreUnsupportedFiles?: INodeProperties;
	sources: FileSource[];
	parameters: INodeProperties[];
	/** The options that do not follow from the rest. */
	options: INodeProperties[];
	outputSchema: OutputSchema;
	/** Of its rows, which an operation with line items has. */
	rowsSchema?: OutputSchema;
	/** What the binary field `data` of its items contains. */
	binary?: string;
	/** For AI assistants: what the names and types of its output leave open. */
	outputNotes?: string;
	/** The choices of Output besides Raw, the first being the default; absent if there is no choice. */
	outputs?: MenuChoice[];
}

export interface ResourceMenu<Operation = OperationMenu> {
	/** Stored in workflows, so never changed. */
	value: string;
	name: string;
	operations: readonly Operation[];
	usualOperation: string;
}

export const DEFAULT_RESOURCE = 'document';

const RAW: MenuChoice = {
	name: 'Raw',
	value: 'raw',
	description: 'One item per request, with the response unchanged',
};

export function parametersOf(resources: readonly ResourceMenu[]): INodeProperties[] {
	const operations = resources.flatMap((resource) => resource.operations);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: DEFAULT_RESOURCE,
		},
		...resources.map(({ value, operations, usualOperation }): INodeProperties => ({
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [value] } },
			options: operations.map(({ name, value, description, action }) => ({
				name,
				value,
				description,
				action,
			})),
			default: usualOperation,
		})),
		...operations.flatMap((operation) =>
			updateDisplayOptions({ show: { operation: [operation.value] } }, [
				...fileParameters(operation.sources),
				...operation.parameters,
				...outputParameter(operation),
				optionsParameter(optionsFor(operation)),
			]),
		),
		{
			displayName:
				'Each run sends its files to Cogneris, and each file may be billed. For an hour, test runs reuse the results of earlier test runs, except with Match Faces. With On Error at Stop Workflow, one failed file stops the run, and nothing is passed on.',
			name: 'failureNotice',
			type: 'notice',
			default: '',
			displayOptions: {
				show: { resource: [DEFAULT_RESOURCE] },
				// It sends nothing.
				hide: { ...AS_TOOL, '/options.processedBefore': ['record'] },
			},
		},
	];
}

export function outputParameter({ outputs: [first, ...remaining] = [] }: OperationMenu) {
	if (first === undefined) return [];
	const options = [first, ...remaining, RAW];
	const type = 'options' as const;
	const builderHint = { propertyHint: choicesText(options) };
	return [
		{ displayName: 'Output', name: 'output', type, options, default: first.value, builderHint },
	];
}

/** The choice of Output, which n8n does not store if it is the default. */
export function readOutput(operation: OperationMenu, read: ReadParameter): string {
	const [output] = outputParameter(operation);
	return output ? parseChoice(output, read<unknown>(output.name, output.default)).value : '';
}

/** Called before anything is sent, because some parameters are read with the response, when failing would lose a billed result. */
export function checkParameters(operation: OperationMenu, read: ReadParameter): void {
	for (const parameter of operation.parameters)
		if (parameter.name === TEMPLATE.name) readTemplateId(read);
		else if (parameter.type !== 'string') checkParameter(read, parameter, parameter.name);
	for (const option of optionsFor(operation))
		if (option.name === CONFIDENCE_THRESHOLD.name) readThresholds(read);
		// Of the same name, and with fewer choices.
		else if (option !== PROCESSED_BEFORE_AS_TOOL)
			checkParameter(read, option, `options.${option.name}`);
}

/** Of one operation, so that neither people nor AI assistants see options that it does not have. */
export function optionsParameter(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName, 'en')),
	};
}

function optionsFor(operation: OperationMenu) {
	const { sources, jobOperation, timeout = TIMEOUT, options } = operation;
	const { fileNames = FILE_NAMES, ignoreUnsupportedFiles = IGNORE_UNSUPPORTED_FILES } = operation;
	return [
		INCLUDE_INPUT_FIELDS,
		...(sources.length > 0 ? [fileNames, ignoreUnsupportedFiles] : []),
		...(jobOperation === undefined ? [] : [PROCESSING]),
		timeout,
		...options,
	];
}
