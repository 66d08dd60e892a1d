import { parametersOf, USUAL_RESOURCE, type ResourceMenu } from '../parameters/menu';
import { choiceIn } from '../parameters/read';
import { documentOperations } from './documentOperations';
import { cancel } from './jobCancel';
import { get } from './jobGet';
import { getAll } from './jobGetAll';
import { getResult } from './jobGetResult';
import { submit } from './jobSubmit';
import type { Operation } from './operation';
import { download } from './storedFileDownload';
import { upload } from './storedFileUpload';

export const resources: ReadonlyArray<ResourceMenu<Operation>> = [
	{
		value: USUAL_RESOURCE,
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
	return value === USUAL_RESOURCE ? operation.name : `${name}: ${operation.name}`;
}

/** What the canvas shows below the node's name, by the value of its operation. */
export const operationLabels = Object.fromEntries(
	resources.flatMap((resource) =>
		resource.operations.map((operation) => [operation.value, labelOf(resource, operation)]),
	),
);

export const nodeParameters = parametersOf(resources);

/** @throws DocumentError when there is no such operation: another one in its place would be paid for */
export function operationNamed(resource: unknown, value: unknown): Operation {
	const { operations } = choiceIn({ displayName: 'Resource', options: resources }, resource);
	return choiceIn({ displayName: 'Operation', options: operations }, value);
}
