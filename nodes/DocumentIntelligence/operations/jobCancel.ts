import { cancelJob, getJob } from '../service/jobs/calls';
import { RequestError } from '../service/requestError';
import { DocumentError } from '../text/errors';
import { JOB_ID, ofOneJob, readJobId } from './jobGet';
import type { OwnOperation } from './operation';

const TOO_LATE = 409;

export const cancel: OwnOperation<boolean> = {
	value: 'cancel',
	name: 'Cancel',
	description: 'Cancel a job that has not finished, so that it is not billed',
	action: 'Cancel job',
	parameters: [JOB_ID],
	options: [],
	...ofOneJob,

	async ask({ session, document: { item }, settings }) {
		const jobId = readJobId(item.read);
		try {
			return await cancelJob(session, jobId, settings);
		} catch (thrown) {
			if (!(thrown instanceof RequestError) || thrown.details.httpCode !== TOO_LATE)
				throw thrown as Error;
			// A repeat of a request whose answer was lost is too late as well.
			const { status, cancellationRequestedAt } = await getJob(session, jobId, settings);
			if (status === 'Cancelled' || cancellationRequestedAt !== null) return true;
			throw tooLate(jobId, status, thrown);
		}
	},

	toOutputs: (cancellationRequested, { read }) => [
		{ json: { jobId: readJobId(read), cancellationRequested } },
	],
};

function tooLate(jobId: string, status: string | null, { details }: RequestError): DocumentError {
	return new DocumentError(
		`Job ${jobId} can no longer be cancelled${status === null ? '' : `: its status is ${status}`}`,
		'If the job has succeeded, fetch its result with the operation Get Result.',
		{ ...details, jobId },
	);
}
