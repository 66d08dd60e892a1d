import { DocumentError } from '../text/errors';
import { plainText } from '../text/json';
import { quoted } from '../text/words';
import { namesIn } from './options';

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
