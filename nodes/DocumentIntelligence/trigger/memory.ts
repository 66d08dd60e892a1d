import { createHash } from 'node:crypto';

import { hasEnded, jobKey, readJob, type Job } from '../service/jobs/job';
import { textOf } from '../text/json';

/** An ended job that has not yet started the workflow. */
export interface DueJob {
	job: Job;
	/** When its result first could not be fetched, in milliseconds since the epoch. */
	failedAt?: number;
}

interface OpenJob {
	jobId: string;
	/** The reading of the list that last showed it, and the day. */
	reading: number;
	day: number;
}

/** A memory as JSON: what the fields of {@link Memory} hold, under their names. */
interface Saved {
	owner: string;
	polls: number;
	since: number;
	cursor?: string;
	hasWarned: boolean;
	readingBegan: number;
	reading: number;
	settled: Array<[key: string, day: number]>;
	open: Array<[key: string, job: OpenJob]>;
	/** When the result first could not be fetched, then {@link DUE_ENTRIES}. */
	due: Array<[key: string, failedAt: number | null, ...entries: unknown[]]>;
}

const DAY_MS = 24 * 60 * 60_000;

/** A job is kept for 7 days, so one that was last seen before has left the list for good. */
const MAX_DAYS_UNSEEN = 8;

/** For a list that lags: what a complete list does not show is forgotten only if it has not been seen for a day. */
const MAX_DAYS_UNLISTED = 1;

/** Of a digest in base64, so that a job takes little space and the chance that two share a key is nil. */
const KEY_LENGTH = 12;

/** What is kept of a due job: all that its items need. */
const DUE_ENTRIES = [
	'jobId',
	'operation',
	'status',
	'outputReference',
	'completedAt',
	'failureCode',
	'creditsConsumed',
] as const satisfies Array<keyof Job>;

/** For what is not kept. */
const UNKNOWN_JOB = readJob({ jobId: 'unknown' })!;

/** What a trigger knows of an account's jobs; saved as JSON text, because n8n watches objects. */
export class Memory {
	/** Of two saved texts, the one with more polls is newer. */
	polls = 0;
	/** When the first poll was; jobs that finished before start nothing. In milliseconds since the epoch. */
	since = 0;
	/** Where the last reading of the list paused. */
	cursor: string | undefined;
	/** Whether the log says that jobs may be missing. */
	hasWarned = false;
	/** The day on which the reading of the list began. It may pause for days, and shows each job once. */
	readingBegan: number;
	/** Counts the readings of the list, each of which may take several polls. */
	#reading = 0;
	/** By key, the day on which an ended job that needs nothing more was last seen. */
	#settled = new Map<string, number>();
	#open = new Map<string, OpenJob>();
	#due = new Map<string, DueJob>();
	readonly #today: number;

	/** @param now in milliseconds since the epoch */
	constructor(
		readonly owner: string,
		now: number,
	) {
		this.#today = Math.floor(now / DAY_MS);
		this.readingBegan = this.#today;
	}

	/**
	 * @param saved what was saved, of which the newest memory of this owner is used
	 * @returns a new memory if there is none; undefined if there is none that can be read
	 */
	static read(owner: string, now: number, saved: unknown[]): Memory | undefined {
		const memories = saved.map((text) => Memory.#restored(text, now));
		const [newest] = memories
			.filter((memory) => memory?.owner === owner)
			.sort((first, second) => second!.polls - first!.polls);
		return newest ?? (memories.includes(undefined) ? undefined : new Memory(owner, now));
	}

	/** Undefined if the text is not a saved memory. */
	static #restored(text: unknown, now: number): Memory | undefined {
		try {
			const saved = JSON.parse(textOf(text) ?? '') as Saved;
			const memory = new Memory(saved.owner, now);
			memory.polls = saved.polls;
			memory.since = saved.since;
			memory.cursor = saved.cursor;
			memory.hasWarned = saved.hasWarned;
			memory.readingBegan = saved.readingBegan;
			memory.#reading = saved.reading;
			memory.#settled = new Map(saved.settled);
			memory.#open = new Map(saved.open);
			memory.#due = new Map(saved.due.map(readDue));
			return memory;
		} catch {
			return undefined;
		}
	}

	save(): string {
		const { owner, polls, since, cursor, hasWarned, readingBegan } = this;
		const saved: Saved = {
			...{ owner, polls, since, cursor, hasWarned, readingBegan },
			reading: this.#reading,
			settled: [...this.#settled],
			open: [...this.#open],
			due: [...this.#due].map(([key, { job, failedAt }]) => [
				key,
				failedAt ?? null,
				...DUE_ENTRIES.map((name) => job[name]),
			]),
		};
		return JSON.stringify(saved);
	}

	/** Jobs that ended before the first poll of an account start nothing. */
	get isNew(): boolean {
		return this.polls === 0;
	}

	get due(): DueJob[] {
		return [...this.#due.values()];
	}

	/** IDs of unfinished jobs that the reading of the list has not shown. */
	get unlisted(): string[] {
		return [...this.#open.values()]
			.filter(({ reading }) => reading < this.#reading)
			.map(({ jobId }) => jobId);
	}

	/** For a job as Cogneris shows it. @param starts whether it starts the workflow once it has ended */
	record(job: Job, starts: boolean): void {
		const key = keyOf(job.jobId);
		const due = this.#due.get(key);
		// A list may lag, so an ended job stays ended.
		if (this.#settled.has(key)) this.#settled.set(key, this.#today);
		else if (hasEnded(job)) this.#recordEnd(key, job, starts, due);
		else if (due === undefined)
			this.#open.set(key, { jobId: job.jobId, reading: this.#reading, day: this.#today });
	}

	#recordEnd(key: string, job: Job, starts: boolean, due: DueJob | undefined): void {
		this.#open.delete(key);
		const endedAt = Date.parse(job.completedAt ?? '');
		// What finished in the second of the first poll and is seen later may be new.
		const isOld = endedAt < this.since - (this.since % 1000);
		const isNewlyDue = starts && (this.isNew ? endedAt >= this.since : !isOld);
		if (due !== undefined || isNewlyDue) this.#due.set(key, { ...due, job });
		// What is old starts nothing whenever it is seen, so it need not be kept.
		else if (!isOld) this.#settled.set(key, this.#today);
	}

	/** For a job that has started the workflow or never will. */
	settle(jobId: string): void {
		const key = keyOf(jobId);
		this.#open.delete(key);
		this.#due.delete(key);
		this.#settled.set(key, this.#today);
	}

	/** For a result that could not be fetched. */
	fail({ job, failedAt }: DueJob, now: number): void {
		this.#due.set(keyOf(job.jobId), { job, failedAt: failedAt ?? now });
	}

	/** For an unfinished job that is asked for by its ID: the next time, the others go first. */
	postpone(jobId: string): void {
		const key = keyOf(jobId);
		const open = this.#open.get(key);
		this.#open.delete(key);
		if (open !== undefined) this.#open.set(key, open);
	}

	beginReading(): void {
		this.readingBegan = this.#today;
	}

	/** At the end of the list. @param isComplete whether it has shown all jobs */
	endReading(isComplete: boolean): void {
		this.#reading += 1;
		const maxDays = isComplete ? MAX_DAYS_UNLISTED : MAX_DAYS_UNSEEN;
		for (const [key, day] of this.#settled)
			if (this.readingBegan - day > maxDays) this.#settled.delete(key);
		for (const [key, { day }] of this.#open)
			if (this.readingBegan - day > MAX_DAYS_UNSEEN) this.#open.delete(key);
	}
}

/**
 * What is saved was read by `readJob`, which would take most of the time of a poll with 10,000 due jobs.
 * @throws TypeError for anything else
 */
function readDue([key, failedAt, ...entries]: Saved['due'][number]): [string, DueJob] {
	const job: Record<string, unknown> = { ...UNKNOWN_JOB };
	for (const [at, name] of DUE_ENTRIES.entries()) job[name] = entries[at];
	if (typeof job.jobId !== 'string') throw new TypeError('Not a saved job');
	return [key, { job: job as Job, failedAt: failedAt ?? undefined }];
}

function keyOf(jobId: string): string {
	return createHash('sha256').update(jobKey(jobId)).digest('base64').slice(0, KEY_LENGTH);
}
