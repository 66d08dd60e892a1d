import type { Answered, Ready, Output } from '../document/document';
import { outputsOf, type CallContext, type DocumentOperation } from '../operations/operation';
import type { Answer } from '../service/envelope';
import { DocumentError, messageOf } from '../text/errors';
import { Notes } from '../text/notes';
import { newResults } from './repeats/earlierResults';
import type { Run } from './run';

/** A result that is there, and that another run may be able to pass on. */
export class NotPassedOn extends DocumentError {}

/** What an operation works with for one document. The notes are those of this document. */
export function callContext({ session, jobs, context, end }: Run, document: Ready): CallContext {
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
		settings: { timeoutSeconds: settings.timeoutSeconds },
	};
}

/** The outputs of the documents that share an answer. Makes no request to Cogneris and never throws. */
export async function conclude(
	run: Run,
	operation: DocumentOperation,
	ready: Ready[],
	answer: Answer,
): Promise<Answered[]> {
	// Before an operation works with the answer, which could change it.
	const results = newResults(run, operation, ready, answer);
	const contexts = ready.map((document) => callContext(run, document));
	const outputs = await outputsOf(operation, answer, contexts).catch((thrown: unknown) =>
		ready.map((document) => [notPassedOn(document, thrown)]),
	);
	const { creditsConsumed } = answer;
	return ready.map((document, number) => {
		const answered: Answered = {
			state: 'answered',
			document,
			notes: [...document.notes, ...(contexts[number]?.notes.list ?? [])],
			outputs: outputs[number] ?? [],
			// What an answer cost counts once.
			...(number === 0 && creditsConsumed !== undefined ? { credits: creditsConsumed } : {}),
		};
		const result = answered.outputs.every(isResult) ? results[number] : undefined;
		return run.end.watch(result === undefined ? answered : { ...answered, result });
	});
}

/** Another answer may have one for a document that Cogneris returned none for. */
function isResult(output: Output): boolean {
	return !(output instanceof DocumentError) || output instanceof NotPassedOn;
}

function notPassedOn({ subject }: Ready, thrown: unknown): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	return new NotPassedOn(
		`The result for ${subject} could not be passed on: ${messageOf(thrown)}`,
		'The request was processed and may already be billed, so it was not retried.',
	);
}
