import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { textOf } from '../text/json';
import { AS_TOOL } from './options';
import { parseChoice, parseIdentifier, type ReadParameter } from './read';

type FileParameter = Pick<INodeProperties, 'displayName' | 'name'> & Partial<INodeProperties>;

export interface FileSource {
	binaryField: FileParameter;
	url: FileParameter;
	storable?: boolean;
}

export const FILES_FROM: FileSource = {
	binaryField: {
		displayName: 'Input Binary Field',
		name: 'binaryPropertyName',
		default: '*',
		placeholder: 'e.g. data',
		hint: 'Enter * for every file of the item, or one or more field names separated by commas',
		description:
			'The binary fields with the files, each processed separately. An expression can also return a file: {{ $binary.data }}.',
	},
	url: {
		displayName: 'File URL',
		name: 'fileUrl',
		placeholder: 'e.g. https://example.com/invoice.pdf',
		description:
			'Link to a PDF, image or Word file that can be downloaded without signing in. Separate several links with spaces or line breaks.',
	},
	storable: true,
};

/** Without Stored File, for an operation that cannot be a job. */
export const FILES_NOT_STORED: FileSource = { ...FILES_FROM, storable: false };

export const FILE_REFERENCE: INodeProperties = {
	displayName: 'File Reference',
	name: 'reference',
	type: 'string',
	default: '={{ $json.reference }}',
	required: true,
	placeholder: 'e.g. artifact://…',
	description: 'The reference that Stored File: Upload or Job: Submit returned',
};

/** Named by the item's fileName if the reference is the item's too, otherwise by the last part of the reference. */
export function readStoredFile(read: ReadParameter, json: IDataObject) {
	const reference = parseIdentifier(
		read<unknown>(FILE_REFERENCE.name, ''),
		FILE_REFERENCE.displayName,
		'Enter the reference that Stored File: Upload or Job: Submit returned, for example {{ $json.reference }}.',
	);
	const itemName = json.reference === reference ? (textOf(json.fileName)?.trim() ?? '') : '';
	const name = itemName || (reference.split('/').findLast(Boolean) ?? reference);
	return { kind: 'stored' as const, reference, name };
}

const INPUT_SOURCE = {
	displayName: 'Input Source',
	name: 'inputSource',
	type: 'options',
	options: [
		{ name: 'Binary Field', value: 'binaryField', description: 'Use a file from an earlier node' },
		{ name: 'File URL', value: 'fileUrl', description: 'Download the file from a link' },
		{
			name: 'Stored File',
			value: 'storedFile',
			description:
				'Use a file that is stored in your Cogneris account. Cogneris processes it as a job, in the background.',
		},
	],
	default: 'binaryField',
	description: 'Where the document comes from',
} satisfies INodeProperties;

function inputSource({ storable }: FileSource) {
	const options = INPUT_SOURCE.options.filter(({ value }) => value !== 'storedFile' || storable);
	return { ...INPUT_SOURCE, options };
}

/** @throws DocumentError for a choice that the list does not have: its file in another place would be sent and paid */
export function readInputSource(source: FileSource, read: ReadParameter): string {
	const input = read<unknown>(INPUT_SOURCE.name, INPUT_SOURCE.default);
	return parseChoice(inputSource(source), input).value;
}

export function fileParameters(sources: FileSource[]): INodeProperties[] {
	const [first] = sources;
	if (first === undefined) return [];
	const parameter = inputSource(first);
	const remote = parameter.options.filter(({ value }) => value !== INPUT_SOURCE.default);
	const shownFor = (inputSource: string, parameter: FileParameter): INodeProperties => ({
		type: 'string',
		default: '',
		required: true,
		...parameter,
		displayOptions: { show: { inputSource: [inputSource] } },
	});
	return [
		{ ...parameter, displayOptions: { hide: AS_TOOL } },
		{ ...parameter, options: remote, default: 'fileUrl', displayOptions: { show: AS_TOOL } },
		...sources.flatMap(({ binaryField, url }) => [
			shownFor('binaryField', binaryField),
			...linkParameters(shownFor('fileUrl', url)),
		]),
		...(first.storable ? [shownFor('storedFile', FILE_REFERENCE)] : []),
	];
}

/** n8n's definition for AI assistants has the first of two parameters with one name: a link is not always required. */
function linkParameters(url: INodeProperties): INodeProperties[] {
	const show = url.displayOptions?.show;
	return [
		{ ...url, required: false, displayOptions: { show: { ...show, ...AS_TOOL } } },
		{ ...url, displayOptions: { show, hide: AS_TOOL } },
	];
}
