import type { IExecuteFunctions } from 'n8n-workflow';

import { DocumentError, messageOf, NotSent } from '../text/errors';
import { subjectOf } from '../files/inputFiles';
import {
	documentForm,
	fileOf,
	textsOf,
	type Document,
	type DocumentContext,
	type DocumentOperation,
	type Operation,
	type Output,
} from '../operations/operation';
import { readOutput } from '../parameters/menu';
import { readNumber, TIMEOUT } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { readJobPlan } from '../operations/asJob';
import type { Hints } from '../text/hints';
import { outputsOf } from '../operations/resultFile';
import type { RunningJobs } from '../service/jobs/runningJobs';
import { readAnswer, type Answer } from '../service/envelope';
import { exchange } from '../service/exchange';
import type { Session } from '../service/session';
import { KEY_REJECTED, RequestError, STATUS_MESSAGES } from '../service/requestError';

/** What all requests of a run have in common. */
export interface Run {
	operation: Operation;
	/** With a cancel signal that also ends work for results that are lost. */
	context: IExecuteFunctions;
	/** Reads the credential the first time. Throws a DocumentError where it cannot be used. */
	openSession: () => Promise<Session>;
	/** Those of the run, where its documents are processed as jobs. */
	jobs: RunningJobs;
	/** Follows links, as many at a time as Concurrent Requests says: jobs that wait are more than that. */
	load: <Result>(work: () => Promise<Result>) => Promise<Result>;
	hints: Hints;
	/** On Error: Stop, where the first failure loses the results of all other documents. */
	stopsOnFailure: boolean;
	/** Ends the run for every document that has not been sent. */
	closeRest: (reason: NotSent) => void;
}

/**
 * Makes one request, from the checked files to the outputs of each of its documents.
 *
 * @param documents one, or several for an operation that takes them together; the parameters of the first count
 * @returns the outputs of each document, in their order; a DocumentError for one that was answered, so perhaps
 *   billed, but has no result
 * @throws DocumentError when there is no answer, or whatever n8n throws for a parameter that cannot be read
 */
export async function runRequest(run: Run, documents: Document[]): Promise<Output[][]> {
	const { operation, context, hints } = run;
	const subject = subjectOf(documents.map((document) => document.subject));
	const asked = async <Result>(request: () => Promise<Result>): Promise<Result> => {
		try {
			return await request();
		} catch (failure) {
			if (failure instanceof RequestError) hints.addCredits(failure.details.creditsConsumed);
			if (rejectsKey(failure))
				run.closeRest(new NotSent((other) => sameFailureOf(failure, subject, other)));
			throw failure as Error;
		}
	};
	const noResults = (thrown: unknown) =>
		documents.map(() => [noResult(thrown, subject, operation)]);

	const session = await run.openSession();
	const contexts = documents.map((document): DocumentContext => ({
		session,
		jobs: run.jobs,
		context,
		hints,
		document,
		subject: document.subject,
		read: document.item.read,
		output: readOutput(operation, document.item.read),
		settings: settingsOf(run, document.item.read),
	}));
	if (operation.ask !== undefined) {
		const { ask } = operation;
		const own = firstOf(contexts);
		const result = await asked(async () => await ask(own));
		const outputs = async () => [await operation.toOutputs(result, own)];
		return await outputs().catch(noResults);
	}
	const answer = await asked(
		async () => await askService(run, operation, session, documents, subject),
	);
	hints.addCredits(answer.creditsConsumed);
	return await outputsOf(operation, answer, contexts).catch(noResults);
}

function settingsOf({ operation }: Run, read: ReadParameter): DocumentContext['settings'] {
	return { timeoutSeconds: readNumber(read, TIMEOUT, operation.timeoutSeconds) };
}

/** The two ways from checked files to an answer; nothing else knows which was taken. */
async function askService(
	run: Run,
	operation: DocumentOperation,
	session: Session,
	documents: Document[],
	subject: string,
): Promise<Answer> {
	const first = firstOf(documents);
	const { read } = first.item;
	const settings = settingsOf(run, read);
	const job = readJobPlan(operation, first.item);
	if (job !== undefined) {
		const caller = { session, settings };
		return await run.jobs.process(caller, { ...job, subject }, fileOf(first));
	}
	const { timeoutSeconds } = settings;
	const { path, mayReturnImage, statusMessages } = operation;
	const body = documentForm(documents, textsOf(operation, read));
	const request = { method: 'POST' as const, path, body, timeoutSeconds, subject, mayReturnImage };
	return await exchange(
		session,
		{ ...request, statusMessages: { ...STATUS_MESSAGES, ...statusMessages } },
		readAnswer,
	);
}

const UNAUTHORIZED = 401;

function rejectsKey(failure: unknown): failure is RequestError {
	return failure instanceof RequestError && failure.details.httpCode === UNAUTHORIZED;
}

/** The same failure, worded for another document. */
function sameFailureOf(failure: RequestError, subject: string, other: string): DocumentError {
	const { jobId, ...details } = failure.details;
	// Where it is about a job, its words are about that of the first document.
	if (jobId !== undefined) {
		return new DocumentError(KEY_REJECTED.message(other), KEY_REJECTED.suggestedFix, details);
	}
	const message = failure.message.replaceAll(subject, () => other);
	return new DocumentError(message, failure.description, details);
}

/** Why an answered document has no result. */
function noResult(thrown: unknown, subject: string, { isFree }: Operation): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	return new DocumentError(
		`The result for ${subject} could not be passed on: ${messageOf(thrown)}`,
		isFree === true
			? 'Nothing was billed for this request: run it again.'
			: 'The document was processed and may already be billed, so it was not retried.',
	);
}

function firstOf<Entry>(entries: Entry[]): Entry {
	const [first] = entries;
	if (first === undefined) throw new TypeError('A request has at least one document');
	return first;
}
