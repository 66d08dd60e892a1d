import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { asNodeError, DocumentError } from '../text/errors';
import type { ReadParameter } from '../parameters/readParameter';
import { cancelledBy } from '../service/client';
import { listJobs } from '../service/jobs/calls';
import { hasEnded, type Job } from '../service/jobs/job';
import { CREDENTIAL_NAME } from '../service/account';
import { processLimiters, type Limiters } from '../service/limiter';
import { openSession, Traffic, type Session } from '../service/session';
import { formatDuration } from '../text/duration';
import { Hints } from '../text/hints';
import { itemsOf, type Finished } from '../run/items';
import { mapConcurrently } from '../run/mapConcurrently';
import { itemsOfJob, type Delivery } from './finishedJob';
import { atNextPoll, look } from './look';
import {
	afterFailure,
	afterLook,
	afterLoss,
	afterStart,
	dueNow,
	emptyMemory,
	endOf,
	isLastTry,
	isOfOtherAccount,
	readMemory,
	savedMemory,
	type Memory,
} from './memory';
import { readWanted } from './parameters';

/** Of a poll, where n8n does not say how long it may take. */
const POLL_MS = 5 * 60_000;

/** Of the poll of an activation: n8n 2 gives the activation up after 84 seconds (docs/n8n-behaviour.md, Polling triggers). */
const ACTIVATION_MS = 75_000;

const MINUTE_MS = 60_000;

/** The part of the requests of a minute that a trigger uses: the others are for workflows that submit documents. */
const SHARE = 0.5;

/** How many results are fetched at a time; results are small. */
const CONCURRENCY = 4;

/** The longest sleep before a poll looks whether its time is over. */
const SLICE_MS = 200;

const SETTINGS = { timeoutSeconds: 60 };

/** What this process knows of the polls of a node. */
interface NodePolls {
	/** The context of the poll in flight. n8n makes one for each activation. */
	running?: IPollFunctions;
	/** When the last poll ended that did not fail, by the clock of the limiters, and its context. */
	ended?: { at: number; context: IPollFunctions };
	/** n8n loses its static data where a node is renamed, or was activated and found nothing. */
	last?: {
		nodeName: string;
		after: Memory;
		/** Where n8n has discarded what the poll returned. */
		unlessSaved: Memory | undefined;
	};
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
 * @returns null where there is nothing new
 */
export async function pollJobs(
	context: IPollFunctions,
	limiters: Limiters = processLimiters,
	polls: Polls = processPolls,
): Promise<INodeExecutionData[][] | null> {
	const node = polls.of(context);
	try {
		if (context.getMode() === 'manual') return [await testEvent(context, limiters)];
		// n8n starts a poll whether or not the one before has ended.
		if (node.running === context) return null;
		node.running = context;
		try {
			return await poll(context, limiters, node);
		} finally {
			if (node.running === context) node.running = undefined;
		}
	} catch (thrown) {
		const error = asNodeError(context.getNode(), thrown, 0);
		// Where a workflow cannot be activated, n8n shows the message alone.
		const isActivation = context.getMode() !== 'manual' && node.ended?.context !== context;
		if (isActivation) error.message = `${error.message}. ${error.description ?? ''}`.trim();
		throw error;
	}
}

async function poll(
	context: IPollFunctions,
	limiters: Limiters,
	node: NodePolls,
): Promise<INodeExecutionData[][] | null> {
	const { ended } = node;
	const isActivation = ended?.context !== context;
	const longestMs = isActivation ? ACTIVATION_MS : Number.POSITIVE_INFINITY;
	const prepared = await prepare(context, limiters, longestMs);
	const { wanted, session, budgetMs } = prepared;
	const { clock, signal, traffic } = session;
	// Whoever activates a workflow waits for its first poll.
	const minutes = isActivation ? 1 : wholeMinutes(clock.now() - ended.at, budgetMs);
	const perMinute = Math.max(1, Math.floor(session.account.requestsPerMinute * SHARE));

	const account = accountName(session);
	const staticData = context.getWorkflowStaticData('node');
	const first = wanted.includesEarlier ? emptyMemory(account) : undefined;
	const before =
		readMemory(staticData[account], account) ??
		lastMemory(node, context.getNode().name, account) ??
		first;
	const { jobs, gone, unanswered, hasGap } = await look(
		session,
		SETTINGS,
		before,
		Math.floor(perMinute / 2),
	).catch((thrown: unknown) => {
		throw signal.aborted ? tooLate(budgetMs) : thrown;
	});
	if (hasGap) {
		context.logger.warn(
			'Document Intelligence Trigger: more jobs than the service lists are new since the last poll, so some may be missed. Poll more often.',
		);
	}
	const credential = context.getNode().credentials?.[CREDENTIAL_NAME]?.id ?? undefined;
	const isOther = before !== undefined && isOfOtherAccount(before, credential, jobs);
	const looked = afterLook(account, isOther ? first : before, jobs, wanted.starts);
	const seen = { ...afterLoss(looked, gone, unanswered), credential };
	const delivery = { ...prepared.delivery, settings: atNextPoll(SETTINGS) };
	const { memory, finished } = await deliver(delivery, seen, { minutes, perMinute });
	// After a new activation its poll does this one's work, with what n8n had saved.
	if (node.running !== context) return null;

	const saved = savedMemory(memory);
	// n8n saves what is assigned, even where it is the same.
	if (JSON.stringify(staticData[account]) !== JSON.stringify(saved)) staticData[account] = saved;
	const nodeName = context.getNode().name;
	node.last = { nodeName, after: memory, unlessSaved: finished.length === 0 ? memory : before };
	node.ended = { at: clock.now(), context };
	context.logger.debug('Document Intelligence Trigger polled', {
		jobs: jobs.length,
		due: memory.due.size,
		items: finished.length,
		...traffic.counts(),
	});
	return finished.length === 0 ? null : [itemsOf(finished, new Hints(), '')];
}

/** Where n8n has none: it has not saved what the last poll of the same name started, or the node has been renamed since. */
function lastMemory({ last }: NodePolls, nodeName: string, account: string): Memory | undefined {
	const memory = last?.nodeName === nodeName ? last.unlessSaved : last?.after;
	return memory?.account === account ? memory : undefined;
}

async function prepare(
	context: IPollFunctions,
	limiters: Limiters,
	longestMs = Number.POSITIVE_INFINITY,
) {
	const read: ReadParameter = (name, fallback) =>
		context.getNodeParameter(name, fallback) as typeof fallback;
	const wanted = readWanted(read);
	const budgetMs = Math.min(budgetOf(context), longestMs);
	const signal = AbortSignal.timeout(budgetMs);
	const session = await openSession(cancelledBy(context, signal), limiters, {
		signal,
		cancelled: signal,
		traffic: new Traffic(),
	});
	const { downloadsResult } = wanted;
	const delivery: Delivery = { context, session, settings: SETTINGS, read, downloadsResult };
	return { wanted, session, budgetMs, delivery };
}

/** n8n 1 does not say it. */
function budgetOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
	return context.getPollBudgetMs?.() ?? POLL_MS;
}

/** For how many minutes a poll may fetch: those since the last one, but at least one and only as many as it may take. */
function wholeMinutes(sinceMs: number, budgetMs: number): number {
	const most = Math.max(1, Math.floor(budgetMs / MINUTE_MS) - 1);
	return Math.min(most, Math.max(1, Math.floor(sinceMs / MINUTE_MS)));
}

/** Jobs are those of an account, whichever of its keys is used; sandbox keys have their own. */
function accountName({ account: { baseUrl, isSandbox } }: Session): string {
	return `${isSandbox ? 'sandbox' : 'live'} ${baseUrl}`;
}

/** What jobs have started, and what is remembered then. */
interface Delivered {
	memory: Memory;
	finished: Finished[];
}

/** Fetches the results of the jobs that are due, in the order in which they ended. */
async function deliver(
	delivery: Delivery,
	seen: Memory,
	{ minutes, perMinute }: { minutes: number; perMinute: number },
): Promise<Delivered> {
	const { session, downloadsResult } = delivery;
	const { clock, signal, traffic } = session;
	let { memory, finished }: Delivered = { memory: seen, finished: [] };
	let rest = dueNow(seen, clock.now());
	for (let minute = 0; minute < minutes && rest.length > 0; minute++) {
		const began = clock.now();
		// What was asked to find the jobs is from the first minute.
		const share = minute === 0 ? Math.max(1, perMinute - traffic.requests + 1) : perMinute;
		let left = share;
		const tooMany = rest.findIndex(
			({ job }) => (left -= downloadsResult ? requestsFor(job) : 0) < 0,
		);
		const now = tooMany < 0 ? rest : rest.slice(0, Math.max(1, tooMany));
		rest = rest.slice(now.length);
		const results = await mapConcurrently(now, CONCURRENCY, async (due) => ({
			due,
			items: signal.aborted
				? undefined
				: await itemsOfJob(delivery, due.job, isLastTry(due, clock.now())),
		}));
		const started = results.filter(({ items }) => items !== undefined);
		finished = [...finished, ...started.flatMap(({ items = [] }) => items)];
		memory = afterStart(
			memory,
			started.map(({ due }) => due.job),
		);
		if (signal.aborted) break;
		for (const { due, items } of results)
			if (items === undefined) memory = afterFailure(memory, due.job.jobId, clock.now());
		while (rest.length > 0 && !signal.aborted && clock.now() < began + MINUTE_MS)
			await clock.sleep(SLICE_MS);
	}
	return { memory, finished };
}

/** How many requests a result takes: the reference of one that the list does not have is asked for. */
function requestsFor({ status, outputReference }: Job): number {
	if (status !== 'Succeeded') return 0;
	return outputReference === null ? 2 : 1;
}

function tooLate(budgetMs: number): DocumentError {
	return new DocumentError(
		`The list of jobs was not answered within ${formatDuration(budgetMs)}`,
		'Nothing is lost: the next poll looks again. If this goes on, other programs may be using the same key.',
	);
}

/** What a user gets to build the workflow with: the newest job that has ended, whether or not it is new. */
async function testEvent(
	context: IPollFunctions,
	limiters: Limiters,
): Promise<INodeExecutionData[]> {
	const { wanted, session, delivery } = await prepare(context, limiters);
	const listed = await listJobs(session, SETTINGS);
	const jobs = [...listed.jobs.values()];
	const job = newestOf(jobs.filter(hasEnded).filter(wanted.starts));
	if (job === undefined) throw nothingYet(jobs);
	const finished = await itemsOfJob(delivery, job, true);
	return itemsOf(finished ?? [], new Hints(), '');
}

function newestOf(jobs: Job[]): Job | undefined {
	return jobs.reduce<Job | undefined>(
		(newest, job) => (newest === undefined || endOf(job) >= endOf(newest) ? job : newest),
		undefined,
	);
}

function nothingYet(jobs: Job[]): DocumentError {
	const ended = jobs.filter(hasEnded);
	if (ended.length > 0) {
		return new DocumentError(
			ended.length === 1
				? '1 job has finished, but it does not match Trigger On and Operations'
				: `${ended.length} jobs have finished, but they do not match Trigger On and Operations`,
			'Change Trigger On or Operations, or process another document as a job. Then click Fetch Test Event again.',
		);
	}
	return new DocumentError(
		jobs.length === 0 ? 'There is no job yet' : 'No job has finished yet',
		jobs.length === 0
			? 'Process a document as a job first: use the Document Intelligence node with the resource Job and the operation Submit. When the job has finished, click Fetch Test Event again.'
			: 'Wait until a job has finished, then click Fetch Test Event again.',
	);
}
