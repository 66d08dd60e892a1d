import type { Output } from '../document/document';
import {
	undelivered,
	outputsOf,
	type CallContext,
	type CallOperation,
	type DocumentOperation,
} from '../operations/operation';
import type { OnDetached } from '../service/client';
import { isFreeJob, type Answer } from '../service/envelope';
import { readJsonFrom, saveAnswer, saveJson } from '../service/savedAnswer';
import { Notes } from '../text/notes';
import { unlessAborted } from '../waiting/waiting';
import type { Answered, Ready } from './state';
import type { Payment } from './ledger/attempts';
import { leftByOutputs, type Left } from './ledger/left';
import { wasPassedOn, type Past } from './ledger/past';
import type { Run } from './run';

type Context = CallContext & { document: Ready };

/** The outputs of a document that is answered. Makes no request to Cogneris and never throws. */
export async function conclude(
	run: Run,
	operation: DocumentOperation,
	document: Ready,
	answer: Answer,
): Promise<Answered> {
	const { earlier, subject } = document;
	const earlierAnswer = earlier?.past.kind === 'answer' ? earlier.past : undefined;
	const { jobId, creditsConsumed } = answer;
	// Before the operation works with the answer, which could change it.
	const past: Past = earlierAnswer ?? { kind: 'answer', ...saveAnswer(answer) };
	const context = contextOf(run, document);
	const { canceled } = run.end;
	const wasFree = isFreeJob(answer);
	const cost = wasFree ? 'nothing' : 'document';
	const toOutputs = async () => {
		canceled.throwIfAborted();
		// A storage may hang.
		return await unlessAborted(outputsOf(operation, answer, context), canceled);
	};
	const outputs = await run.resultSlots.use(toOutputs).catch((thrown: unknown) =>
		// After a stop, nobody gets them. Without outputs, none has failed, so the answer is kept.
		canceled.aborted ? [] : [undelivered(subject, thrown, operation, cost)],
	);
	const left = leftByOutputs(outputs, past, earlier, wasFree);
	if (earlierAnswer !== undefined) return answeredWith(context, outputs, left);
	run.held.hold(left);
	const paid = run.attempt.paymentFor(earlier, creditsConsumed, jobId);
	return answeredWith(context, outputs, left, paid);
}

/**
 * The outputs of a document whose operation makes its own calls.
 * @throws DocumentError, or the reason of the run's end
 */
export async function concludeCall(
	run: Run,
	operation: CallOperation,
	document: Ready,
	onDetached: OnDetached,
): Promise<Answered> {
	const context = contextOf(run, document);
	const settings = { ...context.settings, onDetached };
	const outputs = await operation.execute({ ...context, settings }).catch(rethrow(run, document));
	const [first] = outputs;
	const isKept = run.keepsResults && first !== undefined && 'json' in first;
	const past = isKept ? { kind: 'outputs' as const, bytes: saveJson(first.json) } : undefined;
	const left = leftByOutputs(outputs, past, document.earlier);
	run.held.hold(left);
	return answeredWith(context, outputs, left);
}

/** What an earlier call has returned; null if it has to be made anew. */
export async function concludeEarlierCall(
	run: Run,
	{ onceOnly }: CallOperation,
	document: Ready,
	bytes: Uint8Array,
): Promise<Answered | null> {
	const context = contextOf(run, document);
	const json = readJsonFrom(bytes);
	const { earlier } = document;
	const renew = wasPassedOn(earlier) ? onceOnly?.renew : undefined;
	const renewing = { ...context, session: run.collecting };
	const renewed = renew ? await renew(renewing, json).catch(rethrow(run, document)) : json;
	if (renewed === undefined) return null;
	const outputs = [{ json: { ...renewed, fileName: document.fileName } }];
	const left = leftByOutputs(outputs, earlier?.past, earlier);
	return answeredWith(context, outputs, left);
}

function rethrow({ end, operation }: Run, { subject }: Ready) {
	return (thrown: unknown): never => {
		// What is thrown because the run has ended is its reason.
		throw end.sending.aborted
			? (thrown as Error)
			: undelivered(subject, thrown, operation, 'nothing');
	};
}

/** What an operation works with for one document. The notes are those of this document. */
function contextOf({ session, jobs, context, end }: Run, document: Ready): Context {
	const { item, settings } = document;
	return {
		session,
		jobs,
		files: { helpers: context.helpers, signal: end.work },
		notes: new Notes(),
		document,
		read: item.read,
		output: settings.output,
		settings,
	};
}

function answeredWith(
	{ document, notes }: Context,
	outputs: Output[],
	left: Left,
	paid?: Payment,
): Answered {
	const allNotes = [...document.notes, ...notes.list];
	return { ...document, state: 'answered', notes: allNotes, outputs, left, paid };
}
