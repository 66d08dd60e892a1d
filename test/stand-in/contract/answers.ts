import type { Step } from '../http/route';
import { success } from './envelopes';
import type { Schema } from './parts';
import { resultsByPath } from './results';
import { artifact, cancellation, jobList, submission, templateList } from './storage';

/** A good answer. Without a body schema, it is the bytes of a file. */
export interface Answer {
	status: number;
	body?: Schema;
	headers?: Schema;
}

const seconds: Schema = { type: 'string', pattern: '^[0-9]+$' };

const headers = (properties: Record<string, Schema>, required: string[]): Schema => ({
	type: 'object',
	properties,
	required,
});

/** Those to requests for a document are by their path (results.ts). */
export const answersByStep: Record<Exclude<Step, 'process'>, Answer> = {
	store: { status: 201, body: success(artifact) },
	fetch: {
		status: 200,
		headers: headers(
			{
				'content-type': { type: 'string', minLength: 1 },
				'content-disposition': { type: 'string', pattern: 'filename' },
			},
			['content-type', 'content-disposition'],
		),
	},
	submit: {
		status: 202,
		body: success(submission),
		headers: headers(
			{
				location: { type: 'string' },
				'retry-after': seconds,
				'idempotent-replayed': { const: 'true' },
			},
			['location'],
		),
	},
	get: {
		status: 200,
		body: success({ $ref: 'job' }),
		headers: headers({ 'retry-after': seconds }, []),
	},
	list: { status: 200, body: success(jobList) },
	cancel: { status: 202, body: success(cancellation) },
	templates: { status: 200, body: success(templateList) },
};

const processed: Record<string, Answer> = Object.fromEntries(
	Object.entries(resultsByPath).map(([path, data]) => [path, { status: 200, body: success(data) }]),
);

export function goodAnswer(step: Step, path: string): Answer | undefined {
	return step === 'process' ? processed[path] : answersByStep[step];
}
