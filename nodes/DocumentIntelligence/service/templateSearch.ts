import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { callService, pageRequest } from './api';
import { processLimiters } from './limiter';
import { openSession, type Session } from './exchange';
import { LIVE_KEY_PREFIX } from '../text/cogneris';
import { asListError, DocumentError } from '../text/errors';
import { objectOf, objectsOf, textOf } from '../text/json';
import { isAllZeros } from '../text/words';

const LIST_SEARCH = { timeoutSeconds: 20, retries: 3 };

/** The value of a Template that is not chosen. */
const AUTOMATIC = { name: 'Automatic', value: '' };

/** Page by page or, as Cogneris cannot search, from all pages those whose name or ID contains the filter. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const deadline = AbortSignal.timeout(LIST_SEARCH.timeoutSeconds * 1000);
	const signals = { signal: deadline, canceled: new AbortController().signal };
	try {
		const session = await openSession(this, processLimiters, signals);
		if (session.account.isSandbox)
			throw new DocumentError(
				'A sandbox key cannot list templates',
				`Leave 'Template' on Automatic, or use a live key (${LIVE_KEY_PREFIX}).`,
			);
		const wanted = filter.trim().toLowerCase();
		let cursor = typeof paginationToken === 'string' ? paginationToken : undefined;
		const options = new Map(cursor === undefined ? [[AUTOMATIC.value, AUTOMATIC]] : []);
		const seenCursors = new Set([cursor]);
		do {
			const { templates, nextCursor } = await listTemplates(session, cursor);
			for (const template of templates) options.set(template.value, template);
			cursor = seenCursors.has(nextCursor) ? undefined : nextCursor;
			seenCursors.add(cursor);
		} while (cursor !== undefined && wanted !== '');
		const results = [...options.values()].filter(({ name, value }) =>
			`${name}\n${value}`.toLowerCase().includes(wanted),
		);
		return { results, paginationToken: cursor };
	} catch (thrown) {
		// Because of the rate limit or of retries, the list can take longer than a user will wait.
		const tooLate = new DocumentError(
			`The template list did not arrive within ${LIST_SEARCH.timeoutSeconds} seconds`,
			'The rate limit of the API key may have been reached. Wait a minute, then open the list again.',
		);
		throw asListError(this.getNode(), thrown === deadline.reason ? tooLate : thrown);
	}
}

/** One page of the templates that a document can be read with. */
async function listTemplates(session: Session, cursor: string | undefined) {
	const request = pageRequest('/api/v1/templates', 50, 'template list', cursor);
	return await callService(session, request, LIST_SEARCH, (data) => {
		const { templates, nextCursor, hasMore } = objectOf(data);
		if (!Array.isArray(templates)) return undefined;
		const options = objectsOf(templates).flatMap(({ id, name }) => {
			const value = textOf(id) ?? '';
			return value === '' || isAllZeros(value) ? [] : [{ name: textOf(name) || value, value }];
		});
		// Whether a last page has a cursor is open.
		const next = hasMore === false ? undefined : textOf(nextCursor) || undefined;
		return { templates: options, nextCursor: next };
	});
}
