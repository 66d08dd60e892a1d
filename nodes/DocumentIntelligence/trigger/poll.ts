import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import type { Document, Output } from '../operations/operation';
import { getResult } from '../operations/jobGetResult';
import { type ReadParameter } from '../parameters/read';
import { finish, itemsOf, type Finished } from '../run/items';
import { CREDENTIAL_NAME } from '../service/account';
import { cancelledBy } from '../service/client';
import { getJob, listJobs } from '../service/jobs/calls';
import { hasEnded, lacksResult, type Job } from '../service/jobs/job';
import { answerOf } from '../service/jobs/jobResult';
import { RunningJobs } from '../service/jobs/runningJobs';
import { processLimiters, type Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';
import { openSession, Slots, Traffic, type Session } from '../service/session';
import { asDocumentError, asNodeError, DocumentError, failedItemJson } from '../text/errors';
import { Hints } from '../text/hints';
import { look } from './look';
import { afterAttempt, afterEnd, dueJobs, isLastTry, readMemory, savedMemory } from './memory';
import type { DueJob, Memory } from './memory';
import { readWanted, type Wanted } from './parameters';

/** n8n gives an activation up after 84 seconds (docs/internals/n8n-behaviour.md, Polling triggers), and polls each minute. */
const MAX_POLL_MS = 75_000;

/** The part of the requests of a minute that a trigger uses: the others are for workflows that submit documents. */
const SHARE = 0.5;

/** How many results are fetched at a time; results are small. */
const CONCURRENCY = 4;

/** What fails costs nothing and is asked again by the next poll: retries would use up the requests of a minute. */
const SETTINGS = { timeoutSeconds: 20, retries: 0 };

/** What this process knows of the polls of a node. */
interface NodePolls {
	/** The context of the poll in flight. n8n makes one for each activation. */
	running?: IPollFunctions;
	/** What is known as long as n8n has saved nothing: it does not save what a poll that found nothing knew. */
	unsaved?: Memory;
}

/** The polls of a process, by workflow and node. */
export class Polls {
	readonly #ofNodes = new Map<string, NodePolls>();

	of(context: IPollFunctions): NodePolls {
		const name = `${context.getWorkflow().id ?? ''} ${context.getNode().id}`;
		const known = this.#ofNodes.get(name) ?? {};
		this.#ofNodes.set(name, known);
		return known;
	}
}

const processPolls = new Polls();

/**
 * One poll: the items of all jobs that have ended since the last one, each job once.
 *
 * @param limiters shared by the executions of a process; tests bring their own, with a clock that does not wait
 * @param polls likewise
 * @returns null if nothing is new
 */
export async function pollJobs(
	context: IPollFunctions,
	limiters: Limiters = processLimiters,
	polls: Polls = processPolls,
): Promise<INodeExecutionData[][] | null> {
	const isTest = context.getMode() === 'manual';
	const node = polls.of(context);
	try {
		const polled = await prepare(context, limiters);
		if (isTest) return [await testEvent(polled)];
		// n8n starts a poll whether or not the one before has ended.
		if (node.running === context) return null;
		node.running = context;
		try {
			return await poll(polled, node);
		} finally {
			if (node.running === context) node.running = undefined;
		}
	} catch (thrown) {
		const error = asNodeError(context.getNode(), thrown, 0);
		// If a workflow cannot be activated, n8n shows the message alone.
		if (!isTest) error.message = `${error.message}. ${error.description ?? ''}`.trim();
		throw error;
	}
}

/** What all steps of a poll have in common. */
interface Polled {
	context: IPollFunctions;
	session: Session;
	wanted: Wanted;
	read: ReadParameter;
}

async function prepare(context: IPollFunctions, limiters: Limiters): Promise<Polled> {
	const read: ReadParameter = (name, fallback) =>
		context.getNodeParameter(name, fallback) as typeof fallback;
	const wanted = readWanted(read);
	const budgetMs = Math.min(MAX_POLL_MS, budgetOf(context));
	const signal = AbortSignal.timeout(budgetMs);
	const shared = { signal, cancelled: signal, traffic: new Traffic() };
	const session = await openSession(cancelledBy(context, signal), limiters, shared);
	return { context, session, wanted, read };
}

/** n8n 1 does not say how long a poll may take. */
function budgetOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
	return context.getPollBudgetMs?.() ?? MAX_POLL_MS;
}

async function poll(polled: Polled, node: NodePolls): Promise<INodeExecutionData[][] | null> {
	const { context, session, wanted } = polled;
	const { traffic, account } = session;
	const perMinute = Math.max(1, Math.floor(account.requestsPerMinute * SHARE));
	const name = accountName(context, session);
	const staticData = context.getWorkflowStaticData('node');
	const before =
		readMemory(staticData.memory, name) ??
		(node.unsaved?.account === name ? node.unsaved : undefined);
	const maxAsked = Math.max(1, Math.floor(perMinute / 2));
	const looked = await look(session, SETTINGS, name, before, wanted.starts, maxAsked).catch(
		(thrown: unknown) => {
			throw session.signal.aborted ? tooLate() : thrown;
		},
	);
	if (looked.hasMissed) {
		context.logger.warn(
			'Document Intelligence Trigger: more jobs have finished since the last poll than can be listed, so some may be missed. Poll more often.',
		);
	}
	const due = dueJobs(looked.memory);
	const { memory, finished } = await deliver(polled, looked.memory, due, perMinute);
	// After a new activation its poll does this one's work, with what n8n had saved.
	if (node.running !== context) return null;
	const saved = savedMemory(memory);
	// n8n saves what is assigned, even if it is the same.
	if (JSON.stringify(staticData.memory) !== JSON.stringify(saved)) staticData.memory = saved;
	// n8n may discard what a poll returns, and with it what it has assigned.
	node.unsaved = finished.length === 0 ? memory : before;
	context.logger.debug('Document Intelligence Trigger polled', {
		due: memory.due.size,
		items: finished.length,
		...traffic.counts(),
	});
	return finished.length === 0 ? null : [itemsOf(finished, new Hints(), '')];
}

function tooLate(): DocumentError {
	return new DocumentError(
		'The list of jobs was not answered in time',
		'Nothing is lost: the next poll reads it. If this persists, other programs may be using the same key.',
	);
}

/** It begins anew with another credential; sandbox keys have jobs of their own. */
function accountName(context: IPollFunctions, { account }: Session): string {
	const credential = context.getNode().credentials?.[CREDENTIAL_NAME]?.id ?? '';
	return `${credential} ${account.isSandbox ? 'sandbox' : 'live'} ${account.baseUrl}`;
}

/** Fetches results with what is left of the poll's share of requests; the rest comes with the next poll. */
async function deliver(
	polled: Polled,
	seen: Memory,
	due: DueJob[],
	perMinute: number,
): Promise<{ memory: Memory; finished: Finished[] }> {
	const { session, wanted } = polled;
	const { clock, traffic } = session;
	let left = Math.max(1, perMinute - traffic.requests);
	const cost = ({ job }: DueJob) => (wanted.output === undefined ? 0 : lacksResult(job) ? 2 : 1);
	const now = due.filter((entry, place) => (left -= cost(entry)) >= 0 || place === 0);
	const slots = new Slots(CONCURRENCY);
	const attempt = async (entry: DueJob) => {
		// The poll ended before this job's turn, which is no attempt.
		if (session.signal.aborted) return { entry, items: undefined, isAttempt: false };
		const items = await itemsOfJob(polled, entry.job, isLastTry(entry, clock.now()));
		return { entry, items, isAttempt: true };
	};
	const attempts = await Promise.all(
		now.map(async (entry) => await slots.use(async () => await attempt(entry))),
	);
	const started = attempts.filter(({ items }) => items !== undefined);
	let memory = afterEnd(
		seen,
		started.map(({ entry }) => entry.job.jobId),
	);
	for (const { entry, items, isAttempt } of attempts)
		if (items === undefined && isAttempt)
			memory = afterAttempt(memory, entry.job.jobId, clock.now());
	return { memory, finished: started.flatMap(({ items = [] }) => items) };
}

/**
 * The items of a job that has ended, as Get Result returns them, with what is known of the job. One without a result is
 * a single item with the reason.
 *
 * @param isLastTry whether a result that cannot be fetched now is given up
 * @returns undefined if it may be there later
 */
async function itemsOfJob(
	polled: Polled,
	job: Job,
	isLastTry: boolean,
): Promise<Finished[] | undefined> {
	const { wanted, session } = polled;
	if (wanted.output === undefined) return [{ item: { json: { ...job } } }];
	const document = documentOf(job, polled);
	let outputs: Output[];
	try {
		outputs = await fetchOutputs(polled, wanted.output, job, document);
	} catch (thrown) {
		if (!isLastTry && (session.signal.aborted || mayBeThereLater(job, thrown))) return undefined;
		outputs = [asDocumentError(thrown)];
	}
	const { jobId, operation, status, completedAt, failureCode } = job;
	const known = { jobId, operation, status, completedAt, failureCode };
	// Get Result has no item for a picture in which nothing was found; the job has finished all the same.
	if (outputs.length === 0) return [{ item: { json: known } }];
	return outputs.map((output, position) => finishedJob(output, known, document, position));
}

/** A trigger has no input that its items could be paired with. */
function finishedJob(
	output: Output,
	known: IDataObject,
	document: Document,
	position: number,
): Finished {
	if (output instanceof DocumentError)
		return { item: { json: { ...known, ...failedItemJson(output) } } };
	const { item, row } = finish(output, document, getResult, position, known);
	const { json, binary } = item;
	const own = { json, ...(binary === undefined ? {} : { binary }) };
	return row === undefined ? { item: own } : { item: own, row, rowInput: known };
}

async function fetchOutputs(
	polled: Polled,
	output: string,
	job: Job,
	document: Document,
): Promise<Output[]> {
	const { session, read } = polled;
	// A list may show a job as succeeded before its result is there.
	const whole = lacksResult(job) ? await getJob(session, job.jobId, SETTINGS) : job;
	const answer = await answerOf(session, whole, undefined, SETTINGS);
	// Downloads end with the poll.
	const context = cancelledBy(polled.context, session.signal);
	const { subject } = document;
	const hints = new Hints();
	const jobs = new RunningJobs(new Slots(CONCURRENCY));
	return await getResult.toOutputs(
		{ job: whole, answer },
		{ session, jobs, context, document, subject, read, output, hints, settings: SETTINGS },
	);
}

const GONE = 410;

/** Whether a job that succeeded has a result that could not be fetched, and has not been deleted. */
function mayBeThereLater({ status, outputReference }: Job, thrown: unknown): boolean {
	if (status !== 'Succeeded' || !(thrown instanceof RequestError)) return false;
	// A result that came and cannot be passed on is the same the next time.
	const mayCome = thrown.retryKind === 'lost' || outputReference === null;
	return mayCome && thrown.details.httpCode !== GONE;
}

/** The document of a job: the service does not say which file it was. */
function documentOf({ jobId }: Job, { read, session }: Polled): Document {
	const { isSandbox } = session.account;
	const files = async () => await Promise.resolve([]);
	return {
		item: { itemIndex: 0, json: {}, read, isSandbox, files },
		parts: [],
		skipped: 0,
		subject: `job ${jobId}`,
		fileName: null,
		nameOfFiles: jobId,
	};
}

/** What a user gets to build the workflow with: the newest job that has ended, whether or not it is new. */
async function testEvent(polled: Polled): Promise<INodeExecutionData[]> {
	const { session, wanted } = polled;
	const jobs = [...(await listJobs(session, SETTINGS)).jobs.values()];
	const ended = jobs.filter(hasEnded);
	const end = ({ completedAt }: Job) => completedAt ?? '';
	const [newest] = ended
		.filter(wanted.starts)
		.sort((one, other) => (end(one) > end(other) ? -1 : 1));
	if (newest === undefined) throw nothingYet(jobs.length, ended.length);
	return itemsOf((await itemsOfJob(polled, newest, true)) ?? [], new Hints(), '');
}

function nothingYet(jobs: number, ended: number): DocumentError {
	if (ended > 0) {
		return new DocumentError(
			"The finished jobs do not match 'Trigger On' and 'Operations'",
			"Change 'Trigger On' or 'Operations', or process another document as a job. Then click Fetch Test Event again.",
		);
	}
	return jobs > 0
		? new DocumentError(
				'No job has finished yet',
				'Wait until a job has finished, then click Fetch Test Event again.',
			)
		: new DocumentError(
				'There is no job yet',
				'Process a document as a job first: use the Document Intelligence node with the resource Job and the operation Submit. When the job has finished, click Fetch Test Event again.',
			);
}
