import type { Answered, Output, Ready } from '../document/document';
import {
	NotPassedOn,
	outputsOf,
	type CallContext,
	type CallOperation,
	type DocumentOperation,
} from '../operations/operation';
import type { Answer } from '../service/envelope';
import { withLateResult } from '../service/exchange';
import { readJsonFrom, saveAnswer, saveJson } from '../service/savedAnswer';
import { DocumentError, messageOf } from '../text/errors';
import type { Cost } from '../text/failures';
import { Notes } from '../text/notes';
import type { Run } from './run';

type Context = CallContext & { document: Ready };

/** The outputs of a document that is answered. Makes no request to Cogneris and never throws. */
export async function conclude(
	run: Run,
	operation: DocumentOperation,
	document: Ready,
	answer: Answer,
): Promise<Answered> {
	// Before the operation works with the answer, which could change it.
	const isNew = document.earlier?.past.kind !== 'answer';
	if (isNew) run.held.hold(document.place, { kind: 'answer', ...saveAnswer(answer) });
	const context = contextOf(run, document);
	const outputs = await outputsOf(operation, answer, context).catch((thrown: unknown) => [
		notPassedOn(document.subject, thrown, 'document'),
	]);
	return answeredWith(run, context, outputs, isNew ? answer.creditsConsumed : undefined);
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
	const pastOf = (json: unknown) => ({ kind: 'outputs' as const, bytes: saveJson(json) });
	const call = operation.execute(context).catch(withLateResult(pastOf));
	const outputs = await call.catch(rethrow(run, document));
	const [first] = outputs;
	if (run.hasLedger && first !== undefined && 'json' in first)
		run.held.hold(document.place, pastOf(first.json));
	return answeredWith(run, context, outputs);
}

/** What an earlier call has returned; undefined if it has to be made anew. */
export async function concludeEarlierCall(
	run: Run,
	{ onceOnly }: CallOperation,
	document: Ready,
	bytes: Uint8Array,
): Promise<Answered | undefined> {
	const context = contextOf(run, document);
	const json = readJsonFrom(bytes);
	const renew = document.earlier?.passedOn === undefined ? undefined : onceOnly?.renew;
	const renewing = { ...context, session: run.collecting };
	const renewed = renew ? await renew(renewing, json).catch(rethrow(run, document)) : json;
	if (renewed === undefined) return undefined;
	return answeredWith(run, context, [{ json: { ...renewed, fileName: document.fileName } }]);
}

function rethrow({ end }: Run, { subject }: Ready) {
	return (thrown: unknown): never => {
		// What is thrown because the run has ended is its reason.
		throw end.signal.aborted ? (thrown as Error) : notPassedOn(subject, thrown, 'nothing');
	};
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

function answeredWith(
	{ attempt }: Run,
	{ document, notes }: Context,
	outputs: Output[],
	newCredits?: number,
): Answered {
	const { earlier } = document;
	const allNotes = [...document.notes, ...notes.list];
	const credits = attempt.ownCredits(earlier, newCredits);
	return { ...document, state: 'answered', notes: allNotes, outputs, credits };
}

function notPassedOn(subject: string, thrown: unknown, cost: Cost): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	const message = `The result for ${subject} could not be passed on: ${messageOf(thrown)}`;
	const suggestedFix = "Check that n8n's storage for files has free space.";
	return new NotPassedOn(message, suggestedFix, {}, cost);
}
