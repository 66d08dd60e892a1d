import type { INodeProperties } from 'n8n-workflow';

import { choiceIn, namesIn, readNumber, type ReadParameter } from '../parameters/read';
import { listJobs } from '../service/jobs/calls';
import type { Job } from '../service/jobs/job';
import { isOn } from './jobGet';
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

export const getAll: OwnOperation<{ jobs: Job[]; hasMore: boolean }> = {
	value: 'getAll',
	name: 'Get Many',
	description: 'Retrieve a list of jobs with their status, newest first',
	action: 'Retrieve a list of jobs',
	...NO_FILE,
	parameters: [RETURN_ALL, LIMIT, STATUS],
	nameOf: ({ read }) => {
		readStatuses(read);
		return { subject: 'the list of jobs', fileName: null };
	},

	async ask({ session, read, settings }) {
		let page = await listJobs(session, settings);
		const jobs = new Map(page.jobs);
		while (isOn(read, RETURN_ALL) && page.nextCursor !== undefined) {
			// How a cursor is passed is open (docs/internals/service-contract.md, jobs): if it is ignored or rejected, a hint
			// says that there are older jobs.
			const next = await listJobs(session, settings, page.nextCursor).catch(() => undefined);
			if (next === undefined || [...next.jobs.keys()].every((key) => jobs.has(key))) break;
			for (const [key, job] of next.jobs) jobs.set(key, job);
			page = next;
		}
		return { jobs: [...jobs.values()], hasMore: page.isFull };
	},

	toOutputs({ jobs, hasMore }, { read, hints }) {
		const statuses = readStatuses(read);
		const wanted = jobs.filter(
			({ status }) => statuses.length === 0 || statuses.includes(status?.toLowerCase() ?? ''),
		);
		const limit = isOn(read, RETURN_ALL) ? wanted.length : readNumber(read, LIMIT, LIMIT.name);
		if (hasMore || wanted.length > limit)
			hints.add(
				'service',
				"Older jobs are not shown. Turn on 'Return All' or raise 'Limit', or get a job by its ID.",
			);
		return wanted.slice(0, limit).map((job) => ({ json: { ...job } }));
	},
};

/** None if all are wanted. */
function readStatuses(read: ReadParameter): string[] {
	// As the service writes them, too.
	const names = namesIn(read<unknown>(STATUS.name, []));
	return names.map((name) => choiceIn(STATUS, name.toLowerCase()).value);
}
