import type { FieldObject } from '../results/fields';
import { typedValues } from '../results/values';
import { readValueSettings } from '../parameters/values';
import type { ResultContext } from './operation';

/** The fields of a document as Values asks for them; a hint names those that stayed uncertain. */
export function typedTree(
	fields: FieldObject,
	{ read, output, hints, subject }: ResultContext,
): FieldObject {
	const settings = readValueSettings(read, output);
	if (settings === undefined) return fields;
	const { tree, uncertain } = typedValues(fields, settings);
	if (uncertain.length > 0) hints.uncertain.push({ subject, fields: uncertain });
	return tree;
}
