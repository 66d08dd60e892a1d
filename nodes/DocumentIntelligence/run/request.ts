import type { Ended, Ready } from '../document/document';
import { documentForm, fileOf, textsOf, type DocumentOperation } from '../operations/operation';
import { readAnswer, type Answer } from '../service/envelope';
import type { ServiceRequest } from '../service/client';
import { sendWithRetries } from '../service/exchange';
import { isGone, JobError, notFetched } from '../service/jobs/jobResult';
import { NOT_SENT, RequestError } from '../service/requestError';
import { subjectOf } from '../text/words';
import { conclude, concludeCall } from './conclude';
import { answerFrom, keep, keptJob, newResults } from './repeats/earlierResults';
import type { Run } from './run';

/** Makes one request, by the route and with the parameters of its first document. Never throws. */
export async function request(run: Run, ready: Ready[]): Promise<Ended[]> {
	const { operation } = run;
	const [first] = ready;
	if (first === undefined) return [];
	try {
		if (operation.kind === 'calls') return [await concludeCall(run, operation, first)];
		const answer = await fetchAnswer(run, operation, first, ready);
		if (answer !== undefined) return await conclude(run, operation, ready, answer);
		return await request(run, [{ ...first, earlier: null }]);
	} catch (thrown) {
		return failAll(run, ready, thrown);
	}
}

/** The ways from checked files to an answer. Undefined for a job of an earlier run that has none. */
async function fetchAnswer(
	run: Run,
	operation: DocumentOperation,
	first: Ready,
	ready: Ready[],
): Promise<Answer | undefined> {
	const { session, jobs } = run;
	const { item, route, earlier, settings } = first;
	if (earlier?.kind === 'job') return await collectEarlier(run, earlier.jobId, first);
	if (earlier?.kind === 'answer') return answerFrom(earlier);
	const subject = subjectOf(ready.map((document) => document.subject));
	if (route.via === 'job') {
		const onLateJob = (jobId: string) =>
			void keep(run, [{ document: first, result: keptJob(jobId) }]);
		const job = { operation: route.operation, templateId: route.templateId, subject, onLateJob };
		return await jobs.process(settings, job, fileOf(first));
	}
	const { path, mayReturn, statusMessages } = operation;
	const post: ServiceRequest = {
		method: 'POST',
		path,
		body: documentForm(ready, textsOf(operation, item.read)),
		timeoutSeconds: settings.timeoutSeconds,
		subject,
		mayReturn,
		processes: 'document',
		statusMessages,
	};
	// Not awaited: the execution has ended.
	const keepLate = (answer: Answer) => {
		const results = newResults(run, operation, ready, answer);
		void keep(
			run,
			ready.map((document, number) => ({ document, result: results[number] ?? null })),
		);
	};
	return await sendWithRetries(session, post, readAnswer, run.keepsResults ? keepLate : undefined);
}

/** A job that failed, was canceled or is unknown has to be submitted anew. */
async function collectEarlier(
	{ session, jobs }: Run,
	jobId: string,
	{ subject, settings }: Ready,
): Promise<Answer | undefined> {
	try {
		const { job, retryAfterMs } = await jobs.find(settings, jobId);
		return await jobs.collect(settings, job, { subject, retryAfterMs, isOurs: true });
	} catch (thrown) {
		const isOver = thrown instanceof JobError ? thrown.result !== 'kept' : isGone(thrown);
		if (isOver) return undefined;
		throw notFetched(session, thrown, jobId, subject);
	}
}

/** The documents of a request without an answer. What it cost counts once, at the first of them. */
function failAll({ end }: Run, ready: Ready[], thrown: unknown): Ended[] {
	const failure = thrown instanceof RequestError ? thrown : undefined;
	const { httpCode, creditsConsumed } = failure?.details ?? {};
	// All other requests would end in the same way; without quota, only those that send a document.
	if (httpCode === 401) end.endSending('requests', NOT_SENT.key, httpCode);
	else if (failure?.retryKind === 'quota') end.endSending('documents', NOT_SENT.quota, 429);
	else if (httpCode === 429) end.endSending('requests', NOT_SENT.rateLimit, httpCode);
	return ready.map((document, number) => ({
		...end.fail(document, thrown),
		credits: number === 0 ? creditsConsumed : undefined,
	}));
}
