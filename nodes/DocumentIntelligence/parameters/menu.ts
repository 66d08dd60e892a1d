import {
	updateDisplayOptions,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { IGNORE_UNSUPPORTED_FILES, INCLUDE_INPUT_FIELDS, PROCESSING, TIMEOUT } from './options';
import { choiceIn, unknownChoice, type ReadParameter } from './read';
import { FILE_REFERENCE } from './fileParameters';

const RAW: MenuChoice = {
	name: 'Raw',
	value: 'raw',
	description: 'One item per request with the response exactly as Cogneris returned it',
};

interface MenuChoice extends INodePropertyOptions {
	value: string;
}

/** What the panel shows of an operation. */
export interface OperationMenu {
	/** Stored in workflows, so never changed. No two operations have the same, of whatever resource. */
	value: string;
	name: string;
	description: string;
	action: string;
	/** Its name as a job at the service; undefined if it cannot be a job. */
	jobOperation?: string;
	/** Default of the Timeout option in seconds, if not the usual one. */
	timeoutSeconds?: number;
	/** Whether its documents wait for jobs, so that they hold no connection. */
	waits?: boolean;
	/** Its form of the option Include Input File; absent if it has no files. */
	includeInputFile?: INodeProperties & { default: boolean };
	/** Where its files come from; none if it has no files. */
	fileParameters: INodeProperties[];
	/** The parameters that only this operation has. */
	parameters: INodeProperties[];
	/** The options that not every operation has. */
	options: INodeProperties[];
	/** The choices of Output besides Raw, the first being the default; absent if there is no choice. */
	outputs?: [MenuChoice, ...MenuChoice[]];
}

/** What the panel shows of a resource. */
export interface ResourceMenu {
	/** Stored in workflows, so never changed. */
	value: string;
	name: string;
	operations: readonly OperationMenu[];
	/** The operation that is chosen at first. */
	usualOperation: string;
}

/** The node as the tool of an AI agent, which cannot pass files. */
const AS_TOOL = { '@tool': [true] };

/** Before there were others, workflows were stored without a resource. */
export const USUAL_RESOURCE = 'document';

const BINARY_FIELD: MenuChoice = {
	name: 'Binary Field',
	value: 'binaryField',
	description: 'Use a file that an earlier node outputs with the item',
};

const FILE_URL: MenuChoice = {
	name: 'File URL',
	value: 'fileUrl',
	description: 'Download the file from a link',
};

const STORED_FILE: MenuChoice = {
	name: 'Stored File',
	value: 'storedFile',
	description: 'Use a file that is stored in your Cogneris account. It is processed as a job.',
};

/** Every parameter of the node, derived from its operations. */
export function parametersOf(resources: readonly ResourceMenu[]): INodeProperties[] {
	const operations = resources.flatMap((resource) => resource.operations);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: USUAL_RESOURCE,
		},
		...resources.map(operationParameter),
		...inputSource(operations.filter((operation) => hasFiles(operation) && takesStored(operation))),
		...inputSource(
			operations.filter((operation) => hasFiles(operation) && !takesStored(operation)),
		),
		...operations.flatMap((operation) =>
			shownFor([operation], [...operation.fileParameters, ...operation.parameters]),
		),
		...operations.flatMap((operation) => shownFor([operation], outputParameter(operation))),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: options(operations),
		},
	];
}

function operationParameter({
	value: resource,
	operations,
	usualOperation,
}: ResourceMenu): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.map(({ name, value, description, action }) => ({
			name,
			value,
			description,
			action,
		})),
		default: usualOperation,
	};
}

function hasFiles({ fileParameters }: OperationMenu): boolean {
	return fileParameters.length > 0;
}

/** Whether its file may be one that the service has stored. */
function takesStored({ fileParameters }: OperationMenu): boolean {
	return fileParameters.some(({ name }) => name === FILE_REFERENCE.name);
}

/** Where the files of operations come from, all of them with the same choices. */
function inputSource(operations: readonly OperationMenu[]): INodeProperties[] {
	const elsewhere = operations.some(takesStored) ? [FILE_URL, STORED_FILE] : [FILE_URL];
	const source: INodeProperties = {
		displayName: 'Input Source',
		name: 'inputSource',
		type: 'options',
		options: [BINARY_FIELD, ...elsewhere],
		default: 'binaryField',
		description: 'Where the document comes from',
	};
	return shownFor(operations, [
		{ ...source, displayOptions: { hide: AS_TOOL } },
		{ ...source, options: elsewhere, default: 'fileUrl', displayOptions: { show: AS_TOOL } },
	]);
}

/** The parameter Output of an operation that has a choice. */
export function outputParameter({ outputs }: OperationMenu): INodeProperties[] {
	if (outputs === undefined) return [];
	const options = [...outputs, RAW];
	const [{ value }] = outputs;
	return [{ displayName: 'Output', name: 'output', type: 'options', options, default: value }];
}

/** @throws DocumentError for one that the list does not have: its file in another place would be sent and paid */
export function readInputSource(read: ReadParameter): string {
	const given = read<unknown>('inputSource', BINARY_FIELD.value);
	const options = [BINARY_FIELD, FILE_URL, STORED_FILE];
	// To the letter, as n8n shows the parameters of a source for its exact value only.
	const chosen = options.find(({ value }) => value === given);
	if (chosen === undefined) throw unknownChoice({ displayName: 'Input Source', options }, given);
	return chosen.value;
}

/**
 * The choice of Output, which n8n does not store if it is the default.
 *
 * @throws DocumentError for one that the list does not have
 */
export function readOutput({ outputs }: OperationMenu, read: ReadParameter): string {
	if (outputs === undefined) return '';
	const options = [...outputs, RAW];
	return choiceIn({ displayName: 'Output', options }, read<unknown>('output', outputs[0].value))
		.value;
}

function shownFor(
	operations: readonly OperationMenu[],
	properties: INodeProperties[],
): INodeProperties[] {
	const operation = operations.map(({ value }) => value);
	return updateDisplayOptions({ show: { operation } }, properties);
}

/** The options of all operations and those that only some have, by their labels. */
function options(operations: readonly OperationMenu[]): INodeProperties[] {
	const ofSome = new Set(operations.flatMap(ownOptions));
	return [
		option(operations, INCLUDE_INPUT_FIELDS),
		option(operations.filter(hasFiles), IGNORE_UNSUPPORTED_FILES),
		option(
			operations.filter(({ jobOperation }) => jobOperation !== undefined),
			PROCESSING,
		),
		...timeouts(operations),
		...[...ofSome].map((property) =>
			option(
				operations.filter((operation) => ownOptions(operation).includes(property)),
				property,
			),
		),
	].sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

function ownOptions({ includeInputFile, options }: OperationMenu): INodeProperties[] {
	return includeInputFile === undefined ? options : [includeInputFile, ...options];
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
	const seconds = ({ timeoutSeconds }: OperationMenu) => timeoutSeconds ?? TIMEOUT.default;
	return [...new Set(operations.map(seconds))].map((usual) =>
		option(
			operations.filter((operation) => seconds(operation) === usual),
			{ ...TIMEOUT, default: usual },
		),
	);
}
