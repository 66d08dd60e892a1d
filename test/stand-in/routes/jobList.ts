import { createHash } from 'node:crypto';
import { cursorFor, readLimit, startOf } from '../http/cursor';
import { HttpError, successEnvelope, type ServiceResponse } from '../http/responses';
import type { Settings } from '../settings';
import type { JobDescription } from '../state/jobs';
import type { Service } from '../state/service';

const DEFAULT_LIMIT = 100;

/** `GET /api/v1/document-jobs`: a page of the account's jobs. What the contract leaves open about it is a setting. */
export async function listJobs(
	service: Service,
	key: string,
	query: URLSearchParams,
): Promise<ServiceResponse> {
	const { jobs, jobViews, settings } = service;
	const limit = limitOf(query, settings);
	const start = startAt(query, settings);
	await jobs.settle();
	const listed = jobViews.list(key, inOrder(await jobs.list(key), settings.jobsOrder));
	const end = start + limit;
	const hasMore = listed.length > end;
	const data = {
		jobs: listed.slice(start, end),
		nextCursor: hasMore ? cursorFor('jobs', end) : null,
		hasMore,
		limit,
	};
	return { ...successEnvelope(data, null), offContract: jobViews.areOffContract(key) };
}

function limitOf(query: URLSearchParams, { jobsLimit, maxListLimit }: Settings): number {
	const asked = jobsLimit === 'ignored' ? new URLSearchParams() : query;
	return readLimit(asked, { default: DEFAULT_LIMIT, max: maxListLimit });
}

function startAt(query: URLSearchParams, { jobsCursor }: Settings): number {
	const cursor = query.get('cursor');
	if (jobsCursor === 'rejected' && cursor !== null)
		throw new HttpError(400, 'parameter_unknown', 'This list has no parameter "cursor".', {
			field: 'cursor',
		});
	return jobsCursor === 'honoured' ? startOf('jobs', cursor) : 0;
}

/** @param newestFirst the account's jobs */
function inOrder(newestFirst: JobDescription[], order: Settings['jobsOrder']): JobDescription[] {
	if (order === 'newest') return newestFirst;
	if (order === 'oldest') return newestFirst.toReversed();
	// By something that no time has a part in, so that pages of one list fit together.
	const rank = new Map(newestFirst.map((job) => [job, rankOf(job)]));
	return newestFirst.toSorted((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
}

function rankOf({ jobId }: JobDescription): number {
	return createHash('sha256').update(jobId).digest().readUInt32BE();
}
