import type { INodeProperties } from 'n8n-workflow';

import { choicesIn } from '../parameters/choices';
import { readNumberParameter, TIMEOUT } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import { listJobs } from '../service/jobs/calls';
import { jobJson, type Job } from '../service/jobs/job';
import type { OwnOperation } from './operation';

/** The most that the service lists (docs/service-contract.md, jobs). */
const MAX_LIMIT = 100;

const LIMIT = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	default: 50,
	typeOptions: { minValue: 1, numberPrecision: 0 },
	description: 'Max number of results to return',
} satisfies INodeProperties;

const STATUSES = [
	{ name: 'Cancelled', value: 'cancelled' },
	{ name: 'Failed', value: 'failed' },
	{ name: 'Processing', value: 'processing' },
	{ name: 'Queued', value: 'queued' },
	{ name: 'Succeeded', value: 'succeeded' },
];

const STATUS = {
	displayName: 'Status',
	name: 'status',
	type: 'multiOptions',
	options: STATUSES,
	default: [],
	description: 'Only jobs with one of these statuses. Leave empty for all jobs.',
} satisfies INodeProperties;

interface Listed {
	jobs: Job[];
	/** Whether the account has older ones. */
	hasMore: boolean;
}

export const getAll: OwnOperation<Listed> = {
	value: 'getAll',
	name: 'Get Many',
	description: 'Get many jobs with their states, the newest first',
	action: 'Get many jobs',
	timeoutSeconds: TIMEOUT.default,
	fileParameters: [],
	parameters: [LIMIT, STATUS],
	options: [],
	isFree: true,
	documents: async ({ read }) => {
		readStatuses(read);
		return await Promise.resolve([[]]);
	},
	nameOf: () => ({ subject: 'the list of jobs', fileName: null }),

	async ask({ session, settings }) {
		// As many as there are: which of them are the newest, and which have the status, is found out here.
		const { jobs, isFull } = await listJobs(session, settings);
		return { jobs: newestFirst([...jobs.values()]), hasMore: isFull };
	},

	toOutputs({ jobs, hasMore }, { read, hints }) {
		const statuses = readStatuses(read);
		const wanted = jobs.filter(
			({ status }) => statuses.length === 0 || statuses.includes(status?.toLowerCase() ?? ''),
		);
		const typeOptions = { ...LIMIT.typeOptions, maxValue: MAX_LIMIT };
		const limit = readNumberParameter(read, { ...LIMIT, typeOptions });
		if (hasMore || wanted.length > limit) hints.hasOlderJobs = true;
		return wanted.slice(0, limit).map((job) => ({ json: jobJson(job) }));
	},
};

/** None where all are wanted. */
function readStatuses(read: ReadParameter): string[] {
	return choicesIn(STATUS, read<unknown>(STATUS.name, []));
}

/** All jobs are kept for the same time, so the newest expires last; the service gives no other time for all of them. */
function newestFirst(jobs: Job[]): Job[] {
	const expiry = ({ expiresAt }: Job) => Date.parse(expiresAt ?? '');
	if (jobs.some((job) => Number.isNaN(expiry(job)))) return jobs;
	return jobs.sort((one, other) => expiry(other) - expiry(one));
}
