import type { INodeProperties } from 'n8n-workflow';

import { KEY_PREFIX } from '../text/cogneris';
import { DocumentError } from '../text/errors';
import { booleanOf, isObject, numberOf, plainText, textOf } from '../text/json';
import { isAllZeros, quoted } from '../text/words';
import { CONFIDENCE_THRESHOLD, TEMPLATE } from './options';

/** Reads a parameter for one item, so that expressions see that item. */
export type ReadParameter = <T>(name: string, fallback: T) => T;

interface NumberParameter {
	name: string;
	default: number;
	typeOptions: { minValue: number; maxValue?: number };
}

const CAN_READ: Partial<Record<INodeProperties['type'], (input: unknown) => boolean>> = {
	boolean: (input) => booleanOf(input) !== null,
	// As text, from a sheet, 1,800 is not 1.8.
	number: (input) =>
		numberOf(input) !== null && !(typeof input === 'string' && /[.,]\d{3}$/.test(input.trim())),
	string: (input) =>
		[input].flat(Infinity).every((value) => (value ?? '') === '' || textOf(value) !== null),
};

/**
 * Throws for values that cannot be read, because using the default instead could process, and bill, the wrong thing. Blank
 * values get the default.
 */
export function checkParameter(read: ReadParameter, parameter: INodeProperties, address: string) {
	const { type, displayName, options, placeholder = '', default: preferred } = parameter;
	const input = read<unknown>(address, preferred);
	if (type === 'options')
		return void parseChoice({ displayName, options: options as Array<{ value: string }> }, input);
	const canRead = CAN_READ[type] ?? (() => true);
	if (textOf(input ?? '')?.trim() === '' || canRead(input)) return;
	const examples: Record<string, string> = {
		boolean: 'true or false',
		number: `a number, such as ${plainText(preferred)}`,
		string: `text, such as ${placeholder.replace(/^e\.g\. /, '')}`,
	};
	throw new DocumentError(
		`'${displayName}' cannot be read: ${quoted(plainText(input))}`,
		`Nothing was sent. Enter ${examples[type]}.`,
	);
}

/** A whole number in the range of the parameter; the default for what is not a number. */
export function readNumber(
	read: ReadParameter,
	parameter: NumberParameter,
	address = `options.${parameter.name}`,
): number {
	const { minValue, maxValue = Infinity } = parameter.typeOptions;
	const number = numberOf(read<unknown>(address, parameter.default)) ?? parameter.default;
	return Math.min(maxValue, Math.max(minValue, Math.trunc(number)));
}

/** Reads a boolean, also from text. Any other value counts as not set. */
export function readSwitch(read: ReadParameter, address: string, preferred: boolean): boolean {
	return booleanOf(read<unknown>(address, preferred)) ?? preferred;
}

/** Each name once: of a list, whose names may contain commas, or of text with commas or line breaks between them. */
export function parseNames(value: unknown): string[] {
	const entries = Array.isArray(value)
		? value.flat(Infinity)
		: (textOf(value) ?? '').split(/[,\n]/);
	const names = entries.map((entry: unknown) => (textOf(entry) ?? '').trim());
	return [...new Set(names)].filter((name) => name !== '');
}

/**
 * The confidence below which a field is listed, 0 to 100: by name of the field, and for all others under an empty name.
 * Undefined without a review. A fraction of 1 is refused, because nothing would need a review.
 */
export function readThresholds(read: ReadParameter): Map<string, number> | undefined {
	const input = read<unknown>(`options.${CONFIDENCE_THRESHOLD.name}`, null);
	if (input === null) return undefined;
	// As a whole, it may have a decimal comma.
	const [ofAll, ...ofFields] = parseNames(numberOf(input) === null ? input : [input]);
	const thresholds = new Map([['', percentageIn(ofAll)]]);
	for (const entry of ofFields) {
		const [name = '', text] = entry.split(/\s*:(?=[^:]*$)/);
		thresholds.set(name, percentageIn(name === '' ? undefined : text, name));
	}
	return thresholds;
}

function percentageIn(value: unknown, field?: string): number {
	const percentage = numberOf(value);
	if (percentage !== null && (percentage <= 0 || percentage > 1))
		return Math.min(100, Math.max(0, percentage));
	const suggested = Number(((percentage ?? 0.8) * 100).toFixed(6));
	const place = field === undefined ? '' : ` of ${quoted(field)}`;
	throw new DocumentError(
		`'${CONFIDENCE_THRESHOLD.displayName}'${place} is ${percentage ?? 'not a number'}. Did you mean ${suggested}?`,
		`Nothing was sent. Enter a number from 0 to 100, such as ${suggested}. Fields with another number can follow, such as 80, total: 95.`,
	);
}

/** Throws for values that the list does not have, for the same reason. */
export function parseChoice<Choice extends { value: string }>(
	{ displayName, options }: { displayName: string; options: readonly Choice[] },
	input: unknown,
): Choice {
	const chosen = options.find(({ value }) => value === input);
	if (chosen !== undefined) return chosen;
	throw new DocumentError(
		`Unknown value for '${displayName}': ${quoted(plainText(input))}`,
		`Nothing was sent. Choose from the list. Possible values: ${options.map(({ value }) => value).join(', ')}.`,
	);
}

/** The values chosen in a list that allows several; an expression may return one text. */
export function choicesIn(parameter: Parameters<typeof parseChoice>[0], input: unknown): string[] {
	return parseNames(input).map((name) => parseChoice(parameter, name).value);
}

/** Longer than any ID or reference, and short enough for an address. */
const MAX_CHARACTERS = 1000;

/** What a damaged paste leaves, steps of a path, API keys, and links, which may hold a password or a signature. */
const NOT_IN_IDENTIFIERS = new RegExp(
	`[\\s\\p{Cc}\\p{Cf}\\p{Cs}]|^\\.{1,2}$|^${KEY_PREFIX}|^(https?|s?ftp|data|blob|file):`,
	'iu',
);

/**
 * An ID or reference. Its form is that of Cogneris (docs/internals/service-contract.md, stored files), so only what
 * cannot be one is refused.
 * @param example what to enter, in a whole sentence
 */
export function parseIdentifier(value: unknown, label: string, example: string): string {
	const text = textOf(value ?? '')?.trim();
	const isDamaged =
		text === undefined || text.length > MAX_CHARACTERS || NOT_IN_IDENTIFIERS.test(text);
	if (!isDamaged && text !== '') return text;
	throw new DocumentError(
		`'${label}' is ${isDamaged ? 'not a valid ID or reference' : 'empty'}`,
		`${example} Nothing was sent.`,
	);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Cogneris treats an ID of zeros as none (docs/internals/service-contract.md, jobs). */
export function readTemplateId(read: ReadParameter): string | undefined {
	const chosen = read<unknown>(TEMPLATE.name, '');
	const id = isObject(chosen) ? chosen.value : chosen;
	const templateId = plainText(id).trim();
	if (templateId === '') return undefined;
	if (UUID.test(templateId) && !isAllZeros(templateId)) return templateId;
	throw new DocumentError(
		`'${TEMPLATE.displayName}' is not the ID of a template: ${quoted(templateId)}`,
		"Choose a template from the list, or set 'Template' to Automatic. Nothing was sent.",
	);
}
