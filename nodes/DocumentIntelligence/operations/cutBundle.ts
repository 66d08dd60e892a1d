import { messageOf } from '../text/errors';
import type { Content, FileContext } from '../files/content';
import { letOthersRun } from '../pdf/eventLoop';
import {
	type Bundle,
	MAX_BUNDLE_BYTES,
	MAX_ENCRYPTED_BUNDLE_BYTES,
	type NotCutReason,
	openBundle,
} from '../pdf/openBundle';
import { MB } from '../text/bytes';
import { unlessAborted } from '../text/unlessAborted';

/** Why a file was not cut, worded as the end of a sentence. */
export interface NotCut {
	reason: string;
}

const STOPPED: NotCut = { reason: 'the execution was stopped' };

let lastFile: Promise<unknown> = Promise.resolve();

/**
 * Opens a PDF and works on it. The whole file is in memory meanwhile, so one file is done at a time in this process.
 * When the execution is stopped this returns at once and the next file has its turn, as the current step may never end:
 * until it does, two files may be in memory.
 *
 * @param work whatever it throws is thrown here
 */
export async function withBundle(
	context: Pick<FileContext, 'getExecutionCancelSignal'>,
	content: Content,
	work: (bundle: Bundle, signal: AbortSignal) => Promise<void>,
): Promise<NotCut | undefined> {
	if (content.bytes > MAX_BUNDLE_BYTES) return notCutBecause('tooLarge', content);
	const signal = context.getExecutionCancelSignal?.() ?? new AbortController().signal;
	const before = lastFile;
	const cutting = before.then(async () => await workOn(content, work, signal));
	const ended = unlessAborted(cutting, signal).catch((thrown: unknown) => {
		if (signal.aborted) return STOPPED;
		throw thrown as Error;
	});
	// One that is stopped while it waits passes on the turn of the one before it, not its own.
	lastFile = before.then(async () => await ended).catch(() => undefined);
	return await ended;
}

async function workOn(
	content: Content,
	work: (bundle: Bundle, signal: AbortSignal) => Promise<void>,
	signal: AbortSignal,
): Promise<NotCut | undefined> {
	if (signal.aborted) return STOPPED;
	let bytes: Buffer;
	try {
		bytes = await readWhole(content, signal);
	} catch (thrown) {
		if (signal.aborted) return STOPPED;
		return { reason: `n8n could not read it again: ${messageOf(thrown)}` };
	}
	const bundle = await openBundle(bytes);
	if (typeof bundle === 'string') return notCutBecause(bundle, content);
	await work(bundle, signal);
	return signal.aborted ? STOPPED : undefined;
}

async function readWhole(content: Content, signal: AbortSignal): Promise<Buffer> {
	const bytes = Buffer.allocUnsafe(content.bytes);
	let length = 0;
	for await (const chunk of content.open()) {
		length += chunk.copy(bytes, length);
		await letOthersRun();
		signal.throwIfAborted();
	}
	return bytes.subarray(0, length);
}

function notCutBecause(reason: NotCutReason, { bytes }: Content): NotCut {
	const words: Record<NotCutReason, string> = {
		locked: 'it needs a password',
		damaged: 'it is damaged',
		notPdf: 'it is not a PDF',
		tooComplex: 'it is too complex',
		tooLarge:
			bytes > MAX_BUNDLE_BYTES
				? `it is larger than ${MAX_BUNDLE_BYTES / MB} MB`
				: `it is encrypted and larger than ${MAX_ENCRYPTED_BUNDLE_BYTES / MB} MB`,
	};
	return { reason: words[reason] };
}
