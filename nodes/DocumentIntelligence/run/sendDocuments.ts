import { MAX_JOBS, type JobPlan } from '../operations/documentOperations';
import {
	documentForm,
	fileOf,
	outputsOf,
	textsOf,
	type AskContext,
	type DocumentOperation,
	type Output,
} from '../operations/operation';
import { DistinctNames } from '../files/fileNames';
import { readOutput } from '../parameters/menu';
import { FILES_PER_REQUEST, TIMEOUT } from '../parameters/options';
import { readNumber } from '../parameters/read';
import { readAnswer, type Answer } from '../service/envelope';
import { exchange } from '../service/exchange';
import {
	joined,
	KEY_REJECTED,
	QUOTA_USED_UP,
	RATE_LIMITED,
	RequestError,
	STATUS_MESSAGES,
} from '../service/requestError';
import { Slots } from '../service/session';
import { asDocumentError, DocumentError, messageOf, NotSent } from '../text/errors';
import { subjectOf } from '../text/words';
import { load } from './planItems';
import type { Run, RunDocument } from './run';

/** When it returns, all documents have ended. */
export async function sendDocuments(run: Run, documents: RunDocument[]): Promise<void> {
	const { operation, session } = run;
	const [first] = documents;
	if (first === undefined) return;
	const isJob = ({ job }: RunDocument) => operation.waits === true || job !== undefined;
	const perRequest = operation.options.includes(FILES_PER_REQUEST)
		? readNumber(first.item.read, FILES_PER_REQUEST)
		: 1;
	const direct = documents.filter((document) => !isJob(document));
	const batches = Array.from({ length: Math.ceil(direct.length / perRequest) }, (_, number) =>
		direct.slice(number * perRequest, (number + 1) * perRequest),
	);
	const sendAll = async (own: RunDocument[][], atATime: number) => {
		const slots = new Slots(atATime);
		await Promise.all(own.map(async (batch) => await slots.use(() => sendBatch(run, batch))));
	};
	await Promise.all([
		// A job that runs holds no connection: only its upload counts for Concurrent Requests.
		sendAll(
			documents.filter(isJob).map((document) => [document]),
			MAX_JOBS,
		),
		sendAll(batches, session.account.concurrentRequests),
	]);
}

/** The documents share a request. None is lost because of another. */
async function sendBatch(run: Run, batch: RunDocument[]): Promise<void> {
	const { signal } = run.session;
	await Promise.all(
		batch.map(async (document) => await run.loads.use(async () => await load(run, document))),
	);
	const ready = batch.filter(({ outputs }) => outputs === undefined);
	// Cogneris names its results by file: of files that share a name, the later ones are sent as `name (2).pdf` and so on.
	const names = new DistinctNames();
	for (const { parts } of ready)
		for (const part of parts.slice(0, 1))
			part.file = { ...part.file, uploadName: names.take(part.file.uploadName) };
	if (signal.aborted)
		for (const document of ready) run.end(document, [asDocumentError(signal.reason)]);
	else await sendTogether(run, ready);
}

/** Answers that reject a request because of a file in it, before anything is processed (docs/internals/service-contract.md, statuses). */
const REJECTS_A_FILE = new Set([400, 413, 415, 422]);

/** If one of its files has a request rejected before it is processed, each half is sent by itself. */
async function sendTogether(run: Run, ready: RunDocument[]): Promise<void> {
	if (ready.length === 0) return;
	try {
		const outputs = await request(run, ready);
		for (const [position, document] of ready.entries())
			run.end(document, outputs[position] ?? [], true);
	} catch (thrown) {
		const failure = asDocumentError(thrown);
		const isHalved =
			ready.length > 1 &&
			failure instanceof RequestError &&
			!failure.mayBeBilled &&
			REJECTS_A_FILE.has(failure.details.httpCode ?? 0);
		// If the run stops, the results of the other files would be paid for and lost.
		if (!isHalved || !run.context.continueOnFail())
			return ready.forEach((document) => run.end(document, [failure]));
		const half = Math.ceil(ready.length / 2);
		await sendTogether(run, ready.slice(0, half));
		await sendTogether(run, ready.slice(half));
	}
}

/**
 * Makes one request with the parameters of its first document.
 * @returns the outputs of each document; a DocumentError for one that was answered, so perhaps billed, without a result
 */
async function request(run: Run, ready: RunDocument[]): Promise<Output[][]> {
	const { operation, session, jobs, context, hints } = run;
	const contexts = ready.map((document): AskContext => {
		const { subject, item } = document;
		const { read } = item;
		const settings = { timeoutSeconds: readNumber(read, operation.timeout ?? TIMEOUT) };
		const output = readOutput(operation, read);
		return { session, jobs, context, hints, document, subject, read, output, settings };
	});
	const [first] = contexts;
	if (first === undefined) return [];
	let outputs: () => Promise<Output[][]>;
	try {
		if (operation.ask === undefined) {
			const answer = await askService(operation, contexts, first, ready[0]?.job);
			hints.addCredits(answer.creditsConsumed);
			outputs = async () => await outputsOf(operation, answer, contexts);
		} else {
			const result = await operation.ask(first);
			outputs = async () => [await operation.toOutputs(result, first)];
		}
	} catch (failure) {
		if (failure instanceof RequestError) {
			const { details, retryKind } = failure;
			hints.addCredits(details.creditsConsumed);
			const { httpCode = 0 } = details;
			const limit = retryKind === 'rateLimit' ? RATE_LIMITED : QUOTA_USED_UP;
			const told = { 401: KEY_REJECTED, 429: limit }[httpCode];
			// All others would end in the same way.
			if (told !== undefined)
				run.rest.abort(new NotSent((subject) => new DocumentError(...told(subject), { httpCode })));
		}
		throw failure as Error;
	}
	return await outputs().catch((thrown: unknown) =>
		ready.map(({ subject }) => [notPassedOn(thrown, subject, operation.isFree)]),
	);
}

/** The two ways from checked files to an answer. */
async function askService(
	operation: DocumentOperation,
	contexts: AskContext[],
	{ session, jobs, document, read, settings }: AskContext,
	job: JobPlan | undefined,
): Promise<Answer> {
	const documents = contexts.map((context) => context.document);
	const subject = subjectOf(contexts.map((context) => context.subject));
	if (job !== undefined) return await jobs.process(settings, { ...job, subject }, fileOf(document));
	const { path, mayReturnImage, statusMessages } = operation;
	return await exchange(
		session,
		{
			method: 'POST',
			path,
			body: documentForm(documents, textsOf(operation, read)),
			...settings,
			subject,
			mayReturnImage,
			statusMessages: { ...STATUS_MESSAGES, ...statusMessages },
		},
		readAnswer,
	);
}

function notPassedOn(thrown: unknown, subject: string, isFree = false): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	return new DocumentError(
		`The result for ${subject} could not be passed on: ${messageOf(thrown)}`,
		joined(
			!isFree && 'The request was processed and may already be billed, so it was not retried.',
		),
	);
}
