import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { InputFile, MissingFile } from '../files/inputFiles';
import type { Link } from '../files/links';
import type { DocumentValues } from '../results/rows';
import { DocumentError } from '../text/errors';

/** A file in the Cogneris account, which is sent by its reference. */
export interface StoredFile {
	kind: 'stored';
	reference: string;
	name: string;
}

export type FileInput = InputFile | Link | StoredFile | MissingFile;

export interface FilePart<File = InputFile> {
	/** Name of the form field (docs/internals/service-contract.md, operations). */
	formField: string;
	file: File;
}

/** What an operation returns for a document, or for a part of its result. */
export type Output =
	| {
			json: IDataObject;
			binary?: IBinaryKeyData;
			unknownFields?: string[];
	  }
	/** A row of a spreadsheet: its columns are known when all documents are. */
	| {
			row: Omit<DocumentValues, 'input'>;
			binary?: IBinaryKeyData;
			/** Names in options that the document does not have, as a note lists them. */
			unknownFields?: string[];
	  }
	/** A document, or a part of its result, that failed. */
	| DocumentError;

export interface InputItem {
	itemIndex: number;
	json: IDataObject;
	/** Reads a parameter for this item, so that expressions see it. */
	read: <T>(name: string, fallback: T) => T;
	/** All of its files; absent where there is no input. */
	files?: () => Promise<Array<InputFile | MissingFile>>;
}

export interface Named {
	/** For messages: the name of a file in quotes, how many there are, or what else it is, such as a job with its ID. */
	subject: string;
	/** Null where no file is known. */
	fileName: string | null;
}

/** What an operation sees of a document: usually one file, for Match Faces all files of an item, for some none. */
export interface Document extends Named {
	item: InputItem;
	parts: FilePart[];
	/** The file that the service has stored, which is not among the parts. */
	stored: StoredFile | null;
	/** How many of its files were ignored because their type is not supported. */
	skippedFiles: number;
}
