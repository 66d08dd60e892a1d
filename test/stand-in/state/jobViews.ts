import type { Settings } from '../settings';
import { isoTime, type JobDescription } from './jobs';

/** What a response says of a job otherwise than it is. */
export interface EntryChange {
	/** Fields with these values in place of their own, also fields that jobs do not have. */
	set?: Record<string, unknown>;
	/** Fields that are missing. */
	omit?: string[];
}

/** One entry of a list: the job as it is, as it was while it was processed, or with other fields. */
export type ListedAs = 'asIs' | 'processing' | EntryChange;

/**
 * How lists show jobs that have ended. Of the changes that are about a job its lists meet the first that is not used up,
 * so that several are met one after the other.
 */
export interface ListChange {
	/** All jobs of the account, also later ones, by default. */
	jobIds?: string[];
	/** For this many lists of each job, from the first that it has ended in; for good by default. */
	lists?: number;
	/** For this long from that list on, by the service's clock. */
	ms?: number;
	/** In place of the one entry of the job: none for a job that is missing, two for one that is there twice. */
	entries: ListedAs[];
}

interface KeptChange extends ListChange {
	owner: string;
	met: Map<string, { lists: number; since: number }>;
}

/** How responses show jobs, where it differs from what the jobs are. */
export class JobViews {
	private readonly ofJobs = new Map<string, EntryChange>();
	private ofLists: KeptChange[] = [];

	constructor(
		private readonly now: () => number,
		private readonly settings: () => Pick<Settings, 'jobTimeForm' | 'jobTimeSkewMs'>,
	) {}

	/** For lists and for requests by number. */
	changeJob(jobId: string, change: EntryChange) {
		this.ofJobs.set(jobId, change);
	}

	changeLists(owner: string, changes: ListChange[]) {
		this.ofLists.push(...changes.map((change) => ({ ...change, owner, met: new Map() })));
	}

	view(job: JobDescription, listedAs: ListedAs = 'asIs'): Record<string, unknown> {
		const { jobTimeForm, jobTimeSkewMs } = this.settings();
		const shown: Record<string, unknown> = { ...job };
		for (const name of timeFields) {
			const time = job[name];
			if (time !== null) shown[name] = timeForms[jobTimeForm](Date.parse(time) + jobTimeSkewMs);
		}
		const inList = typeof listedAs === 'string' ? namedChanges[listedAs] : listedAs;
		for (const { set, omit = [] } of [this.ofJobs.get(job.jobId) ?? {}, inList]) {
			Object.assign(shown, set);
			for (const name of omit) delete shown[name];
		}
		return shown;
	}

	/** The entries of one list; each call is a list that changes count. */
	list(owner: string, jobs: JobDescription[]): Array<Record<string, unknown>> {
		return jobs.flatMap((job) =>
			this.entriesOf(owner, job).map((listedAs) => this.view(job, listedAs)),
		);
	}

	clear() {
		this.ofJobs.clear();
		this.ofLists = [];
	}

	private entriesOf(owner: string, { jobId, status }: JobDescription): ListedAs[] {
		if (status === 'Queued' || status === 'Processing') return ['asIs'];
		const now = this.now();
		for (const { jobIds, met, ...change } of this.ofLists) {
			if (change.owner !== owner || jobIds?.includes(jobId) === false) continue;
			const { lists, since } = met.get(jobId) ?? { lists: 0, since: now };
			if (lists >= (change.lists ?? Infinity) || now - since >= (change.ms ?? Infinity)) continue;
			met.set(jobId, { lists: lists + 1, since });
			return change.entries;
		}
		return ['asIs'];
	}
}

const namedChanges: Record<Extract<ListedAs, string>, EntryChange> = {
	asIs: {},
	processing: {
		set: {
			status: 'Processing',
			stage: 'reading',
			outputReference: null,
			processedPages: null,
			totalPages: null,
			failureCode: null,
			retryable: null,
			completedAt: null,
			creditsConsumed: null,
		},
	},
};

const timeFields = ['startedAt', 'completedAt', 'cancellationRequestedAt', 'expiresAt'] as const;

/** All in UTC but `zone`; without a zone it is UTC as well. */
const timeForms: Record<Settings['jobTimeForm'], (time: number) => string> = {
	milliseconds: isoTime,
	seconds: (time) => isoTime(time).replace(/\.\d+/, ''),
	ticks: (time) => isoTime(time).replace('Z', '0000Z'),
	offset: (time) => isoTime(time).replace('Z', '+00:00'),
	zone: (time) => isoTime(time - 5 * 60 * 60_000).replace('Z', '-05:00'),
	noZone: (time) => isoTime(time).replace('Z', ''),
};
