import type { INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { readMetadata } from '../results/fields';
import { sentences } from '../service/sentences';
import { fileParameters } from '../parameters/fileParameters';
import { INCLUDE_FIELD_DETAILS, INCLUDE_INPUT_FILE, TIMEOUT } from '../parameters/options';
import { TEMPLATE } from '../parameters/template';
import { ROWS_FROM, ROWS_PER_DOCUMENT } from '../parameters/values';
import { booleanOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';
import { documentOutput, documentsWithFields, FIELD_OPTIONS } from './documentFields';
import type { DocumentOperation } from './operation';

/** An answer as far as the node understands it (docs/service-contract.md, results). */
interface Extraction {
	id: string | null;
	createdDate: string | null;
	metadata: object | null;
	/** Null where the service does not say. */
	fraudBlocked: boolean | null;
	fraudRequestId: string | null;
	quality: number | null;
	/** What the service found about the quality, in its own sentences. */
	findings: string;
}

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
		'Instructions for these documents in addition to the template. Not available with a chosen template, a stored file, or Processing set to As a Job.',
	displayOptions: { hide: { '/inputSource': ['storedFile'] } },
};

export const extract: DocumentOperation<Extraction> = {
	value: 'extract',
	name: 'Extract',
	description: 'Extract the fields and tables that a template defines',
	action: 'Extract fields from document',
	path: '/Document/extraction',
	jobOperation: 'Extraction',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters,
	parameters: [TEMPLATE],
	options: [ADDITIONAL_INSTRUCTIONS, INCLUDE_FIELD_DETAILS, ROWS_FROM, ...FIELD_OPTIONS],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per document with the values of its fields, tables as lists of rows',
		},
		ROWS_PER_DOCUMENT,
		{
			name: 'Rows per Line Item',
			value: 'rows',
			description:
				'One flat item per row of the table in a document, all with the same columns, ready for a sheet or a database',
		},
	],
	documents: documentsWithFields,
	textFields: (read) => ({ ComplementaryPrompt: read('options.complementaryPrompt', '') }),

	statusMessages: {
		422: {
			message: (subject) => `No template fits ${subject}`,
			suggestedFix:
				'Set up a template for this kind of document in the platform, or use Discover Fields, which needs none. If there is one, open the file and check that it is complete, legible and not protected by a password.',
		},
	},

	parse: ({ data }) => [extractionIn(data)],

	assertProcessed(extraction, { subject, hints }) {
		const { quality, findings } = extraction;
		// Without metadata, a check for fraud is the reason unless the service says that it did not block.
		const isBlocked = extraction.fraudBlocked ?? extraction.fraudRequestId !== null;
		if (isBlocked && extraction.metadata === null) throw blocked(extraction, subject);
		if (quality === QUALITY_BLOCK) {
			throw new DocumentError(
				`The quality of ${subject} is too low for the service to read it${findings === '' ? '' : `: ${findings}`}`,
				'Scan or photograph the document again: flat, sharp, evenly lit, with all of its edges in the picture. The service may have billed this request.',
				{ httpCode: OK, ...(findings === '' ? {} : { messages: [findings] }) },
			);
		}
		if (quality === QUALITY_WARN)
			hints.qualityRemarks.push(findings === '' ? subject : `${subject} (${findings})`);
	},

	toOutputs(extraction, result) {
		const { document, subject, creditsConsumed } = result;
		const { metadata, id, createdDate, quality } = extraction;
		if (metadata === null) throw withoutFields(subject);
		const suspicion = suspicionIn(extraction);
		const added = {
			fileName: document.fileName,
			extractionId: id ?? undefined,
			createdDate: createdDate ?? undefined,
			creditsConsumed,
			...suspicion,
		};
		const isSuspect = suspicion !== undefined || quality === QUALITY_WARN;
		return [documentOutput(readMetadata(metadata), added, result, isSuspect)];
	},
};

const OK = 200;

function extractionIn(data: unknown): Extraction {
	const answered = objectOf(data);
	const quality = objectOf(answered.quality);
	const findings = objectsOf(quality.findings).map(({ message, probe }) => message ?? probe);
	return {
		id: textOf(answered.id),
		createdDate: textOf(answered.createdDate),
		metadata: typeof answered.metadata === 'object' ? answered.metadata : null,
		fraudBlocked: booleanOf(answered.fraudBlocked) ?? isNotZero(numberOf(answered.fraudBlocked)),
		fraudRequestId: textOf(answered.fraudRequestId),
		quality: numberOf(quality.overall),
		findings: sentences(findings).join(', '),
	};
}

function isNotZero(number: number | null): boolean | null {
	return number === null ? null : number !== 0;
}

/** What the service says of a suspicion of fraud; undefined if it has none. */
function suspicionIn({ fraudBlocked, fraudRequestId }: Extraction) {
	return fraudBlocked === true || fraudRequestId !== null
		? { fraudBlocked: fraudBlocked ?? false, fraudRequestId }
		: undefined;
}

function blocked({ fraudRequestId }: Extraction, subject: string): DocumentError {
	const [id] = sentences([fraudRequestId]);
	return new DocumentError(
		`The service blocked ${subject} on suspicion of fraud`,
		`Let a person look at the document before it is used.${id === undefined ? '' : ` For the service's support, quote the fraud request ${id}.`} The service may have billed this request.`,
		{ httpCode: OK, ...(id === undefined ? {} : { fraudRequestId: id }) },
	);
}

function withoutFields(subject: string): DocumentError {
	return new DocumentError(
		`The service found no fields in ${subject}`,
		'Check in the platform that the template for this kind of document has fields, or use Discover Fields, which needs no template. The service may have billed this request.',
		{ httpCode: OK },
	);
}
