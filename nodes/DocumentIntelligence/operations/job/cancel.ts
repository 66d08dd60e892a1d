import outputSchema from '../../__schema__/v1.0.0/job/cancel.json';
import { cancelJob, getJob } from '../../service/api';
import { hasEnded } from '../../service/jobs/job';
import { asDocumentError, DocumentError } from '../../text/errors';
import { JOB_ID, OF_ONE_JOB, readJobId } from './get';
import type { CallOperation } from '../operation';

export const cancel: CallOperation = {
	value: 'cancel',
	name: 'Cancel',
	description: 'Ask Cogneris to cancel a job. It may still succeed and be billed.',
	action: 'Cancel job',
	outputSchema,
	...OF_ONE_JOB,
	parameters: [JOB_ID],

	async execute({ session, read, settings }) {
		const jobId = readJobId(read);
		const cancellationRequested = await cancelJob(session, jobId, settings).catch(
			async (thrown: unknown) => {
				const { details } = asDocumentError(thrown);
				if (details.httpCode !== 409) throw thrown as Error;
				// A repeat of a request whose response was lost is too late as well.
				const { job } = await getJob(session, jobId, settings);
				const isRequested = job.cancellationRequestedAt !== null && !hasEnded(job);
				if (job.status === 'Cancelled' || isRequested) return true;
				throw new DocumentError(
					`Job ${jobId} can no longer be canceled: its status is ${job.status}`,
					'If the job has succeeded, fetch its result with Job: Get Result.',
					{ ...details, jobId },
				);
			},
		);
		return [{ json: { jobId, cancellationRequested } }];
	},
};
