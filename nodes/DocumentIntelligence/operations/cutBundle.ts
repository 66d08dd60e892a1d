import { sleep } from 'n8n-workflow';
import type { Content, FileContext } from '../files/content';
import { type Bundle, MAX_BUNDLE_BYTES, type NotCutReason, openBundle } from '../pdf/openBundle';
import { messageOf, unlessAborted } from '../text/errors';

/** Why a file was not cut, worded as the end of a sentence. */
export interface NotCut {
	reason: string;
}

const STOPPED: NotCut = { reason: 'the execution was stopped' };

const REASONS: Record<NotCutReason, string> = {
	locked: 'it needs a password',
	damaged: 'it is damaged',
	notPdf: 'it is not a PDF',
	tooComplex: 'it is too complex',
	tooLarge: 'it is larger than 200 MB',
	tooLargeEncrypted: 'it is encrypted and larger than 50 MB',
};

/** A file that has had its turn for so long, in milliseconds, may be overtaken. */
const LONGEST_TURN_MS = 2000;

let lastTurn: Promise<unknown> = Promise.resolve();
let overtaken: Promise<unknown> = Promise.resolve();

/**
 * Opens a PDF and works on it. The whole file is in memory meanwhile, so one file has its turn at a time in this
 * process; one that takes long is overtaken, so that at most two are in memory. When the execution is stopped this
 * returns at once and the next file has its turn, though the current step may go on. Throws what `work` throws.
 */
export async function withBundle(
	context: Pick<FileContext, 'getExecutionCancelSignal'>,
	content: Content,
	work: (bundle: Bundle, signal: AbortSignal) => Promise<void>,
): Promise<NotCut | undefined> {
	const signal = context.getExecutionCancelSignal?.() ?? new AbortController().signal;
	const turn = lastTurn;
	const working = turn.then(async () => {
		if (signal.aborted) return STOPPED;
		const bundle = await openContent(content, signal);
		if ('reason' in bundle) return bundle;
		await work(bundle, signal);
		return signal.aborted ? STOPPED : undefined;
	});
	const ended = unlessAborted(working, signal).catch((thrown: unknown) => {
		if (signal.aborted) return STOPPED;
		throw thrown as Error;
	});
	const settled = ended.catch(() => undefined);
	// One that is stopped while it waits passes on the turn of the one before it, not its own.
	lastTurn = turn.then(async () => {
		await Promise.race([settled, Promise.all([sleep(LONGEST_TURN_MS), overtaken])]);
		overtaken = Promise.all([overtaken, settled]).then(() => undefined);
	});
	return await ended;
}

async function openContent(content: Content, signal: AbortSignal): Promise<Bundle | NotCut> {
	if (content.bytes > MAX_BUNDLE_BYTES) return { reason: REASONS.tooLarge };
	const bytes = Buffer.allocUnsafe(content.bytes);
	let length = 0;
	try {
		for await (const chunk of content.open()) {
			length += chunk.copy(bytes, length);
			signal.throwIfAborted();
		}
	} catch (thrown) {
		return { reason: `n8n could not read it again: ${messageOf(thrown)}` };
	}
	const bundle = await openBundle(bytes.subarray(0, length));
	return typeof bundle === 'string' ? { reason: REASONS[bundle] } : bundle;
}
