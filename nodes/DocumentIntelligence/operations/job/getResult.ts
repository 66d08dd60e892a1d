import type { INodeProperties } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/job/getResult.json';
import type { Output } from '../../document/document';
import { DocumentError } from '../../text/errors';
import { DOWNLOAD_IMAGES, ROWS_PER_DOCUMENT, TEMPLATE_OPTIONS } from '../../parameters/options';
import { readSwitch } from '../../parameters/read';
import type { Answer } from '../../service/envelope';
import { hasEnded, isRedaction, jobKey, type Job } from '../../service/jobs/job';
import { textOf } from '../../text/json';
import { operationOf } from '../document/index';
import { JOB_ID, OF_ONE_JOB, readJobId } from './get';
import { outputsOf, simplified, type CallOperation, type ResultContext } from '../operation';

const WAIT = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait until the job has finished, for no longer than Timeout (Seconds). If turned off, the operation fails for a job that has not finished.',
} satisfies INodeProperties;

export const getResult: CallOperation = {
	value: 'getResult',
	name: 'Get Result',
	description: 'Wait for a job and get its result. Jobs of Split return page ranges without files.',
	action: 'Get result of job',
	outputSchema,
	outputNotes:
		'Jobs of other operations have the output of these. markedCopy needs the file in the item: Submit with includeInputFile.',
	...OF_ONE_JOB,
	parameters: [JOB_ID, WAIT],
	options: [DOWNLOAD_IMAGES, ...TEMPLATE_OPTIONS],
	outputs: [
		simplified('One item per document. For Crop and Split, one per document found in the file.'),
		{ name: 'Rows', value: 'rows', description: 'One row per line item or discovered field' },
		ROWS_PER_DOCUMENT,
	],
	waitsForJobs: true,
	// A job does not contain its file name. The item may, as items of Submit do.
	nameOf: ({ read, json }) => {
		const jobId = readJobId(read);
		const isOwn = jobKey(textOf(json.jobId) ?? '') === jobKey(jobId);
		const fileName = isOwn ? textOf(json.fileName) : null;
		return { subject: `job ${jobId}`, fileName };
	},

	async execute(context) {
		const { jobs, read, settings } = context;
		const { fileName } = context.document;
		const jobId = readJobId(read);
		const { job, retryAfterMs } = await jobs.find(settings, jobId);
		if (isRedaction(job))
			throw new DocumentError(
				`Job ${jobId} is a redaction, and its result cannot be fetched with this node`,
				'Get the redacted document from Cogneris directly. Job: Get shows the status of the job.',
				{ jobId },
			);
		if (!readSwitch(read, WAIT.name, true) && !hasEnded(job))
			throw new DocumentError(
				`Job ${jobId} has not finished: its status is ${job.status}`,
				"Run this node again later, or turn on 'Wait for Completion'.",
				{ jobId },
			);
		const subject = fileName === null ? undefined : `"${fileName}"`;
		const answer = await jobs.collect(settings, job, { subject, retryAfterMs });
		return await outputsOfJob(job, answer, context);
	},
};

/** Simplified, if the operation of the job does not have the chosen output. */
export async function outputsOfJob(
	job: Job,
	answer: Answer,
	context: ResultContext,
): Promise<Output[]> {
	const operation = operationOf(job);
	const offered = ['raw', ...(operation?.outputs ?? []).map(({ value }) => value)];
	const output = offered.includes(context.output) ? context.output : 'fields';
	return await outputsOf(operation, answer, { ...context, output });
}
