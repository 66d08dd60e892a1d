import { HttpError, successEnvelope } from '../http/responses';
import { readLimit } from '../http/limit';
import type { Route } from '../http/route';
import { accountTemplates } from '../processing/templates';
import type { Service } from '../state/service';

/** `GET /api/v1/templates`: the account's finished templates, page by page. It cannot be searched. */
export function templateRoutes(service: Service): Route[] {
	return [
		{
			method: 'GET',
			path: '/api/v1/templates',
			step: 'templates',
			body: 'none',
			sandbox: false,
			billed: false,
			fileNames: () => [],
			respond({ query }) {
				const templates = accountTemplates(service.settings.templateCount);
				const limit = readLimit(query, { default: 50, max: 100 });
				const start = startOf(query.get('cursor'));
				const end = start + limit;
				const data = {
					templates: templates.slice(start, end).map(({ id, name, description }) => ({
						id,
						name,
						description,
						status: 'Finished',
					})),
					nextCursor: end < templates.length ? cursorFor(end) : null,
					hasMore: end < templates.length,
					limit,
				};
				return Promise.resolve(successEnvelope(data, null));
			},
		},
	];
}

function cursorFor(start: number): string {
	return Buffer.from(`templates/${start}`).toString('base64');
}

function startOf(cursor: string | null): number {
	// An empty cursor asks for the first page.
	if (!cursor) return 0;
	const start = /^templates\/(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())?.[1];
	if (start === undefined)
		throw new HttpError(400, 'cursor_invalid', 'The cursor is not one of this list.', {
			field: 'cursor',
		});
	return Number(start);
}
