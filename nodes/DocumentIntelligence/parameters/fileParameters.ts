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
	/** Whether it may also be a stored file. */
	storable?: boolean;
}

export const FILES_FROM: FileSource = {
	binaryField: 'binaryPropertyName',
	binaryFieldLabel: 'Input Binary Field',
	url: 'fileUrl',
	urlLabel: 'File URL',
	storable: true,
};

/** The same where the file is to be stored, so that none is stored already. */
export const FILES_TO_STORE: FileSource = { ...FILES_FROM, storable: false };

/** The reference of a stored file. */
export const FILE_REFERENCE: INodeProperties = {
	displayName: 'File Reference',
	name: 'reference',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. artifact://…',
	description:
		'The reference that Stored File: Upload or Job: Submit returned. Files are kept for 7 days.',
};

/** The parameters of operations that store one file at a time. */
export const uploadParameters: INodeProperties[] = [
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

/** The parameters of operations that take one file at a time, wherever it is. */
export const fileParameters: INodeProperties[] = [
	...uploadParameters,
	{ ...FILE_REFERENCE, displayOptions: { show: { inputSource: ['storedFile'] } } },
];

export function fromBinary(property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputSource: ['binaryField'] } } };
}

export function fromUrl(property: INodeProperties): INodeProperties {
	return { ...property, displayOptions: { show: { inputSource: ['fileUrl'] } } };
}
