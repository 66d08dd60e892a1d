import { TIMEOUT } from '../parameters/options';
import { getJob } from '../service/jobs/calls';
import { jobJson, type Job } from '../service/jobs/job';
import type { OwnOperation } from './operation';
import { JOB_ID, ofOneJob, readJobId } from './jobId';

export const get: OwnOperation<Job> = {
	value: 'get',
	name: 'Get',
	description: 'Get the state of a job',
	action: 'Get job',
	timeoutSeconds: TIMEOUT.default,
	parameters: [JOB_ID],
	options: [],
	...ofOneJob,

	ask: async ({ session, document: { item }, settings }) =>
		await getJob(session, readJobId(item.read), settings),

	toOutputs: (job) => [{ json: jobJson(job) }],
};
