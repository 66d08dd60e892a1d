import type { FieldObject } from '../results/fields';
import { unknownNames } from '../results/fieldNames';
import { missingFields } from '../results/review';
import { readRequiredFields, REQUIRED_FIELDS } from '../parameters/options';
import type { ResultContext } from './operation';

/**
 * The required fields that have no value in a document; undefined where none is required. A hint tells of those that no
 * document has.
 *
 * @param beside what stands beside the document's own fields in the output; a name counts there if no field has it
 */
export function missingIn(
	tree: FieldObject,
	{ read, hints }: Pick<ResultContext, 'read' | 'hints'>,
	beside: FieldObject,
): string[] | undefined {
	const required = readRequiredFields(read);
	if (required === undefined) return undefined;
	const how = { positions: true };
	const withoutValue = missingFields(tree, required);
	const notOwn = new Set(unknownNames(tree, withoutValue, how).map(({ name }) => name));
	const notBeside = new Set(missingFields(beside, [...notOwn]));
	const missing = withoutValue.filter((name) => !notOwn.has(name) || notBeside.has(name));
	const unknown = unknownNames({ ...beside, ...tree }, missing, how);
	hints.addNames(REQUIRED_FIELDS.displayName, required, unknown);
	return missing;
}
