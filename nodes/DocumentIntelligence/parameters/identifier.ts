import type { INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import type { ReadParameter } from './readParameter';
import { textOf } from '../text/json';

/** Longer than any ID or reference, and short enough for an address. */
const MAX_CHARACTERS = 1000;

/** White space, and characters that are not seen or are half of one: what is left of a damaged paste. */
const DAMAGED = /[\s\p{Cc}\p{Cf}\p{Cs}]/u;

/** Segments of a path that lead to another address. */
const IS_STEP = /^\.{1,2}$/;

/**
 * What a parameter identifies something of the service with. Its form is the service's own
 * (docs/service-contract.md, stored files), so only what cannot be one is refused.
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
