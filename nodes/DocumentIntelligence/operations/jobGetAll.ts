import type { INodeProperties } from 'n8n-workflow';

import { choicesIn } from '../parameters/choices';
import { readNumberParameter } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { listJobs, type CallSettings } from '../service/jobs/calls';
import { type Job, type JobList } from '../service/jobs/job';
import type { Session } from '../service/session';
import { booleanOf } from '../text/json';
import type { OwnOperation } from './operation';

const RETURN_ALL: INodeProperties = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
};

/** The most that Limit may be; n8n's fields of this name have no maximum of their own. */
const MAX_LIMIT = 100;

const LIMIT = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	default: 50,
	typeOptions: { minValue: 1, numberPrecision: 0 },
	description: 'Max number of results to return',
	displayOptions: { show: { [RETURN_ALL.name]: [false] } },
} satisfies INodeProperties;

const STATUS = {
	displayName: 'Status',
	name: 'status',
	type: 'multiOptions',
	options: ['Cancelled', 'Failed', 'Processing', 'Queued', 'Succeeded'].map((name) => ({
		name,
		value: name.toLowerCase(),
	})),
	default: [],
	description: 'Only jobs with one of these statuses. Leave empty for all jobs.',
} satisfies INodeProperties;

/** More pages than seven days of jobs have; a list that never ends is not followed. */
const MAX_PAGES = 100;

interface Listed {
	jobs: Job[];
	/** Whether the account has older ones. */
	hasMore: boolean;
}

export const getAll: OwnOperation<Listed> = {
	value: 'getAll',
	name: 'Get Many',
	description: 'Retrieve a list of jobs with their states, the newest first',
	action: 'Retrieve a list of jobs',
	fileParameters: [],
	parameters: [RETURN_ALL, LIMIT, STATUS],
	options: [],
	isFree: true,
	documents: ({ read }) => {
		readStatuses(read);
		return [[]];
	},
	nameOf: () => ({ subject: 'the list of jobs', fileName: null }),

	ask: async ({ session, document: { item }, settings }) =>
		await readPages(session, settings, isAll(item.read) ? MAX_PAGES : 1),

	toOutputs({ jobs, hasMore }, { read, hints }) {
		const statuses = readStatuses(read);
		const wanted = newestFirst(jobs).filter(
			({ status }) => statuses.length === 0 || statuses.includes(status?.toLowerCase() ?? ''),
		);
		const typeOptions = { ...LIMIT.typeOptions, maxValue: MAX_LIMIT };
		const limit = isAll(read)
			? wanted.length
			: readNumberParameter(read, { ...LIMIT, typeOptions });
		if (hasMore || wanted.length > limit) {
			hints.add(
				'service',
				"Older jobs are not shown. Turn on 'Return All' or raise 'Limit', or get a job by its ID.",
			);
		}
		return wanted.slice(0, limit).map((job) => ({ json: { ...job } }));
	},
};

/** Whole pages: which jobs are the newest, and which have the status, is found out here. */
async function readPages(
	session: Session,
	settings: CallSettings,
	maxPages: number,
): Promise<Listed> {
	const found = new Map<string, Job>();
	let page: JobList = await listJobs(session, settings);
	for (let count = 1; ; count++) {
		const known = found.size;
		for (const [key, job] of page.jobs) if (!found.has(key)) found.set(key, job);
		const { nextCursor } = page;
		if (nextCursor === undefined || found.size === known || count >= maxPages) break;
		try {
			page = await listJobs(session, settings, nextCursor);
		} catch {
			// How a cursor is passed is open (docs/internals/service-contract.md, jobs): a hint tells what is not shown.
			break;
		}
	}
	return { jobs: [...found.values()], hasMore: page.isFull };
}

function isAll(read: ReadParameter): boolean {
	return booleanOf(read<unknown>(RETURN_ALL.name, false)) ?? false;
}

/** None if all are wanted. */
function readStatuses(read: ReadParameter): string[] {
	return choicesIn(STATUS, read<unknown>(STATUS.name, []));
}

/** All jobs are kept for the same time, so the newest expires last; the service gives no other time for all of them. */
function newestFirst(jobs: Job[]): Job[] {
	const expiry = ({ expiresAt }: Job) => Date.parse(expiresAt ?? '');
	if (jobs.some((job) => Number.isNaN(expiry(job)))) return jobs;
	return jobs.toSorted((one, other) => expiry(other) - expiry(one));
}
