import type { INodeProperties } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/job/getAll.json';
import { choicesIn, parseNames, readNumber, readSwitch } from '../../parameters/read';
import { readJobList, type JobList } from '../../service/jobs/jobList';
import { NO_FILE, type CallOperation } from '../operation';
import { jobJson, SIMPLIFY } from './get';

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

const NOT_SHOWN =
	"The account has more jobs than are shown. Turn on 'Return All' or raise 'Limit'.";

const NOT_LISTED =
	'Cogneris did not list all jobs of the account, so jobs may be missing. If you know the ID of a job, use Job: Get.';

export const getAll: CallOperation = {
	value: 'getAll',
	name: 'Get Many',
	description: 'Retrieve a list of jobs with their status',
	action: 'Retrieve a list of jobs',
	outputSchema,
	outputNotes: 'In no particular order.',
	...NO_FILE,
	parameters: [RETURN_ALL, LIMIT, SIMPLIFY, STATUS],
	nameOf: () => ({ subject: 'the job list', fileName: null }),

	async execute({ session, read, settings, notes }) {
		const names = parseNames(read<unknown>(STATUS.name, [])).map((name) => name.toLowerCase());
		const statuses = choicesIn(STATUS, names);
		const isAll = readSwitch(read, RETURN_ALL.name, false);
		const limit = isAll ? Infinity : readNumber(read, LIMIT, LIMIT.name);
		const withStatus = (listed: JobList['jobs']) =>
			[...listed.values()].filter(
				({ status }) => statuses.length === 0 || statuses.includes(status?.toLowerCase() ?? ''),
			);
		const isEnough = (listed: JobList['jobs']) => withStatus(listed).length >= limit;
		const list = await readJobList(session, settings, { isEnough });
		const jobs = withStatus(list.jobs);
		const isCut = jobs.length > limit || list.end !== 'complete';
		if (isCut) notes.add('service', jobs.length < limit ? NOT_LISTED : NOT_SHOWN);
		return jobs.slice(0, limit).map((job) => ({ json: jobJson(job, read) }));
	},
};
