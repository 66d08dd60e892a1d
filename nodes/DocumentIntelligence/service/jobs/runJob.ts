import { randomUUID } from 'node:crypto';

import { DocumentError, messageOf, NotSent } from '../../text/errors';
import { isTooDeep, MAX_JSON_DEPTH } from '../../text/jsonDepth';
import { pluralize } from '../../text/pluralize';
import type { Answer } from '../envelope';
import { joined, RequestError } from '../requestError';
import type { Session } from '../session';
import { fetchResult, getJob, storeFile, submitJob, type CallSettings } from './calls';
import { hasEnded, type Job } from './job';
import { asDirectResult } from './jobResult';
import { JobNotEnded, type JobWatch } from './jobWatch';
import { SUBMISSION_MESSAGES, WITH_GET_MANY } from './statusMessages';

/** A job that may have a result yet, which can be fetched later. */
export class ResultPending extends RequestError {}

/** What a job is to do with a document. */
export interface JobRequest {
	/** As the service calls it, for example `Extraction`. */
	operation: string;
	templateId?: string;
	/** The name of the file in quotes. */
	subject: string;
	/** The form that stores the file, or the reference of one that is stored already. */
	file: InstanceType<typeof FormData> | { reference: string };
	/** For how long to wait for the job, from its submission. */
	timeoutSeconds: number;
}

/** How often a request is retried at least: that costs nothing, and what it may lose has been paid. */
const MIN_RETRIES = 8;

export function jobCallSettings({ timeoutSeconds, retries = 0 }: CallSettings): CallSettings {
	return { timeoutSeconds, retries: Math.max(retries, MIN_RETRIES) };
}

/**
 * From a checked file to an answer by way of a job: store, submit, wait, fetch. Each of the four may be repeated, so an
 * answer that is lost loses nothing.
 *
 * @param upload runs the first two steps, which hold a connection for as long as the upload takes
 * @throws DocumentError, with the number of the job from the moment that there is one
 */
export async function runJob(
	session: Session,
	watch: JobWatch,
	request: JobRequest,
	settings: CallSettings,
	upload: <Result>(work: () => Promise<Result>) => Promise<Result>,
): Promise<Answer> {
	const { subject, timeoutSeconds } = request;
	const { job, retryAfterMs } = await upload(async () => await submit(session, request, settings));
	const { jobId } = job;
	// A submission that is repeated may find its job ended, and does not say how.
	const known = hasEnded(job)
		? await getJob(session, jobId, settings).catch((thrown: unknown) => {
				throw notFetched(session, thrown, subject, jobId);
			})
		: job;
	const wait = { subject, timeoutSeconds, firstLookMs: retryAfterMs };
	const ended = await endOf(session, watch, known, wait);
	return await answerOf(session, ended, subject, settings);
}

/**
 * The job that an earlier run has submitted for a document; undefined where it comes to nothing, so that the document may
 * be submitted anew.
 */
export async function earlierJob(
	session: Session,
	jobId: string,
	subject: string,
	settings: CallSettings,
): Promise<Job | undefined> {
	try {
		const job = await getJob(session, jobId, settings);
		return hasEnded(job) && job.status !== 'Succeeded' ? undefined : job;
	} catch (thrown) {
		const failure = notFetched(session, thrown, subject, jobId);
		if (failure instanceof ResultPending) throw failure;
		return undefined;
	}
}

/** A job as it was submitted. */
export interface Submitted {
	job: Job;
	/** Of the stored file. */
	reference: string;
	/** What the service suggests to wait before the first look. */
	retryAfterMs: number | undefined;
}

/** Stores the file and submits the job. */
export async function submit(
	session: Session,
	{ operation, templateId, subject, file }: Omit<JobRequest, 'timeoutSeconds'>,
	settings: CallSettings,
): Promise<Submitted> {
	const { reference } =
		file instanceof FormData ? await storeFile(session, file, subject, settings) : file;
	const submission = { operation, inputReference: reference, templateId };
	const submitted = await submitJob(session, submission, randomUUID(), subject, settings).catch(
		(thrown: unknown) => {
			throw notSubmitted(thrown);
		},
	);
	return { ...submitted, reference };
}

/** How a job is waited for. */
export interface Wait {
	/** What it is about, where that is known. */
	subject: string | undefined;
	timeoutSeconds: number;
	firstLookMs?: number;
	/** Whether this execution has submitted it, so that a stop cancels it before it begins. */
	isOurs?: boolean;
}

/** @throws DocumentError where the wait ends before the job */
export async function endOf(
	session: Session,
	watch: JobWatch,
	job: Job,
	{ subject, timeoutSeconds, firstLookMs, isOurs }: Wait,
): Promise<Job> {
	return await watch.ended(job, timeoutSeconds, firstLookMs, isOurs).catch((thrown: unknown) => {
		throw thrown instanceof JobNotEnded
			? notEnded(thrown, subject, timeoutSeconds)
			: notFetched(session, thrown, subject, job.jobId);
	});
}

/**
 * The answer of a job that has ended.
 *
 * @param subject what it is about, where that is known
 */
export async function answerOf(
	session: Session,
	job: Job,
	subject: string | undefined,
	settings: CallSettings,
): Promise<Answer> {
	const { jobId, status, outputReference, creditsConsumed } = job;
	if (status !== 'Succeeded') throw failed(job, subject);
	if (outputReference === null) throw withoutResult(job, subject);
	const credits = creditsConsumed === null ? {} : { creditsConsumed };
	const result = await fetchResult(
		session,
		outputReference,
		`the result of job ${jobId}`,
		settings,
	).catch((thrown: unknown) => {
		throw notFetched(session, thrown, subject, jobId);
	});
	if ('file' in result) return { data: null, file: result.file, ...credits };
	const { json: stored } = result;
	if (isTooDeep(stored)) throw tooDeep(job, subject);
	return { data: asDirectResult(stored), stored, ...credits };
}

const FETCH_LATER = (jobId: string) =>
	`The service keeps the result for 7 days: fetch it with the resource Job, operation Get Result, job ID ${jobId}.`;

function notSubmitted(thrown: unknown): unknown {
	if (!(thrown instanceof RequestError) || !thrown.mayBeBilled) return thrown;
	const { message, description, details, reached } = thrown;
	// Where a code says what has become of the job, its message has told it.
	if ((details.code?.toLowerCase() ?? '') in SUBMISSION_MESSAGES) return thrown;
	return new RequestError(
		message,
		joined(`The job may have been created and billed: find it ${WITH_GET_MANY}`, description),
		details,
		'never',
		undefined,
		reached,
	);
}

/** The job in a message: its number, and what it is about where that is known. */
function jobNumber(jobId: string, subject: string | undefined): string {
	return subject === undefined ? jobId : `${jobId} for ${subject}`;
}

function notEnded(
	{ job: { jobId }, reason }: JobNotEnded,
	subject: string | undefined,
	seconds: number,
): RequestError {
	const job = jobNumber(jobId, subject);
	return new ResultPending(
		reason === 'timeout'
			? `Job ${job} has not finished within ${seconds} seconds`
			: `The execution ${HOW_ENDED[reason]} while job ${job} was running`,
		joined(
			'The job may go on and be billed.',
			FETCH_LATER(jobId),
			reason === 'timeout' ? 'For long documents raise the Timeout option.' : '',
		),
		{ jobId },
		'never',
	);
}

const HOW_ENDED = { stopped: 'was stopped', ended: 'ended' };

/** Statuses that concern the API key, which has to be put right first. */
const KEY_NOT_ALLOWED = new Set([401, 403]);

/** Statuses of a job or result that the service does not keep any longer. */
const NOT_KEPT = new Set([404, 410]);

function notFetched(
	{ cancelled, signal }: Session,
	thrown: unknown,
	subject: string | undefined,
	jobId: string,
): DocumentError {
	const job = jobNumber(jobId, subject);
	// The reason that a run ends with is about documents that were not sent.
	const isEnd = cancelled.aborted || thrown instanceof NotSent || thrown === signal.reason;
	const how = HOW_ENDED[cancelled.aborted ? 'stopped' : 'ended'];
	const { description = '', details = {} } = thrown instanceof DocumentError ? thrown : {};
	const { httpCode = 0 } = details;
	const isKept = isEnd || !NOT_KEPT.has(httpCode);
	return new (isKept ? ResultPending : RequestError)(
		isEnd
			? `The execution ${how} before the result of job ${job} was fetched`
			: `The result of job ${job} could not be fetched: ${messageOf(thrown)}`,
		joined(
			'The document may already be billed.',
			isKept ? FETCH_LATER(jobId) : '',
			!isKept || KEY_NOT_ALLOWED.has(httpCode) ? description : '',
		),
		{ ...details, jobId },
		'never',
		undefined,
		{ processed: true },
	);
}

/** What is known of a job without a result. Only what it was billed tells whether it cost something. */
function jobFailure(
	{ jobId, failureCode, creditsConsumed }: Job,
	message: string,
	suggestedFix: string,
): RequestError {
	const credits = Math.max(0, creditsConsumed ?? 0);
	return new RequestError(
		message,
		joined(credits > 0 ? `The service billed ${pluralize(credits, 'credit')}.` : '', suggestedFix),
		{
			jobId,
			...(failureCode === null ? {} : { code: failureCode }),
			...(credits > 0 ? { creditsConsumed: credits } : {}),
		},
		'never',
		undefined,
		{ sent: false },
	);
}

/** Why a job that ended has not succeeded. */
function failed(job: Job, subject: string | undefined): RequestError {
	const { jobId, status, failureCode } = job;
	const number = jobNumber(jobId, subject);
	if (status === 'Cancelled')
		return jobFailure(
			job,
			`Job ${number} was cancelled`,
			'Run the document again if it is to be processed.',
		);
	if (failureCode === 'template_unresolved')
		return jobFailure(
			job,
			subject === undefined
				? `No template fits the document of job ${jobId}`
				: `No template fits ${subject} (job ${jobId})`,
			'Choose a template, set one up for this kind of document in the platform, or use Discover Fields, which needs none.',
		);
	return jobFailure(
		job,
		`Job ${number} gave no result${failureCode === null ? '' : `: ${failureCode}`}`,
		`${job.retryable ? 'The service says that it can be retried: run the document again later.' : 'Open the file and check that it is complete and legible, then run it again.'} For the support of the service, quote the number of the job.`,
	);
}

function withoutResult(job: Job, subject: string | undefined): RequestError {
	return jobFailure(
		job,
		`Job ${jobNumber(job.jobId, subject)} has finished without a result`,
		`Do not run the document again: its result may be there later. ${FETCH_LATER(job.jobId)} If it stays away, quote the job ID to the support of the service.`,
	);
}

function tooDeep(job: Job, subject: string | undefined): RequestError {
	return jobFailure(
		job,
		`The result of job ${jobNumber(job.jobId, subject)} is nested too deeply to be passed on`,
		`The result has more than ${MAX_JSON_DEPTH} levels: simplify the template in the platform.`,
	);
}
