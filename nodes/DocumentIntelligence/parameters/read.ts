import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { booleanOf, isObject, numberOf, plainText, textOf } from '../text/json';
import { quoted } from '../text/words';
import { CONFIDENCE_THRESHOLD, REQUIRED_FIELDS, TEMPLATE } from './options';

/** Reads a parameter for one item, so that expressions see that item. */
export type ReadParameter = <T>(name: string, fallback: T) => T;

export function parameterReader(context: IExecuteFunctions, itemIndex: number): ReadParameter {
	return (name, fallback) => context.getNodeParameter(name, itemIndex, fallback) as typeof fallback;
}

interface NumberOption {
	name: string;
	default: number;
	typeOptions: { minValue: number; maxValue?: number; numberPrecision?: number };
}

/**
 * The option's value for an item. An expression may give any number, or none: what is out of range becomes the
 * nearest that is not, and what is no number the default.
 */
export function readNumber(
	read: ReadParameter,
	option: NumberOption,
	usual = option.default,
): number {
	return numberWithin(option, read<unknown>(`options.${option.name}`, usual), usual);
}

/** The same of a parameter that is not among the options. */
export function readNumberParameter(read: ReadParameter, parameter: NumberOption): number {
	return numberWithin(
		parameter,
		read<unknown>(parameter.name, parameter.default),
		parameter.default,
	);
}

function numberWithin({ typeOptions }: NumberOption, value: unknown, usual: number): number {
	const { minValue, maxValue = Infinity, numberPrecision } = typeOptions;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || Number.isNaN(number)) return usual;
	return Math.min(
		maxValue,
		Math.max(minValue, numberPrecision === 0 ? Math.trunc(number) : number),
	);
}

/** The names of Required Fields, each once; undefined when nobody asked for them. */
export function readRequiredFields(read: ReadParameter): string[] | undefined {
	const names = namesIn(read<unknown>(`options.${REQUIRED_FIELDS.name}`, ''));
	return names.length === 0 ? undefined : [...new Set(names)];
}

/** The names in a list, which may have commas of their own, or in a text with commas or line breaks between them. */
export function namesIn(value: unknown): string[] {
	const entries = Array.isArray(value)
		? value.flat(Infinity)
		: (textOf(value) ?? '').split(/[,\n]/);
	const names = entries.map((entry: unknown) => (textOf(entry) ?? '').trim());
	return names.filter((name) => name !== '');
}

/** A switch, which an expression may give as a text: what is neither true nor false is as if it were not set. */
export function readSwitch(read: ReadParameter, name: string, usual: boolean): boolean {
	return booleanOf(read<unknown>(`options.${name}`, usual)) ?? usual;
}

/**
 * Undefined when nobody asked for a review.
 *
 * @throws DocumentError for what is no number, or is a fraction of 1: with that, nothing would need a review
 */
export function readThreshold(read: ReadParameter): number | undefined {
	const { displayName, name } = CONFIDENCE_THRESHOLD;
	const given = read<unknown>(`options.${name}`, null);
	if (given === null) return undefined;
	const threshold = numberOf(given);
	if (threshold !== null && (threshold <= 0 || threshold > 1))
		return Math.min(100, Math.max(0, threshold));
	const meant = Number(((threshold ?? 0.8) * 100).toFixed(6));
	throw new DocumentError(
		threshold === null
			? `'${displayName}' is not a number`
			: `'${displayName}' is ${threshold}. Did you mean ${meant}?`,
		`Nothing was sent. Enter a number from 0 to 100, such as ${meant}.`,
	);
}

/** The chosen ID, in whatever type; an expression may give it itself. Blank where the service picks the template. */
export function readTemplate(read: ReadParameter): unknown {
	const chosen = read<unknown>(TEMPLATE.name, '');
	return (isObject(chosen) ? chosen.value : chosen) ?? '';
}

interface ChoiceParameter<Choice> {
	displayName: string;
	options: readonly Choice[];
}

/**
 * What is chosen in a list. An expression may have returned anything, or a value in capitals.
 *
 * @throws DocumentError for what the list does not have: a default in its place might be paid for
 */
export function choiceIn<Choice extends { value: string }>(
	{ displayName, options }: ChoiceParameter<Choice>,
	given: unknown,
): Choice {
	const name = plainText(given).trim();
	const chosen = options.find(({ value }) => value.toLowerCase() === name.toLowerCase());
	if (chosen !== undefined) return chosen;
	throw unknownChoice({ displayName, options }, given);
}

export function unknownChoice(
	{ displayName, options }: ChoiceParameter<{ value: string }>,
	given: unknown,
): DocumentError {
	return new DocumentError(
		`Unknown ${displayName} ${quoted(plainText(given).trim())}`,
		`Nothing was sent. Choose from the list, or have the expression return one of ${options.map(({ value }) => value).join(', ')}.`,
	);
}

/** The values chosen in a list that allows several; an expression may give one text. */
export function choicesIn(parameter: ChoiceParameter<{ value: string }>, given: unknown): string[] {
	return namesIn(given).map((name) => choiceIn(parameter, name).value);
}

/** Longer than any ID or reference, and short enough for an address. */
const MAX_CHARACTERS = 1000;

/** White space, and characters that are not seen or are half of one: what is left of a damaged paste. */
const DAMAGED = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

/** Segments of a path that lead to another address. */
const IS_STEP = /^\.{1,2}$/;

/**
 * What a parameter identifies something of the service with. Its form is the service's own
 * (docs/internals/service-contract.md, stored files), so only what cannot be one is refused.
 *
 * @throws DocumentError
 */
export function readIdentifier(
	read: ReadParameter,
	{ name, displayName }: INodeProperties,
	example: string,
): string {
	const text = identifierIn(read<unknown>(name, ''), displayName, example);
	if (text === '') throw notUsable(`${displayName} is empty`, example);
	return text;
}

/**
 * The same of a value that may be blank.
 *
 * @param label what the editor calls it
 * @throws DocumentError
 */
export function identifierIn(value: unknown, label: string, example: string): string {
	const text = textOf(value)?.trim();
	if (text === undefined) throw notUsable(`${label} is not a text`, example);
	if (text.length > MAX_CHARACTERS || DAMAGED.test(text) || IS_STEP.test(text))
		throw notUsable(`${label} is not one that the service gives`, example);
	return text;
}

function notUsable(message: string, example: string): DocumentError {
	return new DocumentError(message, `${example} Nothing was sent.`);
}
