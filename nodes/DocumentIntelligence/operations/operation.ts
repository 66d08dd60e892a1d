import type {
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { DocumentError } from '../errors';
import type { InputFile } from '../files/inputFiles';
import type { RemoteFile } from '../files/remoteFile';
import type { Hints } from '../output/hints';
import type { Row } from '../output/rows';
import type { ServiceRequest } from '../service/client';
import type { Answer } from '../service/envelope';

/** A file on its way into a multipart form. */
interface FilePart {
	/** Name of the form field (service contract, the six operations). */
	formField: string;
	file: InputFile;
}

/** What one result is about: usually one file; for Match Faces all files of an item. */
export interface Document {
	itemIndex: number;
	parts: FilePart[];
}

/** Reads a parameter for one item, so that expressions see that item. */
export type ReadParameter = <T>(name: string, fallback: T) => T;

export function parameterReader(context: IExecuteFunctions, itemIndex: number): ReadParameter {
	return (name, fallback) => context.getNodeParameter(name, itemIndex, fallback) as typeof fallback;
}

/** An item on its way in. */
export interface InputItem {
	itemIndex: number;
	json: IDataObject;
	read: ReadParameter;
	/**
	 * The files that parameters name, in order; a DocumentError stands for one that is not there.
	 *
	 * @param except fields that `*` leaves out
	 */
	files: (source: FileSource, except?: ReadonlySet<string>) => Promise<FileInput[]>;
}

/** The parameters that say where files come from. */
export interface FileSource {
	/** The parameter that names binary fields. */
	binaryField: string;
	/** The parameter that holds links. */
	url: string;
	/** What the editor calls that. */
	urlLabel: string;
}

/** A file, one that has yet to be fetched, or what keeps it from being there. */
export type FileInput = InputFile | RemoteFile | DocumentError;

export interface FilePartInput {
	formField: string;
	file: FileInput;
}

/** An item on its way out, not yet paired. */
export type Output =
	| {
			json: IDataObject;
			binary?: IBinaryKeyData;
			/** Where one output is about documents of several items. */
			itemIndexes?: number[];
	  }
	/** A row of a spreadsheet: its columns are known when all documents are. */
	| { row: Omit<Row, 'input'> }
	/** A part of a result that failed by itself. */
	| DocumentError;

/** What making a result may need besides the answer. */
export interface ResultContext {
	context: IExecuteFunctions;
	document: Document;
	/** Its files in words for messages: the name of one in quotes, or how many there are. */
	subject: string;
	read: ReadParameter;
	hints: Hints;
}

/** What is different from one operation to the next. The journey itself is in runItems and runRequest. */
export interface Operation {
	/** Stored in workflows, so never changed. */
	value: string;
	name: string;
	description: string;
	action: string;
	path: string;
	/** Limit for one file (service contract, limits). */
	maxFileBytes: number;
	/** Default of the Timeout option, in seconds. */
	timeoutSeconds: number;
	/** Default of Include Input File: on where the next step usually needs the file. */
	passesFileOn: boolean;
	/** Where its files come from. */
	fileParameters: INodeProperties[];
	/** The parameters that only this operation has. */
	parameters: INodeProperties[];
	/** The options that not every operation has. */
	options: INodeProperties[];
	/** The choices of Output besides Full Result; the first is the default. */
	outputs: INodePropertyOptions[];
	/** Parameters that belong to a choice of Output. */
	outputParameters?: INodeProperties[];
	/** The files of one item, one array for each document. */
	documents: (item: InputItem) => Promise<FilePartInput[][]>;
	/** Text fields of the form; one that is blank is not sent. */
	textFields?: (read: ReadParameter) => Record<string, unknown>;
	/** Whether an answer may be an image instead of JSON. */
	takesImage?: boolean;
	/** What a status means for this operation, where that is more than it means for all. */
	statusWords?: ServiceRequest['statusWords'];
	/** Throws a DocumentError where the service accepted a document without doing the work. */
	assertDone?: (answer: Answer, result: ResultContext) => void;
	/** For several documents in one request: the part of the answer that is about each. */
	share?: (answer: Answer, documents: Document[]) => Answer[];
	/** The items of an answer. */
	results: (answer: Answer, result: ResultContext) => Output[] | Promise<Output[]>;
}

/** The file of a document, or its first. */
export function fileOf({ parts: [part] }: Document): InputFile {
	if (part === undefined) throw new TypeError('A document has at least one file');
	return part.file;
}
