import type { IExecuteFunctions } from 'n8n-workflow';

import { checkFile, filesOfItem } from '../files/inputFiles';
import { remoteFiles } from '../files/remoteFile';
import { readJobPlan, refusalOfProcessing, type JobPlan } from '../operations/documentOperations';
import {
	MAX_FILE_BYTES,
	type FileInput,
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
		const item = inputItem(context, itemIndex, session.account.isSandbox);
		let job: JobPlan | undefined;
		const added = () => {
			const document = { item, job, subject: '', parts: [], skipped: 0 };
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
			readOutput(operation, item.read);
			checkParameters(operation, item.read);
			job = readJobPlan(operation, item);
			const wanted = await operation.documents(item);
			const isSkipped = skipsIn(wanted.flat(), item);
			for (const parts of wanted) {
				current = added();
				giveFiles(run, current, parts, isSkipped);
			}
		} catch (thrown) {
			// The choices of an item hold for all of its documents: the first one says what is wrong with them.
			run.end(current ?? added(), [asDocumentError(thrown)]);
		}
	}
	return documents;
}

/** Gives a document its files. It has ended if none is left, or if one cannot be sent as far as it is known. */
function giveFiles(
	run: Run,
	document: RunDocument,
	parts: RunDocument['parts'],
	isSkipped: (file: FileInput) => boolean,
): void {
	const { operation, hints } = run;
	const { item, job } = document;
	const kept = parts.filter(({ file }) => !isSkipped(file));
	for (const { file } of parts)
		if (isSkipped(file) && 'name' in file)
			hints.add('skipped', `"${file.name}" (unsupported file type)`);
	document.parts = kept;
	document.skipped += parts.length - kept.length;
	const isFilled = parts.every(({ formField }) =>
		kept.some((part) => part.formField === formField),
	);
	if (!isFilled) return run.end(document, []);
	const { subject, fileName } = namedIn(operation, document);
	document.subject = subject;
	document.fileName = kept.some(({ file }) => 'fetch' in file)
		? undefined
		: (fileName ?? undefined);
	const maxBytes = maxFileBytes(operation, document);
	const refusals = kept.map(({ file }) => {
		if (file instanceof DocumentError) return file;
		return 'content' in file ? checkFile(file, maxBytes) : undefined;
	});
	const refusal =
		refusals.find((found) => found !== undefined) ??
		refusalOfProcessing(operation, item, job !== undefined, subject);
	if (refusal !== undefined) run.end(document, [refusal]);
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

/** As the operation names it, else as its files are named. */
function namedIn({ nameOf }: Operation, { item, parts }: RunDocument): Named {
	if (nameOf !== undefined) return nameOf(item);
	const [first] = parts;
	return {
		subject: subjectOf(parts.map(({ file }) => `"${file.name}"`)),
		fileName: first === undefined || first.file instanceof DocumentError ? null : first.file.name,
	};
}

/** The limit for a file on the way that its document goes. */
function maxFileBytes(operation: Operation, { job }: RunDocument): number {
	return operation.ask !== undefined || job !== undefined ? MAX_FILE_BYTES : operation.maxFileBytes;
}

/** Fetches the files that are still behind links. The document has ended if it cannot be sent then. */
export async function load(run: Run, planned: RunDocument): Promise<void> {
	const { operation, session } = run;
	const { item } = planned;
	try {
		session.signal.throwIfAborted();
		if (planned.document !== undefined) return;
		const maxBytes = maxFileBytes(operation, planned);
		const seconds = readNumber(item.read, operation.timeout ?? TIMEOUT);
		const parts = await Promise.all(
			planned.parts.map(async ({ formField, file }) => ({
				formField,
				file: 'fetch' in file ? await file.fetch({ maxBytes, seconds }) : file,
			})),
		);
		giveFiles(run, planned, parts, skipsIn([], item));
		const files = planned.parts.flatMap(({ formField, file }) =>
			'content' in file ? { formField, file } : [],
		);
		const references = planned.parts.flatMap(({ file }) =>
			'reference' in file ? file.reference : [],
		);
		planned.document = {
			...namedIn(operation, planned),
			item,
			parts: files,
			reference: references[0],
			skipped: planned.skipped,
		};
	} catch (thrown) {
		run.end(planned, [asDocumentError(thrown)]);
	}
}

function inputItem(context: IExecuteFunctions, itemIndex: number, isSandbox: boolean): InputItem {
	const read: ReadParameter = (name, fallback) =>
		context.getNodeParameter(name, itemIndex, fallback) as typeof fallback;
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	return {
		itemIndex,
		read,
		json,
		isSandbox,
		files: async (from) => {
			const source = readInputSource(from, read);
			if (source === 'storedFile') return [readStoredFile(read, json)];
			const { binaryField, url } = from;
			if (source === 'fileUrl')
				return remoteFiles(context, read<unknown>(url.name, ''), url.displayName);
			const value = read<unknown>(binaryField.name, '');
			return await filesOfItem(context, itemIndex, value, binaryField.displayName);
		},
	};
}
