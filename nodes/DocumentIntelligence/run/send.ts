import { isOpen, type Ended, type Open, type Ready } from '../document/document';
import { asCognerisWrites, DistinctNames } from '../files/fileNames';
import { Slots } from '../waiting/waiting';
import { load } from './load';
import { request } from './request';
import type { Run } from './run';

/** How many jobs of a run are waited for at once: as many as one request for the list of jobs shows. */
export const MAX_JOBS = 100;

/** @returns all documents, each with its end, in order of place */
export async function send(run: Run, documents: Array<Open | Ended>): Promise<Ended[]> {
	const open = documents.filter(isOpen);
	// An earlier result answers one document only.
	const isSentAlone = ({ route, earlier }: Open) =>
		run.operation.waitsForJobs === true || route.via === 'job' || earlier !== null;
	const alone = open.filter(isSentAlone).map((document) => [document]);
	const direct = open.filter((document) => !isSentAlone(document));
	const batches = inBatches(direct, open[0]?.settings.filesPerRequest ?? 1);
	const sendOne = async (batch: Open[]) => await sendBatch(run, batch);
	const sent = await Promise.all([
		// A job that runs holds no connection: only its upload counts for Concurrent Requests.
		new Slots(MAX_JOBS).map(alone, sendOne),
		new Slots(run.session.account.concurrentRequests).map(batches, sendOne),
	]);
	const ended = documents.filter((document) => !isOpen(document));
	return [...ended, ...sent.flat(2)].sort((first, second) => first.place - second.place);
}

function inBatches(documents: Open[], size: number): Open[][] {
	return Array.from({ length: Math.ceil(documents.length / size) }, (_, number) =>
		documents.slice(number * size, (number + 1) * size),
	);
}

/** The documents share a request. With On Error: Continue, none is lost because of another. */
async function sendBatch(run: Run, batch: Open[]): Promise<Ended[]> {
	const loaded = await run.loads.map(batch, async (document) => await load(run, document));
	const ready = loaded.filter((document) => document.state === 'ready');
	const ended = loaded.filter((document) => document.state !== 'ready');
	return [...ended, ...(await sendTogether(run, withDistinctNames(ready)))];
}

/** Cogneris names its results by file: of files that share a name, the later ones are sent as `name (2).pdf` and so on. */
function withDistinctNames(ready: Ready[]): Ready[] {
	const names = new DistinctNames(asCognerisWrites);
	return ready.map((document) => {
		const [first, ...remainingParts] = document.parts;
		if (first === undefined) return document;
		const file = { ...first.file, uploadName: names.take(first.file.uploadName) };
		return { ...document, parts: [{ ...first, file }, ...remainingParts] };
	});
}

/** If a request is rejected because of one file, each half of its files is sent separately. */
async function sendTogether(run: Run, ready: Ready[]): Promise<Ended[]> {
	const { end } = run;
	if (end.signal.aborted) return ready.map((document) => end.fail(document, end.signal.reason));
	const ended = await request(run, ready);
	// If the run has stopped, nothing more is sent: the results of the other files would be paid for and lost.
	const isHalved = ready.length > 1 && !end.signal.aborted && ended.every(isRejected);
	if (!isHalved) return ended;
	const half = Math.ceil(ready.length / 2);
	return [
		...(await sendTogether(run, ready.slice(0, half))),
		...(await sendTogether(run, ready.slice(half))),
	];
}

/** Answers that reject a request because of a file in it (docs/internals/service-contract.md, statuses). */
const REJECTS_A_FILE = new Set([400, 413, 415, 422]);

function isRejected(ended: Ended): boolean {
	return (
		ended.state === 'failed' &&
		!ended.mayBeBilled &&
		REJECTS_A_FILE.has(ended.failure.details.httpCode ?? 0)
	);
}
