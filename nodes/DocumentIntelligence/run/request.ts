import type { Earlier, Ended, Past, Ready } from '../document/document';
import {
	BrokenLink,
	documentForm,
	fileOf,
	textsOf,
	type DocumentOperation,
} from '../operations/operation';
import { readAnswer, type Answer } from '../service/envelope';
import type { ServiceRequest } from '../service/client';
import { sendWithRetries, withLateResult } from '../service/exchange';
import { isGone, JobError, notFetched } from '../service/jobs/jobResult';
import type { SubmittedJob } from '../service/jobs/runningJobs';
import { NOT_SENT, RequestError } from '../service/requestError';
import { readAnswerFrom, saveAnswer } from '../service/savedAnswer';
import { subjectOf, sumOf } from '../text/words';
import { unlessAborted } from '../waiting/waiting';
import { conclude, concludeCall, concludeEarlierCall } from './conclude';
import { skipped, skippedByHistory } from './ledger/decide';
import type { Run } from './run';

/** The end of one document: by what it got before or, where that is nothing of use, by its route. Never throws. */
export async function request(run: Run, document: Ready): Promise<Ended> {
	const { signal } = run.end;
	if (signal.aborted) return run.end.fail(document, signal.reason);
	const failWith = (each: Ready) => (thrown: unknown) => failed(run, each, thrown);
	const known = await useEarlier(run, document, document.earlier).catch(failWith(document));
	const ended = known ?? skippedByHistory(document);
	if (ended !== undefined) return run.end.watch(ended);
	const anew = { ...document, earlier: null };
	const send = async () => await requestAnew(run, anew).catch(failWith(anew));
	// What waited for an earlier answer has no place among the requests.
	const isPlaced = document.earlier === null || document.route.via === 'job';
	return run.end.watch(await (isPlaced ? send() : run.requests.use(send)));
}

/** Undefined if the document has to be sent. */
async function useEarlier(
	run: Run,
	document: Ready,
	earlier: Earlier | null,
): Promise<Ended | undefined> {
	const { operation, attempt, end } = run;
	if (earlier === null) return undefined;
	const { past, isPassedOn } = earlier;
	if (past.kind === 'pending') {
		const outcome = await unlessAborted(past.outcome, end.signal);
		const isSkipped = document.settings.processedBefore === 'skip';
		if (outcome?.kind === 'lost') return isSkipped ? skipped(document, 'lost', 'lost') : undefined;
		const known = outcome === null ? null : { ...earlier, past: outcome };
		return await useEarlier(run, { ...document, earlier: known }, known);
	}
	if (operation.kind === 'calls')
		return past.kind === 'outputs'
			? await concludeEarlierCall(run, operation, document, past.bytes)
			: undefined;
	if (past.kind === 'job') {
		const collected = await collectEarlier(run, past.jobId, document);
		return collected && (await conclude(run, operation, document, collected));
	}
	if (past.kind !== 'answer') return undefined;
	// Its credits were shown when it was passed on, and 0 would say that it was free.
	const answer = readAnswerFrom(isPassedOn ? { ...past, credits: undefined } : past);
	const answered = await conclude(run, operation, document, answer);
	const isBroken = answered.outputs.some((output) => output instanceof BrokenLink);
	// Another attempt must not pay once more.
	return isBroken && !attempt.isOfEarlierAttempt(earlier) ? undefined : answered;
}

/** Undefined for a job that failed at no cost, was canceled or is unknown: it has to be submitted anew. */
async function collectEarlier(
	{ session, jobs }: Run,
	jobId: string,
	{ subject, settings }: Ready,
): Promise<Answer | undefined> {
	try {
		const { job, retryAfterMs } = await jobs.find(settings, jobId);
		return await jobs.collect(settings, job, { subject, retryAfterMs, isOurs: true });
	} catch (thrown) {
		const isFree = thrown instanceof JobError && !thrown.mayBeBilled;
		const isUnknown = thrown instanceof JobError ? thrown.result === 'gone' : isGone(thrown);
		if (isFree || isUnknown) return undefined;
		throw notFetched(session, thrown, jobId, subject);
	}
}

async function requestAnew(run: Run, document: Ready): Promise<Ended> {
	const { operation, jobs } = run;
	const { route, settings, subject } = document;
	if (operation.kind === 'calls') return await concludeCall(run, operation, document);
	if (route.via === 'job') {
		const job = { operation: route.operation, templateId: route.templateId, subject };
		const pastOf = ({ job: { jobId } }: SubmittedJob): Past => ({ kind: 'job', jobId });
		const answer = jobs.process(settings, job, fileOf(document)).catch(withLateResult(pastOf));
		return await conclude(run, operation, document, await answer);
	}
	const answer = post(run, operation, [document]).catch(withLateResult(pastOfAnswer));
	return await conclude(run, operation, document, await answer);
}

export function pastOfAnswer(answer: Answer): Past {
	return { kind: 'answer', ...saveAnswer(answer) };
}

/** One request for one or several documents, with the parameters of the first. */
export async function post(
	{ session }: Run,
	operation: DocumentOperation,
	documents: [Ready, ...Ready[]],
): Promise<Answer> {
	const [{ item, settings }] = documents;
	const { path, mayReturn, statusMessages } = operation;
	const request: ServiceRequest = {
		method: 'POST',
		path,
		body: documentForm(documents, textsOf(operation, item.read)),
		timeoutSeconds: settings.timeoutSeconds,
		subject: subjectOf(documents.map(({ subject }) => subject)),
		mayReturn,
		processes: 'document',
		statusMessages,
	};
	return await sendWithRetries(session, request, readAnswer);
}

/** The end of a document whose request was not answered with a result. */
export function failed({ end, attempt }: Run, document: Ready, thrown: unknown): Ended {
	const failure = thrown instanceof RequestError ? thrown : undefined;
	const { httpCode, creditsConsumed } = failure?.details ?? {};
	// All other requests would end in the same way; without quota, only those that send a document.
	if (httpCode === 401) end.endSending('requests', NOT_SENT.key, httpCode);
	else if (failure?.retryKind === 'quota') end.endSending('documents', NOT_SENT.quota, 429);
	else if (httpCode === 429) end.endSending('requests', NOT_SENT.rateLimit, httpCode);
	const { earlier } = document;
	const credits = sumOf(attempt.ownCredits(earlier, creditsConsumed), earlier?.credits);
	const ended = end.fail(document, thrown);
	return ended.state === 'failed' ? { ...ended, credits } : ended;
}
