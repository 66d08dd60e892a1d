import type { IDataObject } from 'n8n-workflow';

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
	const result: IDataObject = {};
	for (const [name, value] of Object.entries(stored)) {
		const direct = name.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
		// Where both spellings are there, the service means two things by them.
		const free = direct !== name && Object.hasOwn(stored, direct) ? name : direct;
		result[free] = (free === METADATA ? value : asDirectResult(value)) as IDataObject;
	}
	return result;
}
