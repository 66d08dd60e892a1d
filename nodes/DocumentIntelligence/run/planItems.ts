import type { IExecuteFunctions } from 'n8n-workflow';

import { asDocumentError, DocumentError } from '../text/errors';
import { MAX_JOB_FILE_BYTES, readJobPlan, refusalOfProcessing } from '../operations/asJob';

import { checkFile, filesOfItem, subjectOf, type InputFile } from '../files/inputFiles';
import { remoteFiles } from '../files/remoteFile';
import type {
	Document,
	FileInput,
	FilePart,
	InputItem,
	Named,
	Operation,
} from '../operations/operation';
import { readNumber, readSwitch, TIMEOUT } from '../parameters/options';
import { parameterReader } from '../parameters/readParameter';
import type { Hints } from '../text/hints';
import { readsStoredFile, readStoredFile } from '../operations/storedFileDownload';

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
	isSandbox: boolean,
): Promise<PlannedDocument[]> {
	const planned: PlannedDocument[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		const item = inputItem(context, itemIndex, isSandbox);
		const plan = (parts: PlannedDocument['parts'], refusal?: DocumentError) => {
			const kept = parts.filter(({ file }) => !('content' in file && isSkipped(file, item, hints)));
			if (!fillsFormOf(parts, kept)) return;
			const files = kept.map(({ file }) => file);
			const [first] = files;
			const isLink = first !== undefined && 'fetch' in first;
			const { subject, fileName } = named(operation, item, files, refusal);
			planned.push({
				place: planned.length,
				item,
				subject,
				fileName: isLink ? undefined : (fileName ?? undefined),
				parts: kept,
				refusal:
					refusal ??
					refusalOf(kept, maxFileBytes(operation, item)) ??
					refusalOfProcessing(operation, item, subject),
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

/** As the operation names it, else as its files are named. */
function named(
	{ nameOf }: Operation,
	item: InputItem,
	files: Array<{ name: string }>,
	refusal?: DocumentError,
): Named {
	if (nameOf !== undefined && refusal === undefined) return nameOf(item);
	const [first] = files;
	return {
		subject: subjectOf(files.map(({ name }) => `"${name}"`)),
		fileName: first === undefined || first instanceof DocumentError ? null : first.name,
	};
}

/** The largest file that the way takes which the item goes. */
function maxFileBytes(operation: Operation, item: InputItem): number {
	const isStored = operation.ask !== undefined || readJobPlan(operation, item) !== undefined;
	return isStored ? MAX_JOB_FILE_BYTES : operation.maxFileBytes;
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
	const kept: PlannedDocument['parts'] = [];
	let reference: string | undefined;
	for (const { formField, file: input } of planned) {
		if (input instanceof DocumentError) throw input;
		if ('reference' in input) {
			({ reference } = input);
			kept.push({ formField, file: input });
			continue;
		}
		const file = 'fetch' in input ? await input.fetch(limits) : input;
		if (isSkipped(file, item, hints)) continue;
		const refusal = checkFile(file, limits.maxBytes);
		if (refusal !== undefined) throw refusal;
		parts.push({ formField, file });
		kept.push({ formField, file });
	}
	if (!fillsFormOf(planned, kept)) return undefined;
	return {
		...named(
			operation,
			item,
			kept.map(({ file }) => file),
		),
		item,
		parts,
		...(reference === undefined ? {} : { reference }),
		skipped: skipped + planned.length - kept.length,
	};
}

/** Whether Ignore Unsupported Files skips the file, which the hint then names. */
function isSkipped(file: InputFile, { read }: InputItem, hints: Hints): boolean {
	if (file.type !== undefined || !readSwitch(read, 'ignoreUnsupportedFiles', false)) return false;
	hints.add('skipped', `"${file.name}" (unsupported file type)`);
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

function inputItem(context: IExecuteFunctions, itemIndex: number, isSandbox: boolean): InputItem {
	const read = parameterReader(context, itemIndex);
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	return {
		itemIndex,
		read,
		json,
		isSandbox,
		files: async (source, except) => {
			if (readsStoredFile(read)) {
				if (source.storable) return [readStoredFile(read, json)];
				throw new DocumentError(
					'This operation takes no stored file',
					"Choose Binary Field or File URL as 'Input Source'. Nothing was sent.",
				);
			}
			const { binaryField, url, single } = source;
			if (read<string>('inputSource', 'binaryField') === 'fileUrl')
				return remoteFiles(context, read<unknown>(url.name, ''), url.displayName);
			const value = read<unknown>(binaryField.name, '');
			const parameter = { label: binaryField.displayName, single, except };
			return await filesOfItem(context, itemIndex, value, parameter);
		},
	};
}
