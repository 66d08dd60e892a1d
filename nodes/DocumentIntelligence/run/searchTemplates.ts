import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { asNodeError, DocumentError } from '../text/errors';
import { listTemplates, type Template } from '../service/jobs/calls';
import { processLimiters } from '../service/limiter';
import { openSession, Traffic } from '../service/session';

/** More pages than an account has; a service that gives the same cursor for ever is not followed. */
const MAX_PAGES = 40;

/** A user waits for the list. */
const TIMEOUT_SECONDS = 20;

const SETTINGS = { timeoutSeconds: TIMEOUT_SECONDS };

/**
 * The templates of the account by name: page by page, or, since the service cannot search, those of all pages whose
 * name or ID has the text in it.
 */
export async function searchTemplates(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: unknown,
): Promise<INodeListSearchResult> {
	const never = new AbortController().signal;
	const deadline = AbortSignal.timeout(TIMEOUT_SECONDS * 1000);
	const traffic = new Traffic();
	try {
		const session = await openSession(this, processLimiters, {
			signal: deadline,
			cancelled: never,
			traffic,
		});
		if (session.account.isSandbox) throw withSandboxKey();
		const wanted = filter?.trim().toLowerCase() ?? '';
		if (wanted === '') {
			const token = typeof paginationToken === 'string' ? paginationToken : undefined;
			const { templates, nextCursor } = await listTemplates(session, token, SETTINGS);
			return {
				results: templates.map(resultOf),
				paginationToken: nextCursor === token ? undefined : nextCursor,
			};
		}
		const found = new Map<string, Template>();
		const cursors = new Set<string>();
		let cursor: string | undefined;
		do {
			const { templates, nextCursor } = await listTemplates(session, cursor, SETTINGS);
			for (const template of templates) {
				const { id, name } = template;
				const texts = [id, name].map((text) => text.toLowerCase());
				if (texts.some((text) => text.includes(wanted))) found.set(id, template);
			}
			cursor = nextCursor === undefined || cursors.has(nextCursor) ? undefined : nextCursor;
			if (cursor !== undefined) cursors.add(cursor);
		} while (cursor !== undefined && cursors.size < MAX_PAGES);
		return { results: [...found.values()].map(resultOf) };
	} catch (thrown) {
		throw asNodeError(this.getNode(), thrown === deadline.reason ? tooLate() : thrown, 0);
	}
}

function resultOf({ id, name }: Template): INodeListSearchResult['results'][number] {
	return { name, value: id };
}

/** A request of the list waited for the rate limit, or was retried, for as long as a user waits. */
function tooLate(): DocumentError {
	return new DocumentError(
		`The list of templates did not arrive within ${TIMEOUT_SECONDS} seconds`,
		'The rate limit of the API key may be reached. Wait a minute, then open the list again.',
	);
}

function withSandboxKey(): DocumentError {
	return new DocumentError(
		'A sandbox key cannot list templates',
		'Leave Template empty, or use a live key (xtkt_live_).',
	);
}
