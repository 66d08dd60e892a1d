import type { IExecuteFunctions } from 'n8n-workflow';

import { filesOfItem, checkFile, subjectOf, type InputFile } from '../files/inputFiles';
import { remoteFiles } from '../files/remoteFile';
import { MAX_JOB_FILE_BYTES, readJobPlan, refusalOfProcessing } from '../operations/asJob';
import type { Document, FileInput, InputItem, Named, Operation } from '../operations/operation';
import { readStoredFile } from '../operations/storedFileDownload';
import { FILES_FROM } from '../parameters/fileParameters';
import { readInputSource, readOutput } from '../parameters/menu';
import { TIMEOUT } from '../parameters/options';
import { namesIn, readNumber, readSwitch, parameterReader } from '../parameters/read';
import { cancelledBy } from '../service/client';
import { asDocumentError, DocumentError } from '../text/errors';
import type { Run, RunDocument } from './run';

/** The documents of all items in order; one that cannot be sent has ended. Makes no request. */
export async function planItems(run: Run): Promise<RunDocument[]> {
	const { operation, session } = run;
	const context = cancelledBy(run.context, session.signal);
	const documents: RunDocument[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		const item = inputItem(context, itemIndex, session.account.isSandbox);
		try {
			// Thousands of files take seconds, and a stop should not.
			session.cancelled.throwIfAborted();
			readAllParameters(context, itemIndex);
			readOutput(operation, item.read);
			const wanted = await operation.documents(item);
			const isSkipped = skipsIn(wanted.flat(), item);
			for (const parts of wanted) {
				const document = planDocument(run, item, parts, isSkipped);
				if (document !== undefined) documents.push(document);
			}
		} catch (thrown) {
			const document = { item, ...namedByFiles([]), fileName: undefined, parts: [], skipped: 0 };
			run.end(document, [asDocumentError(thrown)]);
			documents.push(document);
		}
	}
	return documents;
}

/** Some are needed only after the response: an expression that fails then would lose a result that is billed. */
function readAllParameters(context: IExecuteFunctions, itemIndex: number): void {
	for (const name of Object.keys(context.getNode().parameters))
		context.getNodeParameter(name, itemIndex);
}

/** @returns undefined if none of its files is left */
function planDocument(
	run: Run,
	item: InputItem,
	parts: RunDocument['parts'],
	isSkipped: (file: FileInput) => boolean,
): RunDocument | undefined {
	const { operation } = run;
	const kept = parts.filter(({ file }) => !isSkipped(file));
	noteSkipped(run, parts, kept);
	if (!fillsFormOf(parts, kept)) return undefined;
	const files = kept.map(({ file }) => file);
	const { subject, fileName } = operation.nameOf?.(item) ?? namedByFiles(files);
	const document: RunDocument = {
		item,
		subject,
		fileName: files[0] !== undefined && 'fetch' in files[0] ? undefined : (fileName ?? undefined),
		parts: kept,
		skipped: parts.length - kept.length,
	};
	const refusal =
		refusalOf(files, maxFileBytes(operation, item)) ??
		refusalOfProcessing(operation, item, subject);
	if (refusal !== undefined) run.end(document, [refusal]);
	return document;
}

/**
 * Which files of an item are skipped: unsupported ones with Ignore Unsupported Files, or if `*` stands for them and a
 * supported one, as for a mail with an invoice and a calendar entry.
 */
function skipsIn(parts: RunDocument['parts'], { read }: InputItem): (file: FileInput) => boolean {
	const isUnsupported = (file: FileInput) => 'content' in file && file.type === undefined;
	const isEveryFile = namesIn(read<unknown>(FILES_FROM.binaryField.name, '')).includes('*');
	const hasSupported = parts.some(({ file }) => 'content' in file && file.type !== undefined);
	const isOn = readSwitch(read, 'ignoreUnsupportedFiles', false) || (isEveryFile && hasSupported);
	return (file) => isOn && isUnsupported(file);
}

function noteSkipped(run: Run, parts: RunDocument['parts'], kept: RunDocument['parts']): void {
	for (const part of parts) {
		if (!kept.includes(part) && 'name' in part.file)
			run.hints.add('skipped', `"${part.file.name}" (unsupported file type)`);
	}
}

/** Whether every form field still has a file: the service needs all of them. */
function fillsFormOf(
	inputs: Array<{ formField: string }>,
	kept: Array<{ formField: string }>,
): boolean {
	const filled = new Set(kept.map(({ formField }) => formField));
	return inputs.every(({ formField }) => filled.has(formField));
}

function namedByFiles(files: FileInput[]): Named {
	const [first] = files;
	return {
		subject: subjectOf(files.map(({ name }) => `"${name}"`)),
		fileName: first === undefined || first instanceof DocumentError ? null : first.name,
	};
}

/** The limit for a file on the way that its item goes. */
function maxFileBytes(operation: Operation, item: InputItem): number {
	const isStored = operation.ask !== undefined || readJobPlan(operation, item) !== undefined;
	return isStored ? MAX_JOB_FILE_BYTES : operation.maxFileBytes;
}

/** The first thing that keeps a document from being sent, as far as it is known before links are followed. */
function refusalOf(files: FileInput[], maxBytes: number): DocumentError | undefined {
	for (const file of files) {
		if (file instanceof DocumentError) return file;
		const refusal = 'content' in file ? checkFile(file, maxBytes) : undefined;
		if (refusal !== undefined) return refusal;
	}
	return undefined;
}

/**
 * Fetches the files that are still behind links.
 *
 * @returns undefined if Ignore Unsupported Files leaves none
 * @throws DocumentError if one cannot be downloaded or sent
 */
export async function loadDocument(
	run: Run,
	{ item, parts: planned, skipped }: RunDocument,
): Promise<Document | undefined> {
	const { operation } = run;
	const maxBytes = maxFileBytes(operation, item);
	const seconds = readNumber(item.read, TIMEOUT, operation.timeoutSeconds);
	const parts = await Promise.all(
		planned.map(async ({ formField, file }) => ({
			formField,
			file: 'fetch' in file ? await file.fetch({ maxBytes, seconds }) : file,
		})),
	);
	const isSkipped = skipsIn([], item);
	const kept = parts.filter(({ file }) => !isSkipped(file));
	noteSkipped(run, parts, kept);
	if (!fillsFormOf(parts, kept)) return undefined;
	const files = kept.map(({ file }) => file);
	const refusal = refusalOf(files, maxBytes);
	if (refusal !== undefined) throw refusal;
	const [first] = files;
	const isInputFile = (part: {
		formField: string;
		file: FileInput;
	}): part is { formField: string; file: InputFile } => 'content' in part.file;
	return {
		...(operation.nameOf?.(item) ?? namedByFiles(files)),
		item,
		parts: kept.filter(isInputFile),
		...(first !== undefined && 'reference' in first ? { reference: first.reference } : {}),
		skipped: skipped + parts.length - kept.length,
	};
}

function inputItem(context: IExecuteFunctions, itemIndex: number, isSandbox: boolean): InputItem {
	const read = parameterReader(context, itemIndex);
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	return {
		itemIndex,
		read,
		json,
		isSandbox,
		files: async (from, except) => {
			const source = readInputSource(read);
			if (source === 'storedFile') {
				if (from.storable) return [readStoredFile(read, json)];
				throw new DocumentError(
					'This operation takes no stored file',
					"Choose Binary Field or File URL as 'Input Source'. Nothing was sent.",
				);
			}
			const { binaryField, url, single } = from;
			if (source === 'fileUrl')
				return remoteFiles(context, read<unknown>(url.name, ''), url.displayName);
			const value = read<unknown>(binaryField.name, '');
			const parameter = { label: binaryField.displayName, single, except };
			return await filesOfItem(context, itemIndex, value, parameter);
		},
	};
}
