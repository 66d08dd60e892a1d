import { MB } from '../../text/bytes';
import {
	beside,
	Field,
	readMetadata,
	valuesOf,
	type FieldObject,
	type FieldTree,
} from '../../results/fields';
import { review } from '../../results/review';
import { cellsOf } from '../../results/rows';
import { fileParameters } from '../../parameters/fileParameters';
import { fileOf, oneDocumentPerFile, type Operation, type Output } from '../operation';
import {
	CONFIDENCE_THRESHOLD,
	INCLUDE_FIELD_DETAILS,
	readThreshold,
	TIMEOUT,
} from '../../parameters/options';

/** Service contract, results, zero-shot. */
interface Discovery {
	documentType?: string | null;
	confidence?: number | null;
	metadata?: object | null;
}

export const zeroShot: Operation = {
	value: 'zeroShot',
	name: 'Discover Fields',
	description: 'Find the fields of a document without a template',
	action: 'Discover fields of document',
	path: '/Document/zero-shot',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	passesFileOn: false,
	fileParameters,
	parameters: [],
	options: [CONFIDENCE_THRESHOLD, INCLUDE_FIELD_DETAILS],
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
			description: 'One flat item per field that was found, with its value and where it stands',
		},
	],
	documents: oneDocumentPerFile('file'),

	results(answer, { document, read }) {
		const { documentType = null, confidence = null, metadata } = (answer.data ?? {}) as Discovery;
		const tree: FieldObject = { fields: readMetadata(metadata ?? {}) };
		const { name: fileName } = fileOf(document);
		const flags = review(tree, readThreshold(read));
		if (read<string>('output', 'fields') === 'rows') {
			return fieldRows(tree.fields as FieldObject, { fileName, documentType }, flags);
		}
		return [
			{
				json: beside(
					{
						documentType,
						confidence,
						...valuesOf(tree, read('options.includeFieldDetails', false)),
					},
					{ fileName, creditsConsumed: answer.creditsConsumed, ...flags },
				),
			},
		];
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
