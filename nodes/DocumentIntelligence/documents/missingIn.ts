import type { FieldObject } from '../results/fields';
import { unknownNames } from '../results/fieldNames';
import { missingFields } from '../results/review';
import { readRequiredFields, REQUIRED_FIELDS } from '../parameters/options';
import type { ResultContext } from './operation';

/**
 * The required fields that have no value in a document; undefined where none is required. A hint tells of those that no
 * document has.
 */
export function missingIn(
	tree: FieldObject,
	{ read, hints }: Pick<ResultContext, 'read' | 'hints'>,
): string[] | undefined {
	const required = readRequiredFields(read);
	if (required === undefined) return undefined;
	const missing = missingFields(tree, required);
	const unknown = unknownNames(tree, missing, { positions: true });
	hints.addNames(REQUIRED_FIELDS.displayName, required, unknown);
	return missing;
}
