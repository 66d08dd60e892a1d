import type { ServiceResponse } from '../http/responses';
import type { Step } from '../http/route';
import { goodAnswer } from './answers';
import { errorEnvelope, problem } from './envelopes';
import type { Schema } from './parts';
import { errorsIn, inWords, readJson, type Strictness } from './validator';

/** What an answer says that the contract does not allow; empty for a good one. */
export function violationsIn(
	step: Step | undefined,
	path: string,
	answer: ServiceResponse,
	strictness: Strictness = 'strict',
): string[] {
	const { status, headers } = answer;
	const type = headers['content-type'] ?? '';
	if (type.startsWith('application/problem+json')) return problemViolations(answer, strictness);
	const good = step === undefined ? undefined : goodAnswer(step, path);
	if (good?.status === status && good.body === undefined)
		return violations(good.headers, headers, strictness);
	if (!type.startsWith('application/json')) return [`the content type of a ${status} is "${type}"`];
	const body = readJson(answer.body.toString());
	if (status >= 400 || hasErrors(body)) return violations(errorEnvelope, body, strictness);
	if (good?.body === undefined || good.status !== status)
		return [`${status} is no status of a good answer here`];
	return [
		...violations(good.headers, headers, strictness),
		...violations(good.body, body, strictness),
	];
}

function problemViolations(answer: ServiceResponse, strictness: Strictness): string[] {
	const body = readJson(answer.body.toString());
	const found = violations(problem, body, strictness);
	const { correlationId, status } = (body ?? {}) as { correlationId?: unknown; status?: unknown };
	if (correlationId !== answer.headers['x-correlation-id'])
		found.push('the header x-correlation-id is not that of the body');
	if (status !== answer.status) found.push(`the body of a ${answer.status} says another status`);
	return found;
}

function violations(schema: Schema | undefined, value: unknown, strictness: Strictness): string[] {
	return schema === undefined ? [] : errorsIn(schema, value, strictness).map(inWords);
}

function hasErrors(body: unknown): boolean {
	return (body as { hasErrors?: unknown } | null | undefined)?.hasErrors === true;
}
