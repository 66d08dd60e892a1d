import type { Content, FileContext } from '../files/content';
import { type Bundle, MAX_BUNDLE_BYTES, type NotCutReason, openBundle } from '../pdf/openBundle';
import { Slots } from '../service/session';
import { messageOf, unlessAborted } from '../text/errors';

/** Why a file was not cut, worded as the end of a sentence. */
const REASONS: Record<NotCutReason, string> = {
	locked: 'it needs a password',
	damaged: 'it is damaged',
	notPdf: 'it is not a PDF',
	tooComplex: 'it is too complex',
	tooLarge: 'it is larger than 200 MB',
	tooLargeEncrypted: 'it is encrypted and larger than 50 MB',
};

/** Those of this n8n process: a file that is cut is in memory as a whole. One that takes long does not stop all others. */
const slots = new Slots(2);

/**
 * Opens a PDF and works on it, one of two at a time in this process. When the execution is stopped this returns at once
 * and the next file has its turn, though the current step may go on. Throws what `work` throws.
 *
 * @returns why the file could not be opened or was left; undefined if the work is done
 */
export async function withBundle(
	context: Pick<FileContext, 'getExecutionCancelSignal'>,
	content: Content,
	work: (bundle: Bundle, signal: AbortSignal) => Promise<void>,
): Promise<string | undefined> {
	const signal = context.getExecutionCancelSignal?.() ?? new AbortController().signal;
	const open = async () => {
		signal.throwIfAborted();
		const bundle = await openContent(content, signal);
		if (typeof bundle === 'string') return bundle;
		await work(bundle, signal);
		signal.throwIfAborted();
		return undefined;
	};
	const turn = slots.use(async () => await unlessAborted(open(), signal));
	return await unlessAborted(turn, signal).catch((thrown: unknown) => {
		if (signal.aborted) return 'the execution was stopped';
		throw thrown as Error;
	});
}

/** @returns why there is no bundle */
async function openContent(content: Content, signal: AbortSignal): Promise<Bundle | string> {
	if (content.bytes > MAX_BUNDLE_BYTES) return REASONS.tooLarge;
	const bytes = Buffer.allocUnsafe(content.bytes);
	let length = 0;
	try {
		for await (const chunk of content.open()) {
			length += chunk.copy(bytes, length);
			signal.throwIfAborted();
		}
	} catch (thrown) {
		return `n8n could not read it again: ${messageOf(thrown)}`;
	}
	const bundle = await openBundle(bytes.subarray(0, length));
	return typeof bundle === 'string' ? REASONS[bundle] : bundle;
}
