import { asDocumentError, DocumentError } from '../../text/errors';
import type { Limiter } from '../limiter';
import type { Session } from '../exchange';
import { listJobs, type CallSettings, type JobPage } from './calls';
import type { Job } from './job';
import { statusOf } from './jobResult';

/** The default of Cogneris, which names no maximum (docs/internals/service-contract.md, Jobs), and one to try. */
const [DEFAULT_LIMIT, LARGE_LIMIT] = [100, 10_000];

/** By account, the limit to ask for once a larger one was granted or refused. */
const knownLimits = new WeakMap<Limiter, number>();

/** Statuses with which a limit or a cursor is rejected. */
const REJECTED = new Set([400, 404, 413, 422]);

interface JobListOptions {
	/** Where an earlier reading paused. */
	cursor?: string;
	maxRequests?: number;
	/** Whether these jobs are all that is wanted. */
	isEnough?: (jobs: JobList['jobs']) => boolean;
}

export interface JobList {
	/** By their key, in the order in which they came: Cogneris promises none. */
	jobs: Map<string, Job>;
	/**
	 * `complete`: these jobs, with those before a pause, are all of the account. `paused`: the rest follows at `cursor`, or
	 * from the beginning. `blocked`: Cogneris does not list the rest, so jobs may be missing.
	 */
	end: 'complete' | 'paused' | 'blocked';
	cursor?: string;
	/** When Cogneris wrote the first page, by its own clock, in whole seconds. */
	servedAt?: number;
}

/**
 * Reads the list as a set: the first page with the largest limit, then page by page as long as they show new jobs.
 * @throws DocumentError if the first page cannot be read
 */
export async function readJobList(
	session: Session,
	settings: CallSettings,
	options: JobListOptions = {},
): Promise<JobList> {
	const { cursor: resumed, maxRequests = Infinity, isEnough = () => false } = options;
	const { first, page, limit, ...asked } = await readFirstPage(session, settings, isEnough);
	const { jobs, servedAt } = first;
	if (!page.hasMore) return { jobs, end: 'complete', servedAt };
	let { requests } = asked;
	let cursor = resumed ?? page.nextCursor;
	while (cursor !== undefined) {
		if (requests >= maxRequests || isEnough(jobs)) return { jobs, end: 'paused', cursor, servedAt };
		requests += 1;
		const next = await listJobs(session, settings, limit, cursor).catch(asDocumentError);
		if (next instanceof DocumentError) {
			// A cursor that fails again may fail for good, so the next reading begins anew.
			if (cursor === resumed || REJECTED.has(statusOf(next))) break;
			return { jobs, end: 'paused', cursor, servedAt };
		}
		const isNew = addJobs(jobs, next);
		if (!next.hasMore) return { jobs, end: 'complete', servedAt };
		// If the cursor is ignored, the same page is returned again.
		cursor = isNew ? next.nextCursor : undefined;
	}
	return { jobs, end: isEnough(jobs) ? 'paused' : 'blocked', servedAt };
}

/** Asks for more jobs at once if there are more. A limit that is not granted does no harm, unless it is rejected. */
async function readFirstPage(
	session: Session,
	settings: CallSettings,
	isEnough: NonNullable<JobListOptions['isEnough']>,
) {
	const { limiter } = session;
	const known = knownLimits.get(limiter);
	// What was granted before may be what fails now.
	knownLimits.delete(limiter);
	const limit = known ?? DEFAULT_LIMIT;
	const first = await listJobs(session, settings, limit);
	if (known !== undefined) knownLimits.set(limiter, known);
	if (known !== undefined || !first.hasMore || isEnough(first.jobs))
		return { first, page: first, limit, requests: 1 };
	const larger = await listJobs(session, settings, LARGE_LIMIT).catch(asDocumentError);
	if (larger instanceof DocumentError) {
		if (REJECTED.has(statusOf(larger))) knownLimits.set(limiter, limit);
		return { first, page: first, limit, requests: 2 };
	}
	knownLimits.set(limiter, LARGE_LIMIT);
	addJobs(first.jobs, larger);
	return { first, page: larger, limit: LARGE_LIMIT, requests: 2 };
}

/** @returns whether the page shows a job that was not known */
function addJobs(jobs: Map<string, Job>, page: JobPage): boolean {
	const { size } = jobs;
	for (const [key, job] of page.jobs) jobs.set(key, job);
	return jobs.size > size;
}
