import type { INodeProperties } from 'n8n-workflow';

/** What differs between the parameters for files. */
type FileParameter = Pick<
	INodeProperties,
	'displayName' | 'name' | 'placeholder' | 'hint' | 'description'
> & { default?: string };

/** The parameters that say where files come from. */
export interface FileSource {
	/** The parameter that names binary fields. */
	binaryField: FileParameter;
	/** The parameter that holds links. */
	url: FileParameter;
	/** Whether it means one file. */
	single?: boolean;
	/** Whether it may also be a stored file. */
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
			'Each file is processed as one document. You can also use an expression that returns the file itself, such as {{ $binary.data }}.',
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
export const uploadParameters = sourceParameters(FILES_FROM);

/** The parameters of operations that take one file at a time, wherever it is. */
export const fileParameters: INodeProperties[] = [
	...uploadParameters,
	{ ...FILE_REFERENCE, displayOptions: { show: { inputSource: ['storedFile'] } } },
];

/** The parameters of a source, each shown for its choice of Input Source. */
export function sourceParameters({ binaryField, url }: FileSource): INodeProperties[] {
	const shownFor = (inputSource: string, parameter: FileParameter): INodeProperties => ({
		type: 'string',
		default: '',
		required: true,
		...parameter,
		displayOptions: { show: { inputSource: [inputSource] } },
	});
	return [shownFor('binaryField', binaryField), shownFor('fileUrl', url)];
}
