import { asDocumentError, DocumentError } from '../../text/errors';
import type { Limiter } from '../limiter';
import type { Session } from '../exchange';
import { listJobs, type CallSettings, type JobPage } from '../api';
import type { Job } from './job';
import { statusOf } from './jobResult';

/** The first is the default of Cogneris, which names no maximum (docs/internals/service-contract.md, Jobs). */
const LIMITS = [100, 1_000, 10_000];

/** By account, the largest limit that it was granted, and whether it was refused a larger one. */
const grantedLimits = new WeakMap<Limiter, { limit: number; isLargest: boolean }>();

/** Statuses with which a limit or a cursor is rejected. */
const REJECTED = new Set([400, 404, 413, 422]);

interface JobListOptions {
	/** Where an earlier reading paused. */
	cursor?: string;
	maxRequests?: number;
	/** Whether these jobs are all that is wanted. */
	isEnough?: (jobs: JobList['jobs']) => boolean;
}

interface ReadJobs {
	/** By their key, in the order in which they came: Cogneris promises none. */
	jobs: Map<string, Job>;
	/** When Cogneris wrote the first page, by its own clock, in whole seconds. */
	servedAt?: number;
}

export interface JobList extends ReadJobs {
	/**
	 * `complete`: these jobs, with those before a pause, are all of the account. `paused`: the rest follows at `cursor`, or
	 * from the beginning. `blocked`: Cogneris does not list the rest, so jobs may be missing.
	 */
	end: 'complete' | 'paused' | 'blocked';
	cursor?: string;
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
	const first = await readFirstPage(session, settings, isEnough);
	const { read, page, limit } = first;
	if (!page.hasMore) return { ...read, end: 'complete' };
	let { requests } = first;
	let cursor = resumed ?? page.nextCursor;
	while (cursor !== undefined) {
		if (requests >= maxRequests || isEnough(read.jobs)) return { ...read, end: 'paused', cursor };
		requests += 1;
		const next = await listJobs(session, settings, limit, cursor).catch(asDocumentError);
		if (next instanceof DocumentError) {
			// A cursor that fails again may fail for good, so the next reading begins anew.
			if (cursor === resumed || REJECTED.has(statusOf(next))) break;
			return { ...read, end: 'paused', cursor };
		}
		const isNew = addPage(read, next);
		if (!next.hasMore) return { ...read, end: 'complete' };
		// If the cursor is ignored, the same page is returned again.
		cursor = isNew ? next.nextCursor : undefined;
	}
	return { ...read, end: isEnough(read.jobs) ? 'paused' : 'blocked' };
}

/** Asks for more jobs at once as long as there are more and Cogneris grants it. */
async function readFirstPage(
	session: Session,
	settings: CallSettings,
	isEnough: NonNullable<JobListOptions['isEnough']>,
) {
	const { limiter } = session;
	const granted = grantedLimits.get(limiter) ?? { limit: LIMITS[0] ?? 100, isLargest: false };
	let page = await listJobs(session, settings, granted.limit).catch((thrown: unknown) => {
		// What was granted before may be what fails now.
		grantedLimits.delete(limiter);
		throw thrown as Error;
	});
	const read: ReadJobs = { jobs: new Map(), servedAt: page.servedAt };
	addPage(read, page);
	let requests = 1;
	for (const limit of LIMITS.filter((larger) => larger > granted.limit)) {
		if (granted.isLargest || !page.hasMore || isEnough(read.jobs)) break;
		requests += 1;
		const larger = await listJobs(session, settings, limit).catch(asDocumentError);
		if (larger instanceof DocumentError) {
			granted.isLargest = REJECTED.has(statusOf(larger));
			break;
		}
		addPage(read, larger);
		const isGranted = larger.jobs.size > page.jobs.size || !larger.hasMore;
		granted.isLargest = !isGranted || (larger.limit ?? limit) < limit;
		if (!isGranted) break;
		granted.limit = Math.min(limit, larger.limit ?? limit);
		page = larger;
	}
	grantedLimits.set(limiter, granted);
	return { read, page, limit: granted.limit, requests };
}

/** @returns whether the page shows a job that was not known */
function addPage({ jobs }: ReadJobs, page: JobPage): boolean {
	const { size } = jobs;
	for (const [key, job] of page.jobs) jobs.set(key, job);
	return jobs.size > size;
}
