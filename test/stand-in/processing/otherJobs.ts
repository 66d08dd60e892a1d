import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JobRule } from '../settings';
import type { Artifact } from '../state/artifacts';
import type { JobOperation, Outcome } from '../state/jobs';
import type { Service } from '../state/service';
import { processJob, storeResult } from './processJob';

/** A job that a test adds without requests of its own, as if another program had submitted it. */
export interface OtherJob {
	operation: JobOperation;
	/** Succeeded by default. */
	status?: 'Succeeded' | 'Failed' | 'Cancelled';
	/** A document on this computer, which is processed; a job that succeeds needs this or `result`. */
	file?: string;
	/** Stored as the result as it is, in place of what a document says. */
	result?: unknown;
	failureCode?: string;
	retryable?: boolean;
	/** By the service's clock; 0 by default, less than 0 for a job that has yet to finish. */
	finishedMsAgo?: number;
	/** From its creation to its end; a second by default. */
	ranMs?: number;
	/** How many such jobs there are; 1 by default. */
	count?: number;
}

export function lacksResult({ status = 'Succeeded', file, result }: OtherJob): boolean {
	return status === 'Succeeded' && file === undefined && result === undefined;
}

export async function addOtherJobs(
	service: Service,
	owner: string,
	jobs: OtherJob[],
): Promise<string[]> {
	const jobIds: string[] = [];
	for (const job of jobs)
		for (let made = 0; made < (job.count ?? 1); made++)
			jobIds.push(await addOtherJob(service, owner, job));
	return jobIds;
}

async function addOtherJob(service: Service, owner: string, job: OtherJob): Promise<string> {
	const { operation, status = 'Succeeded', finishedMsAgo = 0, ranMs = 1000 } = job;
	const endsAt = service.now() - finishedMsAgo;
	const input = await inputOf(service, owner, job);
	return service.jobs.create({
		owner,
		sandbox: owner.startsWith('xtkt_test_'),
		operation,
		templateId: null,
		fileName: input?.fileName ?? 'document.pdf',
		sha256: input?.sha256 ?? '',
		sequence: null,
		idempotencyKey: null,
		createdAt: endsAt - ranMs,
		startsAt: endsAt - ranMs,
		endsAt,
		cancelledAt: status === 'Cancelled' ? endsAt : null,
		outcome: outcomeOf(service, owner, job, input),
	});
}

async function inputOf(
	{ artifacts }: Service,
	owner: string,
	{ file }: OtherJob,
): Promise<Artifact | undefined> {
	if (file === undefined) return undefined;
	return await artifacts.storeBytes(
		owner,
		basename(file),
		'application/octet-stream',
		await readFile(file),
	);
}

async function outcomeOf(
	service: Service,
	owner: string,
	{ operation, status, result, failureCode, retryable }: OtherJob,
	input: Artifact | undefined,
): Promise<Outcome> {
	if (status === 'Failed' || status === 'Cancelled')
		return {
			status: 'Failed',
			failureCode: failureCode ?? 'processing_failed',
			retryable: retryable ?? false,
		};
	const rule: JobRule | undefined = result === undefined ? undefined : { match: '', result };
	if (input) return await processJob(service, operation, input, undefined, rule);
	const { reference } = await storeResult(
		service,
		{ owner, fileName: 'document.pdf' },
		result ?? {},
	);
	return { status: 'Succeeded', outputReference: reference, credits: 1, pages: 1 };
}
