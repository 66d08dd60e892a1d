import type { INodeProperties } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/document/extract.json';
import rowsSchema from '../../__schema__/v1.0.0/document/extract.output-rows.json';
import { readMetadata } from '../../results/fields';
import { failureMessage, quotableTexts } from '../../service/requestError';
import {
	INCLUDE_INPUT_FILE,
	PROCESSED_BEFORE,
	ROWS_PER_DOCUMENT,
	TEMPLATE,
	TEMPLATE_OPTIONS,
	isRows,
} from '../../parameters/options';
import { hasOthers, isObject, numberOf, objectOf, objectsOf, textOf } from '../../text/json';
import { documentOutput } from './documentFields';
import { noResultError, ONE_FILE, simplified, type DocumentOperation } from '../operation';

const QUALITY_WARN = 1;
const QUALITY_BLOCK = 2;

const ADDITIONAL_INSTRUCTIONS: INodeProperties = {
	displayName: 'Additional Instructions',
	name: 'complementaryPrompt',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. The invoice number is next to the barcode',
	description:
		'Further instructions for reading the document. They need a live key, Template on Automatic and direct processing.',
	displayOptions: { hide: { '/inputSource': ['storedFile'] } },
};

export const extract: DocumentOperation<NonNullable<ReturnType<typeof extractionIn>>> = {
	value: 'extract',
	name: 'Extract',
	description: 'Extract the fields and tables that a template defines',
	action: 'Extract fields from document',
	outputSchema,
	rowsSchema,
	path: '/Document/extraction',
	jobOperation: 'Extraction',
	...ONE_FILE,
	parameters: [TEMPLATE],
	options: [ADDITIONAL_INSTRUCTIONS, INCLUDE_INPUT_FILE, ...PROCESSED_BEFORE, ...TEMPLATE_OPTIONS],
	outputs: [
		simplified('One item per document with the values of its fields. Tables are lists of rows.'),
		ROWS_PER_DOCUMENT,
		{
			name: 'Rows per Line Item',
			value: 'rows',
			description:
				"One row per line item. The document's own fields, such as its total, are in every row: don't add those up.",
		},
	],
	textFields: (read) => ({ ComplementaryPrompt: read('options.complementaryPrompt', '') }),

	statusMessages: {
		403: failureMessage(
			'Cogneris does not allow the extraction of %s',
			'Check in your Cogneris account that a subscription for extraction is active.',
		),
		422: failureMessage(
			'Cogneris could not read %s, or found no template for it',
			'Open the file and check that it is complete, legible and not protected by a password. If the file is fine, set up a template for this kind of document in your Cogneris account, or use Discover Fields, which needs none.',
		),
	},

	parse(data, context) {
		const { subject } = context.document;
		const extraction = extractionIn(data);
		if (extraction === undefined) return undefined;
		const { quality, qualityRemarks } = extraction;
		if (quality === QUALITY_BLOCK)
			throw noResultError(
				joined(`The quality of ${subject} is too low to read it`, qualityRemarks),
				'Scan or photograph the document again: flat, sharp, evenly lit, with all of its edges in the picture.',
				context,
			);
		if (quality === QUALITY_WARN)
			context.notes.add(
				'quality',
				qualityRemarks === '' ? subject : `${subject} (${qualityRemarks})`,
			);
		return extraction;
	},

	async toOutputs({ metadata, extractionId, responseFields, quality, qualityRemarks }, context) {
		if (metadata === null)
			throw noResultError(
				`Cogneris returned no fields for ${context.document.subject}`,
				'Check in your Cogneris account that the template for this kind of document has fields, or use Discover Fields, which needs no template.',
				context,
			);
		const { document, creditsConsumed, output } = context;
		const added = {
			fileName: document.fileName,
			extractionId,
			creditsConsumed,
			...(isRows(output) ? {} : responseFields),
		};
		const isWarning = quality === QUALITY_WARN;
		const warnings = isWarning ? [joined('Cogneris reports low quality', qualityRemarks)] : [];
		return [await documentOutput(readMetadata(metadata), added, context, warnings)];
	},
};

function joined(sentence: string, remarks: string): string {
	return remarks === '' ? sentence : `${sentence}: ${remarks}`;
}

/** In an answer besides the fields (docs/internals/service-contract.md, Results). */
const NAMES = ['id', 'createdDate', 'quality', 'fraudBlocked', 'fraudRequestId'];

/** An answer as far as the node understands it. Undefined if there is something else in place of the fields. */
function extractionIn(data: unknown) {
	const answer = objectOf(data);
	// Without fields, an answer says so or has a low quality, and nothing in their place.
	const saysNone =
		(answer.metadata === null || (!('metadata' in answer) && 'quality' in answer)) &&
		!hasOthers(answer, NAMES);
	if (!isObject(answer.metadata) && !saysNone) return undefined;
	const { id, createdDate, metadata, quality, fraudBlocked, fraudRequestId } = answer;
	const { overall, findings } = objectOf(quality);
	const sentences = objectsOf(findings).map(({ message, probe }) => message ?? probe);
	return {
		extractionId: textOf(id) ?? undefined,
		metadata: isObject(metadata) ? metadata : null,
		/**
		 * Not in rows, which have the fields of the document. Passed through, because a screening is advisory and decides
		 * nothing (docs/internals/service-contract.md, Results).
		 */
		responseFields: { createdDate: textOf(createdDate) ?? undefined, fraudBlocked, fraudRequestId },
		quality: numberOf(overall),
		/** In Cogneris' sentences. */
		qualityRemarks: quotableTexts(sentences).join(', '),
	};
}
