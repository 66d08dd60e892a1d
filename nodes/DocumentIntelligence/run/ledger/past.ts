import type { SavedAnswer } from '../../service/savedAnswer';
import type { DocumentError } from '../../text/errors';

/** What a document got before. Bytes, because nothing can change them and their size is known. */
export type Past =
	/** Cogneris' answer. */
	| ({ readonly kind: 'answer' } & SavedAnswer)
	/** The JSON of a call that submits or stores a file. */
	| { readonly kind: 'outputs'; readonly bytes: Uint8Array }
	/** Submitted, and its outcome is not known or not kept. */
	| { readonly kind: 'job'; readonly jobId: string }
	/** In flight in a run that was stopped. Null if it ended at no cost; never rejected. */
	| { readonly kind: 'pending'; readonly outcome: Promise<Past | null> }
	/** May be billed, and has no usable result. */
	| { readonly kind: 'lost'; readonly failure: DocumentError };

/**
 * What the memory of this process has of a document. A newer one is another object, so a run sees whether the one that it
 * began with is still there. Therefore what arrives late, and the job that takes the place of an answer, are written into it.
 */
export interface Entry {
	past: Past;
	/** How a run has passed it on; absent if none has. */
	readonly passedOn?: 'byHand' | 'automatically';
	/** The execution that has paid for it. */
	readonly execution: string;
	/** The run of the node in that execution, such as the pass of a loop. */
	readonly runIndex: number;
	/** When it came or, if it was passed on, when that was first done, in milliseconds. */
	since: number;
}

/** How a document was processed, by n8n's history: without a result, it may be billed all the same. */
export type Processed = 'withResult' | 'withoutResult';

/** All that is known of a document before a run sends it. */
export interface Known {
	/** Absent if the memory of this process has none. */
	readonly entry?: Entry;
	/** Absent if it is not processed, or n8n's history was not asked. */
	readonly history?: Processed;
}

/** What is used in place of sending a document and, if it is of no use, what n8n's history says. */
export interface Earlier extends Entry, Pick<Known, 'history'> {}

/** Whether something is there that a run has passed on: then it is no news, and was paid before. */
export function wasPassedOn(
	entry: Entry | null | undefined,
): entry is Entry & Required<Pick<Entry, 'passedOn'>> {
	return entry?.passedOn !== undefined;
}

/**
 * What wins, of copies in a run and of executions at the same moment: what no run has passed on matters more than what one
 * has, a result more than a job, and a job more than none.
 */
export function weightOf(entry: Entry | 'drop' | undefined): number {
	if (entry === undefined || entry === 'drop') return 0;
	return wasPassedOn(entry) ? 1 : WEIGHTS[entry.past.kind];
}

const WEIGHTS: Record<Past['kind'], number> = {
	lost: 2,
	pending: 3,
	job: 4,
	outputs: 5,
	answer: 5,
};

/** About what an entry takes besides its bytes, including the digests that identify it. */
const ENTRY_BYTES = 1000;

export function sizeOf(past: Past | undefined): number {
	if (past === undefined) return 0;
	if ('bytes' in past) return ENTRY_BYTES + past.bytes.buffer.byteLength;
	if (past.kind !== 'lost') return ENTRY_BYTES;
	const { message, advice, details } = past.failure;
	// Two bytes a character, and the stack of an error.
	return 2 * ENTRY_BYTES + 2 * JSON.stringify([message, advice, details]).length;
}

/** What a later run can still use if there is no room for an answer: the job that has it. */
export function jobOf(past: Past): Past | undefined {
	if (past.kind !== 'answer' || past.jobId === undefined) return undefined;
	return { kind: 'job', jobId: past.jobId };
}
