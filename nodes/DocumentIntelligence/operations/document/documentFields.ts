import { checkSums, parseChecks, type Check } from '../../results/checks';
import {
	withAdditions,
	readMetadata,
	rowOf,
	valuesOf,
	type FieldObject,
} from '../../results/fields';
import { FIELDS, plainName, shortName } from '../../results/paths';
import {
	filledFields,
	listCells,
	lowConfidenceIn,
	missingFieldsIn,
	review,
	uncertaintyOf,
	type Findings,
} from '../../results/review';
import type { Meanings, typedValues, UncertainValue, ValueSettings } from '../../values/values';
import {
	CHECKS,
	CONFIDENCE_THRESHOLD,
	DATE_ORDER,
	DECIMAL_MARK,
	REQUIRED_FIELDS,
	isRows,
} from '../../parameters/options';
import { parseNames, readSwitch, readThresholds, type ReadParameter } from '../../parameters/read';
import { describeEntries } from '../../text/notes';
import { plainText } from '../../text/json';
import { quoted } from '../../text/words';
import type { Output } from '../../document/document';
import type { ResultContext } from '../operation';
import { markedCopy } from './markedCopy';

/** The options that can decide what a value means. */
const LABELS = { dateOrder: DATE_ORDER.displayName, decimalMark: DECIMAL_MARK.displayName };

/** The names of the fields only: a hint shows no content of a document. */
function fieldsToCheck(uncertain: UncertainValue[]): string {
	const names = uncertain.map(({ path }) => quoted(shortName(path)));
	const options = uncertain.flatMap(({ decides }) => (decides ? `'${LABELS[decides]}'` : []));
	const advice = options.length === 0 ? '' : `; set ${[...new Set(options)].sort().join(' and ')}`;
	return `${describeEntries(names)}${advice}`;
}

function whyUncertain({ printed, readings, decides }: Meanings & { printed: unknown }): string {
	return uncertaintyOf(printed, readings, decides && LABELS[decides]);
}

/** @throws DocumentError for a line that is no check */
export function readChecks(read: ReadParameter): Check[] {
	return parseChecks(read<unknown>('options.checks', ''));
}

/** @param added what the output shows next to the document's own fields, which options may name as well */
export async function readFields(metadata: FieldObject, added: object, context: ResultContext) {
	const { read } = context;
	const settings: ValueSettings = {
		decimalMark: read('options.decimalMark', 'detect'),
		dateOrder: read('options.dateOrder', 'detect'),
		textFields: parseNames(read<unknown>('options.textFields', '')),
	};
	const { tree, uncertain, cells } = await readValues(metadata, settings, context);
	const thresholds = readThresholds(read);
	const byName = [...(thresholds ?? [])].map(([name, value]) => [plainName(name), value] as const);
	const all = namedFields(metadata, added);
	const required = requiredNames(read);
	const { failures, unknownNames = [] } = await checkFields(metadata, all, settings, context);
	const known = filledFields(all);
	const unknown = (names: string[], option: { displayName: string }) =>
		names.flatMap((name) => (known.has(plainName(name)) ? [] : unknownField(name, option)));
	const unknownFields = [
		...unknown(required, REQUIRED_FIELDS),
		...unknownNames.map((name) => unknownField(name, CHECKS)),
		...unknown([...(thresholds?.keys() ?? [])].filter(Boolean), CONFIDENCE_THRESHOLD),
	];
	const findings: Findings = {
		doubts: {
			lowConfidenceFields: thresholds && lowConfidenceIn(tree, new Map(byName)),
			uncertainFields: uncertain?.map((value) => ({ path: value.path, why: whyUncertain(value) })),
		},
		missingFields: required.length === 0 ? undefined : missingFieldsIn(all, required),
		failures,
	};
	const { binary, numbers } = await markedCopy(tree, findings, context);
	return { tree, cells, findings: { ...findings, numbers }, binary, unknownFields };
}

/** For a note, because a name that no document has may be a typing mistake. */
function unknownField(name: string, { displayName }: { displayName: string }): string {
	return `${quoted(name)} ('${displayName}')`;
}

type Values = Partial<ReturnType<typeof typedValues>> & { tree: FieldObject };

// Loaded with the first value that is converted or checked, not with n8n, because of their tables.
const loadValues = async () => await import('../../values/values.js');

/** As printed or, for rows and if it is chosen, with numbers and dates converted. */
async function readValues(
	metadata: FieldObject,
	settings: ValueSettings,
	{ read, output, notes, document: { subject } }: ResultContext,
): Promise<Values> {
	if (valuesIn(read, output) !== 'typed') return { tree: metadata };
	const { typedValues } = await loadValues();
	const values = typedValues(metadata, settings);
	if (values.uncertain.length > 0)
		notes.add('review', `${subject} (${fieldsToCheck(values.uncertain)})`);
	return values;
}

/** What options can name. Of two equal names, the template's is meant. */
function namedFields(metadata: FieldObject, added: object): FieldObject {
	const ofTemplate = new Set(Object.keys(rowOf(metadata[FIELDS] ?? null) ?? {}).map(plainName));
	const named = Object.entries({ ...readMetadata(added), ...metadata }).filter(
		([name]) => name === FIELDS || !ofTemplate.has(plainName(name)),
	);
	return Object.fromEntries(named);
}

/** The choice of Values. */
function valuesIn(read: ReadParameter, output: string): string {
	return read('options.values', isRows(output) ? 'typed' : 'printed');
}

function requiredNames(read: ReadParameter): string[] {
	return parseNames(read<unknown>('options.requiredFields', ''));
}

/**
 * @param all the fields that checks may name
 * @returns nothing if there are no checks
 */
async function checkFields(
	metadata: FieldObject,
	all: FieldObject,
	{ decimalMark }: ValueSettings,
	{ read, notes, document: { subject } }: ResultContext,
): Promise<Partial<ReturnType<typeof checkSums>>> {
	const checks = readChecks(read);
	if (checks.length === 0) return {};
	const { exactAmountDecider } = await loadValues();
	const decideExactly = exactAmountDecider(metadata, decimalMark);
	const checked = checkSums(checks, all, (printed, path) => {
		const amount = decideExactly(printed, path);
		return 'digits' in amount ? amount : whyUncertain({ printed, ...amount });
	});
	if (checked.failures.some(({ failedCheck }) => failedCheck.difference !== null))
		notes.add('review', `${subject} (sums that do not add up)`);
	return checked;
}

/** @param warnings why Cogneris itself asks for a review */
export async function documentOutput(
	metadata: FieldObject,
	added: Record<string, unknown>,
	context: ResultContext,
	warnings: string[] = [],
): Promise<Output> {
	const { read, output } = context;
	const fields = await readFields(metadata, added, context);
	const { tree, cells, findings, binary, unknownFields } = fields;
	const withDetails = readSwitch(read, 'options.includeFieldDetails', false);
	const { lists, reasons } = review({ ...findings, warnings });
	if (!isRows(output)) {
		const json = withAdditions(valuesOf(tree, withDetails), { ...added, ...lists });
		return { json, binary, unknownFields };
	}
	const additions = { ...added, ...listCells(lists) };
	const { doubts } = findings;
	const row = { metadata: tree, additions, withDetails, doubts, reasons, cells };
	if (output !== 'rows') return { row, binary, unknownFields };
	const rowsFrom = plainText(read<unknown>('options.rowsFrom', '')).trim();
	// In every line, they would be counted once per line.
	const perLine = { ...row, additions: { ...additions, creditsConsumed: undefined }, rowsFrom };
	return { row: perLine, binary, unknownFields };
}
