import type { IBinaryKeyData } from 'n8n-workflow';

import type { Content, FileContext } from '../../files/content';
import { partName, safeName } from '../../files/fileNames';
import type { InputFile } from '../../files/inputFiles';
import { type Bundle, openStoredBundle } from '../../pdf/openBundle';
import { remarksOn, type Segment } from '../../results/segments';
import { Slots, unlessAborted } from '../../waiting/waiting';
import { messageOf } from '../../text/errors';
import { MAX_FILE_BYTES, type ResultContext } from '../operation';

/** A document in a bundle, with the file of its pages if it could be cut. */
export type SplitDocument = Segment & { binary?: IBinaryKeyData };

export interface CutBundle {
	documents: SplitDocument[];
	/** For a hint, worded as the end of a sentence. */
	remarks: string[];
}

/** Cuts each segment out of the file. Whatever prevents it, the documents remain, because they may be billed. */
export async function cutBundle(
	segments: readonly Segment[],
	file: InputFile | undefined,
	context: ResultContext['context'],
): Promise<CutBundle> {
	const documents = segments.map((segment): SplitDocument => ({ ...segment }));
	const notCut = (reason: string, remarks = remarksOn(documents)) => ({
		documents,
		remarks: [`not cut: ${reason}`, ...remarks],
	});
	if (file === undefined) return notCut('the file is stored in Cogneris, not in n8n');
	const { binary, content, mimeType, name, uploadName } = file;
	const whole = { data: { ...binary, fileName: safeName(uploadName) } };
	const single = documents.length === 1 ? documents[0] : undefined;
	// Only the pages of a PDF can be counted, and other formats usually are a single document.
	if (single !== undefined && mimeType !== 'application/pdf') {
		single.binary = whole;
		return { documents, remarks: [] };
	}
	// Counted from 0, all pages would be those of a neighbor.
	if (documents.some(({ pages }) => pages[0] === 0)) return notCut('the response lists a page 0');
	let remarks = remarksOn(documents);
	const reason = await withBundle(context, content, async (bundle, signal) => {
		remarks = remarksOn(documents, bundle.pageCount);
		for (const [index, document] of documents.entries()) {
			if (signal.aborted) return;
			const pages = document.pages.filter((page) => page <= bundle.pageCount);
			if (pages.length === 0) continue;
			document.pages = pages;
			// As many digits as the last number has, so that a folder sorts the files.
			const number = `${index + 1}`.padStart(`${documents.length}`.length, '0');
			const isWhole = document === single && pages.length === bundle.pageCount;
			if (isWhole) document.binary = whole;
			const remark = isWhole
				? remarkOnSize(content.bytes)
				: await cutDocument(
						document,
						bundle,
						partName(name, number, document.documentType),
						context,
					);
			if (remark !== undefined) remarks.push(`document ${index + 1}: ${remark}`);
		}
	}).catch(messageOf);
	return reason === undefined ? { documents, remarks } : notCut(reason, remarks);
}

/** Stores the pages of a document before the next ones are cut, so that only one is in memory. */
async function cutDocument(
	document: SplitDocument,
	bundle: Bundle,
	fileName: string,
	context: ResultContext['context'],
): Promise<string | undefined> {
	try {
		const bytes = await bundle.cut(document.pages);
		if (bytes === 'tooComplex') return 'its pages are too complex';
		if (typeof bytes === 'string') return 'the content of its pages is damaged';
		const binary = await context.helpers.prepareBinaryData(bytes, fileName, 'application/pdf');
		document.binary = { data: { ...binary, fileName } };
		return remarkOnSize(bytes.length);
	} catch (thrown) {
		return `its file could not be created: ${messageOf(thrown)}`;
	}
}

function remarkOnSize(bytes: number): string | undefined {
	return bytes > MAX_FILE_BYTES ? 'over 10 MB, the limit of the other operations' : undefined;
}

/** Why a file was not cut, worded as the end of a sentence. */
const REASONS: Record<string, string> = {
	locked: 'it needs a password',
	damaged: 'it is damaged',
	notPdf: 'it is not a PDF',
	tooComplex: 'it is too complex',
	tooLarge: 'it is larger than 200 MB',
	tooLargeEncrypted: 'it is encrypted and larger than 50 MB',
};

/** A file is in memory as a whole while it is cut. The second slot keeps a slow file from blocking all others. */
const slots = new Slots(2);

/**
 * Opens a PDF and works on it, two files at a time in this process. If the execution is stopped, it returns at once.
 * @returns why the file could not be opened or why its work ended early; undefined if the work is done
 */
export async function withBundle(
	{ signal }: Pick<FileContext, 'signal'>,
	content: Content,
	work: (bundle: Bundle, signal: AbortSignal) => Promise<void>,
): Promise<string | undefined> {
	const open = async () => {
		signal.throwIfAborted();
		const bundle = await openStoredBundle(content, signal).catch(messageOf);
		if (typeof bundle === 'string')
			return REASONS[bundle] ?? `n8n could not read it again: ${bundle}`;
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
