import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import type { FileContext } from '../files/content';
import { typeOfMimeType } from '../files/fileTypes';
import { partName } from '../files/fileNames';
import type { InputFile } from '../files/inputFiles';
import type { RemoteFile } from '../files/remoteFile';
import type { Hints } from '../text/hints';
import { itemJson } from '../results/fields';
import type { Row } from '../results/rows';
import type { RunningJobs } from '../service/jobs/runningJobs';
import { FILES_FROM, type FileSource } from '../parameters/fileParameters';
import type { OperationMenu } from '../parameters/menu';
import type { ReadParameter } from '../parameters/read';
import { StreamedFile, type ServiceRequest } from '../service/client';
import type { Answer } from '../service/envelope';
import type { CallSettings } from '../service/jobs/calls';
import type { Session } from '../service/session';
import { MB } from '../text/words';
import { plainText } from '../text/json';

export interface InputItem {
	itemIndex: number;
	json: IDataObject;
	read: ReadParameter;
}

/** The files that an item's parameters name, each once, in order; a DocumentError stands for a missing one. */
export type Files = (source: FileSource) => Promise<FileInput[]>;

export interface FileReference {
	reference: string;
	name: string;
}

/** A DocumentError says why there is no file. */
export type FileInput = InputFile | RemoteFile | FileReference | DocumentError;

export interface FilePart<File = InputFile> {
	/** Name of the form field (docs/internals/service-contract.md, operations). */
	formField: string;
	file: File;
}

export interface Named {
	/** For messages: the name of a file in quotes, how many there are, or what else it is, such as a job with its ID. */
	subject: string;
	/** Null where no file is known. */
	fileName: string | null;
}

/** Usually one file; for Match Faces all files of an item; for some operations none. */
export interface Document extends Named {
	item: InputItem;
	parts: FilePart[];
	/** Of a file that the service has stored, which is not among the parts. */
	reference?: string;
	/** How many of its files Ignore Unsupported Files skipped. */
	skipped: number;
}

export type Output =
	| {
			json: IDataObject;
			binary?: IBinaryKeyData;
			/** If the output belongs to several items. */
			itemIndexes?: number[];
	  }
	/** A row of a spreadsheet: its columns are known when all documents are. */
	| { row: Omit<Row, 'input'>; binary?: IBinaryKeyData }
	/** A document, or a part of its result, that failed. */
	| DocumentError;

export interface DocumentContext {
	/** n8n's. Its cancel signal also ends work for results that are lost because the run stops. */
	context: FileContext;
	hints: Hints;
	document: Document;
	subject: string;
	read: ReadParameter;
	output: string;
	/** What the request cost, if its answer shows it. */
	creditsConsumed?: number;
}

/** What a request needs besides. */
export interface AskContext extends DocumentContext {
	session: Session;
	jobs: RunningJobs;
	settings: CallSettings;
}

/** What all operations have. `Result` is what is read from a response, for one document. */
export interface AnyOperation<Result = unknown> extends OperationMenu {
	/** One array of files for each document; an empty one for a document without files. */
	documents: (item: InputItem, files: Files) => Promise<Array<Array<FilePart<FileInput>>>>;
	/** How a document is named, where not by its files. Only called for items whose documents were given. */
	nameOf?: (item: InputItem) => Named;
	/** Why files that are supported may not be sent together, as far as they are known. */
	refuse?: (parts: FilePart[], signal: AbortSignal) => Promise<DocumentError | undefined>;
	/** Whether it is never billed. */
	isFree?: boolean;
	toOutputs(result: Result, context: DocumentContext): Output[] | Promise<Output[]>;
	/** Whether its documents wait for jobs, so that they hold no connection. */
	waits?: boolean;
	/** Names the files of a run, once all outputs are there in order. */
	nameFiles?: (outputs: Output[]) => void;
}

/** An operation that sends documents to be processed, directly or as jobs. */
export interface DocumentOperation<Result = unknown> extends AnyOperation<Result> {
	path: string;
	maxFileBytes: number;
	outputs: NonNullable<OperationMenu['outputs']>;
	/** Text fields of the form; one that is blank is not sent. */
	textFields?: (read: ReadParameter) => Record<string, unknown>;
	/** Whether an answer may be an image instead of JSON. */
	mayReturnImage?: boolean;
	/** Messages for statuses that mean something special to this operation. */
	statusMessages?: ServiceRequest['statusMessages'];
	/** Reads a response once, whatever its shape: the result of each document of the request. */
	parse(answer: Answer, contexts: DocumentContext[]): Result[];
	ask?: undefined;
}

/** An operation that asks the service in its own way, a document at a time. Its files have the limit of stored ones. */
export interface OwnOperation<Result = unknown> extends AnyOperation<Result> {
	ask: (context: AskContext) => Promise<Result>;
	textFields?: undefined;
}

/** What differs from one operation to the next. What they share is in run/. */
export type Operation<Result = unknown> = DocumentOperation<Result> | OwnOperation<Result>;

/** Limit for a file, also for one that is stored (docs/internals/service-contract.md, limits). */
export const MAX_FILE_BYTES = 10 * MB;

export function oneDocumentPerFile(
	formField: string,
	source: FileSource = FILES_FROM,
): Operation['documents'] {
	return async (_, files) => (await files(source)).map((file) => [{ formField, file }]);
}

export const ONE_FILE = {
	maxFileBytes: MAX_FILE_BYTES,
	sources: [FILES_FROM],
	parameters: [],
	documents: oneDocumentPerFile('file'),
} satisfies Partial<DocumentOperation>;

export const NO_FILE = {
	sources: [],
	options: [],
	documents: async () => await Promise.resolve([[]]),
	isFree: true,
} satisfies Partial<OwnOperation>;

export function simplified(description: string) {
	return { name: 'Simplified', value: 'fields', description };
}

/** For a document that was answered, and perhaps paid, without a result. */
export function billed(message: string, suggestedFix: string, details: object = {}): DocumentError {
	const fix = `${suggestedFix} Cogneris may have billed this document.`;
	return new DocumentError(message, fix, { httpCode: 200, ...details });
}

/** The text fields of a form. An empty one would reach the model as it is (docs/internals/service-contract.md). */
export function textsOf(operation: Operation, read: ReadParameter): Array<[string, string]> {
	return Object.entries(operation.textFields?.(read) ?? {})
		.map(([name, value]): [string, string] => [name, plainText(value)])
		.filter(([, text]) => text.trim() !== '');
}

/** @param fileField if not the field of each file */
export function documentForm(
	documents: Document[],
	texts: Array<[string, string]> = [],
	fileField?: string,
): InstanceType<typeof FormData> {
	const form = new FormData();
	for (const { formField, file } of documents.flatMap(({ parts }) => parts)) {
		const { uploadName, mimeType, content } = file;
		const { bytes, open } = content;
		form.append(fileField ?? formField, new StreamedFile(uploadName, mimeType, bytes, open));
	}
	for (const [name, text] of texts) form.append(name, text);
	return form;
}

/** The file of a job: the form that stores it, or the reference of one that is stored already. */
export function fileOf(document: Document): InstanceType<typeof FormData> | { reference: string } {
	const { reference } = document;
	return reference === undefined ? documentForm([document], undefined, 'file') : { reference };
}

/** @param operation undefined for one that the node does not have: its response is passed on unchanged */
export async function outputsOf(
	operation: DocumentOperation | undefined,
	answer: Answer,
	contexts: DocumentContext[],
): Promise<Output[][]> {
	const { creditsConsumed, file, data, stored = data } = answer;
	if (file !== undefined)
		return await Promise.all(contexts.map(async (context) => [await fileOutput(context, file)]));
	const results = operation?.parse(answer, contexts) ?? [];
	if (operation === undefined || contexts[0]?.output === 'raw') {
		// A response is one item, however many documents it is about.
		const itemIndexes = contexts.map(({ document }) => document.item.itemIndex);
		return [[{ json: itemJson(stored), itemIndexes }]];
	}
	return await Promise.all(
		contexts.map(
			async (context, position) =>
				await operation.toOutputs(results[position], { ...context, creditsConsumed }),
		),
	);
}

async function fileOutput(
	{ context, document }: DocumentContext,
	{ bytes, mimeType }: NonNullable<Answer['file']>,
): Promise<Output> {
	const name = nameOfPart(document, 0, mimeType);
	const binary = await context.helpers.prepareBinaryData(bytes, name, mimeType);
	return { json: { fileName: document.fileName, index: 0 }, binary: { data: binary } };
}

/** For example `scan-1.png`, for the first part of `scan.jpg`. */
export function nameOfPart({ fileName, subject }: Named, index: number, mimeType: string) {
	const subtype = /^image\/([a-z0-9-]{1,20})(\+|$)/.exec(mimeType)?.[1];
	const extension = typeOfMimeType(mimeType)?.extensions[0] ?? subtype ?? 'bin';
	return partName(fileName ?? subject, index + 1, null, extension);
}
