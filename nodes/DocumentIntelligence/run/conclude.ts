import type { Answered, Ready, Output } from '../document/document';
import {
	outputsOf,
	type CallContext,
	type CallOperation,
	type DocumentOperation,
} from '../operations/operation';
import type { Answer } from '../service/envelope';
import { DocumentError, joinLines, messageOf } from '../text/errors';
import { Notes } from '../text/notes';
import { newResults } from './repeats/earlierResults';
import type { Run } from './run';

/** The result exists but could not be passed on; a later run may succeed. */
class NotPassedOn extends DocumentError {}

type Context = CallContext & { document: Ready };

/** The outputs of the documents that share an answer. Makes no request to Cogneris and never throws. */
export async function conclude(
	run: Run,
	operation: DocumentOperation,
	ready: Ready[],
	answer: Answer,
): Promise<Answered[]> {
	// Before an operation works with the answer, which could change it.
	const results = newResults(run, operation, ready, answer);
	const contexts = ready.map((document) => contextOf(run, document));
	const outputs = await outputsOf(operation, answer, contexts).catch((thrown: unknown) =>
		ready.map(({ subject }) => [notPassedOn(subject, thrown, BILLED)]),
	);
	return contexts.map((context, number) => {
		const answered = answeredWith(run, context, outputs[number] ?? []);
		return {
			...answered,
			// What an answer cost counts once.
			credits: number === 0 ? answer.creditsConsumed : undefined,
			result: answered.outputs.every(isResult) ? (results[number] ?? null) : null,
		};
	});
}

/** A document without a result is not kept, because a new request may return one. */
function isResult(output: Output): boolean {
	return !(output instanceof DocumentError) || output instanceof NotPassedOn;
}

/**
 * The outputs of a document whose operation makes its own calls.
 * @throws DocumentError, or the reason of the run's end
 */
export async function concludeCall(
	run: Run,
	operation: CallOperation,
	document: Ready,
): Promise<Answered> {
	const context = contextOf(run, document);
	const outputs = await operation.execute(context).catch((thrown: unknown) => {
		// What is thrown because the run has ended is its reason.
		if (run.end.signal.aborted) throw thrown as Error;
		throw notPassedOn(document.subject, thrown);
	});
	return answeredWith(run, context, outputs);
}

/** What an operation works with for one document. The notes are those of this document. */
function contextOf({ session, jobs, context, end }: Run, document: Ready): Context {
	const { subject, item, settings } = document;
	return {
		session,
		jobs,
		context: { helpers: context.helpers, signal: end.discarded },
		notes: new Notes(),
		document,
		subject,
		read: item.read,
		output: settings.output,
		settings,
	};
}

function answeredWith({ end }: Run, { document, notes }: Context, outputs: Output[]): Answered {
	const allNotes = [...document.notes, ...notes.list];
	return end.watch({ ...document, state: 'answered', notes: allNotes, outputs, result: null });
}

const BILLED = 'The request was processed and may already be billed, so it was not retried.';

/** @param cost what the result may have cost */
function notPassedOn(subject: string, thrown: unknown, cost = ''): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	const message = `The result for ${subject} could not be passed on: ${messageOf(thrown)}`;
	const suggestedFix = "Check that n8n's storage for files has free space.";
	return new NotPassedOn(message, joinLines(suggestedFix, cost));
}
