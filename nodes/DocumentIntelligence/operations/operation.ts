import type { IDataObject } from 'n8n-workflow';

import type { Document, InputItem, Named, FileInput, FilePart, Output } from '../document/document';
import { readHashed, storeBytes, StorageFailure, type FileContext } from '../files/content';
import { partName } from '../files/fileNames';
import { typeOfMimeType } from '../files/fileTypes';
import { FILES_FROM } from '../parameters/fileParameters';
import type { OperationMenu } from '../parameters/menu';
import { isRows } from '../parameters/options';
import type { ReadParameter } from '../parameters/read';
import { itemJson, withAdditions } from '../results/fields';
import { StreamedFile, type ServiceRequest } from '../service/client';
import { isFreeJob, type Answer, type FileAnswer } from '../service/envelope';
import type { CallSettings } from '../service/api';
import type { RunningJobs } from '../service/jobs/runningJobs';
import type { Session } from '../service/exchange';
import { failureMessage, type FailureMessage } from '../service/requestError';
import { CHECK_STORAGE, DocumentError, messageOf } from '../text/errors';
import type { Cost } from '../text/failures';
import { isEmpty, plainText } from '../text/json';
import type { Notes } from '../text/notes';
import { joinSentences, MB } from '../text/words';

/** For a result, or a part of it, that could not be read, downloaded or stored: a later run may succeed. */
export class Undelivered extends DocumentError {}

/** For a part of a result whose server refuses its link, so that the document has to be sent anew. */
export class BrokenLink extends DocumentError {}

export interface ResultContext {
	/** Its signal also ends work on results that are lost because the run stops. */
	files: FileContext;
	notes: Notes;
	document: Document;
	read: ReadParameter;
	output: string;
	/** What the request or the job cost, if its answer shows it, and the job. */
	creditsConsumed?: number;
	jobId?: string;
	session: Session;
}

export interface CallContext extends ResultContext {
	jobs: RunningJobs;
	settings: CallSettings;
}

interface Comparison {
	/** The form field of the file that the others are compared with. It is chosen by itself, so File Names does not apply. */
	formField: string;
	/** Why files that are supported may not be compared, as far as they are known. */
	check: (parts: FilePart[], signal: AbortSignal) => Promise<DocumentError | undefined>;
}

/** A call that must not be repeated, so that the ledger knows it. Only JSON of one item is kept. */
interface OnceOnly {
	/** What makes one call like another besides the file. */
	asks: (read: ReadParameter) => { jobOperation?: string; templateId?: string };
	/** What has become of what an earlier run returned; undefined if the call has to be made anew. */
	renew?: (context: CallContext, json: IDataObject) => Promise<IDataObject | undefined>;
}

interface AnyOperation extends OperationMenu {
	/**
	 * One array of files for each document; an empty one for a document without files.
	 * @param files of each of the sources
	 */
	documents: (files: FileInput[][], item: InputItem) => Array<Array<FilePart<FileInput>>>;
	/** Text fields of the form; one that is blank is not sent. */
	textFields?: (read: ReadParameter) => Record<string, unknown>;
	/** How a document is named, where not by its files. Only called for items whose documents were given. */
	nameOf?: (item: InputItem) => Named;
	/** If the files of a document are compared with one of them. */
	comparison?: Comparison;
	/**
	 * The role of the input file. `passedOn`: Include Input File is on unless it is turned off, because the next step
	 * usually needs the file. `cut`: the files of the items are parts of it, and their names differ within a run.
	 */
	inputFile?: 'passedOn' | 'cut';
}

/** An operation that sends documents to be processed, directly or as jobs. `Result` is what is read for one document. */
export interface DocumentOperation<Result = unknown> extends AnyOperation {
	kind: 'document';
	path: string;
	maxFileBytes: number;
	outputs: NonNullable<OperationMenu['outputs']>;
	/** The start of the MIME type of a file that an answer may be instead of JSON, such as `image/`. */
	mayReturn?: string;
	statusMessages?: ServiceRequest['statusMessages'];
	/**
	 * Reads the data of a response, whatever its shape and Output, so also for Raw. Undefined if it cannot be read, null if it
	 * has no result for the document.
	 * @throws DocumentError if it says that the document was accepted without being processed
	 */
	parse(data: unknown, context: ResultContext): Result | null | undefined;
	/** What the output decides, as null: for data that cannot be read. */
	undecided?: IDataObject;
	/** If a request can have several files: the data that the response would have for one of them alone. */
	answerFor?(data: unknown, sentName: string): unknown;
	/** For a document without a result, if there is more to say than for any operation. */
	noResult?: FailureMessage;
	toOutputs(result: Result, context: ResultContext): Output[] | Promise<Output[]>;
	/** Whether the output needs what links in the result lead to: when they expire, a result that is kept is of no use. */
	followsLinks?(read: ReadParameter): boolean;
}

/** An operation that makes its own requests, one document at a time. Its files have the limit of stored ones. */
export interface CallOperation extends AnyOperation {
	kind: 'calls';
	execute: (context: CallContext) => Promise<Output[]>;
	onceOnly?: OnceOnly;
	/** Whether its documents wait for jobs of earlier runs, so that they hold no connection and cost nothing. */
	waitsForJobs?: boolean;
}

/** What differs from one operation to the next. What they share is in run/. */
export type Operation = DocumentOperation | CallOperation;

/** Limit for a file, also for one that is stored (docs/internals/service-contract.md, limits). */
export const MAX_FILE_BYTES = 10 * MB;

export function oneDocumentPerFile(formField: string): Operation['documents'] {
	return (files) => files.flat().map((file) => [{ formField, file }]);
}

export const ONE_FILE = {
	kind: 'document',
	maxFileBytes: MAX_FILE_BYTES,
	sources: [FILES_FROM],
	parameters: [],
	documents: oneDocumentPerFile('file'),
} satisfies Partial<DocumentOperation>;

export const NO_FILE = {
	kind: 'calls',
	sources: [],
	options: [],
	documents: () => [[]],
} satisfies Partial<CallOperation>;

export function simplified(description: string) {
	return { name: 'Simplified', value: 'fields', description };
}

/** For a document whose response has no result, although it may be billed. */
export function noResultError(
	message: string,
	suggestedFix: string,
	{ creditsConsumed, jobId }: ResultContext,
): DocumentError {
	const details = { httpCode: 200, ...(creditsConsumed === undefined ? {} : { creditsConsumed }) };
	const cost = isFreeJob({ creditsConsumed, jobId }) ? 'nothing' : 'document';
	return new DocumentError(message, suggestedFix, details, cost);
}

/**
 * Whatever kept a result that is there from being passed on.
 * @param operation what was to read it
 * @param cost what the result may have cost
 * @param next why the advice can be followed at no cost
 */
export function undelivered(
	subject: string,
	thrown: unknown,
	{ outputs }: Pick<OperationMenu, 'outputs'>,
	cost: Cost,
	next = '',
): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	const reason = messageOf(thrown);
	if (thrown instanceof StorageFailure)
		return new Undelivered(
			`The result for ${subject} could not be passed on: ${reason}`,
			joinSentences(CHECK_STORAGE, next),
			{},
			cost,
		);
	const advice = outputs !== undefined && "Set 'Output' to Raw to get the response as it is.";
	return new Undelivered(
		`The result for ${subject} could not be read: ${reason}`,
		joinSentences(advice, next),
		{},
		cost,
	);
}

/** For an answer that does not even say that nothing was found. */
const NO_RESULT = failureMessage(
	'Cogneris returned no result for %s',
	'Open the file and check that it is complete and legible.',
);

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
		const open = () => readHashed(content);
		const upload = new StreamedFile(uploadName, mimeType, content.bytes, open);
		form.append(fileField ?? formField, upload);
	}
	for (const [name, text] of texts) form.append(name, text);
	return form;
}

/** The file of a job: the form that stores it, or the reference of one that is stored already. */
export function jobFile(document: Document): InstanceType<typeof FormData> | { reference: string } {
	return document.stored ?? documentForm([document], undefined, 'file');
}

/** @param operation undefined for one that the node does not have: its response is passed on unchanged */
export async function outputsOf(
	operation: DocumentOperation | undefined,
	answer: Answer,
	ofDocument: ResultContext,
): Promise<Output[]> {
	if (answer.kind === 'file') return [await fileOutput(ofDocument, answer)];
	const { creditsConsumed, jobId, data, asSent = data } = answer;
	const context = { ...ofDocument, creditsConsumed, jobId };
	// A success without data is no result (docs/internals/service-contract.md, Envelope).
	if (isMissing(data)) return [noResultError(...NO_RESULT(context.document.subject), context)];
	const raw = { json: itemJson(asSent) };
	const isRaw = context.output === 'raw';
	if (operation === undefined) return [isRaw ? raw : unreadOutput(asSent, context)];
	if (isRaw) {
		failIfRefused(operation, data, context);
		return [raw];
	}
	const result = operation.parse(data, context);
	return isMissing(result)
		? [outputWithoutResult(operation, data, context, result === undefined)]
		: await operation.toOutputs(result, context);
}

/**
 * Raw needs nothing but the reason why the document was not processed, and returns what nothing else can read.
 * @throws DocumentError
 */
function failIfRefused(operation: DocumentOperation, data: unknown, context: ResultContext): void {
	try {
		operation.parse(data, context);
	} catch (thrown) {
		if (thrown instanceof DocumentError) throw thrown as Error;
	}
}

/** Data that is there and cannot be read is passed on; only data that is missing is no result. */
function outputWithoutResult(
	operation: DocumentOperation,
	data: unknown,
	context: ResultContext,
	isUnread: boolean,
): Output {
	if (isUnread && !isEmpty(data)) return unreadOutput(data, context, operation.undecided);
	const describe = operation.noResult ?? NO_RESULT;
	return noResultError(...describe(context.document.subject), context);
}

function isMissing(value: unknown): boolean {
	return (value ?? null) === null;
}

const UNREAD = 'the response is in an unknown format';

/**
 * Data that cannot be read, whole and as it is. A person has to look at it, even if no option asks for a review: no other
 * step could tell it from a result. Its names give way to those that say so.
 */
function unreadOutput(
	data: unknown,
	{ document, notes, output }: ResultContext,
	decision?: IDataObject,
): Output {
	notes.add('unread', document.subject);
	const reviewReasons = isRows(output) ? UNREAD : [UNREAD];
	const json = withAdditions({ ...decision, needsReview: true, reviewReasons }, itemJson(data));
	return { json: withAdditions(json, { fileName: document.fileName }) };
}

async function fileOutput(
	{ files, document }: ResultContext,
	{ bytes, mimeType }: FileAnswer,
): Promise<Output> {
	const name = nameOfPart(document, 0, mimeType);
	const binary = await storeBytes(files, bytes, name, mimeType);
	return { json: { fileName: document.fileName, index: 0 }, binary: { data: binary } };
}

/** For example `scan-1.png`, for the first part of `scan.jpg`. */
export function nameOfPart({ fileName, subject }: Named, index: number, mimeType: string) {
	const subtype = /^(?:image\/|application\/(?=zip$))([a-z0-9-]{1,20})(\+|$)/.exec(mimeType)?.[1];
	const extension = typeOfMimeType(mimeType)?.extensions[0] ?? subtype ?? 'bin';
	return partName(fileName ?? subject, index + 1, null, extension);
}
