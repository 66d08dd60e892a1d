import type { INodeProperties } from 'n8n-workflow';

import { choicesIn, namesIn, readNumber, readSwitch } from '../parameters/read';
import { listJobs } from '../service/jobs/calls';
import type { Job, JobList } from '../service/jobs/job';
import { NO_FILE, type OwnOperation } from './operation';

const RETURN_ALL = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} satisfies INodeProperties;

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

export const getAll: OwnOperation<{ jobs: Job[]; isAll: boolean; hasMore: boolean }> = {
	value: 'getAll',
	name: 'Get Many',
	description: 'Retrieve a list of jobs with their status, newest first',
	action: 'Retrieve a list of jobs',
	...NO_FILE,
	parameters: [RETURN_ALL, LIMIT, STATUS],
	nameOf: () => ({ subject: 'the job list', fileName: null }),

	async ask({ session, read, settings }) {
		const given = namesIn(read<unknown>(STATUS.name, [])).map((name) => name.toLowerCase());
		const statuses = choicesIn(STATUS, given);
		const isAll = readSwitch(read, RETURN_ALL.name, false);
		const limit = isAll ? Infinity : readNumber(read, LIMIT, LIMIT.name);
		const jobs = new Map<string, Job>();
		const wanted = () =>
			[...jobs.values()].filter(
				({ status }) => statuses.length === 0 || statuses.includes(status?.toLowerCase() ?? ''),
			);
		let page: JobList | undefined = await listJobs(session, settings);
		let hasMore = false;
		while (page !== undefined && [...page.jobs.keys()].some((key) => !jobs.has(key))) {
			for (const [key, job] of page.jobs) jobs.set(key, job);
			hasMore = page.isFull;
			if (page.nextCursor === undefined || wanted().length >= limit) break;
			// How a cursor is passed is open (docs/internals/service-contract.md, jobs): if it is ignored or rejected, a hint
			// says that there are older jobs.
			page = await listJobs(session, settings, page.nextCursor).catch(() => undefined);
		}
		const found = wanted();
		return { jobs: found.slice(0, limit), isAll, hasMore: hasMore || found.length > limit };
	},

	toOutputs({ jobs, isAll, hasMore }, { hints }) {
		const advice = isAll ? 'Get' : "Turn on 'Return All' or raise 'Limit', or get";
		if (hasMore) hints.add('service', `Older jobs are not shown. ${advice} a job by its ID.`);
		return jobs.map((job) => ({ json: { ...job } }));
	},
};
