import type { IExecuteFunctions } from 'n8n-workflow';

import { asDocumentError, DocumentError } from '../errors';
import { MAX_JOB_FILE_BYTES, readJobPlan, refusalOfJob } from './asJob';
import { checkFile } from '../files/checks';
import { filesOfItem, subjectOf, type InputFile } from '../files/inputFiles';
import { remoteFiles } from '../files/remoteFile';
import type { Document, FileInput, FilePart, InputItem, Operation } from './operation';
import { readNumber, readSwitch, TIMEOUT } from '../parameters/options';
import { parameterReader } from '../parameters/readParameter';
import type { Hints } from './hints';

/** A document before its files are all there. */
export interface PlannedDocument {
	/** Among the documents of all items, from 0. */
	place: number;
	item: InputItem;
	/** Its name or link in quotes, for messages. */
	subject: string;
	/** Known only where no link has to be followed first. */
	fileName?: string;
	parts: Array<FilePart<FileInput>>;
	/** Why it cannot be sent. */
	refusal?: DocumentError;
	/** How many of its files Ignore Unsupported Files skipped. */
	skipped: number;
}

/** The documents of all items in order, each ready to be sent or with the reason why not. Makes no request. */
export async function planItems(
	context: IExecuteFunctions,
	operation: Operation,
	hints: Hints,
): Promise<PlannedDocument[]> {
	const planned: PlannedDocument[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		const item = inputItem(context, itemIndex);
		const plan = (parts: PlannedDocument['parts'], refusal?: DocumentError) => {
			const kept = parts.filter(({ file }) => !('content' in file && isSkipped(file, item, hints)));
			if (!fillsFormOf(parts, kept)) return;
			const [first] = kept.map(({ file }) => file);
			planned.push({
				place: planned.length,
				item,
				subject: subjectOf([{ parts: kept }]),
				fileName: first !== undefined && 'content' in first ? first.name : undefined,
				parts: kept,
				refusal:
					refusal ??
					refusalOfJob(operation, item.read) ??
					refusalOf(kept, maxFileBytes(operation, item)),
				skipped: parts.length - kept.length,
			});
		};
		try {
			// Looking at thousands of files takes seconds, and stopping the execution should not.
			context.getExecutionCancelSignal()?.throwIfAborted();
			readAllParameters(context, itemIndex);
			for (const parts of await operation.documents(item)) plan(parts);
		} catch (thrown) {
			plan([], asDocumentError(thrown));
		}
	}
	return planned;
}

/** Some are needed only after the response: an expression that fails then would lose a result that is billed. */
function readAllParameters(context: IExecuteFunctions, itemIndex: number): void {
	for (const name of Object.keys(context.getNode().parameters))
		context.getNodeParameter(name, itemIndex);
}

/** The largest file that the way takes which the item goes. */
function maxFileBytes(operation: Operation, { read }: InputItem): number {
	const isJob = readJobPlan(operation, read) !== undefined;
	return isJob ? MAX_JOB_FILE_BYTES : operation.maxFileBytes;
}

/** The first thing that keeps a document from being sent, as far as it is known before links are followed. */
function refusalOf(parts: PlannedDocument['parts'], maxBytes: number): DocumentError | undefined {
	for (const { file } of parts) {
		if (file instanceof DocumentError) return file;
		const refusal = 'content' in file ? checkFile(file, maxBytes) : undefined;
		if (refusal !== undefined) return refusal;
	}
	return undefined;
}

/**
 * Fetches the files that are still behind links.
 *
 * @returns undefined where Ignore Unsupported Files leaves none
 * @throws DocumentError where one cannot be downloaded or sent
 */
export async function loadDocument(
	{ item, parts: planned, skipped }: PlannedDocument,
	operation: Operation,
	hints: Hints,
): Promise<Document | undefined> {
	const limits = {
		maxBytes: maxFileBytes(operation, item),
		seconds: readNumber(item.read, TIMEOUT, operation.timeoutSeconds),
	};
	const parts: Document['parts'] = [];
	for (const { formField, file: input } of planned) {
		if (input instanceof DocumentError) throw input;
		const file = 'fetch' in input ? await input.fetch(limits) : input;
		if (isSkipped(file, item, hints)) continue;
		const refusal = checkFile(file, limits.maxBytes);
		if (refusal !== undefined) throw refusal;
		parts.push({ formField, file });
	}
	if (!fillsFormOf(planned, parts)) return undefined;
	return { item, parts, skipped: skipped + planned.length - parts.length };
}

/** Whether Ignore Unsupported Files skips the file, which the hint then names. */
function isSkipped(file: InputFile, { read }: InputItem, hints: Hints): boolean {
	if (file.type !== undefined || !readSwitch(read, 'ignoreUnsupportedFiles', false)) return false;
	hints.skippedFiles.push(`"${file.name}"`);
	return true;
}

/** Whether every form field still has a file: the service needs all of them. */
function fillsFormOf(
	inputs: Array<{ formField: string }>,
	kept: Array<{ formField: string }>,
): boolean {
	const filled = new Set(kept.map(({ formField }) => formField));
	return inputs.every(({ formField }) => filled.has(formField));
}

function inputItem(context: IExecuteFunctions, itemIndex: number): InputItem {
	const read = parameterReader(context, itemIndex);
	return {
		itemIndex,
		read,
		json: context.getInputData()[itemIndex]?.json ?? {},
		files: async ({ binaryField, binaryFieldLabel: label, single, url, urlLabel }, except) =>
			read<string>('inputSource', 'binaryField') === 'fileUrl'
				? remoteFiles(context, read<unknown>(url, ''), urlLabel)
				: await filesOfItem(context, itemIndex, read<unknown>(binaryField, ''), {
						label,
						single,
						except,
					}),
	};
}
