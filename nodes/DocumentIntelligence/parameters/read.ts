import type { INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { booleanOf, isObject, numberOf, plainText, textOf } from '../text/json';
import { quoted } from '../text/words';
import { CONFIDENCE_THRESHOLD, TEMPLATE } from './options';

/** Reads a parameter for one item, so that expressions see that item. */
export type ReadParameter = <T>(name: string, fallback: T) => T;

interface NumberParameter {
	name: string;
	default: number;
	typeOptions: { minValue: number; maxValue?: number };
}

const CAN_READ: Partial<Record<INodeProperties['type'], (given: unknown) => boolean>> = {
	boolean: (given) => booleanOf(given) !== null,
	number: (given) => numberOf(given) !== null,
	string: (given) =>
		[given].flat(Infinity).every((value) => (value ?? '') === '' || textOf(value) !== null),
};

/** Refuses what cannot be read: a default in its place might be paid for. A blank value has the default. */
export function checkParameter(read: ReadParameter, parameter: INodeProperties, address: string) {
	const { type, displayName, options, placeholder = '' } = parameter;
	const usual = parameter.default;
	const given = read<unknown>(address, usual);
	if (type === 'options')
		return void choiceIn({ displayName, options: options as Array<{ value: string }> }, given);
	const canRead = CAN_READ[type] ?? (() => true);
	if (textOf(given ?? '')?.trim() === '' || canRead(given)) return;
	const examples: Record<string, string> = {
		boolean: 'true or false',
		number: `a number, such as ${plainText(usual)}`,
		string: `text, such as ${placeholder.replace(/^e\.g\. /, '')}`,
	};
	throw new DocumentError(
		`'${displayName}' cannot be read: ${quoted(plainText(given))}`,
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

/** A switch by its address, which an expression may return as a text: what is neither true nor false is as if it were not set. */
export function readSwitch(read: ReadParameter, address: string, usual: boolean): boolean {
	return booleanOf(read<unknown>(address, usual)) ?? usual;
}

/** Each name once: of a list, whose names may contain commas, or of text with commas or line breaks between them. */
export function namesIn(value: unknown): string[] {
	const entries = Array.isArray(value)
		? value.flat(Infinity)
		: (textOf(value) ?? '').split(/[,\n]/);
	const names = entries.map((entry: unknown) => (textOf(entry) ?? '').trim());
	return [...new Set(names)].filter((name) => name !== '');
}

/** Undefined without a review. A fraction of 1 is refused, because nothing would need a review. */
export function readThreshold(read: ReadParameter): number | undefined {
	const { displayName, name } = CONFIDENCE_THRESHOLD;
	const given = read<unknown>(`options.${name}`, null);
	if (given === null) return undefined;
	const threshold = numberOf(given);
	if (threshold !== null && (threshold <= 0 || threshold > 1))
		return Math.min(100, Math.max(0, threshold));
	const meant = Number(((threshold ?? 0.8) * 100).toFixed(6));
	throw new DocumentError(
		`'${displayName}' is ${threshold ?? 'not a number'}. Did you mean ${meant}?`,
		`Nothing was sent. Enter a number from 0 to 100, such as ${meant}.`,
	);
}

/** Refuses what the list does not have: a default in its place might be paid for. */
export function choiceIn<Choice extends { value: string }>(
	{ displayName, options }: { displayName: string; options: readonly Choice[] },
	given: unknown,
): Choice {
	const chosen = options.find(({ value }) => value === given);
	if (chosen !== undefined) return chosen;
	throw new DocumentError(
		`Unknown value for '${displayName}': ${quoted(plainText(given))}`,
		`Nothing was sent. Choose from the list. Possible values: ${options.map(({ value }) => value).join(', ')}.`,
	);
}

/** The values chosen in a list that allows several; an expression may return one text. */
export function choicesIn(parameter: Parameters<typeof choiceIn>[0], given: unknown): string[] {
	return namesIn(given).map((name) => choiceIn(parameter, name).value);
}

/** Longer than any ID or reference, and short enough for an address. */
const MAX_CHARACTERS = 1000;

/** What a damaged paste leaves, steps of a path, and links, which may hold a password or a signature. */
const NOT_IN_IDENTIFIERS = /[\s\p{Cc}\p{Cf}\p{Cs}]|^\.{1,2}$|^(https?|s?ftp|data|blob|file):/iu;

/**
 * An ID or reference. Its form is that of Cogneris (docs/internals/service-contract.md, stored files), so only what
 * cannot be one is refused.
 * @param example what to enter, in a whole sentence
 */
export function identifierIn(value: unknown, label: string, example: string): string {
	const text = textOf(value ?? '')?.trim();
	const isDamaged =
		text === undefined || text.length > MAX_CHARACTERS || NOT_IN_IDENTIFIERS.test(text);
	if (!isDamaged && text !== '') return text;
	throw new DocumentError(
		`'${label}' is ${isDamaged ? 'not a valid ID or reference' : 'empty'}`,
		`${example} Nothing was sent.`,
	);
}

export function readTemplateId(read: ReadParameter): string | undefined {
	const chosen = read<unknown>(TEMPLATE.name, '');
	const id = isObject(chosen) ? chosen.value : chosen;
	if (plainText(id).trim() === '') return undefined;
	const advice = 'Choose a template from the list, or clear the field to let Cogneris choose one.';
	return identifierIn(id, TEMPLATE.displayName, advice);
}
