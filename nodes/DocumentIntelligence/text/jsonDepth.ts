/** Levels of JSON beyond what any document has: saving more would end n8n's execution. */
export const MAX_JSON_DEPTH = 200;

/** Walks without recursion, which deep values would overflow. Not for circular values. */
export function isTooDeep(value: unknown): boolean {
	let level: unknown[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_JSON_DEPTH) return true;
		level = level.flatMap((entry) =>
			typeof entry === 'object' && entry !== null
				? Object.values(entry as Record<string, unknown>)
				: [],
		);
	}
	return false;
}
