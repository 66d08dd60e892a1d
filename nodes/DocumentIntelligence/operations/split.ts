import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { messageOf } from '../text/errors';
import { DistinctNames, partName, safeName } from '../files/partName';
import type { InputFile } from '../files/inputFiles';
import { fileParameters } from '../parameters/fileParameters';
import { INCLUDE_BUNDLE } from '../parameters/options';
import type { Bundle } from '../pdf/openBundle';
import { beside, itemJson } from '../results/fields';
import { readSegments, remarksOn, type Segment } from '../results/segments';
import type { FailureMessage } from '../service/requestError';
import { MB } from '../text/bytes';
import { pluralize } from '../text/pluralize';
import { withBundle } from './cutBundle';
import { SKIP_PROCESSED_FILES } from '../parameters/options';
import { oneDocumentPerFile, type DocumentOperation, type ResultContext } from './operation';

const NOT_SPLIT: FailureMessage = {
	message: (subject) => `The service could not split ${subject}`,
	suggestedFix:
		'Split is for PDF files that contain several documents. Check that the file is such a PDF, is complete, and opens without a password. A file with a single document does not need Split.',
};

/** The documents of a bundle; where an answer lists none, the answer itself. */
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
				'One item per document, with its type, page numbers and pages as a PDF. A stored file gives page ranges only.',
		},
		{
			name: 'Page Ranges',
			value: 'fields',
			description: 'One item per document found in the file, with its type and pages',
		},
	],
	documents: oneDocumentPerFile('file'),

	statusMessages: { 415: NOT_SPLIT, 422: NOT_SPLIT },

	parse({ data }, documents) {
		return documents.map(({ parts: [part] }) => {
			const segments = readSegments(data, part?.file.uploadName);
			return segments === undefined ? { unknown: itemJson(data) } : { segments };
		});
	},

	async toOutputs(bundled, result) {
		const { document, subject, output, hints } = result;
		const {
			fileName,
			parts: [part],
		} = document;
		if ('unknown' in bundled) {
			if (output === 'documents') hints.notCut.push(`${subject} (the response lists no documents)`);
			else hints.withoutPages.push(`${subject} (no documents listed)`);
			return [{ json: beside(bundled.unknown, { fileName }) }];
		}
		const { segments } = bundled;
		const found = segments.map((segment): Part => ({ segment }));
		const withoutPages = segments.filter(({ pages }) => pages.length === 0).length;
		if (output !== 'documents' && withoutPages > 0)
			hints.withoutPages.push(
				`${subject} (${withoutPages} of ${pluralize(segments.length, 'document')})`,
			);
		const remarks =
			output === 'documents' ? await cutOut(found, part?.file, result) : remarksOn(segments);
		if (remarks.length > 0) hints.pageRemarks.push(`${subject} (${remarks.join('; ')})`);
		return found.map(({ segment, binary }, index) => ({
			json: jsonOf(segment, index, fileName, binary?.data?.fileName),
			...(binary === undefined ? {} : { binary }),
		}));
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

/** What the service says under one of these names comes with an underscore: the next node counts on ours. */
function jsonOf(
	{ documentType, firstPage, lastPage, pages, rest }: Segment,
	index: number,
	sourceFileName: string | null,
	fileName: string | null = sourceFileName,
): IDataObject {
	const known = { documentType, firstPage, lastPage, pages, fileName, sourceFileName, index };
	return beside(known, rest);
}

/** The largest file that the operations on a single document take (docs/service-contract.md, limits). */
const MAX_DOCUMENT_BYTES = 10 * MB;

/** On average: an answer that lists the same pages over and over would fill n8n's store. */
const MAX_DOCUMENTS_OF_A_PAGE = 10;

/** Has a single page, so it is the whole of the only document in it. */
function isPicture({ mimeType }: InputFile): boolean {
	return mimeType.startsWith('image/') && mimeType !== 'image/tiff';
}

/**
 * Gives each part its own pages as a file. Whatever keeps one from it, the parts remain, and a hint says why: they are
 * paid for.
 *
 * @returns what does not fit together in the pages
 */
async function cutOut(
	parts: Part[],
	file: InputFile | undefined,
	result: ResultContext,
): Promise<string[]> {
	const segments = parts.map(({ segment }) => segment);
	const { context, subject, hints } = result;
	if (file === undefined) {
		hints.notCut.push(`${subject} (the service has stored it, so it is not in n8n)`);
		return remarksOn(segments);
	}
	const [only, ...more] = parts;
	if (only !== undefined && more.length === 0 && isPicture(file)) {
		only.binary = passedOn(file);
		return remarksOn(segments);
	}
	const withoutPages = segments.filter(({ pages }) => pages.length === 0).length;
	const obstacles: string[] = [];
	let remarks: string[] | undefined;
	if (withoutPages > 0) {
		obstacles.push(
			`it is not certain which pages ${withoutPages} of its ${segments.length} documents ${withoutPages === 1 ? 'has' : 'have'}`,
		);
	}
	if (segments.some(({ firstPage }) => firstPage === 0)) {
		// Counted from 0, all pages would be those of a neighbour.
		obstacles.push('the service gives a page 0, so its page numbers are ambiguous');
	} else if (withoutPages < segments.length) {
		const notCut = await withBundle(context, file.content, async (bundle, signal) => {
			remarks = remarksOn(segments, bundle.pageCount);
			for (const part of parts) part.segment = within(part.segment, bundle.pageCount);
			const listed = parts.reduce((sum, { segment }) => sum + segment.pages.length, 0);
			if (listed > MAX_DOCUMENTS_OF_A_PAGE * bundle.pageCount) {
				obstacles.push(
					`the service lists each page more than ${MAX_DOCUMENTS_OF_A_PAGE} times on average`,
				);
				return;
			}
			for (const [index, part] of parts.entries()) {
				if (signal.aborted) return;
				const obstacle = await cutPart(part, index, parts.length, bundle, file, result);
				if (obstacle !== undefined) obstacles.push(`document ${index + 1}: ${obstacle}`);
			}
		}).catch((thrown: unknown) => ({ reason: messageOf(thrown) }));
		if (notCut !== undefined) obstacles.push(notCut.reason);
	}
	if (obstacles.length > 0) hints.notCut.push(`${subject} (${inShort(obstacles)})`);
	return remarks ?? remarksOn(segments);
}

/** What there is of its pages in the file; one that is past the end keeps what is said of it. */
function within(segment: Segment, pageCount: number): Segment {
	const pages = segment.pages.filter((page) => page <= pageCount);
	const [firstPage] = pages;
	const lastPage = pages.at(-1);
	return firstPage === undefined || lastPage === undefined
		? segment
		: { ...segment, firstPage, lastPage, pages };
}

/** A file that is a single document, as it is. */
function passedOn(file: InputFile): IBinaryKeyData {
	return { data: { ...file.binary, fileName: safeName(file.uploadName) } };
}

/** Stores the pages of a part before those of the next are made; tells what keeps it from that. */
async function cutPart(
	part: Part,
	index: number,
	count: number,
	bundle: Bundle,
	file: InputFile,
	{ context, hints }: ResultContext,
): Promise<string | undefined> {
	const { pages, documentType } = part.segment;
	const [firstPage = Infinity] = pages;
	// Of one without pages, the number is told once for all.
	if (firstPage > bundle.pageCount)
		return pages.length === 0 ? undefined : 'its pages are past the end';
	let name = partName(file.name, index + 1, documentType);
	let size = file.content.bytes;
	try {
		if (count === 1 && pages.length === bundle.pageCount) {
			part.binary = passedOn(file);
			name = part.binary.data?.fileName ?? name;
		} else {
			const bytes = await bundle.cut(pages);
			if (bytes === 'tooComplex') return 'what its pages show is too complex';
			if (typeof bytes === 'string') return 'the content of its pages is damaged';
			size = bytes.length;
			const binary = await context.helpers.prepareBinaryData(bytes, name, 'application/pdf');
			part.binary = { data: { ...binary, fileName: name } };
		}
	} catch (thrown) {
		return `its file could not be created: ${messageOf(thrown)}`;
	}
	if (size > MAX_DOCUMENT_BYTES) hints.largeParts.push(`"${name}"`);
	return undefined;
}

/** How many obstacles of a file are told. */
const MAX_OBSTACLES = 3;

function inShort(obstacles: string[]): string {
	const more = obstacles.length - MAX_OBSTACLES;
	return `${obstacles.slice(0, MAX_OBSTACLES).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
