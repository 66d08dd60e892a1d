import type { ServiceResponse } from '../http/responses';
import type { Step } from '../http/route';
import { errorEnvelope, goodAnswer, problem } from './answers';
import type { Schema } from './parts';
import { errorsIn, inWords, readJson } from './validator';

/** What an answer says that the contract does not allow; empty for a good one. */
export function violationsIn(
	step: Step | undefined,
	path: string,
	answer: ServiceResponse,
): string[] {
	const { status, headers } = answer;
	const type = headers['content-type'] ?? '';
	if (type.startsWith('application/problem+json')) return problemViolations(answer);
	const good = step === undefined ? undefined : goodAnswer(step, path);
	const isGood = good?.status === status;
	if (isGood && good.body === undefined) return violations(good.headers, headers);
	if (!type.startsWith('application/json')) return [`the content type of a ${status} is "${type}"`];
	const body = readJson(answer.body.toString()) as { hasErrors?: unknown } | null | undefined;
	if (status >= 400 || body?.hasErrors === true) return violations(errorEnvelope, body);
	if (!isGood) return [`${status} is no status of a good answer here`];
	return [...violations(good.headers, headers), ...violations(good.body, body)];
}

function problemViolations({ status, headers, body: bytes }: ServiceResponse): string[] {
	const body = readJson(bytes.toString()) as { correlationId?: unknown; status?: unknown };
	const found = violations(problem, body);
	if (body?.correlationId !== headers['x-correlation-id'])
		found.push('the header x-correlation-id is not that of the body');
	if (body?.status !== status) found.push(`the body of a ${status} says another status`);
	return found;
}

function violations(schema: Schema | undefined, value: unknown): string[] {
	return schema === undefined ? [] : errorsIn(schema, value).map(inWords);
}
