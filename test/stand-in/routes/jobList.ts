import { createHash } from 'node:crypto';
import { pageOf } from '../http/page';
import { HttpError, successEnvelope, type ServiceResponse } from '../http/responses';
import type { Settings } from '../settings';
import type { JobDescription } from '../state/jobs';
import type { Service } from '../state/service';

/** `GET /api/v1/document-jobs`: a page of the account's jobs. What the contract leaves open about it is a setting. */
export async function listJobs(
	service: Service,
	key: string,
	query: URLSearchParams,
): Promise<ServiceResponse> {
	const { jobs, jobViews, settings } = service;
	const { jobsLimit, jobsCursor, maxListLimit } = settings;
	const cursor = query.get('cursor');
	if (jobsCursor === 'rejected' && cursor !== null) {
		const message = 'This list has no parameter "cursor".';
		throw new HttpError(400, 'parameter_unknown', message, { field: 'cursor' });
	}
	await jobs.settle();
	const listed = jobViews.list(key, inOrder(await jobs.list(key), settings.jobsOrder));
	const { entries, page } = pageOf(
		listed,
		{ list: 'jobs', defaultLimit: 100, maxLimit: maxListLimit },
		{
			limit: jobsLimit === 'ignored' ? null : query.get('limit'),
			cursor: jobsCursor === 'ignored' ? null : cursor,
		},
	);
	const answer = successEnvelope({ jobs: entries, ...page }, null);
	return { ...answer, offContract: jobViews.areOffContract(key) };
}

/** @param newestFirst the account's jobs */
function inOrder(newestFirst: JobDescription[], order: Settings['jobsOrder']): JobDescription[] {
	if (order === 'newest') return newestFirst;
	if (order === 'oldest') return newestFirst.toReversed();
	// By something that no time has a part in, so that pages of one list fit together.
	const rankOf = ({ jobId }: JobDescription) => createHash('sha256').update(jobId).digest('hex');
	return newestFirst.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
}
