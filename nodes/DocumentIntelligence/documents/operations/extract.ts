import { DocumentError } from '../../errors';
import { MB } from '../../text/bytes';
import { textOf } from '../../text/textOf';
import { beside, readMetadata, valuesOf } from '../../results/fields';
import { review } from '../../results/review';
import { cellsOf, documentRows, hasTable } from '../../results/rows';
import type { Answer } from '../../service/envelope';
import { sentences } from '../../service/sentences';
import { fileParameters } from '../../parameters/fileParameters';
import { fileOf, oneDocumentPerFile, type Operation, type ResultContext } from '../operation';
import {
	CONFIDENCE_THRESHOLD,
	INCLUDE_FIELD_DETAILS,
	readThreshold,
	TIMEOUT,
} from '../../parameters/options';

/** Service contract, results, extraction. */
interface Extraction {
	id?: string;
	createdDate?: string;
	metadata?: object | null;
	quality?: {
		overall: number;
		findings?: Array<{ probe?: string; level?: number; message?: string }> | null;
	} | null;
}

const QUALITY_WARN = 1;
const QUALITY_BLOCK = 2;

export const extract: Operation = {
	value: 'extract',
	name: 'Extract',
	description:
		'Read the fields and tables that a template describes; the service picks the template',
	action: 'Extract fields from document',
	path: '/Document/extraction',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	passesFileOn: false,
	fileParameters,
	parameters: [
		{
			displayName: 'Complementary Prompt',
			name: 'complementaryPrompt',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. The invoice number is the one beside the barcode',
			description:
				'What the service should know about these documents beyond its template. Leave empty if nothing.',
		},
	],
	options: [CONFIDENCE_THRESHOLD, INCLUDE_FIELD_DETAILS],
	outputs: [
		{
			name: 'Fields',
			value: 'fields',
			description: 'One item per document with the values of its fields, tables as lists of rows',
		},
		{
			name: 'Spreadsheet Rows',
			value: 'rows',
			description:
				'One flat item per row of the table in a document, all with the same columns, ready for a sheet or a database',
		},
	],
	outputParameters: [
		{
			displayName: 'Rows From',
			name: 'rowsFrom',
			type: 'string',
			default: '',
			placeholder: 'e.g. lineItems',
			description:
				'Name of the table whose rows become items, or its path such as order.lineItems. Leave empty for the table with the most rows in each document.',
			displayOptions: { show: { output: ['rows'] } },
		},
	],
	documents: oneDocumentPerFile('file'),
	textFields: (read) => ({ ComplementaryPrompt: read('complementaryPrompt', '') }),

	statusWords: {
		422: {
			happened: (subject) => `No template fits ${subject}`,
			next: 'Set up a template for this kind of document in the platform, or use Discover Fields, which needs none. If there is one, open the file to see whether it is whole, legible and not protected by a password.',
		},
	},

	assertProcessed(answer, { subject, hints }) {
		const { quality } = (answer.data ?? {}) as Extraction;
		const findings = sentences(
			(quality?.findings ?? []).map(({ message, probe }) => message ?? probe),
		).join(', ');
		if (quality?.overall === QUALITY_BLOCK) {
			throw new DocumentError(
				`The quality of ${subject} is too low for the service to read it${findings === '' ? '' : `: ${findings}`}`,
				'Scan or photograph the document again: flat, sharp, evenly lit, with all of its edges in the picture. The service may have billed this attempt.',
				{ httpCode: 200, ...(findings === '' ? {} : { messages: [findings] }) },
			);
		}
		if (quality?.overall === QUALITY_WARN)
			hints.qualityRemarks.push(findings === '' ? subject : `${subject} (${findings})`);
	},

	results(answer, result) {
		const { document, read, hints, subject } = result;
		const { metadata, id, createdDate } = extractionOf(answer, result);
		const tree = readMetadata(metadata);
		const details = read('options.includeFieldDetails', false);
		const additions = {
			fileName: fileOf(document).name,
			extractionId: id,
			createdDate,
			creditsConsumed: answer.creditsConsumed,
			...review(tree, readThreshold(read)),
		};
		if (read<string>('output', 'fields') !== 'rows') {
			return [{ json: beside(valuesOf(tree, details), additions) }];
		}
		// An expression may give something else than a text.
		const rowsFrom = textOf(read<unknown>('rowsFrom', '')).trim();
		if (rowsFrom !== '' && !hasTable(tree, rowsFrom)) hints.withoutTable.push(subject);
		const added = cellsOf(additions);
		return documentRows(tree, rowsFrom, details).map((row) => ({
			row: { ...row, additions: added },
		}));
	},
};

function extractionOf(
	{ data }: Answer,
	{ subject }: ResultContext,
): Extraction & { metadata: object } {
	const extraction = (data ?? {}) as Extraction;
	if (typeof extraction.metadata !== 'object' || extraction.metadata === null) {
		throw new DocumentError(
			`The service found no fields in ${subject}`,
			'Check in the platform that the template for this kind of document has fields, or use Discover Fields, which needs no template. The service may have billed this attempt.',
			{ httpCode: 200 },
		);
	}
	return { ...extraction, metadata: extraction.metadata };
}
