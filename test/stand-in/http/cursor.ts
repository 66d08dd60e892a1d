import { HttpError } from './responses';

/** Leads to the entry of a list at this position, counted from 0. */
export function cursorFor(list: string, start: number): string {
	return Buffer.from(`${list}/${start}`).toString('base64');
}

/** The position that a cursor of a list leads to; an empty one asks for the first page. */
export function startOf(list: string, cursor: string | null): number {
	if (!cursor) return 0;
	const [name, start = ''] = Buffer.from(cursor, 'base64').toString().split('/');
	if (name !== list || !/^\d+$/.test(start))
		throw new HttpError(400, 'cursor_invalid', 'The cursor is not one of this list.', {
			field: 'cursor',
		});
	return Number(start);
}

/** How many entries a list shows: as many as are asked for, up to a maximum. The contract names none, so no number is refused. */
export function readLimit(
	query: URLSearchParams,
	bounds: { default: number; max: number },
): number {
	return Math.min(Number(query.get('limit') ?? bounds.default), bounds.max);
}
