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
		const given = rule?.result;
		const { data, creditsConsumed } =
			given === undefined
				? await run(service, operation, artifact, template)
				: { data: undefined, creditsConsumed: 1 };
		const result = given ?? jobResult(operation, data, service.settings.jobResultCase);
		const { reference } = await storeResult(service, artifact, result);
		return {
			status: 'Succeeded',
			outputReference: reference,
			credits: creditsConsumed,
			pages: creditsConsumed,
		};
	} catch (error) {
		// After a reset there is nothing left to process, and nobody who asks for the job.
		const known = service.artifacts.find(artifact.owner, artifact.reference) !== undefined;
		if (known && !(error instanceof HttpError)) console.error(error);
		return { status: 'Failed', failureCode: failureCodeOf(error), retryable: false };
	}
}

export async function storeResult(
	service: Service,
	{ owner, fileName }: Pick<Artifact, 'owner' | 'fileName'>,
	result: unknown,
): Promise<Artifact> {
	const content = Buffer.from(JSON.stringify(result));
	return await service.artifacts.storeBytes(owner, `${fileName}.json`, 'application/json', content);
}

async function run(
	{ images }: Service,
	operation: JobOperation,
	artifact: Artifact,
	template: Template | undefined,
): Promise<ProcessingResult> {
	const form: UploadedForm = { files: [{ ...artifact, field: 'file' }], texts: [] };
	switch (operation) {
		case 'Extraction':
			return await extract(form, template);
		case 'Classification':
			return await classify(form);
		case 'ZeroShot':
			return await readWithoutTemplate(form);
		case 'Crop':
			return await crop(form, images);
		case 'Split':
			return await split(form);
		case 'Facematch':
			throw new HttpError(422, 'facematch_needs_two_files', 'A job has one file.');
	}
}

function failureCodeOf(error: unknown): string {
	if (error instanceof HttpError)
		return error.code === 'TEMPLATE_NOT_FOUND' ? 'template_unresolved' : error.code.toLowerCase();
	return 'internal_error';
}
