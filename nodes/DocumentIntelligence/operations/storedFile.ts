import type { IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { FILE_REFERENCE, type FileSource } from '../parameters/fileParameters';
import type { ReadParameter } from '../parameters/readParameter';
import { textOf } from '../text/json';
import { readIdentifier } from '../parameters/identifier';

/** Whether Input Source says that the service has stored the file. */
export function readsStoredFile(read: ReadParameter): boolean {
	return read<unknown>('inputSource', '') === 'storedFile';
}

/** A file that the service has stored. */
export interface FileReference {
	reference: string;
	/** As messages and items name it. */
	name: string;
}

/**
 * The stored file that an item means. The item may name it beside its reference, as Upload and Submit do; else it has
 * the name of its reference.
 *
 * @throws DocumentError
 */
export function readStoredFile(read: ReadParameter, json: IDataObject): FileReference {
	const reference = readIdentifier(
		read,
		FILE_REFERENCE,
		'Enter the reference that Stored File: Upload or Job: Submit has output, for example {{ $json.reference }}.',
	);
	const ownName = json.reference === reference ? (textOf(json.fileName)?.trim() ?? '') : '';
	return { reference, name: ownName || lastPartOf(reference) };
}

/** The same for an operation that may not take such files. */
export function storedFileFor(
	{ storable = false }: FileSource,
	read: ReadParameter,
	json: IDataObject,
): FileReference | DocumentError {
	if (storable) return readStoredFile(read, json);
	return new DocumentError(
		'This operation takes no file that the service has stored',
		'Choose Binary Field or File URL as Input Source. Nothing was sent.',
	);
}

function lastPartOf(reference: string): string {
	return (
		reference
			.split('/')
			.filter((part) => part !== '')
			.at(-1) ?? reference
	);
}
