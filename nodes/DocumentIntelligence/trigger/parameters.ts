import type { INodeProperties } from 'n8n-workflow';

import { operationOf, getResult } from '../operations/jobGetResult';
import { documentOperations } from '../operations/documentOperations';
import { choiceIn, choicesIn, type ReadParameter } from '../parameters/read';
import { outputParameter } from '../parameters/menu';
import type { Job } from '../service/jobs/job';
import { DocumentError } from '../text/errors';

const SUCCEEDED = 'succeeded';
const FAILED = 'failed';

const EVENTS = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	// n8n's list of nodes shows each as an action, in this order.
	options: [
		{
			name: 'Job Succeeded',
			value: SUCCEEDED,
			description: 'A job has finished and has a result',
		},
		{
			name: 'Job Failed',
			value: FAILED,
			description: 'A job has failed or was cancelled. The item says why.',
		},
	],
	default: [SUCCEEDED],
	required: true,
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

const JOB_ONLY = {
	name: 'Job Only',
	value: 'job',
	description: 'The job without its result, which Get Result can fetch later',
};

const [RESULT_OUTPUT] = outputParameter(getResult);

const OUTPUT = {
	...RESULT_OUTPUT!,
	options: [...RESULT_OUTPUT!.options!, JOB_ONLY].sort(byName),
} as INodeProperties & { options: Array<{ value: string }> };

/** Every parameter of the trigger, besides n8n's own Poll Times. */
export const triggerParameters: INodeProperties[] = [
	{
		displayName:
			'Starts when a document that was submitted with Job: Submit is ready. To know its file name, keep the jobId and fileName that Submit returns.',
		name: 'jobNotice',
		type: 'notice',
		default: '',
	},
	EVENTS,
	OPERATIONS,
	{ ...OUTPUT, displayOptions: { show: { [EVENTS.name]: [SUCCEEDED] } } },
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: getResult.options.map(optionOfResult).sort(byName),
	},
];

/** An option that concerns results, hidden if there are none. Options address parameters from the root. */
function optionOfResult(option: INodeProperties): INodeProperties {
	const { show, hide } = option.displayOptions ?? {};
	return {
		...option,
		displayOptions: {
			show: { ...show, [`/${EVENTS.name}`]: [SUCCEEDED] },
			hide: { ...hide, '/output': [...(hide?.['/output'] ?? []), JOB_ONLY.value] },
		},
	};
}

function byName(
	one: { name: string; displayName?: string },
	other: { name: string; displayName?: string },
): number {
	const [first, second] = [one, other].map(({ displayName, name }) => displayName ?? name);
	return first!.localeCompare(second!, 'en');
}

/** What the user wants to know of. */
export interface Wanted {
	/** Whether a job starts the workflow. */
	starts: (job: Job) => boolean;
	/** The choice of Output; undefined for the job without its result. */
	output: string | undefined;
}

/** @throws DocumentError if nothing could ever start the workflow */
export function readWanted(read: ReadParameter): Wanted {
	const events = choicesIn(EVENTS, read<unknown>(EVENTS.name, EVENTS.default));
	const ofOperations = choicesIn(OPERATIONS, read<unknown>(OPERATIONS.name, []));
	if (events.length === 0) {
		throw new DocumentError(
			"'Trigger On' is empty, so nothing would start the workflow",
			'Choose Job Succeeded, Job Failed, or both.',
		);
	}
	const output = choiceIn(OUTPUT, read<unknown>(OUTPUT.name, OUTPUT.default)).value;
	return {
		starts: (job) =>
			events.includes(job.status === 'Succeeded' ? SUCCEEDED : FAILED) &&
			(ofOperations.length === 0 || ofOperations.includes(operationOf(job)?.value ?? '')),
		output: output === JOB_ONLY.value ? undefined : output,
	};
}
