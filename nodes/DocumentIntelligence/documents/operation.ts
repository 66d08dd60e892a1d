import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { DocumentError } from '../errors';
import type { InputFile } from '../files/inputFiles';
import type { RemoteFile } from '../files/remoteFile';
import type { Hints } from './hints';
import type { Row } from '../results/rows';
import { FILES_FROM, type FileSource } from '../parameters/fileParameters';
import type { OperationMenu } from '../parameters/menu';
import type { ReadParameter } from '../parameters/readParameter';
import type { ServiceRequest } from '../service/client';
import type { Answer } from '../service/envelope';
import { plainText } from '../text/plainText';

/** An input item. */
export interface InputItem {
	itemIndex: number;
	json: IDataObject;
	read: ReadParameter;
	/**
	 * The files that parameters name, each once, in order; a DocumentError stands for a missing one.
	 *
	 * @param except fields that another parameter has taken
	 */
	files: (source: FileSource, except?: ReadonlySet<string>) => Promise<FileInput[]>;
}

/** A file, one that has yet to be fetched, or why there is none. */
export type FileInput = InputFile | RemoteFile | DocumentError;

/** A file of a multipart form. */
export interface FilePart<File = InputFile> {
	/** Name of the form field (docs/service-contract.md, operations). */
	formField: string;
	file: File;
}

/** What one result is about: usually one file; for Match Faces all files of an item. */
export interface Document {
	item: InputItem;
	parts: FilePart[];
	/** How many of its files Ignore Unsupported Files skipped. */
	skipped: number;
}

/** An output, not yet paired with its input item. */
export type Output =
	| {
			json: IDataObject;
			binary?: IBinaryKeyData;
			/** Where one output is about documents of several items. */
			itemIndexes?: number[];
	  }
	/** A row of a spreadsheet: its columns are known when all documents are. */
	| { row: Omit<Row, 'input'>; binary?: IBinaryKeyData }
	/** A document, or a part of its result, that failed. */
	| DocumentError;

/** What an operation may need besides the result to make outputs. */
export interface ResultContext {
	/** Its cancel signal also ends work for results that are lost because the run stops. */
	context: IExecuteFunctions;
	document: Document;
	/** How messages name its files: the name of one in quotes, or how many there are. */
	subject: string;
	read: ReadParameter;
	/** The choice of Output. */
	output: string;
	/** What the request cost, where the service says it. */
	creditsConsumed: number | undefined;
	hints: Hints;
}

/**
 * What differs from one operation to the next. What they share is in runItems and runRequest.
 *
 * `Result` is what `parse` reads from a response, for one document.
 */
export interface Operation<Result = unknown> extends OperationMenu {
	path: string;
	/** Limit for one file (docs/service-contract.md, limits). */
	maxFileBytes: number;
	/** The files of one item, one array for each document. */
	documents: (item: InputItem) => Promise<Array<Array<FilePart<FileInput>>>>;
	/** Text fields of the form; one that is blank is not sent. */
	textFields?: (read: ReadParameter) => Record<string, unknown>;
	/** Whether an answer may be an image instead of JSON. */
	mayReturnImage?: boolean;
	/** Messages for statuses that mean something special to this operation. */
	statusMessages?: ServiceRequest['statusMessages'];
	/** Reads a response of any shape, once: the result of each document of the request. */
	parse(answer: Answer, documents: Document[]): Result[];
	/** Throws a DocumentError where the service accepted a document without doing the work. */
	assertProcessed?(result: Result, context: ResultContext): void;
	/** The outputs of a document. */
	toOutputs(result: Result, context: ResultContext): Output[] | Promise<Output[]>;
	/** Names the files of a run, once all outputs are there in order. */
	nameFiles?: (outputs: Output[]) => void;
}

/** The file of a document, or its first. */
export function fileOf({ parts: [part] }: Document): InputFile {
	if (part === undefined) throw new TypeError('A document has at least one file');
	return part.file;
}

/** Every file is a document of its own, sent in the form field given. */
export function oneDocumentPerFile(formField: string): Operation['documents'] {
	return async (item) => (await item.files(FILES_FROM)).map((file) => [{ formField, file }]);
}

/** The text fields of a form. An empty one would reach the model as it is (docs/service-contract.md). */
export function textsOf(operation: Operation, read: ReadParameter): Array<[string, string]> {
	return Object.entries(operation.textFields?.(read) ?? {})
		.map(([name, value]): [string, string] => [name, plainText(value)])
		.filter(([, text]) => text.trim() !== '');
}
