import { asCognerisWrites, DistinctNames } from '../files/fileNames';
import type { DocumentOperation } from '../operations/operation';
import type { Answer } from '../service/envelope';
import { RequestError } from '../service/requestError';
import { DocumentError, messageOf } from '../text/errors';
import type { Ended, Ready } from './state';
import { conclude } from './conclude';
import { failed, post, request, unlessDetached } from './request';
import type { Run } from './run';

/**
 * One request for several files. Each document gets its own part of the answer, as if it had been sent alone, and is sent
 * alone if the request fails because of one of them. Never throws.
 */
export async function requestTogether(
	run: Run,
	operation: DocumentOperation,
	documents: [Ready, ...Ready[]],
): Promise<Ended[]> {
	const named = withDistinctNames(documents) as [Ready, ...Ready[]];
	return await unlessDetached(
		async (onDetached) => {
			const answered = await post(run, operation, named, onDetached).then(
				(answer) => ({ answer }),
				(thrown: unknown) => ({ thrown }),
			);
			if ('answer' in answered) return await concludeEach(run, operation, named, answered.answer);
			const { thrown } = answered;
			if (rejectsAFile(thrown)) return await requestEach(run, documents);
			return named.map((document, number) => failed(run, document, failureFor(number, thrown)));
		},
		(stopped, late) =>
			documents.map((document, number) =>
				run.end.detach(
					document,
					stopped,
					late.then((ended) => ended[number]),
				),
			),
	);
}

async function concludeEach(
	run: Run,
	operation: DocumentOperation,
	documents: Ready[],
	answer: Answer,
): Promise<Ended[]> {
	const ended: Ended[] = [];
	for (const [number, document] of documents.entries())
		try {
			const part = answerFor(operation, document, number, answer);
			ended.push(run.end.watch(await conclude(run, operation, document, part)));
		} catch (thrown) {
			ended.push(failed(run, document, undivided(document, thrown)));
		}
	return ended;
}

/** An answered document may be billed, so an error in this node must not count it as free. */
function undivided({ subject }: Ready, thrown: unknown): DocumentError {
	const message = `The response for ${subject} could not be read: ${messageOf(thrown)}`;
	return new DocumentError(message, '', {}, 'document');
}

/** One after the other: together, they have one of the requests at a time. */
export async function requestEach(run: Run, documents: Ready[]): Promise<Ended[]> {
	const ended: Ended[] = [];
	for (const document of documents) ended.push(await request(run, document));
	return ended;
}

/** The answer for a document of a group, as if it had been sent alone. What it cost counts once. */
function answerFor(
	operation: DocumentOperation,
	{ parts }: Ready,
	number: number,
	answer: Answer,
): Answer {
	const isCounted = number === 0 || answer.creditsConsumed === undefined;
	const counted = isCounted ? answer : { ...answer, creditsConsumed: 0 };
	const isDivided = counted.kind === 'data' && (counted.data ?? null) !== null;
	if (!isDivided || operation.answerFor === undefined) return counted;
	const sentName = parts[0]?.file.uploadName ?? '';
	return { ...counted, data: operation.answerFor(counted.data, sentName) };
}

/** What a response without a result cost counts once, too. */
function failureFor(number: number, thrown: unknown): unknown {
	const isBilled = thrown instanceof RequestError && (thrown.details.creditsConsumed ?? 0) > 0;
	return isBilled && number > 0
		? thrown.with({ details: { ...thrown.details, creditsConsumed: 0 }, cost: 'document' })
		: thrown;
}

/** Answers that reject a request because of a file in it (docs/internals/service-contract.md, statuses). */
const REJECTS_A_FILE = new Set([400, 413, 415, 422]);

/** Whether the request failed because of a file in it, at no cost. */
function rejectsAFile(thrown: unknown): boolean {
	if (!(thrown instanceof RequestError) || thrown.mayBeBilled) return false;
	const { details, circumstances } = thrown;
	return circumstances.isFileUnsent === true || REJECTS_A_FILE.has(details.httpCode ?? 0);
}

/** Cogneris names its results by file: of files that share a name, the later ones are sent as `name (2).pdf` and so on. */
function withDistinctNames(documents: Ready[]): Ready[] {
	const names = new DistinctNames(asCognerisWrites);
	return documents.map((document) => {
		const [first, ...remainingParts] = document.parts;
		if (first === undefined) return document;
		const file = { ...first.file, uploadName: names.take(first.file.uploadName) };
		return { ...document, parts: [{ ...first, file }, ...remainingParts] };
	});
}
