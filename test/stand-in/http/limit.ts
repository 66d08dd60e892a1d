/** How many entries a list shows: as many as are asked for, up to a maximum. The contract names none, so no number is refused. */
export function readLimit(
	query: URLSearchParams,
	bounds: { default: number; max: number },
): number {
	return Math.min(Number(query.get('limit') ?? bounds.default), bounds.max);
}
