import type { FieldObject } from '../results/fields';
import { unknownNames } from '../results/fieldNames';
import type { Path } from '../results/review';
import { typedValues, type ValueSettings } from '../results/values';
import { choiceIn } from '../parameters/choices';
import { namesIn } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { DATE_ORDER, DECIMAL_MARK, TEXT_FIELDS, VALUES } from '../parameters/values';
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

/**
 * Undefined if values are as printed.
 *
 * @throws DocumentError for a choice that a list does not have
 */
export function readValueSettings(read: ReadParameter, output: string): ValueSettings | undefined {
	const usual = ['rows', 'documentRows'].includes(output) ? 'typed' : 'printed';
	const chosen = (
		parameter: typeof VALUES | typeof DECIMAL_MARK | typeof DATE_ORDER,
		own: string,
	) =>
		choiceIn<{ value: string }>(parameter, read<unknown>(`options.${parameter.name}`, own)).value;
	if (chosen(VALUES, usual) === 'printed') return undefined;
	return {
		decimalMark: chosen(DECIMAL_MARK, 'detect') as ValueSettings['decimalMark'],
		dateOrder: chosen(DATE_ORDER, 'detect') as ValueSettings['dateOrder'],
		textFields: namesIn(read<unknown>(`options.${TEXT_FIELDS.name}`, '')),
	};
}
