import { documentForm, jobFile, textsOf, type DocumentOperation } from '../operations/operation';
import { readAnswer, type Answer } from '../service/envelope';
import type { OnDetached, ServiceRequest } from '../service/client';
import { sendWithRetries } from '../service/exchange';
import { JobError } from '../service/jobs/jobResult';
import { NOT_SENT, RequestError } from '../service/requestError';
import type { DocumentError } from '../text/errors';
import { subjectOf } from '../text/words';
import type { Ended, Ready } from './state';
import { conclude, concludeCall } from './conclude';
import { useEarlier } from './ledger/earlier';
import type { Earlier } from './ledger/past';
import type { Run } from './run';
import type { RunEnd } from './runEnd';

/** The end of one document: by what it got before or, where that is nothing of use, by its route. Never throws. */
export async function request(run: Run, document: Ready): Promise<Ended> {
	const { earlier } = document;
	if (earlier === null) return await sendAnew(run, document);
	const next = await answerFromEarlier(run, document, earlier);
	if (next.state !== 'ready') return run.end.watch(next);
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
	if (work.aborted) return run.end.fail(document, work.reason);
	return await useEarlier(run, document, earlier).catch((thrown: unknown) =>
		failed(run, document, thrown),
	);
}

async function sendAnew(run: Run, document: Ready): Promise<Ended> {
	const { end } = run;
	if (end.sending.aborted) return end.fail(document, end.sending.reason);
	return await unlessDetached(
		async (onDetached) =>
			end.watch(
				await answerByRoute(run, document, onDetached).catch((thrown: unknown) =>
					failed(run, document, thrown),
				),
			),
		(stopped, late) => end.detach(document, stopped, late),
	);
}

/**
 * What a request ends with or, if a stop leaves it in flight, what its documents end with for now.
 * @param endForNow is given what the request ends with later
 */
export async function unlessDetached<End>(
	send: (onDetached: OnDetached) => Promise<End>,
	endForNow: (stopped: DocumentError, late: Promise<End>) => End,
): Promise<End> {
	return await new Promise((resolve, reject) => {
		const late = send((stopped) => resolve(endForNow(stopped, late)));
		late.then(resolve, reject);
	});
}

async function answerByRoute(run: Run, document: Ready, onDetached: OnDetached): Promise<Ended> {
	const { operation, jobs } = run;
	const { route, settings, subject } = document;
	if (operation.kind === 'calls') return await concludeCall(run, operation, document, onDetached);
	if (route.via === 'job') {
		const job = { operation: route.operation, templateId: route.templateId, subject };
		const answer = await jobs.process({ ...settings, onDetached }, job, jobFile(document));
		return await conclude(run, operation, document, answer);
	}
	const answer = await post(run, operation, [document], onDetached);
	return await conclude(run, operation, document, answer);
}

/** One request for one or several documents, with the parameters of the first. */
export async function post(
	{ session }: Run,
	operation: DocumentOperation,
	documents: [Ready, ...Ready[]],
	onDetached: OnDetached,
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
		onDetached,
		statusMessages,
	};
	return await sendWithRetries(session, request, readAnswer);
}

/** The end of a document whose request was not answered with a result, with what it cost. */
export function failed({ end, attempt, isSaved }: Run, document: Ready, thrown: unknown): Ended {
	if (thrown instanceof RequestError) endSendingAfter(end, thrown);
	const { creditsConsumed, jobId } = thrown instanceof RequestError ? thrown.details : {};
	const paid = attempt.paymentFor(document.earlier, creditsConsumed, jobId);
	// No later run collects a job for a workflow that was never saved.
	const shown = thrown instanceof JobError && !isSaved ? thrown.leftToUser() : thrown;
	const ended = end.fail(document, shown);
	return ended.state === 'failed' ? { ...ended, paid } : ended;
}

/** Ends the sending if all other requests, or all that send a document, would fail in the same way. */
function endSendingAfter(end: RunEnd, { retryKind, details: { httpCode } }: RequestError): void {
	if (httpCode === 401) end.endSending('requests', NOT_SENT.key, httpCode);
	else if (retryKind === 'quota') end.endSending('documents', NOT_SENT.quota, 429);
	else if (httpCode === 429) end.endSending('requests', NOT_SENT.rateLimit, httpCode);
}
