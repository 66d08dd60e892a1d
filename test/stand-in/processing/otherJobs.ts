import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Artifact } from '../state/artifacts';
import type { JobDescription, JobOperation, Outcome } from '../state/jobs';
import type { Service } from '../state/service';
import { normalize } from './normalize';
import { processJob, scripted } from './processJob';

/** A job that a test adds without requests of its own, as if another program had submitted it. */
export interface OtherJob {
	operation: JobOperation;
	/** Succeeded by default. A job that is queued or processed stays so until `endJobs`. */
	status?: JobDescription['status'];
	/** A document on this computer, which is processed; a job without this and `result` fails. */
	file?: string;
	/** Stored as the result as it is, in place of what a document says. */
	result?: unknown;
	/** Of a job that fails, also one that has yet to fail. */
	failureCode?: string;
	/** By the service's clock; 0 by default, less than 0 for a job that has yet to finish. */
	finishedMsAgo?: number;
	/** From its creation to its end, or until now for a job without an end; a second by default. */
	ranMs?: number;
	/** How many such jobs there are; 1 by default. */
	count?: number;
}

/** How a job ends that a test ends: as its document or its result says by default. */
export interface Ending {
	status?: 'Failed' | 'Cancelled';
	/** Has the job fail. */
	failureCode?: string;
}

export async function addOtherJobs(
	service: Service,
	owner: string,
	jobs: OtherJob[],
): Promise<string[]> {
	const jobIds: string[] = [];
	// The same for all, so that jobs can end in the same millisecond.
	const now = service.now();
	for (const job of jobs)
		for (let made = 0; made < (job.count ?? 1); made++)
			jobIds.push(await addOtherJob(service, owner, job, now));
	return jobIds;
}

/** All end at the same time. */
export function endJobs(service: Service, owner: string, jobIds: string[], ending: Ending) {
	const { status, failureCode } = ending;
	const endsAt = service.now();
	const hasFailed = status === 'Failed' || failureCode !== undefined;
	const outcome = hasFailed ? Promise.resolve(failed(failureCode)) : undefined;
	for (const jobId of jobIds)
		service.jobs.end(owner, jobId, endsAt, status === 'Cancelled', outcome);
}

async function addOtherJob(
	service: Service,
	owner: string,
	job: OtherJob,
	now: number,
): Promise<string> {
	const { operation, status = 'Succeeded', finishedMsAgo = 0, ranMs = 1000, file } = job;
	const isHeld = status === 'Queued' || status === 'Processing';
	const createdAt = now - (isHeld ? 0 : finishedMsAgo) - ranMs;
	const endsAt = isHeld ? Infinity : createdAt + ranMs;
	const originalName = file === undefined ? 'document.pdf' : basename(file);
	let input: Artifact | undefined;
	if (file !== undefined) {
		const stored = await normalize({ path: file, fileName: originalName });
		const { contentType, content = await readFile(file) } = stored;
		input = await service.artifacts.store(owner, originalName, contentType, content);
	}
	return service.jobs.create({
		...{ owner, operation, createdAt, endsAt },
		sandbox: owner.startsWith('xtkt_test_'),
		templateId: null,
		fileName: originalName,
		sha256: input?.sentSha256 ?? '',
		sequence: null,
		idempotencyKey: null,
		startsAt: status === 'Queued' ? Infinity : createdAt,
		cancelledAt: status === 'Cancelled' ? endsAt : null,
		outcome: outcomeOf(service, { owner, originalName }, job, input),
	});
}

async function outcomeOf(
	service: Service,
	owned: Pick<Artifact, 'owner' | 'originalName'>,
	{ operation, status, result, failureCode }: OtherJob,
	input: Artifact | undefined,
): Promise<Outcome> {
	if (status === 'Failed' || status === 'Cancelled') return failed(failureCode);
	if (input) return await processJob(service, operation, input);
	return result === undefined ? failed(failureCode) : await scripted(service, owned, { result });
}

function failed(failureCode = 'processing_failed'): Outcome {
	return { status: 'Failed', failureCode, retryable: false };
}
