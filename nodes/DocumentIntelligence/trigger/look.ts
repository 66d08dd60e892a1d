import type { Session } from '../service/session';
import { getJob, listJobs, type CallSettings } from '../service/jobs/calls';
import { hasEnded, type Job } from '../service/jobs/job';
import { RequestError } from '../service/requestError';
import { isKnown, type Memory } from './memory';

/** What the service shows of its jobs. */
export interface Look {
	jobs: Job[];
	/** Jobs that it knows no more. */
	gone: string[];
	/** Jobs that were asked for in vain. */
	unanswered: string[];
	/** Whether jobs may have ended of which nothing is known: the list does not go back far enough. */
	hasGap: boolean;
}

/** A first look costs this many requests at most; a list that never ends is not followed. */
const MAX_PAGES = 20;

/** An answer that takes longer would use up the time of the poll. */
const BY_NUMBER_SECONDS = 10;

/** Of more jobs than this, a page of the list tells with fewer requests. */
const FEW = 5;

/**
 * The jobs of the account, as far back in the list as there is something to learn: usually one request. Jobs that have
 * not ended and are not in the list any more are asked for by their numbers.
 *
 * @param memory undefined for the first look, which goes as far back as the list does
 * @param maxByNumber how many jobs may be asked for by their numbers
 */
export async function look(
	session: Session,
	settings: CallSettings,
	memory: Memory | undefined,
	maxByNumber: number,
): Promise<Look> {
	const { found, reachesKnown, isWhole } = await readList(session, settings, memory);
	const listed = [...found.values()];
	const missing = missingIn(found, memory).slice(0, Math.max(1, maxByNumber));
	const gone: string[] = [];
	const unanswered: string[] = [];
	const once = { ...atNextPoll(settings), timeoutSeconds: BY_NUMBER_SECONDS };
	for (const jobId of missing) {
		try {
			found.set(jobId, await getJob(session, jobId, once));
		} catch (thrown) {
			if (hasStatus(thrown, UNKNOWN)) {
				gone.push(jobId);
				continue;
			}
			// Any other failure tells nothing of the job, which is asked for again.
			unanswered.push(jobId);
			// Waiting in vain for each of them would leave no time for results.
			if (!isAnswered(thrown)) break;
		}
	}
	// The list begins with the newest.
	const jobs = [...found.values()].reverse();
	const mayLackNew = !isWhole && (!reachesKnown || beginsWithOldest(listed));
	return { jobs, gone, unanswered, hasGap: memory !== undefined && mayLackNew };
}

/** What costs nothing if it fails, since the next poll makes it again: retries would use up the requests of a minute. */
export function atNextPoll(settings: CallSettings): CallSettings {
	return { ...settings, retries: 0 };
}

/** Page by page, as far as there is something to learn. */
async function readList(session: Session, settings: CallSettings, memory: Memory | undefined) {
	const found = new Map<string, Job>();
	const cursors = new Set<string>();
	let cursor: string | undefined;
	let reachesKnown = false;
	let isWhole = false;
	do {
		const page = await nextPage(session, settings, cursor);
		if (page === undefined) break;
		const jobs = [...page.jobs.values()];
		const isNew = jobs.some(({ jobId }) => !found.has(jobId));
		for (const job of jobs) found.set(job.jobId, laterOf(found.get(job.jobId), job));
		isWhole = !page.isFull;
		reachesKnown ||= memory !== undefined && jobs.some((job) => isKnown(memory, job));
		const hasMore = isNew && !hasNothingBehind(memory, jobs, found);
		cursor = hasMore ? page.nextCursor : undefined;
		if (cursor === undefined || cursors.has(cursor)) break;
		cursors.add(cursor);
	} while (cursors.size < MAX_PAGES);
	return { found, reachesKnown, isWhole };
}

/** Undefined where the service has no further pages, whatever its list says. */
async function nextPage(
	session: Session,
	settings: CallSettings,
	cursor: string | undefined,
): Promise<Awaited<ReturnType<typeof listJobs>> | undefined> {
	return await listJobs(session, settings, cursor).catch((thrown: unknown) => {
		if (cursor !== undefined && hasStatus(thrown, REJECTED)) return undefined;
		throw thrown as Error;
	});
}

/** A list may be late, and may show a job twice: one that has ended stays so. */
function laterOf(known: Job | undefined, job: Job): Job {
	return known !== undefined && hasEnded(known) && !hasEnded(job) ? known : job;
}

/** Whether older pages can be left unread: the list is in order, has come to a known job, and shows those that run. */
function hasNothingBehind(
	memory: Memory | undefined,
	page: Job[],
	found: ReadonlyMap<string, Job>,
): boolean {
	const oldest = page.at(-1);
	return (
		memory !== undefined &&
		oldest !== undefined &&
		isKnown(memory, oldest) &&
		isNewestFirst(page) &&
		missingIn(found, memory).length <= FEW
	);
}

/** Jobs that had not ended, and that the list does not show. */
function missingIn(found: ReadonlyMap<string, Job>, memory: Memory | undefined): string[] {
	return [...(memory?.open ?? [])].filter((jobId) => !found.has(jobId));
}

/** All jobs are kept for the same time, so the newest expires last. Where all times are the same, nobody can tell. */
function isNewestFirst(jobs: Job[]): boolean {
	const times = timesOf(jobs);
	const [first, last] = [times[0], times.at(-1)];
	if (first === undefined || last === undefined || times.length === 1) return true;
	return (
		first > last &&
		times.every((time, position) => position === 0 || time <= (times[position - 1] ?? time))
	);
}

function beginsWithOldest(jobs: Job[]): boolean {
	const times = timesOf(jobs);
	return (times[0] ?? 0) < (times.at(-1) ?? 0);
}

function timesOf(jobs: Job[]): number[] {
	return jobs
		.map(({ expiresAt, startedAt }) => Date.parse(expiresAt ?? startedAt ?? ''))
		.filter((time) => !Number.isNaN(time));
}

/** Statuses of a request that makes no sense to the service. */
const REJECTED = new Set([400, 404, 422]);

/** Statuses of a job that it does not keep any longer. */
const UNKNOWN = new Set([404, 410]);

function isAnswered(thrown: unknown): boolean {
	return thrown instanceof RequestError && thrown.details.httpCode !== undefined;
}

function hasStatus(thrown: unknown, statuses: ReadonlySet<number>): boolean {
	return thrown instanceof RequestError && statuses.has(thrown.details.httpCode ?? 0);
}
