import { pageOf } from '../http/page';
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
			sandbox: false,
			respond({ query }) {
				const all = accountTemplates(service.settings.templateCount);
				const rules = { list: 'templates', defaultLimit: 50, maxLimit: 100 };
				const asked = { limit: query.get('limit'), cursor: query.get('cursor') };
				const { entries, page } = pageOf(all, rules, asked);
				const templates = entries.map(({ id, name, description }) => ({
					...{ id, name, description },
					status: 'Finished',
				}));
				return Promise.resolve(successEnvelope({ templates, ...page }, null));
			},
		},
	];
}
