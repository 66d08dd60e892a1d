import type { IExecuteFunctions } from 'n8n-workflow';

import { DocumentError } from '../errors';
import { checkFile } from '../files/checks';
import { filesOfItem, noFile } from '../files/inputFiles';
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
		const item = inputItem(context, itemIndex, hints);
		try {
			readAllParameters(context, itemIndex);
			const documents = await operation.documents(item);
			const usable = new Set(documents);
			const leaveOut: LeaveOut = (parts, name) => {
				hints.leftOut.push(`"${name}"`);
				usable.delete(parts);
				if (usable.size === 0) throw noFile(itemIndex, true);
			};
			planned.push(...documents.map((parts) => planDocument(item, parts, operation, leaveOut)));
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

/** Takes out a document whose kind was not known before it was fetched. Throws when the item has no other. */
type LeaveOut = (parts: FilePartInput[], name: string) => void;

function planDocument(
	item: InputItem,
	inputs: FilePartInput[],
	operation: Operation,
	leaveOut: LeaveOut,
): Ready | Refused {
	for (const { file } of inputs) {
		if (file instanceof DocumentError) return { item, refusal: file };
		if ('fetch' in file) continue;
		const refusal = checkFile(file, operation.maxFileBytes);
		if (refusal !== undefined) return { item, refusal, fileName: file.name };
	}
	return { item, load: async () => await loadDocument(item, inputs, operation, leaveOut) };
}

async function loadDocument(
	{ itemIndex, read }: InputItem,
	inputs: FilePartInput[],
	operation: Operation,
	leaveOut: LeaveOut,
): Promise<Loaded> {
	const limits = {
		maxBytes: operation.maxFileBytes,
		seconds: readNumber(read, TIMEOUT, operation.timeoutSeconds),
	};
	const parts: Document['parts'] = [];
	for (const { formField, file: input } of inputs) {
		if (input instanceof DocumentError) throw input;
		const file = 'fetch' in input ? await input.fetch(limits) : input;
		if (
			inputs.length === 1 &&
			file.type === undefined &&
			read('options.ignoreUnsupportedFiles', false)
		) {
			leaveOut(inputs, file.name);
			return 'leftOut';
		}
		const refusal = checkFile(file, operation.maxFileBytes);
		if (refusal !== undefined) return { failure: refusal, fileName: file.name };
		parts.push({ formField, file });
	}
	return { document: { itemIndex, parts } };
}

function inputItem(context: IExecuteFunctions, itemIndex: number, hints: Hints): InputItem {
	const read = parameterReader(context, itemIndex);
	return {
		itemIndex,
		read,
		json: context.getInputData()[itemIndex]?.json ?? {},
		files: async (source, except) =>
			read<string>('inputSource', 'binaryField') === 'fileUrl'
				? remoteFiles(context, itemIndex, read<unknown>(source.url, ''), source.urlLabel)
				: await filesOfItem(context, itemIndex, read<unknown>(source.binaryField, ''), {
						except,
						leaveOut: read('options.ignoreUnsupportedFiles', false) ? hints.leftOut : undefined,
					}),
	};
}
