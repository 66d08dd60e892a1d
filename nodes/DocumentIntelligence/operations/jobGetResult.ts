import type { INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { ROWS_PER_DOCUMENT } from '../parameters/menu';
import {
	CONFIDENCE_THRESHOLD,
	DOWNLOAD_IMAGES,
	INCLUDE_FIELD_DETAILS,
	REQUIRED_FIELDS,
	ROWS_FROM,
	VALUE_OPTIONS,
} from '../parameters/options';
import { itemJson } from '../results/fields';
import type { Answer } from '../service/envelope';
import { hasEnded, type Job } from '../service/jobs/job';
import { booleanOf, textOf } from '../text/json';
import type { DocumentOperation, OwnOperation } from './operation';
import { documentOperations } from './documentOperations';
import { JOB_ID, ofOneJob, readJobId } from './jobGet';
import { fileOutput, outputsOf } from './resultFile';

const WAIT: INodeProperties = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait until the job has finished, up to the option Timeout (Seconds). Otherwise the item of a job that has not finished fails.',
};

export const getResult: OwnOperation<{ job: Job; answer: Answer }> = {
	value: 'getResult',
	name: 'Get Result',
	description: 'Get the result of a job in the form in which its operation outputs it',
	action: 'Get result of job',
	...ofOneJob,
	parameters: [JOB_ID, WAIT],
	options: [
		CONFIDENCE_THRESHOLD,
		DOWNLOAD_IMAGES,
		INCLUDE_FIELD_DETAILS,
		REQUIRED_FIELDS,
		ROWS_FROM,
		...VALUE_OPTIONS,
	],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description:
				'The items of the operation: one per document, or one per document that Crop or Split has found',
		},
		{
			name: 'Rows',
			value: 'rows',
			description:
				'Flat items: one per line item of an extracted document, or one per discovered field',
		},
		ROWS_PER_DOCUMENT,
	],
	waits: true,
	// The job does not say which file it is about; the item may, as those of Submit do.
	nameOf: ({ read, json }) => {
		const jobId = readJobId(read);
		const fileName = textOf(json.jobId) === jobId ? textOf(json.fileName) : null;
		return { subject: `job ${jobId}`, fileName, nameOfFiles: jobId };
	},

	async ask({ jobs, read, document: { fileName }, ...caller }) {
		const jobId = readJobId(read);
		const job = await jobs.find(caller, jobId);
		const isWaiting = booleanOf(read<unknown>(WAIT.name, WAIT.default)) ?? true;
		if (!isWaiting && !hasEnded(job))
			throw new DocumentError(
				`Job ${jobId} has not finished: its status is ${job.status}`,
				"Run this node again later, or turn on 'Wait for Completion'.",
				{ jobId },
			);
		const subject = fileName === null ? undefined : `"${fileName}"`;
		return { job, answer: await jobs.collect(caller, job, { subject }) };
	},

	async toOutputs({ job, answer }, own) {
		const { context, document, output } = own;
		const operation = operationOf(job);
		const { file, stored } = answer;
		if (operation === undefined)
			return file === undefined
				? [{ json: itemJson(stored) }]
				: [await fileOutput(context, document, file)];
		const isOffered = output === 'raw' || operation.outputs.some(({ value }) => value === output);
		const shown = { ...own, output: isOffered ? output : 'fields' };
		const [outputs = []] = await outputsOf(operation, answer, [shown]);
		return outputs;
	},
};

/** The operation of a job; undefined for one that the node does not have. */
export function operationOf({ operation }: Job): DocumentOperation | undefined {
	const wanted = operation?.toLowerCase() ?? '';
	return documentOperations.find(({ jobOperation }) => jobOperation?.toLowerCase() === wanted);
}
