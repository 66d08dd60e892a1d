import { asDocumentError, DocumentError, NotSent } from '../text/errors';
import type { Document, Output } from '../operations/operation';
import { loadDocument, type PlannedDocument } from './planItems';
import { runRequest, type Run } from './runRequest';
import { RequestError } from '../service/requestError';

/** A document with its outcome. */
export interface EndedDocument extends PlannedDocument {
	/** Its files, where the service answered for it, so that it may be billed. */
	answered?: Document;
	/** A single DocumentError where it failed as a whole; none where it was skipped. */
	outputs: Output[];
}

/** @param fileName the file to blame, where it is known */
export function failedDocument(
	planned: PlannedDocument,
	thrown: unknown,
	fileName?: string,
): EndedDocument {
	return { ...planned, fileName, outputs: [asDocumentError(thrown)] };
}

/** Whether a document that has no answer may be billed all the same. */
export function mayBeBilled({ answered, outputs: [failure] }: EndedDocument): boolean {
	return answered === undefined && failure instanceof RequestError && failure.mayBeBilled;
}

/** Answers that reject a request because of a file in it, before anything is processed (docs/service-contract.md, statuses). */
const REJECTS_A_FILE = new Set([400, 413, 415, 422]);

/** Runs the documents that share a request, usually a single one. No document is lost because of another. */
export async function runBatch(run: Run, batch: PlannedDocument[]): Promise<EndedDocument[]> {
	const loaded = await Promise.all(batch.map(async (planned) => await load(run, planned)));
	const ready = loaded.filter((entry) => 'document' in entry);
	const ended = loaded.filter((entry) => 'outputs' in entry);
	// A run that stops at the first failure would pay for results that are lost.
	const isLost = run.stopsOnFailure && ended.some(({ outputs }) => outputs.length > 0);
	const sent = isLost
		? ready.map(({ planned }) => failedDocument(planned, new NotSent()))
		: await send(run, withDistinctNames(ready));
	return [...ended, ...sent];
}

/** A document with its files, on its way into a request. */
export interface ReadyDocument {
	planned: PlannedDocument;
	document: Document;
}

/** Fetches the files of a document; one that has no files to send has ended. */
export async function load(
	run: Run,
	planned: PlannedDocument,
): Promise<ReadyDocument | EndedDocument> {
	try {
		const document = await run.load(
			async () => await loadDocument(planned, run.operation, run.hints),
		);
		return document === undefined ? { ...planned, outputs: [] } : { planned, document };
	} catch (thrown) {
		return failedDocument(planned, thrown);
	}
}

/** Where the service rejects a request because of one of its files, before processing, each half is sent by itself. */
async function send(run: Run, ready: ReadyDocument[]): Promise<EndedDocument[]> {
	if (ready.length === 0) return [];
	const failed = (thrown: unknown) =>
		ready.map(({ planned, document: { fileName } }) =>
			failedDocument(planned, thrown, fileName ?? undefined),
		);
	try {
		const outputs = await runRequest(
			run,
			ready.map(({ document }) => document),
		);
		return ready.map(({ planned, document }, position) => ({
			...planned,
			answered: document,
			outputs: outputs[position] ?? [],
		}));
	} catch (thrown) {
		if (ready.length === 1 || !rejectsAFile(thrown)) return failed(thrown);
		if (run.stopsOnFailure) return failed(withAdviceToFindFile(thrown));
		const half = Math.ceil(ready.length / 2);
		return [...(await send(run, ready.slice(0, half))), ...(await send(run, ready.slice(half)))];
	}
}

/** Where the run stops, halving would pay for results that are lost. */
function withAdviceToFindFile({ message, description, details }: RequestError): DocumentError {
	const advice = 'To find the file, set Files per Request to 1, or On Error to Continue.';
	return new DocumentError(message, `${description} ${advice}`, details);
}

/** A billed document was processed, whatever the status says. */
function rejectsAFile(failure: unknown): failure is RequestError {
	if (!(failure instanceof RequestError)) return false;
	return !failure.mayBeBilled && REJECTS_A_FILE.has(failure.details.httpCode ?? 0);
}

/** The service names its results by file: of files that share a name, the later ones are sent as `name (2).pdf` and so on. */
function withDistinctNames(ready: ReadyDocument[]): ReadyDocument[] {
	const taken = new Set<string>();
	return ready.map(({ planned, document }) => {
		const [first, ...others] = document.parts;
		if (first === undefined) return { planned, document };
		let { uploadName } = first.file;
		for (let number = 2; taken.has(uploadName); number++) {
			uploadName = first.file.uploadName.replace(/(\.[^.]*)?$/, ` (${number})$1`);
		}
		taken.add(uploadName);
		const renamed = { ...first, file: { ...first.file, uploadName } };
		return { planned, document: { ...document, parts: [renamed, ...others] } };
	});
}
