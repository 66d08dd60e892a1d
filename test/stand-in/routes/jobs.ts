import { cursorFor, startOf } from '../http/cursor';
import { readLimit } from '../http/limit';
import { HttpError, sandboxError, successEnvelope } from '../http/responses';
import type { Call, Route } from '../http/route';
import { processJob } from '../processing/processJob';
import { accountTemplates } from '../processing/templates';
import { jobOperations, type JobDescription, type JobOperation } from '../state/jobs';
import type { Service } from '../state/service';

const PATH = '/api/v1/document-jobs';

/** The most a list shows. The contract has no parameter that leads beyond it; a setting says whether one does. */
const MAX_LISTED = 100;

/** Documents that are processed while the client is gone. */
export function jobRoutes(service: Service): Route[] {
	const { jobs, artifacts } = service;
	const ofJob = ({ key, params }: Call) => jobs.fileName(key, params.jobId ?? '') ?? [];
	return [
		{
			method: 'POST',
			path: PATH,
			step: 'submit',
			body: 'json',
			sandbox: true,
			fileNames({ key, text }) {
				const { inputReference } = parseJson(text);
				if (typeof inputReference !== 'string') return [];
				return [artifacts.find(key, inputReference)?.fileName ?? []].flat();
			},
			respond: async (call) => await submit(service, call),
		},
		{
			method: 'GET',
			path: PATH,
			step: 'list',
			body: 'none',
			sandbox: true,
			fileNames: ({ key }) => jobs.listedNames(key),
			respond: async ({ key, query }) => {
				await jobs.settle();
				const limit = readLimit(query, { default: 50, max: MAX_LISTED });
				const honoured = service.settings.jobsCursor === 'honoured';
				const start = honoured ? startOf('jobs', query.get('cursor')) : 0;
				const listed = service.jobViews.list(key, await jobs.list(key));
				const end = start + limit;
				const hasMore = listed.length > end;
				const data = {
					jobs: listed.slice(start, end),
					nextCursor: hasMore ? cursorFor('jobs', end) : null,
					hasMore,
					limit,
				};
				return successEnvelope(data, null);
			},
		},
		{
			method: 'GET',
			path: `${PATH}/:jobId`,
			step: 'get',
			body: 'none',
			sandbox: true,
			fileNames: (call) => [ofJob(call)].flat(),
			jobId: ({ params }) => params.jobId,
			respond: async ({ key, params }) => {
				await jobs.settle();
				const job = await jobs.get(key, params.jobId ?? '');
				return successEnvelope(job, null);
			},
		},
		{
			method: 'POST',
			path: `${PATH}/:jobId/cancel`,
			step: 'cancel',
			body: 'none',
			sandbox: true,
			fileNames: (call) => [ofJob(call)].flat(),
			jobId: ({ params }) => params.jobId,
			respond: ({ key, params }) => {
				const jobId = params.jobId ?? '';
				jobs.cancel(key, jobId);
				return Promise.resolve(
					successEnvelope({ jobId, cancellationRequested: true }, null, [], 202),
				);
			},
		},
	];
}

async function submit(service: Service, call: Call) {
	const { idempotency, jobs } = service;
	const create = () => createJob(service, call);
	const { key, idempotencyKey, text, record } = call;
	const { jobId, replayed } =
		idempotencyKey === null
			? { jobId: create(), replayed: false }
			: idempotency.once(key, idempotencyKey, text, create);
	record.jobId = jobId;
	record.replayed = replayed;

	const statusUrl = `${PATH}/${jobId}`;
	const retryAfterSeconds = 1;
	// A job that has only been created is queued, even if it takes no time.
	const status: JobDescription['status'] = replayed
		? (await jobs.get(key, jobId)).status
		: 'Queued';
	const data = { jobId, status, statusUrl, retryAfterSeconds, replayed };
	const response = successEnvelope(data, null, [], 202);
	Object.assign(
		response.headers,
		{ location: statusUrl, 'retry-after': String(retryAfterSeconds) },
		replayed ? { 'idempotent-replayed': 'true' } : {},
	);
	return response;
}

function createJob(service: Service, call: Call): string {
	const { artifacts, jobs, settings } = service;
	const { key, sandbox, idempotencyKey, record } = call;
	const { operation, inputReference, templateId } = readSubmission(call);
	if (sandbox && (operation === 'Facematch' || templateId !== null)) throw sandboxError();
	if (templateId !== null && operation !== 'Extraction')
		throw new HttpError(
			422,
			'template_not_applicable',
			'Only an Extraction can be given a template.',
			{ field: 'templateId' },
		);
	const template = accountTemplates(settings.templateCount).find(({ id }) => id === templateId);
	if (templateId !== null && !template)
		throw new HttpError(422, 'template_unknown', `There is no template "${templateId}".`, {
			field: 'templateId',
		});
	const artifact = artifacts.open(key, inputReference);

	const rule = settings.jobRules.find(({ match }) => artifact.fileName.includes(match));
	const createdAt = service.now();
	const startsAt = createdAt + service.draw(settings.jobQueueMs);
	return jobs.create({
		owner: key,
		sandbox,
		operation,
		templateId,
		fileName: artifact.fileName,
		sha256: artifact.sha256,
		sequence: record.sequence,
		idempotencyKey,
		createdAt,
		startsAt,
		endsAt: startsAt + service.draw(rule?.runMs ?? settings.jobRunMs),
		cancelledAt: null,
		outcome: processJob(service, operation, artifact, template?.template, rule),
	});
}

interface Submission {
	operation: JobOperation;
	inputReference: string;
	templateId: string | null;
}

/** Strict about names it does not know, so that a client's slip shows. */
function readSubmission({ text }: Call): Submission {
	const { operation, inputReference, templateId = null, ...others } = parseJson(text);
	const [unknown] = Object.keys(others);
	if (unknown !== undefined) throw invalid(unknown, 'is not known here');
	const known = jobOperations.find((candidate) => candidate === operation);
	if (!known) throw invalid('operation', `has to be one of ${jobOperations.join(', ')}`);
	if (typeof inputReference !== 'string' || inputReference === '')
		throw invalid('inputReference', 'is required');
	if (templateId !== null && (typeof templateId !== 'string' || templateId === ''))
		throw invalid('templateId', 'has to be the ID of a template');
	return { operation: known, inputReference, templateId };
}

function invalid(field: string, reason: string): HttpError {
	return new HttpError(400, 'invalid_request', `"${field}" ${reason}.`, { field });
}

function parseJson(text: string): Record<string, unknown> {
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		parsed = undefined;
	}
	if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
		throw new HttpError(400, 'MALFORMED_REQUEST', 'The body has to be a JSON object.');
	return { ...parsed };
}
