import type { FieldObject } from '../results/fields';
import { unknownNames } from '../results/fieldNames';
import type { Path } from '../results/review';
import { typedValues } from '../results/values';
import { readValueSettings, TEXT_FIELDS } from '../parameters/values';
import type { ResultContext } from './operation';

/**
 * The fields of a document as Values asks for them, and where those are that stayed uncertain; undefined where nothing is
 * converted. Hints tell of them, and of fields to keep as text that the document does not have.
 *
 * @param beside what stands beside the fields in the output, which is never converted
 */
export function typedTree(
	fields: FieldObject,
	{ read, output, hints, subject }: ResultContext,
	beside: FieldObject,
): { tree: FieldObject; uncertain?: Path[] } {
	const settings = readValueSettings(read, output);
	if (settings === undefined) return { tree: fields };
	const { textFields } = settings;
	const unknown = unknownNames({ ...beside, ...fields }, textFields, { alone: true });
	hints.addNames(TEXT_FIELDS.displayName, textFields, unknown);
	const { tree, uncertain } = typedValues(fields, settings);
	hints.addUncertain(subject, uncertain);
	return { tree, uncertain: uncertain.map(({ path }) => path) };
}
