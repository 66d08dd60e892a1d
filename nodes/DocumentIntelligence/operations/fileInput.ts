import type { INodeProperties } from 'n8n-workflow';

import type { FileSource, Operation } from './operation';

const FILES_FROM: FileSource = { binaryField: 'binaryPropertyName', url: 'fileUrl', urlLabel: 'File URL' };

/** The parameters of operations that take one file at a time. */
export const fileParameters: INodeProperties[] = [
	fromBinary({
		displayName: 'Input Binary Field',
		name: FILES_FROM.binaryField,
		type: 'string',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		hint: 'The name of the field that holds the file; several names separated by commas; or * for every file of the item',
		description: 'Each file is one document. An expression may also give the file itself, such as {{ $binary.data }}.',
	}),
	fromUrl({
		displayName: FILES_FROM.urlLabel,
		name: FILES_FROM.url,
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://example.com/invoice.pdf',
		description: 'Link to the document to read, a PDF, image or Word file that can be downloaded without signing in. Several links are separated by spaces or line breaks.',
	}),
];

/** Every file is a document of its own, sent in the form field given. */
export function oneDocumentPerFile(formField: string): Operation['documents'] {
	return async (item) => (await item.files(FILES_FROM)).map((file) => [{ formField, file }]);
}

export function fromBinary(property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputSource: ['binaryField'] } } };
}

export function fromUrl(property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputSource: ['fileUrl'] } } };
}
