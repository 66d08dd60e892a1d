import type { IBinaryKeyData } from 'n8n-workflow';

import { storePdf, type Content, type FileContext } from '../../files/content';
import { partName, safeName } from '../../files/fileNames';
import { typeOfName } from '../../files/fileTypes';
import type { InputFile } from '../../files/inputFiles';
import { type Bundle, openStoredBundle } from '../../pdf/openBundle';
import { remarksOn, type Segment } from '../../results/segments';
import { Slots, unlessAborted } from '../../waiting/waiting';
import { messageOf } from '../../text/errors';
import { MAX_FILE_BYTES } from '../operation';

/** The pages of a document: their file if they could be cut, and a remark. */
interface Cut {
	binary?: IBinaryKeyData;
	remark?: string;
}

export interface CutBundle {
	documents: Array<Segment & Pick<Cut, 'binary'>>;
	/** For a hint, each worded as the end of a sentence. */
	remarks: string[];
}

/**
 * Cuts each segment out of the file. A segment that cannot be cut remains without a file, because it may be billed.
 * @throws StorageFailure if n8n cannot store a file, so that a later run cuts them all
 */
export async function cutBundle(
	segments: Segment[],
	file: InputFile | undefined,
	context: FileContext,
): Promise<CutBundle> {
	const notCut = (reason: string): CutBundle => ({
		documents: segments,
		remarks: [`not cut: ${reason}`, ...remarksOn(segments)],
	});
	if (file === undefined) return notCut('the file is stored in Cogneris, not in n8n');
	const { binary, content, mimeType, name, uploadName } = file;
	const wholeName = typeOfName(name) === undefined ? uploadName : name;
	const whole = { data: { ...binary, fileName: safeName(wholeName) } };
	const [first, ...remaining] = segments;
	const single = remaining.length === 0 ? first : undefined;
	// Only the pages of a PDF can be counted, and other formats usually are a single document.
	if (single !== undefined && mimeType !== 'application/pdf')
		return { documents: [{ ...single, binary: whole }], remarks: [] };
	// Counted from 0, all pages would be those of a neighbor.
	if (segments.some(({ pages }) => pages[0] === 0)) return notCut('the response lists a page 0');
	const result = await withBundle(context, content, async (bundle): Promise<CutBundle> => {
		const documents: CutBundle['documents'] = [];
		const remarks = remarksOn(segments, bundle.pageCount);
		for (const [index, segment] of segments.entries()) {
			context.signal.throwIfAborted();
			const pages = segment.pages.filter((page) => page <= bundle.pageCount);
			// As many digits as the last number has, so that a folder sorts the files.
			const number = `${index + 1}`.padStart(`${segments.length}`.length, '0');
			const fileName = partName(name, number, segment.documentType);
			const isWhole = segment === single && pages.length === bundle.pageCount;
			const cut: Cut = isWhole
				? { binary: whole, remark: remarkOnSize(content.bytes) }
				: await cutPages(bundle, pages, fileName, context);
			documents.push({ ...segment, ...(pages.length > 0 && { pages }), binary: cut.binary });
			if (cut.remark !== undefined) remarks.push(`document ${index + 1}: ${cut.remark}`);
		}
		return { documents, remarks };
	});
	return typeof result === 'string' ? notCut(result) : result;
}

/** Stores the pages of a document before the next ones are cut, so that only one is in memory. */
async function cutPages(
	bundle: Bundle,
	pages: number[],
	fileName: string,
	context: FileContext,
): Promise<Cut> {
	if (pages.length === 0) return {};
	const pieces = await piecesOf(bundle, pages);
	if (pieces === 'tooComplex') return { remark: 'its pages are too complex' };
	if (typeof pieces === 'string') return { remark: 'the content of its pages is damaged' };
	const data = await storePdf(pieces, fileName, context);
	const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
	return { binary: { data }, remark: remarkOnSize(bytes) };
}

/** What a file makes the library throw is damage, too. */
export async function piecesOf(bundle: Bundle, ...what: Parameters<Bundle['cut']>) {
	return await bundle.cut(...what).catch(() => 'damaged' as const);
}

function remarkOnSize(bytes: number): string | undefined {
	return bytes > MAX_FILE_BYTES ? 'over 10 MB, the limit of the other operations' : undefined;
}

/** Why a file was not cut, worded as the end of a sentence. */
export const REASONS: Record<string, string> = {
	locked: 'it needs a password',
	damaged: 'it is damaged',
	notPdf: 'it is not a PDF, JPEG or PNG without transparency and interlacing',
	tooComplex: 'it is too complex',
	tooLarge: 'it is larger than 200 MB',
	tooLargeEncrypted: 'it is encrypted and larger than 50 MB',
};

/** A file is in memory as a whole while it is cut. The second slot keeps a slow file from blocking all others. */
const slots = new Slots(2);

/** A store that hangs would keep its slot from all other workflows. */
const MAX_READ_MS = 5 * 60 * 1000;

/**
 * Opens a PDF and works on it, two files at a time in this process. If the run ends, it throws at once.
 * @returns the result, or why the file could not be opened
 * @throws what the work throws, or the reason of the context's signal
 */
export async function withBundle<Result>(
	{ signal }: Pick<FileContext, 'signal'>,
	content: Content,
	work: (bundle: Bundle) => Promise<Result>,
	readMs = MAX_READ_MS,
): Promise<Result | string> {
	const openAndWork = async () => {
		signal.throwIfAborted();
		const reading = AbortSignal.any([signal, AbortSignal.timeout(readMs)]);
		const opened = openStoredBundle(content, reading);
		const bundle = await unlessAborted(opened, reading).catch(messageOf);
		if (typeof bundle === 'string')
			return REASONS[bundle] ?? `n8n could not read it again: ${bundle}`;
		return await work(bundle);
	};
	const turn = slots.use(async () => await unlessAborted(openAndWork(), signal));
	return await unlessAborted(turn, signal);
}
