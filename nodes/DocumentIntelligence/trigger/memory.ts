import type { IDataObject } from 'n8n-workflow';

import { hasEnded, jobJson, readJob, type Job } from '../service/jobs/job';
import { isObject, numberOf, objectOf, objectsOf, textOf } from '../text/json';

/** A job that has ended and has not yet started the workflow. */
export interface DueJob {
	job: Job;
	/** How often its result could not be fetched. */
	tries: number;
	/** Local time of the first of these attempts, in milliseconds since the epoch; undefined before it. */
	since?: number;
	/** Local time before which it is not tried again. */
	notBefore: number;
}

/** What a trigger knows of the jobs of an account. Every time of a job is by the service's clock, in milliseconds since the epoch. */
export interface Memory {
	/** Whose jobs these are. */
	account: string;
	/** The ID of the credential with which they were last listed. */
	credential?: string;
	/** Ended jobs that need nothing more, with the time of their end. */
	settled: ReadonlyMap<string, number>;
	/** Jobs that ended until then are settled, although they are not named any more. */
	settledUntil: number;
	/** Jobs that had not ended when they were last seen. */
	open: ReadonlySet<string>;
	due: ReadonlyMap<string, DueJob>;
}

/** How many settled jobs are named: more than end while a list is late, and little enough to be saved at each start. */
const MAX_SETTLED = 1000;

/** As many as a first look can find: each poll saves them. */
const MAX_OPEN = 2000;

/** What to remember of an account of which nothing is known. */
export function emptyMemory(account: string): Memory {
	return {
		account,
		settled: new Map(),
		settledUntil: Number.NEGATIVE_INFINITY,
		open: new Set(),
		due: new Map(),
	};
}

/** The year 1, 1970 and 9999 stand for no time: one of these would hide later jobs, or be hidden by earlier ones. */
const MIN_TIME = Date.UTC(2000, 0);
const MAX_TIME = Date.UTC(9000, 0);

/** When a job ended, as far as the service says: jobs without a time are known by their number alone. */
export function endOf({ completedAt, startedAt }: Job): number {
	const [end] = [completedAt, startedAt]
		.map((time) => Date.parse(time ?? ''))
		.filter((time) => time > MIN_TIME && time < MAX_TIME);
	return end ?? Number.POSITIVE_INFINITY;
}

/** Whether there is nothing to learn of a job. */
export function isKnown({ settled, settledUntil, open, due }: Memory, job: Job): boolean {
	const { jobId } = job;
	if (settled.has(jobId) || due.has(jobId)) return true;
	return hasEnded(job) ? !open.has(jobId) && endOf(job) <= settledUntil : open.has(jobId);
}

/**
 * Whether another credential lists jobs of another account: of what has ended there, nothing is known. A new key of the
 * same account lists what the old one has listed.
 */
export function isOfOtherAccount(
	{ credential, settled, due }: Memory,
	present: string | undefined,
	jobs: Job[],
): boolean {
	if (credential === undefined || credential === present) return false;
	const ended = jobs.filter(hasEnded);
	return ended.length > 0 && !ended.some(({ jobId }) => settled.has(jobId) || due.has(jobId));
}

/**
 * What is known after a look at the service.
 *
 * @param before undefined for the first look: what has ended until then starts nothing
 * @param jobs what the service showed
 * @param starts whether a job is to start the workflow
 */
export function afterLook(
	account: string,
	before: Memory | undefined,
	jobs: Job[],
	starts: (job: Job) => boolean,
): Memory {
	const memory = before ?? emptyMemory(account);
	const settled = new Map(memory.settled);
	const open = new Set(memory.open);
	const due = new Map(memory.due);
	for (const job of jobs) {
		const { jobId } = job;
		const waiting = due.get(jobId);
		// A list may be late: what is known as ended stays so, and may only become more complete.
		if (waiting !== undefined) {
			if (hasEnded(job) && job.outputReference !== null) due.set(jobId, { ...waiting, job });
		} else if (!hasEnded(job)) {
			if (settled.has(jobId)) continue;
			// Those that have not been seen for longest stand first.
			open.delete(jobId);
			open.add(jobId);
		} else if (!isKnown(memory, job)) {
			open.delete(jobId);
			if (before !== undefined && starts(job)) due.set(jobId, { job, tries: 0, notBefore: 0 });
			else settled.set(jobId, endOf(job));
		}
	}
	return bounded({ ...memory, settled, open, due });
}

/** After these jobs have started the workflow. */
export function afterStart(memory: Memory, jobs: Job[]): Memory {
	const settled = new Map(memory.settled);
	const due = new Map(memory.due);
	for (const job of jobs) {
		due.delete(job.jobId);
		settled.set(job.jobId, endOf(job));
	}
	return bounded({ ...memory, settled, due });
}

/**
 * After jobs have been asked for by their numbers.
 *
 * @param gone those that the service has said that it knows no more
 * @param unanswered those of which it has said nothing; the others have their turn before them
 */
export function afterLoss(memory: Memory, gone: string[], unanswered: string[]): Memory {
	const open = new Set(memory.open);
	for (const jobId of gone) open.delete(jobId);
	for (const jobId of unanswered) if (open.delete(jobId)) open.add(jobId);
	return { ...memory, open };
}

const MINUTE_MS = 60_000;

/** The service may be out of order for some hours; results are kept for days. */
const GIVE_UP_AFTER_MS = 24 * 60 * MINUTE_MS;

/** However seldom the trigger polls. */
const MIN_TRIES = 3;

const MAX_PAUSE_MS = 60 * MINUTE_MS;

/** After the result of a job could not be fetched: tried at the next poll, then less and less often. */
export function afterFailure(memory: Memory, jobId: string, now: number): Memory {
	const failed = memory.due.get(jobId);
	if (failed === undefined) return memory;
	const { job, tries, since = now } = failed;
	const pauseMs = tries === 0 ? 0 : Math.min(2 ** tries * MINUTE_MS, MAX_PAUSE_MS);
	const due = new Map(memory.due);
	// The clock may have been ahead.
	const first = Math.min(since, now);
	due.set(jobId, { job, since: first, tries: tries + 1, notBefore: now + pauseMs });
	return { ...memory, due };
}

/** Whether a job starts the workflow without its result if this attempt to fetch it fails too. */
export function isLastTry({ tries, since }: DueJob, now: number): boolean {
	return tries + 1 >= MIN_TRIES && now - (since ?? now) >= GIVE_UP_AFTER_MS;
}

/** The jobs to deliver now, in the order in which they were completed. */
export function dueNow({ due }: Memory, now: number): DueJob[] {
	// A longer pause than there is was set by a clock that was ahead.
	const isDue = ({ notBefore }: DueJob) => notBefore <= now || notBefore > now + MAX_PAUSE_MS;
	return inOrderOfEnd([...due.values()].filter(isDue));
}

function inOrderOfEnd(due: DueJob[]): DueJob[] {
	const ends = new Map(due.map((entry) => [entry, endOf(entry.job)]));
	const end = (entry: DueJob) => ends.get(entry) ?? 0;
	// The difference of two without a time is NaN, which a sort takes for 0.
	return due.sort((one, other) => end(one) - end(other));
}

function bounded(memory: Memory): Memory {
	const byEnd = [...memory.settled].sort(([, one], [, other]) => one - other);
	const forgotten = byEnd.slice(0, -MAX_SETTLED).map(([, end]) => end);
	const last = forgotten.findLast(Number.isFinite) ?? Number.NEGATIVE_INFINITY;
	return {
		...memory,
		open: new Set([...memory.open].slice(-MAX_OPEN)),
		settled: new Map(byEnd.slice(-MAX_SETTLED)),
		settledUntil: Math.max(memory.settledUntil, last),
	};
}

/** As n8n saves it: JSON. */
export function savedMemory({
	account,
	credential,
	settled,
	settledUntil,
	open,
	due,
}: Memory): IDataObject {
	return {
		account,
		credential,
		settled: Object.fromEntries([...settled].map(([jobId, end]) => [jobId, savedTime(end)])),
		settledUntil: savedTime(settledUntil),
		open: [...open],
		due: [...due.values()].map(({ job, ...rest }) => ({
			job: withoutNulls(jobJson({ ...job, rest: shortPart(job.rest) })),
			...rest,
		})),
	};
}

/** Of what the service says of a job besides, in characters: it is saved at each start of the workflow. */
const MAX_REST = 2000;

function shortPart(rest: IDataObject): IDataObject {
	let length = 0;
	return Object.fromEntries(
		Object.entries(rest).filter((entry) => {
			const own = JSON.stringify(entry).length;
			if (length + own > MAX_REST) return false;
			length += own;
			return true;
		}),
	);
}

/** JSON has no infinity. */
function savedTime(time: number): number | null {
	return Number.isFinite(time) ? time : null;
}

function withoutNulls(json: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
}

/** Undefined for what is no memory, such as what an import of a workflow brings, and for the memory of another account. */
export function readMemory(saved: unknown, account: string): Memory | undefined {
	if (!isObject(saved) || saved.account !== account || !isObject(saved.settled)) return undefined;
	const open = Array.isArray(saved.open) ? saved.open.flatMap((jobId) => textOf(jobId) ?? []) : [];
	const due = objectsOf(saved.due).flatMap(({ job: savedJob, tries, since, notBefore }) => {
		const job = readJob(savedJob);
		if (job === undefined) return [];
		return {
			job,
			tries: numberOf(tries) ?? 0,
			since: numberOf(since) ?? undefined,
			notBefore: numberOf(notBefore) ?? 0,
		};
	});
	return {
		account,
		credential: textOf(saved.credential) ?? undefined,
		settled: new Map(
			Object.entries(objectOf(saved.settled)).map(([jobId, end]) => [
				jobId,
				numberOf(end) ?? Number.POSITIVE_INFINITY,
			]),
		),
		settledUntil: numberOf(saved.settledUntil) ?? Number.NEGATIVE_INFINITY,
		open: new Set(open),
		due: new Map(due.map((entry) => [entry.job.jobId, entry])),
	};
}
