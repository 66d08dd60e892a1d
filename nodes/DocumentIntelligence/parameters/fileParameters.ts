import type { INodeProperties } from 'n8n-workflow';

/** The parameters that say where files come from. */
export interface FileSource {
	/** The parameter that names binary fields. */
	binaryField: string;
	/** What the editor calls that. */
	binaryFieldLabel: string;
	/** Whether it means one file. */
	single?: boolean;
	/** The parameter that holds links. */
	url: string;
	/** What the editor calls that. */
	urlLabel: string;
}

export const FILES_FROM: FileSource = {
	binaryField: 'binaryPropertyName',
	binaryFieldLabel: 'Input Binary Field',
	url: 'fileUrl',
	urlLabel: 'File URL',
};

/** The parameters of operations that take one file at a time. */
export const fileParameters: INodeProperties[] = [
	fromBinary({
		displayName: FILES_FROM.binaryFieldLabel,
		name: FILES_FROM.binaryField,
		type: 'string',
		default: '*',
		required: true,
		placeholder: 'e.g. data',
		hint: 'Enter * for every file of the item, or one or more field names separated by commas',
		description:
			'Each file is processed as one document. You can also use an expression that returns the file itself, such as {{ $binary.data }}.',
	}),
	fromUrl({
		displayName: FILES_FROM.urlLabel,
		name: FILES_FROM.url,
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://example.com/invoice.pdf',
		description:
			'Link to a PDF, image or Word file that can be downloaded without signing in. Separate several links with spaces or line breaks.',
	}),
];

export function fromBinary(property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputSource: ['binaryField'] } } };
}

export function fromUrl(property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputSource: ['fileUrl'] } } };
}
