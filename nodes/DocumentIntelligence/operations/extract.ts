import type { INodeProperties } from 'n8n-workflow';

import { readMetadata } from '../results/fields';
import { joined, sentences, told } from '../service/requestError';
import { ROWS_PER_DOCUMENT } from '../parameters/menu';
import {
	FIELD_OPTIONS,
	FILE_OPTIONS,
	INCLUDE_FIELD_DETAILS,
	ROWS_FROM,
	TEMPLATE,
} from '../parameters/options';
import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';
import { documentOutput } from './documentFields';
import {
	billed,
	ONE_FILE,
	simplified,
	type DocumentContext,
	type DocumentOperation,
} from './operation';

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
		'Further instructions for reading the document. Requires Template on Automatic. Not available with a sandbox key, a stored file, or Processing set to As a Job.',
	displayOptions: { hide: { '/inputSource': ['storedFile'] } },
};

export const extract: DocumentOperation<Extraction> = {
	value: 'extract',
	name: 'Extract',
	description: 'Extract the fields and tables that a template defines',
	action: 'Extract fields from document',
	path: '/Document/extraction',
	jobOperation: 'Extraction',
	...ONE_FILE,
	parameters: [TEMPLATE],
	options: [
		ADDITIONAL_INSTRUCTIONS,
		INCLUDE_FIELD_DETAILS,
		ROWS_FROM,
		...FILE_OPTIONS,
		...FIELD_OPTIONS,
	],
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
		422: told(
			'No template fits %s, or it cannot be read',
			'Set up a template for this kind of document in your Cogneris account, or use Discover Fields, which needs none. If such a template exists, open the file and check that it is complete, legible and not protected by a password.',
		),
	},

	parse: ({ data }, contexts) => contexts.map((context) => processed(extractionIn(data), context)),

	toOutputs({ metadata, id, createdDate, fraudBlocked, fraudRequestId, quality }, context) {
		if (metadata === null)
			throw billed(
				`Cogneris found no fields in ${context.subject}`,
				'Check in your Cogneris account that the template for this kind of document has fields, or use Discover Fields, which needs no template.',
			);
		const isSuspicious = fraudBlocked === true || fraudRequestId !== null;
		const added = {
			fileName: context.document.fileName,
			extractionId: id ?? undefined,
			createdDate: createdDate ?? undefined,
			creditsConsumed: context.creditsConsumed,
			...(isSuspicious ? { fraudBlocked: fraudBlocked ?? false, fraudRequestId } : {}),
		};
		const isSuspect = isSuspicious || quality === QUALITY_WARN;
		return [documentOutput(readMetadata(metadata), added, context, isSuspect)];
	},
};

type Extraction = ReturnType<typeof extractionIn>;

/** An answer as far as the node understands it; what Cogneris does not say is null. */
function extractionIn(data: unknown) {
	const { id, createdDate, metadata, ...others } = objectOf(data);
	const isUnsaid = [undefined, null, ''].some((blank) => others.fraudBlocked === blank);
	// Only a clear no is none: what cannot be read must not pass a document that was blocked.
	const isBlocked = others.fraudBlocked !== 0 && booleanOf(others.fraudBlocked) !== false;
	const [fraudRequestId = null] = sentences([textOf(others.fraudRequestId)]);
	const quality = objectOf(others.quality);
	const findings = objectsOf(quality.findings).map(({ message, probe }) => message ?? probe);
	return {
		id: textOf(id),
		createdDate: textOf(createdDate),
		metadata: typeof metadata === 'object' ? metadata : null,
		fraudBlocked: isUnsaid ? null : isBlocked,
		fraudRequestId,
		quality: numberOf(quality.overall),
		/** About the quality, in Cogneris' own sentences. */
		findings: sentences(findings).join(', '),
	};
}

/** @throws DocumentError where Cogneris accepted the document without doing the work */
function processed(extraction: Extraction, { subject, hints }: DocumentContext): Extraction {
	const { metadata, fraudBlocked, fraudRequestId, quality, findings } = extraction;
	// Without metadata, a check for fraud is the reason unless Cogneris says that it did not block.
	if (metadata === null && (fraudBlocked ?? fraudRequestId !== null)) {
		const quote = `When you contact Cogneris support, quote the fraud request ID ${fraudRequestId}.`;
		throw billed(
			`Cogneris blocked ${subject} on suspicion of fraud`,
			joined('Have a person check the document before it is used.', fraudRequestId ? quote : ''),
			fraudRequestId ? { fraudRequestId } : {},
		);
	}
	if (quality === QUALITY_BLOCK)
		throw billed(
			`The quality of ${subject} is too low for reading${findings === '' ? '' : `: ${findings}`}`,
			'Scan or photograph the document again: flat, sharp, evenly lit, with all of its edges in the picture.',
		);
	if (quality === QUALITY_WARN)
		hints.add('quality', findings === '' ? subject : `${subject} (${findings})`);
	return extraction;
}
