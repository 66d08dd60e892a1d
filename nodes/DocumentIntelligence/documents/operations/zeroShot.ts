import { MB } from '../../text/bytes';
import {
	beside,
	Field,
	readMetadata,
	valuesOf,
	type FieldObject,
	type FieldTree,
} from '../../results/fields';
import { lowConfidencePaths, review } from '../../results/review';
import { cellsOf } from '../../results/rows';
import { fileParameters } from '../../parameters/fileParameters';
import { fileOf, oneDocumentPerFile, type Operation, type Output } from '../operation';
import {
	CONFIDENCE_THRESHOLD,
	INCLUDE_FIELD_DETAILS,
	INCLUDE_INPUT_FILE,
	readRequiredFields,
	readThreshold,
	REQUIRED_FIELDS,
	TIMEOUT,
} from '../../parameters/options';
import { numberOf, objectOf, textOf } from '../../text/json';

/** An answer as far as the node understands it (docs/service-contract.md, results). */
interface Discovery {
	documentType: string | null;
	confidence: number | null;
	fields: FieldObject;
}

export const zeroShot: Operation<Discovery> = {
	value: 'zeroShot',
	name: 'Discover Fields',
	description: 'Discover the fields of a document without a template',
	action: 'Discover fields of document',
	path: '/Document/zero-shot',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters,
	parameters: [],
	options: [CONFIDENCE_THRESHOLD, INCLUDE_FIELD_DETAILS, REQUIRED_FIELDS],
	outputs: [
		{
			name: 'Fields',
			value: 'fields',
			description:
				'One item per document with its type and the values of the fields that were found',
		},
		{
			name: 'Spreadsheet Rows',
			value: 'rows',
			description:
				'One flat item per field that was found, with its value, confidence and position',
		},
	],
	documents: oneDocumentPerFile('file'),

	parse({ data }) {
		const { documentType, confidence, metadata } = objectOf(data);
		return [
			{
				documentType: textOf(documentType),
				confidence: numberOf(confidence),
				fields: readMetadata(objectOf(metadata)),
			},
		];
	},

	toOutputs({ documentType, confidence, fields }, { document, read, output, creditsConsumed }) {
		const { name: fileName } = fileOf(document);
		const threshold = readThreshold(read);
		const inRows = output === 'rows';
		// A row is about a field, and names it without the part of the document that it stands in.
		const judged = inRows ? fields : { fields };
		const flags = review(
			{ documentType, fields },
			threshold === undefined ? undefined : lowConfidencePaths(judged, threshold),
			readRequiredFields(read),
		);
		if (inRows) {
			return fieldRows(fields, { fileName, documentType }, flags);
		}
		const found = {
			documentType,
			confidence,
			...valuesOf({ fields }, read('options.includeFieldDetails', false)),
		};
		return [{ json: beside(found, { fileName, creditsConsumed, ...flags }) }];
	},
};

function fieldRows(fields: FieldObject, ofDocument: object, flags: object): Output[] {
	const found: Array<[string | null, FieldTree]> = Object.entries(fields);
	// A document in which nothing was found is a row all the same.
	return (found.length > 0 ? found : [[null, null] as const]).map(([field, entry]) => {
		const { value, confidence, page, boundingBox } =
			entry instanceof Field ? entry : new Field(entry, null, null, null);
		return {
			row: {
				document: cellsOf(ofDocument),
				table: cellsOf({ field, value: valuesOf(value), confidence, page, boundingBox }),
				additions: cellsOf(flags),
			},
		};
	});
}
