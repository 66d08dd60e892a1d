import type { IBuilderHint } from 'n8n-workflow';

import { NODE_HINT, OUTPUT_HINT, outputHints } from '../parameters/hints';
import { parametersOf, DEFAULT_RESOURCE, type ResourceMenu } from '../parameters/menu';
import { parseChoice, type ReadParameter } from '../parameters/read';
import { testCredential } from '../service/credentialTest';
import { documentOperations } from './document/index';
import { searchTemplates } from '../service/templateSearch';
import { cancel } from './job/cancel';
import { get } from './job/get';
import { getAll } from './job/getAll';
import { getResult } from './job/getResult';
import { submit } from './job/submit';
import type { Operation } from './operation';
import { download } from './storedFile/download';
import { upload } from './storedFile/upload';

export const resources: ReadonlyArray<ResourceMenu<Operation>> = [
	{
		value: DEFAULT_RESOURCE,
		name: 'Document',
		operations: documentOperations,
		usualOperation: 'extract',
	},
	{
		value: 'job',
		name: 'Job',
		operations: [cancel, get, getAll, getResult, submit],
		usualOperation: 'submit',
	},
	{
		value: 'storedFile',
		name: 'Stored File',
		operations: [download, upload],
		usualOperation: 'upload',
	},
];

/** For example "Extract" or "Job: Get". */
export function labelOf({ value, name }: ResourceMenu, operation: { name: string }): string {
	return value === DEFAULT_RESOURCE ? operation.name : `${name}: ${operation.name}`;
}

/** What the canvas shows below the node's name, by the value of its operation. */
export const operationLabels = Object.fromEntries(
	resources.flatMap((resource) =>
		resource.operations.map((operation) => [operation.value, labelOf(resource, operation)]),
	),
);

export const nodeParameters = parametersOf(resources);

/** What n8n's assistant knows of the node besides its parameters. */
export const nodeHint: IBuilderHint = {
	searchHint: NODE_HINT,
	extraTypeDefContent: [
		{ content: OUTPUT_HINT },
		...resources.flatMap(({ value, operations }) => outputHints(value, operations)),
	],
};

/** What n8n's editor calls. */
export const nodeMethods = { credentialTest: { testCredential }, listSearch: { searchTemplates } };

/** @throws DocumentError when there is no such operation: another one in its place would be paid for */
export function operationNamed(read: ReadParameter): Operation {
	const resource = read<unknown>('resource', DEFAULT_RESOURCE);
	const { operations } = parseChoice({ displayName: 'Resource', options: resources }, resource);
	return parseChoice(
		{ displayName: 'Operation', options: operations },
		read<unknown>('operation', undefined),
	);
}
