import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { messageOf } from '../text/errors';
import { DistinctNames, partName, safeName } from '../files/fileNames';
import type { InputFile } from '../files/inputFiles';
import { fileParameters } from '../parameters/fileParameters';
import { INCLUDE_BUNDLE, SKIP_PROCESSED_FILES } from '../parameters/options';
import type { Bundle } from '../pdf/openBundle';
import { beside, itemJson } from '../results/fields';
import { readSegments, remarksOn, type Segment } from '../results/segments';
import type { FailureMessage } from '../service/requestError';
import { MB } from '../text/bytes';
import { withBundle } from './cutBundle';
import { oneDocumentPerFile, type DocumentOperation, type DocumentContext } from './operation';

const NOT_SPLIT: FailureMessage = {
	message: (subject) => `Cogneris could not split ${subject}`,
	suggestedFix:
		'Split is for PDF files that contain several documents. Check that the file is such a PDF, is complete, and opens without a password. A file with a single document does not need Split.',
};

/** The documents of a bundle; if an answer lists none, the answer itself. */
type Bundled = { segments: Segment[] } | { unknown: IDataObject };

export const split: DocumentOperation<Bundled> = {
	value: 'split',
	name: 'Split',
	description: 'Cut a long PDF into the documents inside it',
	action: 'Split bundle into documents',
	path: '/Document/split',
	jobOperation: 'Split',
	maxFileBytes: 500 * MB,
	timeoutSeconds: 1800,
	includeInputFile: INCLUDE_BUNDLE,
	fileParameters,
	parameters: [],
	options: [SKIP_PROCESSED_FILES],
	outputs: [
		{
			name: 'Documents',
			value: 'documents',
			description:
				'One item per document, with its type, page numbers and pages as a PDF. A stored file returns page ranges only.',
		},
		{
			name: 'Page Ranges',
			value: 'fields',
			description: 'One item per document found in the file, with its type and pages',
		},
	],
	documents: oneDocumentPerFile('file'),

	statusMessages: { 415: NOT_SPLIT, 422: NOT_SPLIT },

	parse({ data }) {
		const segments = readSegments(data);
		return [segments === undefined ? { unknown: itemJson(data) } : { segments }];
	},

	async toOutputs(bundled, result) {
		const { document, subject, output, hints } = result;
		const { fileName, parts } = document;
		if ('unknown' in bundled) {
			hints.add('pages', `${subject} (the response lists no documents)`);
			return [{ json: beside(bundled.unknown, { fileName }) }];
		}
		const { segments } = bundled;
		const found = segments.map((segment): Part => ({ segment }));
		const remarks =
			output === 'documents' ? await cutOut(found, parts[0]?.file, result) : remarksOn(segments);
		if (remarks.length > 0) hints.add('pages', `${subject} (${remarks.join('; ')})`);
		return found.map(({ segment, binary }, index) => {
			const { documentType, firstPage, lastPage, pages, rest } = segment;
			const names = { fileName: binary?.data?.fileName ?? fileName, sourceFileName: fileName };
			// The next node counts on our names: the same ones in the answer get an underscore.
			const json = beside({ documentType, firstPage, lastPage, pages, ...names, index }, rest);
			return binary === undefined ? { json } : { json, binary };
		});
	},

	nameFiles(outputs) {
		const names = new DistinctNames();
		for (const output of outputs) {
			const file = 'json' in output ? output.binary?.data : undefined;
			if (file?.fileName === undefined || !('json' in output)) continue;
			file.fileName = names.take(file.fileName);
			output.json.fileName = file.fileName;
		}
	},
};

/** A document of a bundle, with its file if it has one. */
interface Part {
	segment: Segment;
	binary?: IBinaryKeyData;
}

/** What the operations on a single document take (docs/internals/service-contract.md, limits). */
const MAX_DOCUMENT_BYTES = 10 * MB;

/**
 * Stores each part's own pages as its file. Whatever prevents that, the parts remain: they are paid for.
 *
 * @returns what a user should know about the pages and files, worded for messages
 */
async function cutOut(
	parts: Part[],
	file: InputFile | undefined,
	{ context }: DocumentContext,
): Promise<string[]> {
	const segments = parts.map(({ segment }) => segment);
	let remarks = remarksOn(segments);
	if (file === undefined) return ['not cut: a stored file is not in n8n', ...remarks];
	const [only] = parts;
	if (only !== undefined && parts.length === 1 && isPicture(file)) {
		only.binary = passedOn(file);
		return remarks;
	}
	// Counted from 0, all pages would be those of a neighbor.
	if (segments.some(({ firstPage }) => firstPage === 0))
		return ['not cut: the response lists a page 0', ...remarks];
	const notCut = await withBundle(context, file.content, async (bundle, signal) => {
		remarks = remarksOn(segments, bundle.pageCount);
		for (const [index, part] of parts.entries()) {
			if (signal.aborted) return;
			const pages = part.segment.pages.filter((page) => page <= bundle.pageCount);
			const [firstPage, lastPage] = [pages[0], pages.at(-1)];
			if (firstPage === undefined || lastPage === undefined) continue;
			part.segment = { ...part.segment, firstPage, lastPage, pages };
			const name = partName(file.name, index + 1, part.segment.documentType);
			const isWhole = parts.length === 1 && pages.length === bundle.pageCount;
			const {
				binary,
				bytes = 0,
				reason,
			} = isWhole
				? { binary: passedOn(file), bytes: file.content.bytes }
				: await cutPart(bundle, pages, name, context);
			part.binary = binary;
			const remark =
				bytes > MAX_DOCUMENT_BYTES ? 'over 10 MB, the limit of the other operations' : reason;
			if (remark !== undefined) remarks.push(`document ${index + 1}: ${remark}`);
		}
	}).catch((thrown: unknown) => ({ reason: messageOf(thrown) }));
	return notCut === undefined ? remarks : [`not cut: ${notCut.reason}`, ...remarks];
}

/** Has a single page, so it is the whole of the only document in it. */
function isPicture({ mimeType }: InputFile): boolean {
	return mimeType.startsWith('image/') && mimeType !== 'image/tiff';
}

/** A file that is a single document, as it is. */
function passedOn(file: InputFile): IBinaryKeyData {
	return { data: { ...file.binary, fileName: safeName(file.uploadName) } };
}

/** Stores pages before the next ones are cut. */
async function cutPart(
	bundle: Bundle,
	pages: number[],
	fileName: string,
	context: DocumentContext['context'],
): Promise<{ binary?: IBinaryKeyData; bytes?: number; reason?: string }> {
	try {
		const bytes = await bundle.cut(pages);
		if (bytes === 'tooComplex') return { reason: 'what its pages show is too complex' };
		if (typeof bytes === 'string') return { reason: 'the content of its pages is damaged' };
		const binary = await context.helpers.prepareBinaryData(bytes, fileName, 'application/pdf');
		return { binary: { data: { ...binary, fileName } }, bytes: bytes.length };
	} catch (thrown) {
		return { reason: `its file could not be created: ${messageOf(thrown)}` };
	}
}
