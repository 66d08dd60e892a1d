import { cursorFor, readLimit, startOf } from '../http/cursor';
import { successEnvelope } from '../http/responses';
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
			fileNames: () => [],
			respond({ query }) {
				const templates = accountTemplates(service.settings.templateCount);
				const limit = readLimit(query, { default: 50, max: 100 });
				const start = startOf('templates', query.get('cursor'));
				const end = start + limit;
				const data = {
					templates: templates.slice(start, end).map(({ id, name, description }) => ({
						id,
						name,
						description,
						status: 'Finished',
					})),
					nextCursor: end < templates.length ? cursorFor('templates', end) : null,
					hasMore: end < templates.length,
					limit,
				};
				return Promise.resolve(successEnvelope(data, null));
			},
		},
	];
}
