import type { IExecuteFunctions } from 'n8n-workflow';

import { DocumentError } from '../errors';
import { checkFile } from '../files/checks';
import { filesOfItem, subjectOf, type InputFile } from '../files/inputFiles';
import { remoteFiles } from '../files/remoteFile';
import { type Document, type FilePartInput, type InputItem, type Operation } from './operation';
import { readNumber, TIMEOUT } from '../parameters/options';
import { parameterReader } from '../parameters/readParameter';
import type { Hints } from './hints';
import type { Loaded, Ready } from './runBatch';

/** A document that cannot be sent. */
export interface Refused {
	item: InputItem;
	refusal: unknown;
	fileName?: string;
}

/** The documents of all items in their order, each ready to be sent or refused. Makes no request. */
export async function planItems(
	context: IExecuteFunctions,
	operation: Operation,
	hints: Hints,
): Promise<Array<Ready | Refused>> {
	const planned: Array<Ready | Refused> = [];
	for (const itemIndex of context.getInputData().keys()) {
		const item = inputItem(context, itemIndex);
		try {
			// Looking at thousands of files takes seconds, which a stop does not wait for.
			context.getExecutionCancelSignal()?.throwIfAborted();
			readAllParameters(context, itemIndex);
			const documents = await operation.documents(item);
			planned.push(...documents.flatMap((parts) => planDocument(item, parts, operation, hints)));
		} catch (refusal) {
			planned.push({ item, refusal });
		}
	}
	return planned;
}

/** Some are needed only once an answer is there: an expression among them that cannot be evaluated would cost a paid result. */
function readAllParameters(context: IExecuteFunctions, itemIndex: number): void {
	for (const name of Object.keys(context.getNode().parameters))
		context.getNodeParameter(name, itemIndex);
}

function planDocument(
	item: InputItem,
	inputs: FilePartInput[],
	operation: Operation,
	hints: Hints,
): Array<Ready | Refused> {
	const kept = inputs.filter(({ file }) => !('content' in file && isSkipped(file, item, hints)));
	if (!fillsFormOf(inputs, kept)) return [];
	for (const { file } of kept) {
		if (file instanceof DocumentError) return [{ item, refusal: file }];
		if ('fetch' in file) continue;
		const refusal = checkFile(file, operation.maxFileBytes);
		if (refusal !== undefined) return [{ item, refusal, fileName: file.name }];
	}
	const [first] = kept.map(({ file }) => file);
	const skipped = inputs.length - kept.length;
	return [
		{
			item,
			subject: subjectOf([{ parts: kept }]),
			...(first === undefined || 'fetch' in first ? {} : { fileName: first.name }),
			load: async () => await loadDocument(item, kept, skipped, operation, hints),
		},
	];
}

async function loadDocument(
	item: InputItem,
	inputs: FilePartInput[],
	skippedBefore: number,
	operation: Operation,
	hints: Hints,
): Promise<Loaded> {
	const limits = {
		maxBytes: operation.maxFileBytes,
		seconds: readNumber(item.read, TIMEOUT, operation.timeoutSeconds),
	};
	const parts: Document['parts'] = [];
	for (const { formField, file: input } of inputs) {
		if (input instanceof DocumentError) throw input;
		const file = 'fetch' in input ? await input.fetch(limits) : input;
		if (isSkipped(file, item, hints)) continue;
		const refusal = checkFile(file, operation.maxFileBytes);
		if (refusal !== undefined) return { failure: refusal, fileName: file.name };
		parts.push({ formField, file });
	}
	return fillsFormOf(inputs, parts)
		? {
				document: {
					itemIndex: item.itemIndex,
					parts,
					skipped: skippedBefore + inputs.length - parts.length,
				},
			}
		: 'leftOut';
}

/** Whether Ignore Unsupported Files skips the file, which the hint then names. */
function isSkipped(file: InputFile, { read }: InputItem, hints: Hints): boolean {
	if (file.type !== undefined || !read('options.ignoreUnsupportedFiles', false)) return false;
	hints.leftOut.push(`"${file.name}"`);
	return true;
}

/** Whether no form field has lost its last file: without one of them there is nothing to ask the service. */
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
