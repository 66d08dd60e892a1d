import { isObject } from '../../text/json';

/** What a template names stands below this; its names are its own. */
const METADATA = 'metadata';

/**
 * The result of a job in the form of a direct answer: a job writes the service's own names with a capital
 * (docs/service-contract.md, jobs), and names of a template stay as they are.
 */
export function asDirectResult(stored: unknown): unknown {
	if (Array.isArray(stored)) return stored.map(asDirectResult);
	if (!isObject(stored)) return stored;
	const entries = Object.entries(stored).map(([name, value]): [string, unknown] => {
		const direct = name.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
		// Where both spellings are there, the service means two things by them.
		const free = direct !== name && Object.hasOwn(stored, direct) ? name : direct;
		return [free, direct === METADATA ? value : asDirectResult(value)];
	});
	// Unlike an assignment, this takes `__proto__` for a name like any other.
	return Object.fromEntries(entries);
}
