import { randomUUID } from 'node:crypto';

import { asDocumentError, DocumentError } from '../../errors';
import { isTooDeep } from '../../text/jsonDepth';
import { tooDeep, type Answer } from '../envelope';
import { RequestError } from '../requestError';
import type { Session } from '../session';
import { fetchResult, getJob, storeFile, submitJob, type CallSettings } from './calls';
import { hasEnded, type Job } from './job';
import { asDirectResult } from './jobResult';
import { JobNotEnded, type JobWatch } from './jobWatch';

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

/** How often a request is retried that costs nothing, at least: what it may lose has been paid. */
const MIN_RETRIES = 8;

export function jobCallSettings(settings: CallSettings): CallSettings {
	const { policy } = settings;
	const maxRetries = Math.max(policy.maxRetries, MIN_RETRIES);
	return { ...settings, policy: { ...policy, maxRetries } };
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
	// A submission that is repeated may find its job ended, and does not say where the result is.
	const ended = hasEnded(job)
		? await getJob(session, job.jobId, settings).catch((thrown: unknown) => {
				throw notFetched(thrown, job.jobId, subject);
			})
		: await endOf(watch, job, { subject, timeoutSeconds, firstLookMs: retryAfterMs });
	return await answerOf(session, ended, subject, settings);
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
			throw notSubmitted(thrown, subject);
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
	watch: JobWatch,
	job: Job,
	{ subject, timeoutSeconds, firstLookMs, isOurs }: Wait,
): Promise<Job> {
	return await watch.ended(job, timeoutSeconds, firstLookMs, isOurs).catch((thrown: unknown) => {
		throw thrown instanceof JobNotEnded
			? notEnded(thrown, subject, timeoutSeconds)
			: notFetched(thrown, job.jobId, subject);
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
	if (status !== 'Succeeded' || outputReference === null) throw failed(job, subject);
	const stored = await fetchResult(
		session,
		outputReference,
		`the result of job ${jobId}`,
		settings,
	).catch((thrown: unknown) => {
		throw notFetched(thrown, jobId, subject);
	});
	if (isTooDeep(stored)) throw tooDeep(OK, subject ?? `job ${jobId}`, creditsConsumed ?? 0);
	return {
		data: asDirectResult(stored),
		stored,
		...(creditsConsumed === null ? {} : { creditsConsumed }),
	};
}

const OK = 200;

const FETCH_LATER = (jobId: string) =>
	`The service keeps the result for 7 days: fetch it with the resource Job, operation Get Result, job ID ${jobId}.`;

function notSubmitted(thrown: unknown, subject: string): unknown {
	if (!(thrown instanceof RequestError)) return thrown;
	const { message, description, details } = thrown;
	const fix = SUBMIT_FIXES[details.code?.toLowerCase() ?? ''];
	if (fix === undefined) return thrown;
	return new RequestError(
		fix.message?.(subject) ?? message,
		`${fix.suggestedFix} ${description}`,
		details,
		'never',
	);
}

const SUBMIT_FIXES: Readonly<
	Record<string, { message?: (subject: string) => string; suggestedFix: string }>
> = {
	template_unknown: {
		message: (subject) => `The service does not know the template for ${subject}`,
		suggestedFix:
			'Choose a template from the list: it has to be finished, and of the account of the API key.',
	},
	template_not_applicable: {
		message: (subject) => `This operation takes no template, so ${subject} was not processed`,
		suggestedFix: 'Remove the template, or use Extract.',
	},
	idempotency_replay_unavailable: {
		message: (subject) =>
			`${subject} was submitted as a job, but the service cannot tell its number`,
		suggestedFix:
			'The job may have been billed. Find it with the resource Job, operation Get Many, before running the document again.',
	},
	idempotency_key_conflict: {
		message: (subject) => `The service took the job of ${subject} for another one`,
		suggestedFix:
			'The first submission may have been billed. Find it with the resource Job, operation Get Many, before running the document again.',
	},
};

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
	return new RequestError(
		reason === 'timeout'
			? `Job ${job} has not finished within ${seconds} seconds`
			: `The execution was stopped while job ${job} was running`,
		`The job may go on and be billed. ${FETCH_LATER(jobId)}${reason === 'timeout' ? ' For long documents raise the Timeout option.' : ''}`,
		{ jobId },
		'never',
	);
}

/** Statuses with which the service says that it does not have something any more. */
const GONE = new Set([404, 410]);

function notFetched(thrown: unknown, jobId: string, subject: string | undefined): DocumentError {
	const failure = asDocumentError(thrown);
	const isGone = GONE.has(failure.details.httpCode ?? 0);
	return new RequestError(
		`The result of job ${jobNumber(jobId, subject)} could not be fetched: ${failure.message}`,
		`The document may already be billed. ${isGone ? failure.description : FETCH_LATER(jobId)}`,
		{ ...failure.details, jobId },
		'never',
		undefined,
		{ processed: true },
	);
}

/** Why a job has no result. */
function failed(
	{ jobId, status, failureCode, creditsConsumed }: Job,
	subject: string | undefined,
): DocumentError {
	const job = jobNumber(jobId, subject);
	const details = {
		jobId,
		...(failureCode === null ? {} : { code: failureCode }),
		...(creditsConsumed === null || creditsConsumed === 0 ? {} : { creditsConsumed }),
	};
	if (status === 'Cancelled') {
		return new DocumentError(
			`Job ${job} was cancelled`,
			'Run the document again if it is to be processed.',
			details,
		);
	}
	if (failureCode === 'template_unresolved') {
		return new DocumentError(
			subject === undefined
				? `No template fits the document of job ${jobId}`
				: `No template fits ${subject} (job ${jobId})`,
			'Choose a template, set one up for this kind of document in the platform, or use Discover Fields, which needs none.',
			details,
		);
	}
	return new DocumentError(
		`Job ${job} gave no result${failureCode === null ? '' : `: ${failureCode}`}`,
		'Open the file and check that it is complete and legible, then run it again. For the support of the service, quote the number of the job.',
		details,
	);
}
