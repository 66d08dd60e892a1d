import type { IDataObject, INodeProperties } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/job/get.json';
import { parseIdentifier, readSwitch, type ReadParameter } from '../../parameters/read';
import { getJob } from '../../service/api';
import type { Job } from '../../service/jobs/job';
import { NO_FILE, type CallOperation } from '../operation';

export const JOB_ID: INodeProperties = {
	displayName: 'Job ID',
	name: 'jobId',
	type: 'string',
	default: '={{ $json.jobId }}',
	required: true,
	placeholder: 'e.g. {{ $json.jobId }}',
	description: 'The jobId from Submit, Get Many or the trigger',
};

export function readJobId(read: ReadParameter): string {
	return parseIdentifier(
		read<unknown>(JOB_ID.name, ''),
		JOB_ID.displayName,
		'Enter the ID that Job: Submit or Job: Get Many returned, for example {{ $json.jobId }}.',
	);
}

export const OF_ONE_JOB = {
	...NO_FILE,
	nameOf: ({ read }) => ({ subject: `job ${readJobId(read)}`, fileName: null }),
} satisfies Partial<CallOperation>;

export const SIMPLIFY = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
} satisfies INodeProperties;

const SIMPLIFIED = [
	'jobId',
	'operation',
	'status',
	'failureCode',
	'outputReference',
	'processedPages',
	'totalPages',
	'completedAt',
	'expiresAt',
	'creditsConsumed',
] satisfies Array<keyof Job>;

/** A job as the JSON of an item. */
export function jobJson(job: Job, read: ReadParameter): IDataObject {
	if (!readSwitch(read, SIMPLIFY.name, true)) return { ...job };
	return Object.fromEntries(SIMPLIFIED.map((name) => [name, job[name]]));
}

export const get: CallOperation = {
	value: 'get',
	name: 'Get',
	description: 'Retrieve the status of a job',
	action: 'Retrieve a job',
	outputSchema,
	...OF_ONE_JOB,
	parameters: [JOB_ID, SIMPLIFY],

	async execute({ session, read, settings }) {
		const { job } = await getJob(session, readJobId(read), settings);
		return [{ json: jobJson(job, read) }];
	},
};
