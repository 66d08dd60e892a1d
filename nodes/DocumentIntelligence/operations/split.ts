import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { Content, FileContext } from '../files/content';
import { messageOf, unlessAborted } from '../text/errors';
import { DistinctNames, partName, safeName } from '../files/fileNames';
import type { InputFile } from '../files/inputFiles';
import { INCLUDE_BUNDLE, SKIP_PROCESSED_FILES, TIMEOUT } from '../parameters/options';
import { type Bundle, openSource } from '../pdf/openBundle';
import { beside, itemJson } from '../results/fields';
import { readSegments, remarksOn, type Segment } from '../results/segments';
import { told } from '../service/requestError';
import { Slots } from '../service/session';
import { MB } from '../text/words';
import {
	MAX_FILE_BYTES,
	ONE_FILE,
	type DocumentOperation,
	type DocumentContext,
} from './operation';

const NOT_SPLIT = told(
	'Cogneris could not split %s',
	'Split is for PDF files that contain several documents. Check that the file is such a PDF, is complete, and opens without a password. A file with a single document does not need Split.',
);

type Part = Segment & { binary?: IBinaryKeyData };

export const split: DocumentOperation<Segment[] | IDataObject> = {
	value: 'split',
	name: 'Split',
	description: 'Cut a long PDF into the documents inside it',
	action: 'Split bundle into documents',
	path: '/Document/split',
	jobOperation: 'Split',
	...ONE_FILE,
	maxFileBytes: 500 * MB,
	timeout: { ...TIMEOUT, default: 1800 },
	options: [INCLUDE_BUNDLE, SKIP_PROCESSED_FILES],
	outputs: [
		{
			name: 'Documents',
			value: 'documents',
			description:
				'One item per document, with its type, page numbers and a PDF of its pages. For stored files, there is no PDF.',
		},
		{
			name: 'Page Ranges',
			value: 'fields',
			description: 'One item per document found in the file, with its type and page numbers',
		},
	],

	statusMessages: { 415: NOT_SPLIT, 422: NOT_SPLIT },

	parse: ({ data }) => [readSegments(data) ?? itemJson(data)],

	async toOutputs(found, result) {
		const { document, subject, output, hints } = result;
		const { fileName, parts: sent } = document;
		if (!Array.isArray(found)) {
			hints.add('pages', `${subject} (the response lists no documents)`);
			return [{ json: beside(found, { fileName }) }];
		}
		const parts = found.map((segment): Part => ({ ...segment }));
		const remarks =
			output === 'documents' ? await cutOut(parts, sent[0]?.file, result) : remarksOn(parts);
		if (remarks.length > 0) hints.add('pages', `${subject} (${remarks.join('; ')})`);
		return parts.map(({ documentType, pages, rest, binary }, index) => {
			const [firstPage = null, lastPage = firstPage] = [pages[0], pages.at(-1)];
			const names = { fileName: binary?.data?.fileName ?? fileName, sourceFileName: fileName };
			// The next node counts on our names: the same ones in the answer get an underscore.
			const json = beside({ documentType, firstPage, lastPage, pages, ...names, index }, rest);
			return binary === undefined ? { json } : { json, binary };
		});
	},

	nameFiles(outputs) {
		const names = new DistinctNames();
		for (const output of outputs) {
			if (!('json' in output) || output.binary?.data === undefined) continue;
			const { data } = output.binary;
			data.fileName = names.take(data.fileName ?? '');
			output.json.fileName = data.fileName;
		}
	},
};

/** Whatever prevents a part from being stored, the parts remain: they are paid for. Returns remarks for a hint. */
async function cutOut(
	parts: Part[],
	file: InputFile | undefined,
	{ context }: DocumentContext,
): Promise<string[]> {
	let remarks = remarksOn(parts);
	if (file === undefined)
		return ['not cut: the file is stored in Cogneris, not in n8n', ...remarks];
	const { binary, content, mimeType, name, uploadName } = file;
	const whole = { data: { ...binary, fileName: safeName(uploadName) } };
	const only = parts.length === 1 ? parts[0] : undefined;
	if (only !== undefined && mimeType.startsWith('image/') && mimeType !== 'image/tiff') {
		only.binary = whole;
		return remarks;
	}
	// Counted from 0, all pages would be those of a neighbor.
	if (parts.some(({ pages }) => pages[0] === 0))
		return ['not cut: the response lists a page 0', ...remarks];
	const notCut = await withBundle(context, content, async (bundle, signal) => {
		remarks = remarksOn(parts, bundle.pageCount);
		for (const [index, part] of parts.entries()) {
			if (signal.aborted) return;
			const pages = part.pages.filter((page) => page <= bundle.pageCount);
			if (pages.length === 0) continue;
			part.pages = pages;
			// As many digits as the last number has, so that a folder sorts the files.
			const number = `${index + 1}`.padStart(`${parts.length}`.length, '0');
			const isWhole = part === only && pages.length === bundle.pageCount;
			if (isWhole) part.binary = whole;
			const remark = isWhole
				? remarkOnSize(content.bytes)
				: await cutPart(part, bundle, partName(name, number, part.documentType), context);
			if (remark !== undefined) remarks.push(`document ${index + 1}: ${remark}`);
		}
	}).catch(messageOf);
	return notCut === undefined ? remarks : [`not cut: ${notCut}`, ...remarks];
}

/** Stores the pages of a part before the next ones are cut. */
async function cutPart(
	part: Part,
	bundle: Bundle,
	fileName: string,
	context: DocumentContext['context'],
): Promise<string | undefined> {
	try {
		const bytes = await bundle.cut(part.pages);
		if (bytes === 'tooComplex') return 'its pages are too complex';
		if (typeof bytes === 'string') return 'the content of its pages is damaged';
		const binary = await context.helpers.prepareBinaryData(bytes, fileName, 'application/pdf');
		part.binary = { data: { ...binary, fileName } };
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

/** A file that is cut is in memory as a whole. A second slot keeps a slow file from blocking all others. */
const slots = new Slots(2);

/**
 * Opens a PDF and works on it, one of two at a time in this process. When the execution is stopped, it returns at once.
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
		const bundle = await openSource(content, signal).catch(messageOf);
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
