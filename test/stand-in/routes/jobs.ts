import { parseJson } from '../contract/checkRequest';
import { HttpError, sandboxError, successEnvelope } from '../http/responses';
import type { Call, Route } from '../http/route';
import { processJob } from '../processing/processJob';
import { accountTemplates } from '../processing/templates';
import { KEPT_MS } from '../state/artifacts';
import type { JobOperation } from '../state/jobs';
import type { Service } from '../state/service';
import { listJobs } from './jobList';

const PATH = '/api/v1/document-jobs';

/** Documents that are processed while the client is gone. */
export function jobRoutes(service: Service): Route[] {
	const { jobs, artifacts } = service;
	const ofJob = ({ key, params }: Call) => [jobs.fileName(key, params.jobId ?? '') ?? []].flat();
	return [
		{
			method: 'POST',
			path: PATH,
			step: 'submit',
			body: 'json',
			sandbox: true,
			fileNames({ key, text }) {
				const { inputReference } = parseJson(text);
				return [artifacts.find(key, String(inputReference))?.originalName ?? []].flat();
			},
			respond: async (call) => await submit(service, call),
		},
		{
			method: 'GET',
			path: PATH,
			step: 'list',
			sandbox: true,
			fileNames: ({ key }) => jobs.listedNames(key),
			respond: async ({ key, query }) => await listJobs(service, key, query),
		},
		{
			method: 'GET',
			path: `${PATH}/:jobId`,
			step: 'get',
			sandbox: true,
			fileNames: ofJob,
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
			sandbox: true,
			fileNames: ofJob,
			jobId: ({ params }) => params.jobId,
			respond: ({ key, params: { jobId = '' } }) => {
				jobs.cancel(key, jobId);
				return Promise.resolve(successEnvelope({ jobId, cancellationRequested: true }, null, 202));
			},
		},
	];
}

async function submit(service: Service, call: Call) {
	const { jobs } = service;
	const { key, record } = call;
	const submission = readSubmission(call.text);
	const earlier = submittedBefore(service, call, JSON.stringify(submission));
	const jobId = earlier ?? createJob(service, call, submission);
	const replayed = earlier !== undefined;
	Object.assign(record, { jobId, replayed });

	const statusUrl = `${PATH}/${jobId}`;
	// A job that has only been created is queued, even if it takes no time.
	const status = replayed ? (await jobs.get(key, jobId)).status : 'Queued';
	const data = { jobId, status, statusUrl, retryAfterSeconds: 1, replayed };
	const response = successEnvelope(data, null, 202);
	Object.assign(
		response.headers,
		{ location: statusUrl, 'retry-after': '1' },
		replayed ? { 'idempotent-replayed': 'true' } : {},
	);
	return response;
}

/** The job of an earlier submission with the same Idempotency-Key and the same body. */
function submittedBefore(
	{ submitted, now }: Service,
	{ key, idempotencyKey }: Call,
	body: string,
): string | undefined {
	const earlier = submitted.get(`${key}\n${idempotencyKey}`);
	if (!earlier || now() >= earlier.at + KEPT_MS) return undefined;
	const message = 'The Idempotency-Key was used with another body.';
	if (earlier.body !== body) throw new HttpError(422, 'idempotency_key_conflict', message);
	return earlier.jobId;
}

function createJob(
	service: Service,
	{ key, sandbox, idempotencyKey, record }: Call,
	submission: Submission,
): string {
	const { artifacts, jobs, settings, submitted } = service;
	const { operation, inputReference, templateId } = submission;
	if (sandbox && (operation === 'Facematch' || templateId !== null)) throw sandboxError();
	if (templateId !== null && operation !== 'Extraction')
		throw notApplied('not_applicable', 'Only an Extraction can be given a template.');
	const template = accountTemplates(settings.templateCount).find(({ id }) => id === templateId);
	if (templateId !== null && !template)
		throw notApplied('unknown', `There is no template "${templateId}".`);
	const artifact = artifacts.open(key, inputReference);

	const rule = settings.jobRules.find(({ match }) => artifact.originalName.includes(match));
	const createdAt = service.now();
	const startsAt = createdAt + service.draw(settings.jobQueueMs);
	const jobId = jobs.create({
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
	if (idempotencyKey !== null)
		submitted.set(`${key}\n${idempotencyKey}`, {
			body: JSON.stringify(submission),
			at: createdAt,
			jobId,
		});
	return jobId;
}

const notApplied = (why: string, message: string) =>
	new HttpError(422, `template_${why}`, message, { field: 'templateId' });

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
