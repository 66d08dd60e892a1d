import { beside, readMetadata, valuesOf, type FieldObject } from '../results/fields';
import {
	filledFields,
	lowConfidencePaths,
	pathName,
	plainName,
	review,
	withoutFields,
} from '../results/review';
import { typedValues, type UncertainValue, type ValueSettings } from '../results/values';
import {
	DATE_ORDER,
	DECIMAL_MARK,
	INCLUDE_FIELD_DETAILS,
	REQUIRED_FIELDS,
	ROWS_FROM,
	TEXT_FIELDS,
	VALUES,
} from '../parameters/options';
import { ROWS_PER_DOCUMENT } from '../parameters/menu';
import { namesIn, readSwitch, readThreshold } from '../parameters/read';
import { listed } from '../text/hints';
import { plainText } from '../text/json';
import { quoted } from '../text/words';
import type { DocumentContext, Output } from './operation';

/** The names of the fields only: a hint shows no content of a document. */
function fieldsToCheck(uncertain: UncertainValue[]): string {
	const names = uncertain.map(({ path }) => quoted(pathName(withoutFields(path))));
	const options = [DATE_ORDER, DECIMAL_MARK]
		.filter(({ name }) => uncertain.some(({ decides }) => decides === name))
		.map(({ displayName }) => `'${displayName}'`);
	return `${listed(names)}${options.length === 0 ? '' : `; set ${options.join(' and ')}`}`;
}

/** @param added what the output shows next to the document's own fields, which options may name as well */
export function readFields(
	document: FieldObject,
	added: object,
	{ read, output, hints, subject }: DocumentContext,
) {
	const usual = ROWS.includes(output) ? 'typed' : 'printed';
	const isTyped = read(`options.${VALUES.name}`, usual) === 'typed';
	const { tree, uncertain } = !isTyped
		? { tree: document }
		: typedValues(document, {
				decimalMark: read<ValueSettings['decimalMark']>(`options.${DECIMAL_MARK.name}`, 'detect'),
				dateOrder: read<ValueSettings['dateOrder']>(`options.${DATE_ORDER.name}`, 'detect'),
				textFields: namesIn(read<unknown>(`options.${TEXT_FIELDS.name}`, '')),
			});
	if (uncertain?.length) hints.add('review', `${subject} (${fieldsToCheck(uncertain)})`);
	const filled = filledFields({ ...readMetadata(added), ...document });
	const required = namesIn(read<unknown>(`options.${REQUIRED_FIELDS.name}`, ''));
	const missing = required.filter((name) => filled.get(plainName(name)) !== true);
	const threshold = readThreshold(read);
	const lowConfidenceFields =
		threshold === undefined ? undefined : lowConfidencePaths(tree, threshold);
	const uncertainFields = uncertain?.map(({ path }) => path);
	const doubts = { lowConfidenceFields, uncertainFields };
	return { tree, doubts, missing: required.length === 0 ? undefined : missing };
}

/** @param isSuspect whether Cogneris itself asks for a review */
export function documentOutput(
	document: FieldObject,
	added: Record<string, unknown>,
	context: DocumentContext,
	isSuspect = false,
): Output {
	const { read, output } = context;
	const { tree, doubts, missing } = readFields(document, added, context);
	const withDetails = readSwitch(read, `options.${INCLUDE_FIELD_DETAILS.name}`, false);
	const additions = { ...added, ...review(doubts, missing, isSuspect) };
	if (!ROWS.includes(output)) return { json: beside(valuesOf(tree, withDetails), additions) };
	const row = { document: tree, additions, withDetails, doubts };
	if (output !== 'rows') return { row };
	const rowsFrom = plainText(read<unknown>(`options.${ROWS_FROM.name}`, '')).trim();
	// In every line, they would be counted once per line.
	return { row: { ...row, additions: { ...additions, creditsConsumed: undefined }, rowsFrom } };
}

const ROWS = ['rows', ROWS_PER_DOCUMENT.value];
