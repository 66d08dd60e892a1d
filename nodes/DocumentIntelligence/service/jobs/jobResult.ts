import { isObject } from '../../text/json';

/** What a template names stands below this; its names are its own. */
const METADATA = 'metadata';

/** The names of results that are read, in their direct spelling (docs/service-contract.md, results). */
const KNOWN_NAMES = new Map(
	[
		METADATA,
		'box2D',
		'confidence',
		'createdDate',
		'documents',
		'documentType',
		'fileName',
		'findings',
		'fraudBlocked',
		'fraudRequestId',
		'id',
		'imageUrl',
		'imageUrls',
		'message',
		'overall',
		'pages',
		'probe',
		'quality',
		'results',
		'side',
		'templateId',
		'type',
	].map((name) => [name.toLowerCase(), name]),
);

/**
 * The result of a job in the form of a direct answer: a job writes the service's own names with a capital, and how
 * else is open (docs/service-contract.md, jobs). Names of a template stay as they are.
 */
export function asDirectResult(stored: unknown): unknown {
	if (Array.isArray(stored)) return stored.map(asDirectResult);
	if (!isObject(stored)) return stored;
	const taken = new Set(Object.keys(stored));
	const entries = Object.entries(stored).map(([name, value]): [string, unknown] => {
		const direct = directName(name);
		// Where several spellings are there, the service means several things by them.
		const free = direct !== name && taken.has(direct) ? name : direct;
		taken.add(free);
		return [free, direct === METADATA ? value : asDirectResult(value)];
	});
	// Unlike an assignment, this takes `__proto__` for a name like any other.
	return Object.fromEntries(entries);
}

function directName(name: string): string {
	const known = KNOWN_NAMES.get(name.toLowerCase());
	return known ?? name.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
}
