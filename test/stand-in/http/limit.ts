import { HttpError } from './responses';

/** How many entries of a list are asked for. */
export function readLimit(
	query: URLSearchParams,
	bounds: { default: number; max: number },
): number {
	const given = query.get('limit');
	if (given === null) return bounds.default;
	const limit = Number(given);
	if (!Number.isInteger(limit) || limit < 1 || limit > bounds.max)
		throw new HttpError(400, 'limit_invalid', `The limit has to be from 1 to ${bounds.max}.`, {
			field: 'limit',
		});
	return limit;
}
