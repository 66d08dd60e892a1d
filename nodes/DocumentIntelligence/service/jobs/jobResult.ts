import { DocumentError, messageOf, NotSent } from '../../text/errors';
import { isObject } from '../../text/json';
import { MAX_JSON_DEPTH } from '../../text/jsonDepth';
import { plainMimeType } from '../../text/mimeType';
import { parseJson } from '../../text/parseJson';
import { pluralize } from '../../text/pluralize';
import type { ServiceRequest, ServiceResponse } from '../client';
import { notUnderstood, readAnswer, type AnsweredFile } from '../envelope';
import { joined, RequestError } from '../requestError';
import type { Session } from '../session';
import type { Job } from './job';

/** What is stored as the result of a job: JSON, or else the file itself. */
export type StoredResult = { json: unknown } | { file: AnsweredFile };

/** Types of the page of a gateway, and of JSON. */
const IS_TEXT = /^text\/|[/+](json|xml)$/;

/** What begins like this is JSON, or a part of it, whatever its type. */
const BEGINS_LIKE_JSON = /^\uFEFF?\s*[{["]/;

/** A stored result is not in an envelope; what a gateway puts in its place may be, and so may a failure. */
export function readStoredResult(
	response: ServiceResponse,
	request: ServiceRequest,
): StoredResult | RequestError {
	const { status, headers, body } = response;
	const unreadable = notUnderstood(status, request.subject, true);
	const text = body.toString('utf8');
	let json: unknown;
	try {
		json = parseJson(text);
	} catch {
		const mimeType = plainMimeType(headers['content-type']);
		const isFile = mimeType !== '' && !IS_TEXT.test(mimeType) && !BEGINS_LIKE_JSON.test(text);
		return isFile && body.length > 0 ? { file: { bytes: body, mimeType } } : unreadable;
	}
	if (!isObject(json) || !('hasErrors' in json) || !('meta' in json)) return { json };
	const answer = readAnswer(response, request);
	if (answer instanceof RequestError) return answer;
	return answer.data === null || answer.data === undefined ? unreadable : { json: answer.data };
}

/** What a template names stands below this; its names are its own. */
const METADATA = 'metadata';

/** The names of results that are read, in their direct spelling (docs/internals/service-contract.md, results). */
const DIRECT_NAMES = new Map(
	`${METADATA} box2D confidence createdDate documents documentType fileName findings fraudBlocked
	fraudRequestId id imageUrl imageUrls message overall pages probe quality results side templateId type`
		.split(/\s+/)
		.map((name) => [name.toLowerCase(), name]),
);

/**
 * The result of a job in the form of a direct answer: a job writes the service's own names with a capital, and how
 * else is open (docs/internals/service-contract.md, jobs). Names of a template stay as they are.
 */
export function asDirectResult(stored: unknown): unknown {
	if (Array.isArray(stored)) return stored.map(asDirectResult);
	if (!isObject(stored)) return stored;
	const taken = new Set(Object.keys(stored));
	const entries = Object.entries(stored).map(([name, value]): [string, unknown] => {
		const direct =
			DIRECT_NAMES.get(name.toLowerCase()) ??
			name.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
		// Where several spellings are there, the service means several things by them.
		const free = direct !== name && taken.has(direct) ? name : direct;
		taken.add(free);
		return [free, direct === METADATA ? value : asDirectResult(value)];
	});
	// Unlike an assignment, this takes `__proto__` for a name like any other.
	return Object.fromEntries(entries);
}

function fetchLater(jobId: string): string {
	return `Cogneris keeps the result for 7 days: fetch it with the resource Job, operation Get Result, job ID ${jobId}.`;
}

/** The ID of a job in a message, with its document if that is known. */
function idAndSubject(jobId: string, subject: string | undefined): string {
	return subject === undefined ? jobId : `${jobId} for ${subject}`;
}

/** Why a job was not waited for any longer. */
export function notAwaited(
	{ job: { jobId }, subject }: { job: Job; subject: string | undefined },
	reason: { seconds: number } | { hasStopped: boolean },
): RequestError {
	const job = idAndSubject(jobId, subject);
	const isLate = 'seconds' in reason;
	return new RequestError(
		isLate
			? `Job ${job} has not finished within ${reason.seconds} seconds`
			: `The execution ${reason.hasStopped ? 'was stopped' : 'ended'} while job ${job} was running`,
		joined(
			'The job may go on and be billed.',
			fetchLater(jobId),
			isLate ? "For long documents raise 'Timeout (Seconds)'." : '',
		),
		{ jobId },
		'lost',
	);
}

/** Statuses of a result that the service does not keep any longer. */
const NOT_KEPT = new Set([404, 410]);

/** Statuses that concern the API key, which has to be put right first. */
export const KEY_REJECTED: ReadonlySet<number> = new Set([401, 403]);

/** Why the result of a job, which may be paid, could not be fetched. What names the job already stays as it is. */
export function notFetched(
	{ cancelled, signal }: Session,
	thrown: unknown,
	jobId: string,
	subject: string | undefined,
): DocumentError {
	const { description = '', details = {} } = thrown instanceof DocumentError ? thrown : {};
	if (thrown instanceof DocumentError && details.jobId !== undefined) return thrown;
	const job = idAndSubject(jobId, subject);
	// The reason that a run ends with concerns documents that were not sent.
	const isEnd = cancelled.aborted || thrown instanceof NotSent || thrown === signal.reason;
	const { httpCode = 0 } = details;
	const isKept = isEnd || !NOT_KEPT.has(httpCode);
	return new RequestError(
		isEnd
			? `The execution ${cancelled.aborted ? 'was stopped' : 'ended'} before the result of job ${job} was fetched`
			: `The result of job ${job} could not be fetched: ${messageOf(thrown)}`,
		joined(
			'The document may already be billed.',
			isKept ? fetchLater(jobId) : '',
			!isKept || KEY_REJECTED.has(httpCode) ? description : '',
		),
		{ ...details, jobId },
		'lost',
	);
}

/**
 * Why a job that has ended has no result. Only its credits say whether that cost something.
 *
 * @param isTooDeep whether it has one that cannot be passed on
 */
export function jobFailure(job: Job, subject: string | undefined, isTooDeep = false): RequestError {
	const { jobId, failureCode, creditsConsumed } = job;
	const credits = Math.max(0, creditsConsumed ?? 0);
	const [message, advice] = reasonOf(job, subject, isTooDeep);
	return new RequestError(
		message,
		joined(credits > 0 ? `Cogneris billed ${pluralize(credits, 'credit')}.` : '', advice),
		{
			jobId,
			...(failureCode === null ? {} : { code: failureCode }),
			...(credits > 0 ? { creditsConsumed: credits } : {}),
		},
		'never',
	);
}

function reasonOf(
	{ jobId, status, failureCode, retryable }: Job,
	subject: string | undefined,
	isTooDeep: boolean,
): [message: string, advice: string] {
	const job = idAndSubject(jobId, subject);
	if (isTooDeep)
		return [
			`The result of job ${job} is nested too deeply to be passed on`,
			`The result has more than ${MAX_JSON_DEPTH} levels: simplify the template in your Cogneris account.`,
		];
	if (status === 'Succeeded')
		return [
			`Job ${job} has finished without a result`,
			`Do not run the document again: its result may be there later. ${fetchLater(jobId)} If it stays away, quote the job ID to Cogneris support.`,
		];
	if (status === 'Cancelled')
		return [`Job ${job} was cancelled`, 'Run the document again if it is to be processed.'];
	if (failureCode === 'template_unresolved')
		return [
			`No template fits ${subject ?? 'the document'} (job ${jobId})`,
			'Choose a template, set one up for this kind of document in your Cogneris account, or use Discover Fields, which needs none.',
		];
	return [
		`Job ${job} returned no result${failureCode === null ? '' : `: ${failureCode}`}`,
		`${retryable ? 'The job can be retried: run the document again later.' : 'Open the file and check that it is complete and legible, then run it again.'} If you contact Cogneris support, quote the job ID.`,
	];
}
