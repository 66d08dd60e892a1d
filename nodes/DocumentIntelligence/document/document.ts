import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { InputFile, MissingFile } from '../files/inputFiles';
import type { Link } from '../files/links';
import type { DocumentValues } from '../results/rows';
import { DocumentError } from '../text/errors';
import type { Note } from '../text/notes';

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

/** What a document got before. Bytes, because nothing can change them and their size is known. */
export type Past =
	/** Cogneris' answer as JSON or, with a MIME type, as the file that it is. */
	| {
			readonly kind: 'answer';
			readonly bytes: Uint8Array;
			readonly mimeType?: string;
			/** Absent if Cogneris does not report them, here and below. */
			readonly credits?: number;
	  }
	/** The JSON of a call that submits or stores a file. */
	| { readonly kind: 'outputs'; readonly bytes: Uint8Array }
	/** Submitted, and its outcome is not known. */
	| { readonly kind: 'job'; readonly jobId: string }
	/** In flight in a run that was stopped. Null if it ended at no cost; never rejected. */
	| { readonly kind: 'pending'; readonly outcome: Promise<Past | null> }
	/** May be billed, and has no usable result. */
	| { readonly kind: 'lost'; readonly failure: DocumentError };

/** What the memory of this process has of a document. */
export interface Entry {
	/** What is in flight becomes what arrives. */
	past: Past;
	/** How a run has passed it on; absent if none has. */
	readonly passedOn?: 'byHand' | 'automatically';
	/** Of which it is. */
	readonly execution: string;
	/** Of the node in that execution, such as the pass of a loop. */
	readonly runIndex: number;
	/** When it came, in milliseconds. */
	since: number;
}

/** What n8n's history says of a document that is not to be processed again: `unanswered` if it may be billed, but has no result. */
export type Processed = 'answered' | 'unanswered';

/** All that is known of a document before a run sends it. */
export interface Known {
	/** What no run has passed on. */
	readonly kept?: Entry;
	/** What was passed on, and may be returned again. */
	readonly reusable?: Entry;
	/** Absent if n8n's history does not have it, or was not asked. */
	readonly processed?: Processed;
}

/** What is used in place of sending a document and, if it is of no use, what else is known. */
export interface Earlier extends Entry {
	readonly otherwise: Known;
}

/** How a document gets its answer: by a request, as a job, or by what its operation calls. */
export type Route =
	| { via: 'direct' }
	| { via: 'job'; operation: string; templateId: string | undefined }
	| { via: 'calls' };

/** What an item's parameters mean for all of its documents, read once. */
export interface Settings {
	/** The choice of Output; empty if the operation has none. */
	output: string;
	timeoutSeconds: number;
	filesPerRequest: number;
	/** Limit for a file on the route that is chosen. */
	maxFileBytes: number;
	/** Chosen, or because the item has supported files next to them. */
	ignoresUnsupportedFiles: boolean;
	/** Whether a file is to be processed, by its name; null without the option File Names. */
	isWantedName: ((fileName: string) => boolean) | null;
	/** The choice of Files Processed Before; null without the option. */
	processedBefore: 'process' | 'reuse' | 'skip' | 'record' | null;
}

/** What is known of a document however early it ends. */
export interface AnyDocument extends Named {
	/** Its number in the run, which is the order of the output. */
	place: number;
	item: InputItem;
	/** Null if it ended before the route was chosen. */
	route: Route | null;
	/** What it got before and is used instead of the route; null if there is none. */
	earlier: Earlier | null;
	notes: readonly Note[];
}

export interface DocumentBase extends AnyDocument {
	route: Route;
	settings: Settings;
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

/** A document with links that have not been followed. */
export interface Planned extends DocumentBase {
	state: 'planned';
	inputs: Array<FilePart<FileInput>>;
}

/** A document whose files are checked and at hand. */
export interface Ready extends DocumentBase, Document {
	state: 'ready';
}

/** A document whose files are at hand, whatever its state. */
export type Loaded = Omit<Ready, 'state'>;

/** A document that becomes no item: skipped, or not sent because the run had failed, which is no failure of its own. */
export interface Omitted extends AnyDocument {
	state: 'skipped' | 'unsent';
	/** What n8n's history records of a document that was skipped; absent if it stays as it is. */
	recordedAs?: Processed;
}

export interface Failed extends AnyDocument {
	state: 'failed';
	failure: DocumentError;
	/** Null if it failed before its files were at hand. */
	loaded: Loaded | null;
	/** What this execution has paid for it, here and below. */
	credits?: number;
}

/** A document that was answered. Parts of its result may have failed; one that failed as a whole has one output. */
export interface Answered extends Loaded {
	state: 'answered';
	outputs: Output[];
	credits?: number;
}

export type Open = Planned | Ready;

export type Ended = Omitted | Failed | Answered;

export function isOpen(document: Open | Ended): document is Open {
	return document.state === 'planned' || document.state === 'ready';
}

/** With its files; null if they were not at hand, or if it becomes no item. */
export function loadedOf(ended: Ended): Loaded | null {
	if (ended.state === 'answered') return ended;
	return ended.state === 'failed' ? ended.loaded : null;
}

/** Whether it was answered, or failed in a way that leaves open whether it is billed. */
export function mayBeBilled(ended: Ended): ended is Failed | Answered {
	return ended.state === 'answered' || (ended.state === 'failed' && ended.failure.mayBeBilled);
}
