import { documentForm, jobFile, textsOf, type DocumentOperation } from '../operations/operation';
import { readAnswer, type Answer } from '../service/envelope';
import type { ServiceRequest } from '../service/client';
import { sendWithRetries } from '../service/exchange';
import { JobError } from '../service/jobs/jobResult';
import { NOT_SENT, RequestError } from '../service/requestError';
import { subjectOf } from '../text/words';
import { unlessAborted } from '../waiting/waiting';
import type { Ended, Ready } from './state';
import { conclude, concludeCall } from './conclude';
import { useEarlier } from './ledger/earlier';
import type { Earlier } from './ledger/past';
import type { Run } from './run';

/** The end of one document: by what it got before or, where that is nothing of use, by its route. Never throws. */
export async function request(run: Run, document: Ready): Promise<Ended[]> {
	const { earlier } = document;
	if (earlier === null) return await sendAnew(run, document);
	const next = await answerFromEarlier(run, document, earlier);
	if (next.state !== 'ready') return [run.end.watch(next)];
	const send = async () => await sendAnew(run, next);
	// What has waited for an earlier answer has no slot yet.
	return next.route.via === 'job' ? await send() : await run.requestSlots.use(send);
}

/** What is at hand is used although nothing more is sent. */
async function answerFromEarlier(
	run: Run,
	document: Ready,
	earlier: Earlier,
): Promise<Ready | Ended> {
	const { work } = run.end;
	if (work.aborted) return run.end.failLoaded(document, work.reason);
	return await useEarlier(run, document, earlier).catch((thrown: unknown) =>
		failed(run, document, thrown),
	);
}

async function sendAnew(run: Run, document: Ready): Promise<Ended[]> {
	const { sending } = run.end;
	if (sending.aborted) return [run.end.failLoaded(document, sending.reason)];
	return await unlessLeft(run, [document], async (leftRunning) => [
		run.end.watch(
			await answerByRoute(run, document, leftRunning).catch((thrown: unknown) =>
				failed(run, document, thrown),
			),
		),
	]);
}

/**
 * The ends of documents or, if a stop has left their request in flight, their ends for now.
 * @param sendAll is given what a stop aborts with the failure of the documents for now, while the request goes on
 */
export async function unlessLeft(
	{ end }: Run,
	documents: Ready[],
	sendAll: (leftRunning: AbortController) => Promise<Ended[]>,
): Promise<Ended[]> {
	const leftRunning = new AbortController();
	const ended = sendAll(leftRunning);
	return await unlessAborted(ended, leftRunning.signal).catch((stopped: unknown) =>
		documents.map((document) => end.leave(document, stopped, ended)),
	);
}

async function answerByRoute(
	run: Run,
	document: Ready,
	leftRunning: AbortController,
): Promise<Ended> {
	const { operation, jobs } = run;
	const { route, settings, subject } = document;
	if (operation.kind === 'calls') return await concludeCall(run, operation, document, leftRunning);
	if (route.via === 'job') {
		const job = { operation: route.operation, templateId: route.templateId, subject };
		const answer = await jobs.process({ ...settings, leftRunning }, job, jobFile(document));
		return await conclude(run, operation, document, answer);
	}
	const answer = await post(run, operation, [document], leftRunning);
	return await conclude(run, operation, document, answer);
}

/** One request for one or several documents, with the parameters of the first. */
export async function post(
	{ session }: Run,
	operation: DocumentOperation,
	documents: [Ready, ...Ready[]],
	leftRunning: AbortController,
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
		leftRunning,
		statusMessages,
	};
	return await sendWithRetries(session, request, readAnswer);
}

/** The end of a document whose request was not answered with a result. */
export function failed({ end, attempt, isSaved }: Run, document: Ready, thrown: unknown): Ended {
	const failure = thrown instanceof RequestError ? thrown : undefined;
	const { httpCode, creditsConsumed, jobId } = failure?.details ?? {};
	// All other requests would end in the same way; without quota, only those that send a document.
	if (httpCode === 401) end.endSending('requests', NOT_SENT.key, httpCode);
	else if (failure?.retryKind === 'quota') end.endSending('documents', NOT_SENT.quota, 429);
	else if (httpCode === 429) end.endSending('requests', NOT_SENT.rateLimit, httpCode);
	const paid = attempt.paymentFor(document.earlier, creditsConsumed, jobId);
	const shown = thrown instanceof JobError && !isSaved ? thrown.leftToUser() : thrown;
	const ended = end.failLoaded(document, shown);
	return ended.state === 'failed' ? { ...ended, paid } : ended;
}
