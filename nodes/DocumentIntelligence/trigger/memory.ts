import type { IDataObject } from 'n8n-workflow';

import { hasEnded, jobKey, readJob, type Job } from '../service/jobs/job';
import { listOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';

/** A job that has ended and has not yet started the workflow. */
export interface DueJob {
	job: Job;
	/** How often its result could not be fetched. */
	tries: number;
	/** Local time of the first of these attempts, in milliseconds since the epoch. */
	since?: number;
}

/** What a trigger knows of the jobs of an account. Jobs are known by their keys. */
export interface Memory {
	/** Whose jobs these are. */
	account: string;
	/** Ended jobs that need nothing more, those that were settled last at the end. */
	settled: ReadonlySet<string>;
	/** The IDs of jobs that had not ended, those that were seen last at the end. */
	open: ReadonlyMap<string, string>;
	due: ReadonlyMap<string, DueJob>;
	/** The newest jobs when the list was last read down to jobs that were known: all before them are known. */
	edge: readonly string[];
	/** Polls in a row that did not get down to the edge. */
	gaps: number;
}

/** Ten pages of the list, and little enough to be saved at each start of the workflow. */
const MAX_SETTLED = 1000;

const MAX_OPEN = 2000;

/**
 * @param before undefined for a first look: what has ended until then starts nothing
 * @param jobs what the service showed, the newest first
 * @param starts whether a job is to start the workflow
 */
export function afterLook(
	account: string,
	before: Memory | undefined,
	jobs: Job[],
	starts: (job: Job) => boolean,
): Memory {
	const settled = new Set(before?.settled);
	const open = new Map(before?.open);
	const due = new Map(before?.due);
	for (const job of [...jobs].reverse()) {
		const key = jobKey(job.jobId);
		const waiting = due.get(key);
		// A list may be late: what has ended stays so, and may only become more complete.
		if (waiting !== undefined) {
			if (hasEnded(job) && job.outputReference !== null) due.set(key, { ...waiting, job });
		} else if (!settled.has(key)) {
			open.delete(key);
			if (!hasEnded(job)) open.set(key, job.jobId);
			else if (before !== undefined && starts(job)) due.set(key, { job, tries: 0 });
			else settled.add(key);
		}
	}
	return bounded({ account, settled, open, due, edge: before?.edge ?? [], gaps: 0 });
}

/** After a job has started the workflow, or after it can start nothing any more. */
export function afterEnd(memory: Memory, jobIds: string[]): Memory {
	const settled = new Set(memory.settled);
	const open = new Map(memory.open);
	const due = new Map(memory.due);
	for (const key of jobIds.map(jobKey)) {
		open.delete(key);
		due.delete(key);
		settled.add(key);
	}
	return bounded({ ...memory, settled, open, due });
}

/** After the result of a job could not be fetched. */
export function afterAttempt(memory: Memory, jobId: string, now: number): Memory {
	const failed = memory.due.get(jobKey(jobId));
	if (failed === undefined) return memory;
	const { job, tries, since = now } = failed;
	const due = new Map(memory.due).set(jobKey(jobId), { job, tries: tries + 1, since });
	return { ...memory, due };
}

/** The service may be out of order for some hours; results are kept for days. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

/** However seldom the trigger polls. */
const MIN_TRIES = 3;

/** Whether a job starts the workflow without its result if this attempt to fetch it fails too. */
export function isLastTry({ tries, since }: DueJob, now: number): boolean {
	return tries + 1 >= MIN_TRIES && now - (since ?? now) >= GIVE_UP_AFTER_MS;
}

/** Fresh jobs first, so that results which cannot be fetched hold up no others; then in the order of their end. */
export function dueJobs({ due }: Memory): DueJob[] {
	const end = ({ job }: DueJob) => job.completedAt ?? '';
	return [...due.values()].sort(
		(one, other) => one.tries - other.tries || (end(one) < end(other) ? -1 : 1),
	);
}

function bounded(memory: Memory): Memory {
	return {
		...memory,
		settled: new Set([...memory.settled].slice(-MAX_SETTLED)),
		open: new Map([...memory.open].slice(-MAX_OPEN)),
	};
}

/** As n8n saves it: JSON. */
export function savedMemory({ settled, open, due, ...others }: Memory): IDataObject {
	return {
		...others,
		edge: [...others.edge],
		settled: [...settled],
		open: [...open.values()],
		due: [...due.values()].map((entry) => ({ ...entry })),
	};
}

/** Undefined for the memory of another account, and for what is none, such as what an import of a workflow brings. */
export function readMemory(saved: unknown, account: string): Memory | undefined {
	const { account: whose, settled, open, due, edge, gaps } = objectOf(saved);
	if (whose !== account || !Array.isArray(settled)) return undefined;
	const textsIn = (list: unknown) => listOf(list).flatMap((entry) => textOf(entry) ?? []);
	const waiting = objectsOf(due).flatMap(({ job: savedJob, tries, since }) => {
		const job = readJob(savedJob);
		if (job === undefined) return [];
		return { job, tries: numberOf(tries) ?? 0, since: numberOf(since) ?? undefined };
	});
	return {
		account,
		settled: new Set(textsIn(settled)),
		open: new Map(textsIn(open).map((jobId) => [jobKey(jobId), jobId])),
		due: new Map(waiting.map((entry) => [jobKey(entry.job.jobId), entry])),
		edge: textsIn(edge),
		gaps: numberOf(gaps) ?? 0,
	};
}
