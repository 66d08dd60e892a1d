import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';

import { readChecks } from '../operations/document/documentFields';
import { documentOperations, operationOf } from '../operations/document/index';
import { getResult } from '../operations/job/getResult';
import {
	checkParameters,
	optionsParameter,
	outputParameter,
	readOutput,
	type OperationMenu,
} from '../parameters/menu';
import { MARKED_COPY } from '../parameters/options';
import { choicesIn, type ReadParameter } from '../parameters/read';
import type { Job } from '../service/jobs/job';

const [SUCCEEDED, FAILED] = ['succeeded', 'failed'] as const;

const EVENTS = {
	displayName: 'Trigger On',
	name: 'events',
	type: 'multiOptions',
	// The nodes panel of n8n lists each as an action, in this order.
	options: [
		{ name: 'Job Succeeded', value: SUCCEEDED, description: 'A job has finished successfully' },
		{
			name: 'Job Failed',
			value: FAILED,
			description: 'A job has failed or been canceled. The item contains the reason.',
		},
	],
	default: [SUCCEEDED, FAILED],
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

const MENU: OperationMenu = {
	...getResult,
	outputs: [...(getResult.outputs ?? []), JOB_ONLY],
	// A trigger has no file that could be marked.
	options: getResult.options.filter((option) => option !== MARKED_COPY),
};

export const triggerParameters: INodeProperties[] = [
	{
		displayName:
			'Starts for every job of your Cogneris account, including jobs that Extract or another operation created. The output has no file name: for jobs from Job: Submit, save jobId and fileName there, and look up the name by jobId.',
		name: 'jobNotice',
		type: 'notice',
		default: '',
	},
	EVENTS,
	OPERATIONS,
	// Without a result, there is nothing to choose.
	...updateDisplayOptions({ show: { [EVENTS.name]: [SUCCEEDED] } }, [
		...outputParameter(MENU),
		optionsParameter(MENU.options.map(optionOfResult)),
	]),
];

/** Hidden for the job without its result; options refer to parameters from the root. */
function optionOfResult(option: INodeProperties): INodeProperties {
	const { show, hide } = option.displayOptions ?? {};
	const hidden = { ...hide, '/output': [...(hide?.['/output'] ?? []), JOB_ONLY.value] };
	return { ...option, displayOptions: { ...(show && { show }), hide: hidden } };
}

/** Refuses a choice that a list does not have, and an option that cannot be read. */
export function readWanted(read: ReadParameter) {
	const events = choicesIn(EVENTS, read<unknown>(EVENTS.name, EVENTS.default));
	const ofOperations = choicesIn(OPERATIONS, read<unknown>(OPERATIONS.name, []));
	const output = readOutput(MENU, read);
	checkParameters(MENU, read);
	readChecks(read);
	return {
		starts: (job: Job) =>
			events.includes(job.status === 'Succeeded' ? SUCCEEDED : FAILED) &&
			(ofOperations.length === 0 || ofOperations.includes(operationOf(job)?.value ?? '')),
		/** Undefined for the job without its result. */
		output: output === JOB_ONLY.value ? undefined : output,
	};
}
