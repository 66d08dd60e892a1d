import { DocumentError, messageOf, NotSent } from '../errors';
import { subjectOf } from '../files/inputFiles';
import { StreamedFile } from '../http/streamedFile';
import {
	type Document,
	type InputItem,
	type Operation,
	type Output,
	type ResultContext,
} from './operation';
import { readOutput } from '../parameters/menu';
import { MAX_RETRIES, readNumber, TIMEOUT } from '../parameters/options';
import { itemJson } from '../results/fields';
import type { Hints } from './hints';
import type { ServiceRequest } from '../service/client';
import { notUnderstood, type Answer } from '../service/envelope';
import { exchange, type Connection } from '../service/exchange';
import { plainText } from '../text/plainText';
import { RequestError } from '../service/requestError';

/** What all requests of a run have in common. */
export interface Run {
	operation: Operation;
	/** Reads the credential the first time. Throws a DocumentError where it cannot be used. */
	connect: () => Promise<Connection>;
	hints: Hints;
	/** On Error: Stop, where the first failure loses the results of all other documents. */
	stopsOnFailure: boolean;
	/** Ends the run for every document that has not been sent. */
	refuseRest: (reason: NotSent) => void;
}

/** A document with the item it belongs to. */
export interface Task {
	document: Document;
	item: InputItem;
}

/**
 * The journey of one request, from its checked files to the outputs of each of its documents.
 *
 * @param tasks one document, or several for an operation that takes them together; the parameters of the first count
 * @returns the outputs of each document, in the order of the tasks; a DocumentError for one that was answered, so
 *   perhaps billed, but has no result
 * @throws DocumentError when there is no answer, or whatever n8n throws for a parameter that cannot be read
 */
export async function runRequest(run: Run, tasks: Task[]): Promise<Output[][]> {
	const { operation } = run;
	const connection = await run.connect();
	const { read } = firstOf(tasks).item;
	const documents = tasks.map(({ document }) => document);
	const subject = subjectOf(documents);
	const form = multipartForm(documents, operation.textFields?.(read) ?? {});
	const timeoutSeconds = readNumber(read, TIMEOUT, operation.timeoutSeconds);
	const policy = {
		maxRetries: readNumber(read, MAX_RETRIES),
		onRateLimit: read<'wait' | 'fail'>('options.onRateLimit', 'wait'),
	};
	const { path, mayReturnImage, statusWords } = operation;
	const request = { path, form, timeoutSeconds, subject, mayReturnImage, statusWords };
	const answer = await exchange(connection, request, policy).catch((failure: unknown) => {
		if (refusesKey(failure))
			run.refuseRest(new NotSent((other) => toldOf(failure, subject, other)));
		throw failure as Error;
	});
	return await outputsOf(answer, connection, run, tasks).catch((thrown: unknown) =>
		tasks.map(() => [noResult(thrown, subject)]),
	);
}

const OK = 200;

const UNAUTHORIZED = 401;

function refusesKey(failure: unknown): failure is RequestError {
	return failure instanceof RequestError && failure.details.httpCode === UNAUTHORIZED;
}

/** The same failure, of another document. */
function toldOf(failure: RequestError, subject: string, other: string): DocumentError {
	const message = failure.message.replace(subject, () => other);
	return new DocumentError(message, failure.description, failure.details);
}

/** Why an answered document has no result. The steps read what the contract promises: where they stumble, the answer is of another form. */
function noResult(thrown: unknown, subject: string): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	if (thrown instanceof TypeError || thrown instanceof RangeError)
		return notUnderstood(OK, subject);
	return new DocumentError(
		messageOf(thrown),
		'The document was processed and may already be billed, so it was not retried.',
	);
}

async function outputsOf(
	answer: Answer,
	connection: Connection,
	run: Run,
	tasks: Task[],
): Promise<Output[][]> {
	const { operation } = run;
	const { read } = firstOf(tasks).item;
	const documents = tasks.map(({ document }) => document);
	if (readOutput(operation, read) === 'raw' && answer.image === undefined) {
		operation.assertProcessed?.(answer, resultContext(connection, run, firstOf(tasks)));
		return documents.map((_, position) => (position === 0 ? [fullResult(answer, documents)] : []));
	}
	const answers =
		documents.length > 1 && operation.splitAnswer
			? operation.splitAnswer(answer, documents)
			: documents.map(() => answer);
	const outputs: Output[][] = [];
	for (const [position, task] of tasks.entries()) {
		const own = answers[position] ?? answer;
		const result = resultContext(connection, run, task);
		operation.assertProcessed?.(own, result);
		outputs.push(await operation.results(own, result));
	}
	return outputs;
}

function resultContext(
	{ context }: Connection,
	{ operation, hints }: Run,
	{ document, item: { read } }: Task,
): ResultContext {
	const output = readOutput(operation, read);
	return { context, document, subject: subjectOf([document]), read, output, hints };
}

/** The files in order, then the texts that are not blank: an empty one would reach the model as it is (docs/service-contract.md). */
function multipartForm(
	documents: Document[],
	texts: Record<string, unknown>,
): ServiceRequest['form'] {
	const form = new FormData();
	for (const { formField, file } of documents.flatMap(({ parts }) => parts)) {
		const { uploadName: name, mimeType, content } = file;
		form.append(formField, new StreamedFile({ name, mimeType, ...content }));
	}
	for (const [name, value] of Object.entries(texts)) {
		const text = plainText(value);
		if (text.trim() !== '') form.append(name, text);
	}
	return form;
}

/** `data` exactly as returned. */
function fullResult({ data }: Answer, documents: Document[]): Output {
	return { json: itemJson(data), itemIndexes: documents.map(({ itemIndex }) => itemIndex) };
}

function firstOf<Entry>(entries: Entry[]): Entry {
	const [first] = entries;
	if (first === undefined) throw new TypeError('A request has at least one document');
	return first;
}
