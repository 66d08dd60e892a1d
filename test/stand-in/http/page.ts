import { HttpError } from './responses';

interface PageRules {
	/** The name of the list, which a cursor of another list does not have. */
	list: string;
	defaultLimit: number;
	/** The contract names none, so no number is refused, and no more is granted. */
	maxLimit: number;
}

/** A page of a list, as the query asks for it. */
export function pageOf<Entry>(
	all: Entry[],
	{ list, defaultLimit, maxLimit }: PageRules,
	{ limit: asked, cursor }: { limit: string | null; cursor: string | null },
) {
	const limit = Math.min(Number(asked ?? defaultLimit), maxLimit);
	const start = startOf(list, cursor);
	const end = start + limit;
	const hasMore = end < all.length;
	const nextCursor = hasMore ? Buffer.from(`${list}/${end}`).toString('base64') : null;
	return { entries: all.slice(start, end), page: { nextCursor, hasMore, limit } };
}

/** The position that a cursor leads to, counted from 0; an empty one asks for the first page. */
function startOf(list: string, cursor: string | null): number {
	if (!cursor) return 0;
	const [name, start = ''] = Buffer.from(cursor, 'base64').toString().split('/');
	if (name === list && /^\d+$/.test(start)) return Number(start);
	const message = 'The cursor is not one of this list.';
	throw new HttpError(400, 'cursor_invalid', message, { field: 'cursor' });
}
