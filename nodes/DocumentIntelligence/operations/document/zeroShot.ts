import outputSchema from '../../__schema__/v1.0.0/document/zeroShot.json';
import {
	Field,
	isFieldObject,
	readMetadata,
	rowOf,
	valuesOf,
	type FieldObject,
} from '../../results/fields';
import { listCells, review, type Doubt } from '../../results/review';
import {
	FIELD_OPTIONS,
	INCLUDE_INPUT_FILE,
	PROCESSED_BEFORE,
	ROWS_PER_DOCUMENT,
} from '../../parameters/options';
import { hasOthers, isObject, numberOf, objectOf, textOf } from '../../text/json';
import type { Output } from '../../document/document';
import { documentOutput, readFields } from './documentFields';
import { ONE_FILE, simplified, type DocumentOperation, type ResultContext } from '../operation';

export const zeroShot: DocumentOperation<FieldObject> = {
	...ONE_FILE,
	value: 'zeroShot',
	name: 'Discover Fields',
	description: 'Find the fields of a document without using a template',
	action: 'Discover fields in document',
	outputSchema,
	path: '/Document/zero-shot',
	jobOperation: 'ZeroShot',
	options: [INCLUDE_INPUT_FILE, ...PROCESSED_BEFORE, ...FIELD_OPTIONS],
	outputs: [
		simplified('One item per document with its type and the values of the fields that were found'),
		ROWS_PER_DOCUMENT,
		{
			name: 'Rows per Field',
			value: 'rows',
			description:
				'One row per field that was found, with the columns field, value, confidence, page and boundingBox',
		},
	],

	parse(data) {
		const { documentType, confidence, metadata } = objectOf(data);
		const saysNone = metadata === null && !hasOthers(data, ['confidence']);
		if (!isObject(metadata)) return saysNone ? null : undefined;
		const fields = readMetadata(metadata);
		return { documentType: textOf(documentType), confidence: numberOf(confidence), fields };
	},

	async toOutputs(discovery, context) {
		const { document, output, creditsConsumed } = context;
		const added = { fileName: document.fileName, creditsConsumed };
		return output === 'rows'
			? await fieldRows(discovery, added, context)
			: [await documentOutput(discovery, added, context)];
	},
};

/** Required fields that are missing have no row of their own, so every row shows them. */
async function fieldRows(
	discovery: FieldObject,
	added: object,
	context: ResultContext,
): Promise<Output[]> {
	const { documentType = null } = discovery;
	const { fileName } = context.document;
	const { tree, findings, binary, unknownFields } = await readFields(discovery, added, context);
	const fields = Object.entries(rowOf(tree.fields ?? null) ?? {});
	// A document in which nothing was found is a row all the same.
	return (fields.length > 0 ? fields : [[null, null] as const]).map(([field, entry]) => {
		const { value, details } = entry instanceof Field ? entry : new Field(entry, {});
		const { confidence = null, page = null, boundingBox = null } = details;
		const table = {
			field,
			value: isFieldObject(value) ? JSON.stringify(valuesOf(value)) : value,
			...readMetadata({ confidence, page, boundingBox }),
		};
		const ofField = (list?: Doubt[]) => list?.filter(({ path: [, name] }) => name === field);
		const doubts = {
			lowConfidenceFields: ofField(findings.doubts.lowConfidenceFields),
			uncertainFields: ofField(findings.doubts.uncertainFields),
		};
		const { lists, reasons } = review({ ...findings, doubts });
		const additions = { fileName, ...listCells(lists) };
		const row = { metadata: { documentType }, table, additions, reasons };
		return { row, unknownFields, binary };
	});
}
