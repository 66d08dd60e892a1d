import { jobResults } from '../contract/answers';
import { errorsIn, inWords } from '../contract/validator';
import { HttpError } from '../http/responses';
import type { Template } from '../reading/template';
import type { JobRule } from '../settings';
import type { Artifact } from '../state/artifacts';
import type { JobOperation, Outcome } from '../state/jobs';
import type { Service } from '../state/service';
import { operations } from './operations';

/** Does the work of a job and stores its result, as the rule for its file says if there is one. */
export async function processJob(
	service: Service,
	operation: JobOperation,
	artifact: Artifact,
	template?: Template,
	rule: Partial<JobRule> = {},
): Promise<Outcome> {
	const { failureCode, retryable = false } = rule;
	if (failureCode !== undefined) return { status: 'Failed', failureCode, retryable };
	try {
		if (rule.result !== undefined) return await scripted(service, artifact, rule);
		const process = operations.find(({ job }) => job === operation);
		if (!process)
			throw new HttpError(422, 'operation_not_supported', 'The stand-in has no such processing.');
		const file = { ...artifact, fileName: artifact.originalName, field: 'file' };
		const { data, creditsConsumed } = await process.run(
			{ files: [file], texts: [] },
			service,
			template,
		);
		const result = jobResult(operation, data, service);
		const { credits = creditsConsumed } = rule;
		return await succeeded(service, artifact, result, credits, creditsConsumed);
	} catch (error) {
		const isKnown = error instanceof HttpError;
		// After a reset there is nothing left to process, and nobody who asks for the job.
		if (!isKnown && !service.isOver) console.error(error);
		const code = isKnown ? error.code.toLowerCase() : 'internal_error';
		return { status: 'Failed', failureCode: code, retryable: false };
	}
}

type Owned = Pick<Artifact, 'owner' | 'originalName'>;

/** The result that a test gives, stored as it is. */
export async function scripted(
	service: Service,
	owned: Owned,
	{ result, credits = 1 }: Pick<JobRule, 'result' | 'credits'>,
): Promise<Outcome> {
	return await succeeded(service, owned, result, credits, 1);
}

async function succeeded(
	{ artifacts }: Service,
	{ owner, originalName }: Owned,
	result: unknown,
	credits: number,
	pages: number,
): Promise<Outcome> {
	const content = Buffer.from(JSON.stringify(result));
	const name = `${originalName}.json`;
	const { reference } = await artifacts.store(owner, name, 'application/json', content);
	return { status: 'Succeeded', outputReference: reference, credits, pages };
}

/**
 * The stored result of a job, from what the operation answers directly. `Metadata` has a capital in any case; that of the
 * other names is open (docs/internals/service-contract.md, Jobs).
 */
function jobResult(
	operation: JobOperation,
	data: object,
	{ settings, violations }: Service,
): unknown {
	const reasons = errorsIn(jobResults[operation] ?? {}, data).map(inWords);
	if (reasons.length > 0)
		violations.push({ sequence: 0, path: `the result of a ${operation}`, reasons });
	if (settings.jobResultCase === 'pascal') return inPascalCase(data);
	const { metadata, ...others } = data as { metadata?: unknown };
	return metadata === undefined ? data : { ...others, Metadata: metadata };
}

/** The names in `Metadata` are the template's own. */
function inPascalCase(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inPascalCase);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [
			name.charAt(0).toUpperCase() + name.slice(1),
			name === 'metadata' ? inner : inPascalCase(inner),
		]),
	);
}
