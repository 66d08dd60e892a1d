import { parseJson } from '../contract/checkRequest';
import { HttpError, sandboxError, successEnvelope } from '../http/responses';
import type { Call, Route } from '../http/route';
import { processJob } from '../processing/processJob';
import { accountTemplates } from '../processing/templates';
import type { JobDescription, JobOperation } from '../state/jobs';
import type { Service } from '../state/service';
import { listJobs } from './jobList';

const PATH = '/api/v1/document-jobs';

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
				return [artifacts.find(key, inputReference)?.originalName ?? []].flat();
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
			respond: async ({ key, query }) => await listJobs(service, key, query),
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
				return Promise.resolve(successEnvelope({ jobId, cancellationRequested: true }, null, 202));
			},
		},
	];
}

async function submit(service: Service, call: Call) {
	const { idempotency, jobs } = service;
	const { key, idempotencyKey, text, record } = call;
	const submission = readSubmission(text);
	const create = () => createJob(service, call, submission);
	const { jobId, replayed } =
		idempotencyKey === null
			? { jobId: create(), replayed: false }
			: idempotency.once(key, idempotencyKey, JSON.stringify(submission), create);
	record.jobId = jobId;
	record.replayed = replayed;

	const statusUrl = `${PATH}/${jobId}`;
	// A job that has only been created is queued, even if it takes no time.
	const status: JobDescription['status'] = replayed
		? (await jobs.get(key, jobId)).status
		: 'Queued';
	const data = { jobId, status, statusUrl, retryAfterSeconds: 1, replayed };
	const response = successEnvelope(data, null, 202);
	Object.assign(
		response.headers,
		{ location: statusUrl, 'retry-after': '1' },
		replayed ? { 'idempotent-replayed': 'true' } : {},
	);
	return response;
}

function createJob(
	service: Service,
	{ key, sandbox, idempotencyKey, record }: Call,
	{ operation, inputReference, templateId }: Submission,
): string {
	const { artifacts, jobs, settings } = service;
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

	const rule = settings.jobRules.find(({ match }) => artifact.originalName.includes(match));
	const createdAt = service.now();
	const startsAt = createdAt + service.draw(settings.jobQueueMs);
	return jobs.create({
		owner: key,
		sandbox,
		operation,
		templateId,
		fileName: artifact.originalName,
		sha256: artifact.sentSha256,
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
	/** Null for none, and for a UUID of nothing but zeros. */
	templateId: string | null;
}

const NO_TEMPLATE = '00000000-0000-0000-0000-000000000000';

function readSubmission(text: string): Submission {
	const { operation, inputReference, templateId } = parseJson(text) as unknown as Submission;
	return {
		operation,
		inputReference,
		templateId: templateId === NO_TEMPLATE ? null : (templateId ?? null),
	};
}
