import { DocumentError } from '../text/errors';
import { TIMEOUT } from '../parameters/options';
import { cancelJob, getJob } from '../service/jobs/calls';
import type { Job } from '../service/jobs/job';
import { RequestError } from '../service/requestError';
import type { OwnOperation } from './operation';
import { JOB_ID, ofOneJob, readJobId } from './jobId';

interface Cancelled {
	jobId: string;
	cancellationRequested: boolean;
}

const TOO_LATE = 409;

export const cancel: OwnOperation<Cancelled> = {
	value: 'cancel',
	name: 'Cancel',
	description: 'Cancel a job that has not finished, so that it is not billed',
	action: 'Cancel job',
	timeoutSeconds: TIMEOUT.default,
	parameters: [JOB_ID],
	options: [],
	...ofOneJob,

	async ask({ session, document: { item }, settings }) {
		const jobId = readJobId(item.read);
		try {
			return { jobId, cancellationRequested: await cancelJob(session, jobId, settings) };
		} catch (thrown) {
			if (!(thrown instanceof RequestError) || thrown.details.httpCode !== TOO_LATE)
				throw thrown as Error;
			// A repeat of a request whose answer was lost is too late as well.
			const job = await getJob(session, jobId, settings);
			if (job.status === 'Cancelled' || job.cancellationRequestedAt !== null)
				return { jobId, cancellationRequested: true };
			throw tooLate(job, thrown);
		}
	},

	toOutputs: ({ jobId, cancellationRequested }) => [{ json: { jobId, cancellationRequested } }],
};

function tooLate({ jobId, status }: Job, { details }: RequestError): DocumentError {
	return new DocumentError(
		`Job ${jobId} can no longer be cancelled${status === null ? '' : `: its status is ${status}`}`,
		'If the job has succeeded, fetch its result with the operation Get Result.',
		{ ...details, jobId },
	);
}
