import { DocumentError, NotSent } from '../errors';
import { fileOf, type Document, type InputItem, type Output } from './operation';
import { runRequest, type Run, type Task } from './runRequest';
import { RequestError } from '../service/requestError';

/** A document that may be sent. */
export interface Ready {
	item: InputItem;
	/** Its name or link in quotes, for messages. */
	subject: string;
	/** Known only where no link has to be followed first. */
	fileName?: string;
	/** Fetches what is still behind a link, and throws a DocumentError when that cannot be had. */
	load: () => Promise<Loaded>;
}

/** Why a document has no outputs. */
export interface Failed {
	failure: unknown;
	fileName?: string;
}

/** A document whose files are all there, or why it is not sent. */
export type Loaded = { document: Document } | Failed | 'leftOut';

/** What became of a document: its outputs, or why there are none. */
export type Outcome = { document: Document; outputs: Output[] } | Failed | 'leftOut';

/** Answers that refuse a request because of a file in it, before anything is processed (docs/service-contract.md, statuses). */
const REFUSES_A_FILE = new Set([400, 413, 415, 422]);

/** Runs documents that share a request, usually a single one. None is lost because of another. */
export async function runBatch(run: Run, batch: Ready[]): Promise<Outcome[]> {
	const loaded = await Promise.all(batch.map(load));
	const tasks = loaded.filter(isTask);
	// A run that stops at the first failure would only pay for results that it loses.
	const isLost =
		run.stopsOnFailure && loaded.some((entry) => entry !== 'leftOut' && 'failure' in entry);
	const outcomes: Outcome[] = isLost
		? tasks.map(() => ({ failure: new NotSent() }))
		: await send(run, withDistinctNames(tasks));
	return loaded.map((entry) => (isTask(entry) ? (outcomes.shift() ?? 'leftOut') : entry));
}

function isTask(entry: Task | Failed | 'leftOut'): entry is Task {
	return entry !== 'leftOut' && 'document' in entry;
}

async function load({ item, load: loadDocument }: Ready): Promise<Task | Failed | 'leftOut'> {
	try {
		const loaded = await loadDocument();
		return loaded !== 'leftOut' && 'document' in loaded ? { item, ...loaded } : loaded;
	} catch (failure) {
		return { failure };
	}
}

/** Where the service refuses a request because of one of its files, before processing, each half is sent by itself. */
async function send(run: Run, tasks: Task[]): Promise<Outcome[]> {
	if (tasks.length === 0) return [];
	try {
		const outputs = await runRequest(run, tasks);
		return tasks.map(({ document }, position) => ({ document, outputs: outputs[position] ?? [] }));
	} catch (failure) {
		if (tasks.length === 1 || !refusesAFile(failure)) return failed(tasks, failure);
		if (run.stopsOnFailure) return failed(tasks, withWayToFindTheFile(failure));
		const half = Math.ceil(tasks.length / 2);
		return [...(await send(run, tasks.slice(0, half))), ...(await send(run, tasks.slice(half)))];
	}
}

function failed(tasks: Task[], failure: unknown): Outcome[] {
	return tasks.map(({ document }) => ({ failure, fileName: fileOf(document).name }));
}

/** Where the run stops, halving would pay for results that are lost. */
function withWayToFindTheFile({ message, description, details }: RequestError): DocumentError {
	const advice = 'To find the file, set Files per Request to 1, or On Error to Continue.';
	return new DocumentError(message, `${description} ${advice}`, details);
}

/** What was billed was processed, whatever its status says. */
function refusesAFile(failure: unknown): failure is RequestError {
	if (!(failure instanceof RequestError)) return false;
	return !failure.mayBeBilled && REFUSES_A_FILE.has(failure.details.httpCode ?? 0);
}

/** The service names its results by file: of files that share a name, the later ones are sent as `name (2).pdf` and so on. */
function withDistinctNames(tasks: Task[]): Task[] {
	const taken = new Set<string>();
	return tasks.map((task) => {
		const [first, ...others] = task.document.parts;
		if (first === undefined) return task;
		let { uploadName } = first.file;
		for (let number = 2; taken.has(uploadName); number++) {
			uploadName = first.file.uploadName.replace(/(\.[^.]*)?$/, ` (${number})$1`);
		}
		taken.add(uploadName);
		const renamed = { ...first, file: { ...first.file, uploadName } };
		return { ...task, document: { ...task.document, parts: [renamed, ...others] } };
	});
}
