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

export class Charges {
	private charges: Charge[] = [];

	add(charge: Charge) {
		this.charges.push(charge);
	}

	/** A document that is processed by the request that uploads it. */
	addDirect(at: number, credits: number, { files }: UploadedForm, record: RecordedRequest) {
		this.add({
			at,
			credits,
			operation: record.path,
			keyEnding: record.keyEnding,
			files: files.map(({ fileName, sha256 }) => ({ fileName, sha256 })),
			sequence: record.sequence,
			jobId: null,
			idempotencyKey: null,
		});
	}

	all(): Charge[] {
		return this.charges;
	}

	clear() {
		this.charges = [];
	}
}
