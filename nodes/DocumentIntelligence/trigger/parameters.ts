import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { choicesIn } from '../parameters/choices';
import { outputParameter } from '../parameters/menu';
import { readSwitch } from '../parameters/options';
import type { ReadParameter } from '../parameters/readParameter';
import type { Job } from '../service/jobs/job';
import { booleanOf } from '../text/json';
import { getResult, operationOf } from '../operations/jobGetResult';
import { documentOperations } from '../operations/documentOperations';

const SUCCEEDED = 'succeeded';
const FAILED = 'failed';

const EVENTS = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	options: [
		{
			name: 'Job Failed',
			value: FAILED,
			description: 'A job has failed or was cancelled. The item says why.',
		},
		{
			name: 'Job Succeeded',
			value: SUCCEEDED,
			description: 'A job has finished and has a result',
		},
	],
	default: [SUCCEEDED],
	required: true,
	description: 'What starts the workflow',
} satisfies INodeProperties;

const OPERATIONS = {
	displayName: 'Operations',
	name: 'operations',
	type: 'multiOptions',
	options: documentOperations
		.filter(({ jobOperation }) => jobOperation !== undefined)
		.map(({ name, value }) => ({ name, value })),
	default: [],
	description: 'Only jobs of these operations. Leave empty for all jobs.',
} satisfies INodeProperties;

/** A job that has failed has no result. */
const WHERE_RESULTS = { [EVENTS.name]: [SUCCEEDED] };

const DOWNLOAD_RESULT: INodeProperties = {
	displayName: 'Download Result',
	name: 'downloadResult',
	type: 'boolean',
	default: true,
	description:
		'Whether to output the result of each job, which takes one request. Otherwise the item describes the job, and the operation Get Result can fetch the result later.',
	displayOptions: { show: WHERE_RESULTS },
};

const INCLUDE_EARLIER_JOBS: INodeProperties = {
	displayName: 'Include Earlier Jobs',
	name: 'includeEarlierJobs',
	type: 'boolean',
	default: false,
	description:
		'Whether the first activation also starts the workflow for jobs that finished before it. It has no effect on later activations. The service keeps jobs for 7 days.',
};

const WHERE_DOWNLOADED = { ...WHERE_RESULTS, [DOWNLOAD_RESULT.name]: [true] };

/** Every parameter of the trigger, besides n8n's own Poll Times. */
export const triggerParameters: INodeProperties[] = [
	EVENTS,
	OPERATIONS,
	DOWNLOAD_RESULT,
	...updateDisplayOptions({ show: WHERE_DOWNLOADED }, outputParameter(getResult)),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			INCLUDE_EARLIER_JOBS,
			...updateDisplayOptions({ show: fromRoot(WHERE_DOWNLOADED) }, getResult.options),
		].sort((one, other) => one.displayName.localeCompare(other.displayName, 'en')),
	},
];

/** Inside a collection, other parameters are addressed from the root. */
function fromRoot<Values>(conditions: Record<string, Values>): Record<string, Values> {
	return Object.fromEntries(
		Object.entries(conditions).map(([name, values]) => [`/${name}`, values]),
	);
}

/** What the user wants to know of. */
export interface Wanted {
	/** Whether a job is to start the workflow. */
	starts: (job: Job) => boolean;
	downloadsResult: boolean;
	includesEarlier: boolean;
}

/** @throws DocumentError where nothing could ever start the workflow */
export function readWanted(read: ReadParameter): Wanted {
	const events = choicesIn(EVENTS, read<unknown>(EVENTS.name, EVENTS.default));
	const ofOperations = choicesIn(OPERATIONS, read<unknown>(OPERATIONS.name, []));
	if (events.length === 0) {
		throw new DocumentError(
			'Trigger On is empty, so nothing would start the workflow',
			'Choose Job Succeeded, Job Failed, or both.',
		);
	}
	return {
		starts: (job) =>
			events.includes(job.status === 'Succeeded' ? SUCCEEDED : FAILED) &&
			(ofOperations.length === 0 || ofOperations.includes(operationOf(job)?.value ?? '')),
		downloadsResult: booleanOf(read<unknown>(DOWNLOAD_RESULT.name, true)) ?? true,
		includesEarlier: readSwitch(read, INCLUDE_EARLIER_JOBS.name, false),
	};
}
