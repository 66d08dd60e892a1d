import type { IExecuteFunctions } from 'n8n-workflow';

import type { FileInput, InputItem, Named } from '../document/document';
import { filesOfItem } from '../files/inputFiles';
import { readLinks } from '../files/links';
import {
	FILES_FROM,
	readInputSource,
	readStoredFile,
	type FileSource,
} from '../parameters/fileParameters';
import { checkParameters, readOutput } from '../parameters/menu';
import { parseNamePatterns } from '../parameters/namePatterns';
import {
	FILES_PER_REQUEST,
	FILES_PROCESSED_BEFORE,
	REQUIRED_FIELDS,
	TEMPLATE,
	TIMEOUT,
} from '../parameters/options';
import {
	parseNames,
	readNumber,
	readSwitch,
	readTemplateId,
	type ReadParameter,
} from '../parameters/read';
import { LIVE_KEY_PREFIX } from '../text/cogneris';
import { DocumentError } from '../text/errors';
import { readChecks } from '../operations/document/documentFields';
import { MAX_FILE_BYTES, textsOf, type Operation } from '../operations/operation';

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
	/** The choice of Files Processed Before, or what applies without one. */
	processedBefore: 'process' | 'reuse' | 'skip' | 'record' | 'testRun';
}

/** The route that an item's parameters choose for its documents. */
export function readRoute(operation: Operation, read: ReadParameter, isSandbox: boolean): Route {
	const { kind, jobOperation, parameters } = operation;
	if (kind === 'calls') return { via: 'calls' };
	if (jobOperation === undefined) return { via: 'direct' };
	const templateId = parameters.includes(TEMPLATE) ? readTemplateId(read) : undefined;
	const processing = read<string>('options.processing', 'automatic');
	const isChosen = processing === 'job' || (processing === 'automatic' && isSandbox);
	// Only jobs take a template or a stored file.
	const isStored = read<unknown>('inputSource', '') === 'storedFile';
	return isChosen || isStored || templateId !== undefined
		? { via: 'job', operation: jobOperation, templateId }
		: { via: 'direct' };
}

/** Why a document cannot take its route, said before anything is sent. */
export function checkRoute(
	operation: Operation,
	{ item, subject, route }: Named & { item: InputItem; route: Route },
	isSandbox: boolean,
): DocumentError | undefined {
	if (isSandbox && route.via === 'direct' && operation.jobOperation === undefined)
		return new DocumentError(
			`${operation.name} needs a live key, so ${subject} was not sent`,
			`Choose a credential with a live key (${LIVE_KEY_PREFIX}). A sandbox key works with jobs only.`,
		);
	if (isSandbox && route.via === 'direct')
		return new DocumentError(
			`A sandbox key works with jobs only, so ${subject} was not sent`,
			`Set 'Processing' to Automatic or As a Job, or use a live key (${LIVE_KEY_PREFIX}).`,
		);
	if (route.via === 'job' && textsOf(operation, item.read).length > 0)
		return new DocumentError(
			"Jobs don't support 'Additional Instructions'",
			isSandbox
				? `Clear 'Additional Instructions', or use a live key (${LIVE_KEY_PREFIX}). A sandbox key works with jobs only. Nothing was sent.`
				: "Clear 'Additional Instructions', or set 'Processing' to Direct. Stored files and documents with a chosen template are always processed as jobs. Nothing was sent.",
		);
	return undefined;
}

/**
 * @param files of all documents of the item
 * @param isTestRun whether results of earlier runs by hand are returned without a choice
 * @throws DocumentError for a parameter that cannot be read
 */
export function readSettings(
	operation: Operation,
	read: ReadParameter,
	route: Route,
	files: FileInput[],
	isTestRun: boolean,
): Settings {
	const { options, timeout = TIMEOUT } = operation;
	const output = readOutput(operation, read);
	checkParameters(operation, read);
	// Also where the option is hidden: a result that it cannot be applied to may be billed by then.
	if (options.includes(REQUIRED_FIELDS)) readChecks(read);
	const fileNames = read<unknown>('options.fileNames', null);
	const isDirect = operation.kind === 'document' && route.via === 'direct';
	const filesPerRequest = options.includes(FILES_PER_REQUEST)
		? readNumber(read, FILES_PER_REQUEST)
		: 1;
	if (isDirect && filesPerRequest > 1 && output === 'raw')
		throw new DocumentError(
			"With 'Files per Request' above 1, 'Output' cannot be Raw",
			"Nothing was sent. Choose Simplified, or set 'Files per Request' to 1.",
		);
	return {
		output,
		timeoutSeconds: readNumber(read, timeout),
		filesPerRequest,
		maxFileBytes: isDirect ? operation.maxFileBytes : MAX_FILE_BYTES,
		isWantedName: fileNames === null ? null : parseNamePatterns(fileNames),
		ignoresUnsupportedFiles:
			readSwitch(read, 'options.ignoreUnsupportedFiles', false) || isMixed(files, read),
		processedBefore: offersProcessedBefore(operation)
			? read(`options.${FILES_PROCESSED_BEFORE.name}`, isTestRun ? 'testRun' : 'process')
			: 'process',
	};
}

/** Whether the user can choose what happens to documents that were passed on before. */
export function offersProcessedBefore({ options }: Operation): boolean {
	return options.includes(FILES_PROCESSED_BEFORE);
}

/** The files that an item's parameters name, each once, in order. */
export async function readFiles(
	context: IExecuteFunctions,
	{ itemIndex, json, read }: InputItem,
	from: FileSource,
): Promise<FileInput[]> {
	const source = readInputSource(from, read);
	if (source === 'storedFile') return [readStoredFile(read, json)];
	const { binaryField, url } = from;
	if (source === 'fileUrl') return readLinks(read<unknown>(url.name, ''), url.displayName);
	const value = read<unknown>(binaryField.name, '');
	return await filesOfItem(context, itemIndex, value, binaryField.displayName);
}

/** Whether `*` stands for supported and other files, as in a mail. */
function isMixed(files: FileInput[], read: ReadParameter): boolean {
	const isEveryFile = parseNames(read<unknown>(FILES_FROM.binaryField.name, '')).includes('*');
	return isEveryFile && files.some((file) => file.kind === 'file' && file.type !== undefined);
}
