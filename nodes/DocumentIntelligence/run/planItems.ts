import type { IExecuteFunctions } from 'n8n-workflow';

import { checkFile, filesOfItem } from '../files/inputFiles';
import { remoteFiles } from '../files/remoteFile';
import { readJobPlan, refusalOfProcessing, type JobPlan } from '../operations/documentOperations';
import {
	MAX_FILE_BYTES,
	type FileInput,
	type Files,
	type InputItem,
	type Named,
	type Operation,
} from '../operations/operation';
import { readStoredFile } from '../operations/storedFileDownload';
import { FILES_FROM, readInputSource } from '../parameters/fileParameters';
import { checkParameters, readOutput } from '../parameters/menu';
import { TIMEOUT } from '../parameters/options';
import { namesIn, readNumber, readSwitch, type ReadParameter } from '../parameters/read';
import { cancelledBy } from '../service/client';
import { asDocumentError, DocumentError } from '../text/errors';
import { subjectOf } from '../text/words';
import type { Run, RunDocument } from './run';

/** The documents of all items in order; one that cannot be sent has ended. Makes no request. */
export async function planItems(run: Run): Promise<RunDocument[]> {
	const { operation, session } = run;
	const context = cancelledBy(run.context, session.signal);
	const documents: RunDocument[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		const read: ReadParameter = (name, fallback) =>
			context.getNodeParameter(name, itemIndex, fallback) as typeof fallback;
		const item = { itemIndex, json: context.getInputData()[itemIndex]?.json ?? {}, read };
		let [job, wanted]: [JobPlan?, Array<RunDocument['inputs']>?] = [];
		const added = (inputs: RunDocument['inputs'] = []) => {
			const named = namedByFiles(inputs);
			const document: RunDocument = { ...named, item, job, inputs, parts: [], skipped: 0 };
			documents.push(document);
			return document;
		};
		let current: RunDocument | undefined;
		try {
			// Thousands of files take seconds, and a stop should not.
			session.cancelled.throwIfAborted();
			// Some are needed only after the response: an expression that fails then would lose a result that is billed.
			for (const name of Object.keys(context.getNode().parameters))
				context.getNodeParameter(name, itemIndex);
			wanted = await operation.documents(item, filesOf(context, item));
			readOutput(operation, read);
			checkParameters(operation, read);
			job = readJobPlan(operation, read, session.account.isSandbox);
			const isSkipped = skipsIn(wanted.flat(), item);
			for (const inputs of wanted) {
				current = added(inputs);
				await giveFiles(run, current, inputs, isSkipped);
			}
		} catch (thrown) {
			// The choices of an item hold for all of its documents: the first one says what is wrong with them.
			run.end(current ?? added(wanted?.[0]), [asDocumentError(thrown)]);
		}
	}
	return documents;
}

/** Gives a document its files. It has ended if none is left, or if one cannot be sent as far as it is known. */
async function giveFiles(
	run: Run,
	document: RunDocument,
	inputs: RunDocument['inputs'],
	isSkipped: (file: FileInput) => boolean,
): Promise<void> {
	const { operation, session, hints } = run;
	const { item, job } = document;
	const kept = inputs.filter(({ file }) => !isSkipped(file));
	for (const { file } of inputs)
		if (isSkipped(file) && 'name' in file)
			hints.add('skipped', `"${file.name}" (unsupported file type)`);
	document.inputs = kept;
	document.skipped += inputs.length - kept.length;
	const isFilled = inputs.every(({ formField }) =>
		kept.some((part) => part.formField === formField),
	);
	if (!isFilled) return run.end(document, []);
	Object.assign(document, operation.nameOf?.(item) ?? namedByFiles(kept));
	const maxBytes = maxFileBytes(operation, document);
	let refusal: DocumentError | undefined;
	for (const { formField, file } of kept)
		if (file instanceof DocumentError) refusal ??= file;
		else if ('reference' in file) document.reference = file.reference;
		else if ('content' in file) {
			document.parts.push({ formField, file });
			refusal ??= checkFile(file, maxBytes);
		}
	const { isSandbox } = session.account;
	refusal ??= refusalOfProcessing(operation, document, job !== undefined, isSandbox);
	refusal ??= await operation.refuse?.(document.parts, session.signal);
	if (refusal !== undefined) run.end(document, [refusal]);
}

/** Unsupported files, with Ignore Unsupported Files or if `*` stands for them and a supported one, as in a mail. */
function skipsIn(inputs: RunDocument['inputs'], { read }: InputItem): (file: FileInput) => boolean {
	const isUnsupported = (file: FileInput) => 'content' in file && file.type === undefined;
	const isEveryFile = namesIn(read<unknown>(FILES_FROM.binaryField.name, '')).includes('*');
	const hasSupported = inputs.some(({ file }) => 'content' in file && file.type !== undefined);
	const isOn =
		readSwitch(read, 'options.ignoreUnsupportedFiles', false) || (isEveryFile && hasSupported);
	return (file) => isOn && isUnsupported(file);
}

/** A link is no name of a file. */
function namedByFiles(inputs: RunDocument['inputs']): Named {
	const [first] = inputs;
	const isNamed = first !== undefined && ('content' in first.file || 'reference' in first.file);
	return {
		subject: subjectOf(inputs.map(({ file }) => `"${file.name}"`)),
		fileName: isNamed ? first.file.name : null,
	};
}

function maxFileBytes(operation: Operation, { job }: RunDocument): number {
	return operation.ask !== undefined || job !== undefined ? MAX_FILE_BYTES : operation.maxFileBytes;
}

/** Fetches the files that are still behind links. The document has ended if it cannot be sent then. */
export async function load(run: Run, document: RunDocument): Promise<void> {
	const { operation, session } = run;
	const { item, inputs } = document;
	try {
		session.signal.throwIfAborted();
		if (!inputs.some(({ file }) => 'fetch' in file)) return;
		const maxBytes = maxFileBytes(operation, document);
		const seconds = readNumber(item.read, operation.timeout ?? TIMEOUT);
		const fetched = await Promise.all(
			inputs.map(async ({ formField, file }) => ({
				formField,
				file: 'fetch' in file ? await file.fetch({ maxBytes, seconds }) : file,
			})),
		);
		await giveFiles(run, document, fetched, skipsIn([], item));
	} catch (thrown) {
		run.end(document, [asDocumentError(thrown)]);
	}
}

function filesOf(context: IExecuteFunctions, { itemIndex, json, read }: InputItem): Files {
	return async (from) => {
		const source = readInputSource(from, read);
		if (source === 'storedFile') return [readStoredFile(read, json)];
		const { binaryField, url } = from;
		if (source === 'fileUrl')
			return remoteFiles(context, read<unknown>(url.name, ''), url.displayName);
		const value = read<unknown>(binaryField.name, '');
		return await filesOfItem(context, itemIndex, value, binaryField.displayName);
	};
}
