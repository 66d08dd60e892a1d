import type { Answered, Output, Ready } from '../document/document';
import {
	BrokenLink,
	NotPassedOn,
	outputsOf,
	type CallContext,
	type CallOperation,
	type DocumentOperation,
} from '../operations/operation';
import type { Answer } from '../service/envelope';
import { withLateResult } from '../service/exchange';
import { DocumentError, messageOf } from '../text/errors';
import type { Cost } from '../text/failures';
import { Notes } from '../text/notes';
import { objectFrom, pastOfAnswer, pastOfOutput } from './ledger/past';
import type { Run } from './run';

type Context = CallContext & { document: Ready };

/** The outputs of a document that is answered. Makes no request to Cogneris and never throws. */
export async function conclude(
	run: Run,
	operation: DocumentOperation,
	document: Ready,
	answer: Answer,
): Promise<Answered> {
	const concluded = await tryToConclude(run, operation, document, answer);
	return run.end.watch(concluded);
}

/** @returns undefined for an earlier answer whose links lead nowhere, unless it is one of an earlier attempt */
export async function concludeEarlier(
	run: Run,
	operation: DocumentOperation,
	document: Ready,
	answer: Answer,
): Promise<Answered | undefined> {
	const concluded = await tryToConclude(run, operation, document, answer);
	const isBroken = concluded.outputs.some((output) => output instanceof BrokenLink);
	const isOwn = document.earlier !== null && run.attempt.isOfEarlierAttempt(document.earlier);
	return isBroken && !isOwn ? undefined : run.end.watch(concluded);
}

async function tryToConclude(
	run: Run,
	operation: DocumentOperation,
	document: Ready,
	answer: Answer,
): Promise<Answered> {
	// Before the operation works with the answer, which could change it.
	const isNew = document.earlier?.past.kind !== 'answer';
	if (isNew) run.held.hold(document.place, pastOfAnswer(answer));
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
	const execution = operation.execute(context).catch(withLateResult(pastOfOutput));
	const outputs = await passedOn(run, document, execution);
	const [first] = outputs;
	if (run.hasLedger && first !== undefined && 'json' in first)
		run.held.hold(document.place, pastOfOutput(first.json));
	return run.end.watch(answeredWith(run, context, outputs));
}

/** What an earlier call has returned; undefined if it has to be made anew. */
export async function concludeEarlierCall(
	run: Run,
	operation: CallOperation,
	document: Ready,
	bytes: Uint8Array,
): Promise<Answered | undefined> {
	const context = contextOf(run, document);
	const json = objectFrom(bytes);
	const isReused = document.earlier?.isPassedOn === true;
	const renewal = isReused ? operation.renew?.(context, json) : undefined;
	const renewed = renewal === undefined ? json : await passedOn(run, document, renewal);
	if (renewed === undefined) return undefined;
	const { fileName } = document;
	return run.end.watch(answeredWith(run, context, [{ json: { ...renewed, fileName } }]));
}

async function passedOn<Result>(
	{ end }: Run,
	{ subject }: Ready,
	call: Promise<Result>,
): Promise<Result> {
	return await call.catch((thrown: unknown) => {
		// What is thrown because the run has ended is its reason.
		if (end.signal.aborted) throw thrown as Error;
		throw notPassedOn(subject, thrown, 'nothing');
	});
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
	const isOwn = earlier === null || earlier.execution === attempt.execution;
	const credits = sumOf(isOwn ? newCredits : undefined, earlier?.credits);
	return {
		...document,
		state: 'answered',
		notes: [...document.notes, ...notes.list],
		outputs,
		credits,
	};
}

/** Undefined if none is known. */
export function sumOf(...credits: Array<number | undefined>): number | undefined {
	const known = credits.filter((each) => each !== undefined);
	return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0);
}

function notPassedOn(subject: string, thrown: unknown, cost: Cost): DocumentError {
	if (thrown instanceof DocumentError) return thrown;
	const message = `The result for ${subject} could not be passed on: ${messageOf(thrown)}`;
	const suggestedFix = "Check that n8n's storage for files has free space.";
	return new NotPassedOn(message, suggestedFix, {}, cost);
}
