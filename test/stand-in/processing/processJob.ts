import type { UploadedForm } from '../http/form';
import { HttpError } from '../http/responses';
import type { Template } from '../reading/template';
import type { JobRule, ResultFile } from '../settings';
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
		if (rule?.result !== undefined || rule?.resultFile)
			return await scripted(service, artifact, rule);
		const processed = await run(service, operation, artifact, template);
		const credits = rule?.credits === undefined ? processed.creditsConsumed : rule.credits;
		const stored = await storeResult(service, artifact, operation, processed);
		return succeeded(stored, credits, processed.creditsConsumed);
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
	{ result, resultFile, credits = 1 }: JobRule,
): Promise<Outcome> {
	const stored = resultFile
		? await storeFile(service, artifact, resultFile)
		: await storeJson(service, artifact, result);
	return succeeded(stored, credits, 1);
}

type Owned = Pick<Artifact, 'owner' | 'originalName'>;

function succeeded({ reference }: Artifact, credits: number | null, pages: number): Outcome {
	return { status: 'Succeeded', outputReference: reference, credits, pages };
}

async function storeResult(
	service: Service,
	artifact: Owned,
	operation: JobOperation,
	{ data }: ProcessingResult,
): Promise<Artifact> {
	return await storeJson(service, artifact, jobResult(operation, data, service));
}

async function storeJson(
	{ artifacts }: Service,
	{ owner, originalName }: Owned,
	result: unknown,
): Promise<Artifact> {
	const content = Buffer.from(JSON.stringify(result));
	return await artifacts.storeBytes(owner, `${originalName}.json`, 'application/json', content);
}

const EXTENSIONS: Record<string, string> = {
	'application/json': 'json',
	'application/pdf': 'pdf',
	'application/zip': 'zip',
	'image/png': 'png',
	'image/jpeg': 'jpg',
};

async function storeFile(
	{ artifacts }: Service,
	{ owner }: Owned,
	{ contentType, base64 }: ResultFile,
): Promise<Artifact> {
	const name = `result.${EXTENSIONS[contentType] ?? 'bin'}`;
	return await artifacts.storeBytes(owner, name, contentType, Buffer.from(base64, 'base64'));
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
