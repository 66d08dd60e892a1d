import type { IDataObject } from 'n8n-workflow';

import { FILE_REFERENCE, type FileSource } from '../parameters/fileParameters';
import { readIdentifier } from '../parameters/identifier';
import type { ReadParameter } from '../parameters/readParameter';
import { DocumentError } from '../text/errors';
import { textOf } from '../text/json';

/** Whether Input Source is a stored file. */
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
 * The stored file of an item. Its name is the item's fileName if that is beside the reference, as Upload and Submit
 * output it; else the last part of the reference.
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
	const lastPart = reference.split('/').findLast((part) => part !== '');
	return { reference, name: ownName || lastPart || reference };
}

/** The same for an operation that may not take such files. */
export function storedFileFor(
	{ storable = false }: FileSource,
	read: ReadParameter,
	json: IDataObject,
): FileReference | DocumentError {
	if (storable) return readStoredFile(read, json);
	return new DocumentError(
		'This operation takes no stored file',
		"Choose Binary Field or File URL as 'Input Source'. Nothing was sent.",
	);
}
