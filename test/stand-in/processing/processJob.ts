import type { UploadedForm } from '../http/form';
import { HttpError } from '../http/responses';
import type { Template } from '../reading/template';
import type { JobRule } from '../settings';
import type { Artifact } from '../state/artifacts';
import type { JobOperation, Outcome } from '../state/jobs';
import type { Service } from '../state/service';
import { jobResult } from './jobResult';
import {
	classify,
	crop,
	extract,
	readWithoutTemplate,
	split,
	type ProcessingResult,
} from './operations';

/** Does the work of a job and stores its result, as the rule for its file says if there is one. */
export async function processJob(
	service: Service,
	operation: JobOperation,
	artifact: Artifact,
	template: Template | undefined,
	rule: JobRule | undefined,
): Promise<Outcome> {
	if (rule?.failureCode !== undefined)
		return {
			status: 'Failed',
			failureCode: rule.failureCode,
			retryable: rule.retryable ?? false,
		};
	try {
		if (rule?.result !== undefined) return await scripted(service, artifact, rule);
		const { data, creditsConsumed } = await run(service, operation, artifact, template);
		const stored = await storeJson(service, artifact, jobResult(operation, data, service));
		return succeeded(stored, rule?.credits ?? creditsConsumed, creditsConsumed);
	} catch (error) {
		// After a reset there is nothing left to process, and nobody who asks for the job.
		const known = service.artifacts.find(artifact.owner, artifact.reference) !== undefined;
		if (known && !(error instanceof HttpError)) console.error(error);
		return { status: 'Failed', failureCode: failureCodeOf(error), retryable: false };
	}
}

/** The result that a rule gives, stored as it is. */
export async function scripted(
	service: Service,
	artifact: Owned,
	{ result, credits = 1 }: JobRule,
): Promise<Outcome> {
	return succeeded(await storeJson(service, artifact, result), credits, 1);
}

type Owned = Pick<Artifact, 'owner' | 'originalName'>;

function succeeded({ reference }: Artifact, credits: number, pages: number): Outcome {
	return { status: 'Succeeded', outputReference: reference, credits, pages };
}

async function storeJson(
	{ artifacts }: Service,
	{ owner, originalName }: Owned,
	result: unknown,
): Promise<Artifact> {
	const content = Buffer.from(JSON.stringify(result));
	return await artifacts.store(owner, `${originalName}.json`, 'application/json', content);
}

const operations: Partial<
	Record<
		JobOperation,
		(form: UploadedForm, service: Service, template?: Template) => Promise<ProcessingResult>
	>
> = {
	Extraction: extract,
	Classification: classify,
	ZeroShot: readWithoutTemplate,
	Crop: crop,
	Split: split,
};

async function run(
	service: Service,
	operation: JobOperation,
	artifact: Artifact,
	template: Template | undefined,
): Promise<ProcessingResult> {
	const file = { ...artifact, fileName: artifact.originalName, field: 'file' };
	const process = operations[operation];
	if (!process)
		throw new HttpError(422, 'operation_not_supported', 'The stand-in has no such processing.');
	return await process({ files: [file], texts: [] }, service, template);
}

function failureCodeOf(error: unknown): string {
	return error instanceof HttpError ? error.code.toLowerCase() : 'internal_error';
}
