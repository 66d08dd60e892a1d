import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { asNodeError, DocumentError } from '../text/errors';
import { MAX_RETRIES } from '../parameters/options';
import { listTemplates, type Template } from '../service/jobs/calls';
import { processLimiters } from '../service/limiter';
import { openSession } from '../service/session';
import { Traffic } from '../service/traffic';

/** More pages than an account has; a service that gives the same cursor for ever is not followed. */
const MAX_PAGES = 40;

/** A user waits for the list. */
const TIMEOUT_SECONDS = 20;

const SETTINGS = {
	timeoutSeconds: TIMEOUT_SECONDS,
	policy: { maxRetries: MAX_RETRIES.default, onRateLimit: 'fail' as const },
};

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
	const traffic = new Traffic();
	try {
		const session = await openSession(this, processLimiters, {
			signal: never,
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
		throw asNodeError(this.getNode(), thrown, 0);
	}
}

function resultOf({ id, name }: Template): INodeListSearchResult['results'][number] {
	return { name, value: id };
}

function withSandboxKey(): DocumentError {
	return new DocumentError(
		'A sandbox key cannot list templates',
		'Leave Template empty, or use a live key (xtkt_live_).',
	);
}
