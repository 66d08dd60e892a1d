import outputSchema from '../../__schema__/v1.0.0/document/split.json';
import { INCLUDE_INPUT_FILE, PROCESSED_BEFORE, TIMEOUT } from '../../parameters/options';
import { withAdditions } from '../../results/fields';
import { readSegments, remarksOn, type Segment } from '../../results/segments';
import { failureMessage } from '../../service/requestError';
import { MB } from '../../text/words';
import { ONE_FILE, type DocumentOperation } from '../operation';
import { type CutBundle, cutBundle } from './cutBundle';

const NOT_SPLIT = failureMessage(
	'Cogneris could not split %s',
	'Split works best with PDF files. Check that the file is complete and opens without a password, or convert it to PDF before this node.',
);

export const split: DocumentOperation<Segment[]> = {
	value: 'split',
	name: 'Split',
	description:
		'Cut a long PDF into its documents and return their types, so Classify is not needed',
	action: 'Split bundle into documents',
	outputSchema,
	binary: 'a PDF with the pages of the document, named like fileName: bundle-2-Invoice.pdf',
	outputNotes:
		'Other fields that Cogneris returns for a document are passed on, such as confidence: number. A PDF that cannot be cut has items without files. If so, or if pages are in no document or in several, all items of the bundle have needsReview and reviewReasons.',
	path: '/Document/split',
	jobOperation: 'Split',
	...ONE_FILE,
	maxFileBytes: 500 * MB,
	timeout: { ...TIMEOUT, default: 1800 },
	options: [
		{
			...INCLUDE_INPUT_FILE,
			description:
				'Whether to add the whole file to the first document, in a binary field named input. If another Document Intelligence node follows, set its Input Binary Field to data instead of *, so that the whole file is not processed again.',
		},
		...PROCESSED_BEFORE,
	],
	inputFile: 'cut',
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

	parse: (data) => readSegments(data),

	async toOutputs(segments, { document, output, notes, files }) {
		const { fileName, parts: sent } = document;
		const { documents, remarks }: CutBundle =
			output === 'documents'
				? await cutBundle(segments, sent[0]?.file, files)
				: { documents: segments, remarks: remarksOn(segments) };
		if (remarks.length > 0) notes.add('pages', `${document.subject} (${remarks.join('; ')})`);
		const review = remarks.length > 0 ? { needsReview: true, reviewReasons: remarks } : {};
		return documents.map(({ documentType, pages, otherFields, binary }, index) => {
			const [firstPage = null, lastPage = firstPage] = [pages[0], pages.at(-1)];
			const names = { fileName: binary?.data?.fileName ?? fileName, sourceFileName: fileName };
			const fields = { documentType, firstPage, lastPage, pages, ...names, index, ...review };
			// Later nodes rely on these names, so equal names in the response get an underscore.
			return { json: withAdditions(fields, otherFields), binary };
		});
	},
};
