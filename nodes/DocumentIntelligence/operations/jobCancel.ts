import { cancelJob, getJob } from '../service/jobs/calls';
import { hasEnded } from '../service/jobs/job';
import { asDocumentError, DocumentError } from '../text/errors';
import { JOB_ID, OF_ONE_JOB, readJobId } from './jobGet';
import type { OwnOperation } from './operation';

export const cancel: OwnOperation<boolean> = {
	value: 'cancel',
	name: 'Cancel',
	description: 'Cancel a job that has not finished, so that it is not billed',
	action: 'Cancel job',
	...OF_ONE_JOB,
	parameters: [JOB_ID],

	async ask({ session, read, settings }) {
		const jobId = readJobId(read);
		return await cancelJob(session, jobId, settings).catch(async (thrown: unknown) => {
			const { details } = asDocumentError(thrown);
			if (details.httpCode !== 409) throw thrown as Error;
			// A repeat of a request whose answer was lost is too late as well.
			const job = await getJob(session, jobId, settings);
			const { status, cancellationRequestedAt } = job;
			const isRequested = cancellationRequestedAt !== null && !hasEnded(job);
			if (status === 'Cancelled' || isRequested) return true;
			throw new DocumentError(
				`Job ${jobId} can no longer be cancelled: its status is ${status}`,
				'If the job has succeeded, fetch its result with the operation Get Result.',
				{ ...details, jobId },
			);
		});
	},

	toOutputs: (cancellationRequested, { read }) => [
		{ json: { jobId: readJobId(read), cancellationRequested } },
	],
};
