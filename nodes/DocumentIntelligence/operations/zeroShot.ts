import { MB } from '../text/bytes';
import {
	beside,
	Field,
	readMetadata,
	valuesOf,
	type FieldObject,
	type FieldTree,
} from '../results/fields';
import { lowConfidencePaths, review, type Doubts, type Path } from '../results/review';
import { cellsOf, documentRow } from '../results/rows';
import { fileParameters } from '../parameters/fileParameters';
import { oneDocumentPerFile, type DocumentOperation, type Output } from './operation';
import { missingIn } from './missingIn';
import { typedTree } from './typedTree';
import {
	CONFIDENCE_THRESHOLD,
	INCLUDE_DISCOVERED_DETAILS,
	INCLUDE_INPUT_FILE,
	readSwitch,
	readThreshold,
	REQUIRED_FIELDS,
	SKIP_PROCESSED_FILES,
	TIMEOUT,
} from '../parameters/options';
import { ROWS_PER_DOCUMENT, VALUE_OPTIONS } from '../parameters/values';
import { numberOf, objectOf, textOf } from '../text/json';

/** An answer as far as the node understands it (docs/service-contract.md, results). */
interface Discovery {
	documentType: string | null;
	confidence: number | null;
	fields: FieldObject;
}

export const zeroShot: DocumentOperation<Discovery> = {
	value: 'zeroShot',
	name: 'Discover Fields',
	description: 'Discover the fields of a document without a template',
	action: 'Discover fields in document',
	path: '/Document/zero-shot',
	jobOperation: 'ZeroShot',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters,
	parameters: [],
	options: [
		CONFIDENCE_THRESHOLD,
		INCLUDE_DISCOVERED_DETAILS,
		REQUIRED_FIELDS,
		SKIP_PROCESSED_FILES,
		...VALUE_OPTIONS,
	],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description:
				'One item per document with its type and the values of the fields that were found',
		},
		ROWS_PER_DOCUMENT,
		{
			name: 'Rows per Field',
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

	toOutputs({ documentType, confidence, fields: printed }, result) {
		const { document, read, output, creditsConsumed } = result;
		const { fileName } = document;
		const shown = readMetadata({ documentType, confidence, fileName, creditsConsumed });
		const { tree: fields, uncertain } = typedTree(printed, result, shown);
		const details = readSwitch(read, 'includeFieldDetails', false);
		const threshold = readThreshold(read);
		const missing = missingIn({ documentType, fields }, result, shown);
		const lowConfidence =
			threshold === undefined ? undefined : lowConfidencePaths(fields, threshold);
		if (output === 'rows') {
			const doubts = { lowConfidenceFields: lowConfidence, uncertainFields: uncertain };
			return fieldRows(fields, { fileName, documentType }, doubts, missing);
		}
		const inDocument = (paths?: Path[]) => paths?.map((path) => ['fields', ...path]);
		const doubts = {
			lowConfidenceFields: inDocument(lowConfidence),
			uncertainFields: inDocument(uncertain),
		};
		const found = { documentType, confidence, fields };
		const additions = { fileName, creditsConsumed, ...review(doubts, missing) };
		return output === 'documentRows'
			? [{ row: { ...documentRow(found, details, doubts), additions: cellsOf(additions) } }]
			: [{ json: beside(valuesOf(found, details), additions) }];
	},
};

/**
 * @param missing required fields that the document does not have: none of them has a row of its own, so every row
 *   names them
 */
function fieldRows(
	fields: FieldObject,
	{ fileName, documentType }: { fileName: string | null; documentType: string | null },
	{ lowConfidenceFields, uncertainFields }: Doubts,
	missing: string[] | undefined,
): Output[] {
	const found: Array<[string | null, FieldTree]> = Object.entries(fields);
	const low = lowConfidenceFields && byField(lowConfidenceFields);
	const uncertain = uncertainFields && byField(uncertainFields);
	// A document in which nothing was found is a row all the same.
	return (found.length > 0 ? found : [[null, null] as const]).map(([field, entry]) => {
		const { value, confidence, page, boundingBox } =
			entry instanceof Field ? entry : new Field(entry, null, null, null);
		const own = (paths?: Map<string | null, Path[]>) => paths && (paths.get(field) ?? []);
		const doubts = { lowConfidenceFields: own(low), uncertainFields: own(uncertain) };
		return {
			row: {
				// The rows of Extract in the same run have it among the additions.
				leading: cellsOf({ fileName }),
				document: cellsOf({ documentType }),
				table: cellsOf({ field, value: valuesOf(value), confidence, page, boundingBox }),
				additions: cellsOf(review(doubts, missing)),
			},
		};
	});
}

/** Paths by the field that they lead to or into. */
function byField(paths: Path[]): Map<string | null, Path[]> {
	const groups = new Map<string | null, Path[]>();
	for (const path of paths) {
		const field = String(path[0]);
		const group = groups.get(field);
		if (group === undefined) groups.set(field, [path]);
		else group.push(path);
	}
	return groups;
}
