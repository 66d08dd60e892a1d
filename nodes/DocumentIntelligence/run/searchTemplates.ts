import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { callService, pageRequest } from '../service/jobs/calls';
import { processLimiters } from '../service/limiter';
import { openSession, type Session } from '../service/session';
import { asNodeError, DocumentError } from '../text/errors';
import { objectOf, objectsOf, textOf } from '../text/json';

const SETTINGS = { timeoutSeconds: 20, retries: 3 };

/** A request of the list waited for the rate limit, or was retried, for as long as a user waits. */
const TOO_LATE = new DocumentError(
	`The template list did not arrive within ${SETTINGS.timeoutSeconds} seconds`,
	'The rate limit of the API key may have been reached. Wait a minute, then open the list again.',
);

/** Page by page or, as Cogneris cannot search, from all pages those whose name or ID contains the filter. */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const deadline = AbortSignal.timeout(SETTINGS.timeoutSeconds * 1000);
	const signals = { signal: deadline, cancelled: new AbortController().signal };
	try {
		const session = await openSession(this, processLimiters, signals);
		if (session.account.isSandbox)
			throw new DocumentError(
				'A sandbox key cannot list templates',
				'Leave Template empty, or use a live key (xtkt_live_).',
			);
		const wanted = filter?.trim().toLowerCase() ?? '';
		const found = new Map<string, INodeListSearchResult['results'][number]>();
		let cursor = typeof paginationToken === 'string' ? paginationToken : undefined;
		const asked = new Set([cursor]);
		do {
			const { templates, nextCursor } = await listTemplates(session, cursor);
			for (const { id, name } of templates)
				if (`${name}\n${id}`.toLowerCase().includes(wanted)) found.set(id, { name, value: id });
			cursor = asked.has(nextCursor) ? undefined : nextCursor;
			asked.add(cursor);
		} while (cursor !== undefined && wanted !== '');
		return { results: [...found.values()], paginationToken: cursor };
	} catch (thrown) {
		throw asNodeError(this.getNode(), thrown === deadline.reason ? TOO_LATE : thrown, 0);
	}
}

async function listTemplates(session: Session, cursor: string | undefined) {
	const request = pageRequest('/api/v1/templates', 50, 'template list', cursor);
	return await callService(session, request, SETTINGS, (data) => {
		const { templates, nextCursor, hasMore } = objectOf(data);
		if (!Array.isArray(templates)) return undefined;
		const readable = objectsOf(templates).flatMap(({ id: given, name }) => {
			const id = textOf(given);
			return id === null ? [] : [{ id, name: textOf(name) || id }];
		});
		// Whether a last page has a cursor is open.
		const next = hasMore === false ? undefined : textOf(nextCursor) || undefined;
		return { templates: readable, nextCursor: next };
	});
}
