import type { Session } from '../service/session';
import { getJob, listJobs, type CallSettings } from '../service/jobs/calls';
import type { Job } from '../service/jobs/job';
import { RequestError } from '../service/requestError';
import { afterEnd, afterLook, type Memory } from './memory';

/** A first look costs this many requests at most; a list that never ends is not followed. */
const MAX_PAGES = 20;

/** Polls in a row that try to read a page which could not be read, before its jobs are given up. */
const MAX_GAPS = 10;

/** Statuses of a job that the service does not keep any longer. */
const NOT_KEPT = new Set([404, 410]);

/** What a poll knows after its look at the service. */
interface Look {
	memory: Memory;
	/** Whether jobs may have been missed for good. */
	hasMissed: boolean;
}

/**
 * Reads the list of jobs down to those that were the newest before: one request if nothing is new. A page that cannot
 * be read leaves a gap, which the next poll reads. Jobs that have not ended and are no longer listed are asked for by ID.
 *
 * @param memory undefined for a first look, which reads the whole list
 * @param maxAsked how many jobs may be asked for by ID
 */
export async function look(
	session: Session,
	settings: CallSettings,
	account: string,
	memory: Memory | undefined,
	starts: (job: Job) => boolean,
	maxAsked: number,
): Promise<Look> {
	const found = new Map<string, Job>();
	const known = new Set(memory?.edge);
	let first: string[] | undefined;
	let cursor: string | undefined;
	let end: 'reached' | 'unreadable' | 'noFurtherPage' | undefined;
	for (let page = 0; page < MAX_PAGES && end === undefined; page++) {
		const list = await listJobs(session, settings, cursor).catch((thrown: unknown) => {
			if (first === undefined || session.signal.aborted) throw thrown as Error;
			return undefined;
		});
		if (list === undefined) {
			end = 'unreadable';
			break;
		}
		const keys = [...list.jobs.keys()];
		const isNew = keys.some((key) => !found.has(key));
		for (const [key, job] of list.jobs) found.set(key, found.get(key) ?? job);
		first ??= keys;
		cursor = list.nextCursor;
		if (!list.isFull || keys.some((key) => known.has(key))) end = 'reached';
		// A service that ignores the cursor shows the first page again.
		else if (cursor === undefined || !isNew) end = 'noFurtherPage';
	}
	const gaps = end === 'unreadable' && memory !== undefined ? memory.gaps + 1 : 0;
	const isGap = gaps > 0 && gaps <= MAX_GAPS;
	const hasMissed = memory !== undefined && memory.edge.length > 0 && end !== 'reached' && !isGap;
	const edge = isGap ? (memory?.edge ?? []) : (first ?? []);
	const seen = { ...afterLook(account, memory, [...found.values()], starts), edge, gaps };
	return { memory: await askForOpen(session, settings, seen, found, starts, maxAsked), hasMissed };
}

/** Those that were asked for stand last afterwards, so that each has its turn. */
async function askForOpen(
	session: Session,
	settings: CallSettings,
	seen: Memory,
	listed: ReadonlyMap<string, Job>,
	starts: (job: Job) => boolean,
	maxAsked: number,
): Promise<Memory> {
	const missing = [...seen.open].filter(([key]) => !listed.has(key)).slice(0, maxAsked);
	const open = new Map(seen.open);
	for (const [key, jobId] of missing) {
		open.delete(key);
		open.set(key, jobId);
	}
	let memory: Memory = { ...seen, open };
	for (const [, jobId] of missing) {
		if (session.signal.aborted) break;
		try {
			const job = await getJob(session, jobId, settings);
			const { edge, gaps } = memory;
			memory = { ...afterLook(memory.account, memory, [job], starts), edge, gaps };
		} catch (thrown) {
			const { httpCode = 0 } = thrown instanceof RequestError ? thrown.details : {};
			if (NOT_KEPT.has(httpCode)) memory = afterEnd(memory, [jobId]);
			// Without any answer, the others would not be answered either.
			else if (httpCode === 0) break;
		}
	}
	return memory;
}
