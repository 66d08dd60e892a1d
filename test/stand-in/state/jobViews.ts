import type { JobDescription } from './jobs';

/** One entry of a list: the job as it is, as it was while it was processed, or with other fields and without some. */
export type ListedAs = 'asIs' | 'processing' | { set?: Record<string, unknown>; omit?: string[] };

/** How lists show jobs that have ended. Each job meets the first change that it has not used up. */
export interface ListChange {
	/** For this many lists of each job, from the first that it has ended in; for good by default. */
	lists?: number;
	/** In place of the one entry of the job: none for a job that is missing, two for one that is there twice. */
	entries: ListedAs[];
}

interface KeptChange extends ListChange {
	owner: string;
	/** In how many lists each job has met it. */
	met: Map<string, number>;
}

/** How lists show jobs, if it differs from what the jobs are. */
export class JobViews {
	private readonly changes: KeptChange[] = [];

	changeLists(owner: string, changes: ListChange[]) {
		this.changes.push(...changes.map((change) => ({ ...change, owner, met: new Map() })));
	}

	/** The entries of one list; each call is a list that changes count. */
	list(owner: string, jobs: JobDescription[]): Array<Record<string, unknown>> {
		return jobs.flatMap((job) =>
			this.entriesOf(owner, job).map((listedAs) => shown(job, listedAs)),
		);
	}

	/** Whether lists may show entries that the contract does not have. */
	areOffContract(owner: string): boolean {
		return this.changes.some(
			(change) =>
				change.owner === owner && change.entries.some((listedAs) => typeof listedAs === 'object'),
		);
	}

	private entriesOf(owner: string, { jobId, status }: JobDescription): ListedAs[] {
		if (status === 'Queued' || status === 'Processing') return ['asIs'];
		for (const change of this.changes) {
			const lists = change.met.get(jobId) ?? 0;
			if (change.owner !== owner || lists >= (change.lists ?? Infinity)) continue;
			change.met.set(jobId, lists + 1);
			return change.entries;
		}
		return ['asIs'];
	}
}

function shown(job: JobDescription, listedAs: ListedAs): Record<string, unknown> {
	if (listedAs === 'asIs') return { ...job };
	const { set, omit = [] } = listedAs === 'processing' ? UNFINISHED : listedAs;
	const entry: Record<string, unknown> = { ...job, ...set };
	for (const name of omit) delete entry[name];
	return entry;
}

const UNFINISHED = {
	set: {
		...{ status: 'Processing', stage: 'reading', outputReference: null, completedAt: null },
		...{ processedPages: null, totalPages: null, failureCode: null, retryable: false },
	},
	omit: ['creditsConsumed'],
};
