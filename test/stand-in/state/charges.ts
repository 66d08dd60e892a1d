import type { UploadedForm } from '../http/form';
import type { RecordedRequest } from './records';

/** What was billed, once for each request or job that was processed. Sandbox keys are never billed. */
export interface Charge {
	/** By the service's clock. */
	at: number;
	credits: number;
	/** The address of a direct request, or the operation of a job. */
	operation: string;
	keyEnding: string;
	files: Array<{ fileName: string; sha256: string }>;
	/** Of the request that was processed, or that submitted the job; null for jobs of other programs. */
	sequence: number | null;
	jobId: string | null;
	idempotencyKey: string | null;
}

/** For a document that is processed by the request that uploads it. */
export function directCharge(
	at: number,
	credits: number,
	{ files }: UploadedForm,
	{ path, keyEnding, sequence }: RecordedRequest,
): Charge {
	return {
		...{ at, credits, operation: path, keyEnding, sequence, jobId: null, idempotencyKey: null },
		files: files.map(({ fileName, sha256 }) => ({ fileName, sha256 })),
	};
}
