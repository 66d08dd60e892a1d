import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { itemsOf, type Finished } from '../run/items';
import { CREDENTIAL_NAME } from '../service/account';
import { cancelledBy } from '../service/client';
import { getJob, listJobs } from '../service/jobs/calls';
import { hasEnded, jobKey } from '../service/jobs/job';
import { statusOf } from '../service/jobs/jobResult';
import { processLimiters, type Limiters } from '../service/limiter';
import { openSession, Slots } from '../service/session';
import { asNodeError, DocumentError } from '../text/errors';
import { Hints } from '../text/hints';
import { finishedJob, SETTINGS, type Polled } from './finishedJob';
import { Memory, type DueJob } from './memory';
import { readWanted } from './parameters';

/** Polls come each minute; an activation ends after 84 s (docs/internals/n8n-behaviour.md). */
const MAX_POLL_MS = 50_000;

/** A poll's share of the rate limit; the rest is for workflows that submit documents. */
const SHARE = 0.5;

const CONCURRENCY = 4;

/** Bounds the first poll, and a list that never ends. */
const MAX_PAGES = 20;

/** Cogneris may be down for some hours; it keeps results for 7 days. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

export type Polls = Map<string, { last?: Polled; unsaved?: string }>;

const processPolls: Polls = new Map();

/** The items of all jobs that have ended since the last poll, each job once. Tests bring `limiters` and `polls`. */
export async function pollJobs(
	context: IPollFunctions,
	limiters: Limiters = processLimiters,
	polls: Polls = processPolls,
): Promise<INodeExecutionData[][] | null> {
	const isTest = context.getMode() === 'manual';
	// Only n8n 2 has getPollBudgetMs.
	const host: Partial<IPollFunctions> = context;
	const signal = AbortSignal.timeout(
		Math.min(MAX_POLL_MS, host.getPollBudgetMs?.() ?? MAX_POLL_MS),
	);
	try {
		const read: Polled['read'] = (name, fallback) =>
			context.getNodeParameter(name, fallback) as typeof fallback;
		const wanted = readWanted(read);
		const signals = { signal, cancelled: signal };
		const session = await openSession(cancelledBy(context, signal), limiters, signals);
		const polled = { context, session, wanted, read };
		return isTest ? [await testEvent(polled)] : await poll(polled, polls);
	} catch (thrown) {
		const tooLate = new DocumentError(
			'The job list did not arrive in time',
			'Nothing is lost: the next poll reads it. If this persists, other programs may be using the same key.',
		);
		const error = asNodeError(context.getNode(), signal.aborted ? tooLate : thrown, 0);
		// If a workflow cannot be activated, n8n shows only the message.
		if (!isTest) error.message = `${error.message}. ${error.description ?? ''}`.trim();
		throw error;
	}
}

async function poll(polled: Polled, polls: Polls): Promise<INodeExecutionData[][] | null> {
	const { context, session } = polled;
	const { id: workflowId = '' } = context.getWorkflow();
	const { id: nodeId, credentials } = context.getNode();
	const node = polls.get(`${workflowId} ${nodeId}`) ?? {};
	polls.set(`${workflowId} ${nodeId}`, node);
	node.last = polled;
	const { isSandbox, baseUrl } = session.account;
	const owner = [workflowId, credentials?.[CREDENTIAL_NAME]?.id, isSandbox, baseUrl];
	const staticData = context.getWorkflowStaticData('node');
	const memory = new Memory(owner.join(' '), staticData.memory, node.unsaved);
	const before = JSON.stringify(memory);
	await look(polled, memory);
	const finished = await deliver(polled, memory);
	// A poll that began later, such as that of a new activation, replaces this one.
	if (node.last !== polled) return null;
	memory.polls += 1;
	const after = JSON.stringify(memory);
	staticData.memory = after;
	// n8n saves static data only if there are items, and may discard those.
	node.unsaved = finished.length === 0 ? after : before;
	context.logger.debug('Document Intelligence Trigger polled', { ...session.traffic });
	return finished.length === 0 ? null : [itemsOf(finished, new Hints(), '')];
}

/**
 * Reads the list down to the jobs that were the newest before. A page that cannot be read leaves a gap, which the next
 * poll reads. Open jobs that are not listed are asked for by ID.
 */
async function look({ context, session, wanted }: Polled, memory: Memory): Promise<void> {
	const { account } = session;
	const { edge, isNew } = memory;
	let page = await listJobs(session, SETTINGS);
	const newest = [...page.jobs.keys()];
	const listed = new Map(page.jobs);
	const isRead = () => !page.isFull || edge.some((key) => page.jobs.has(key));
	let [hasGap, mayBeMissed] = [false, true];
	for (let count = 1; !isRead() && page.nextCursor !== undefined && count < MAX_PAGES; count++) {
		try {
			page = await listJobs(session, SETTINGS, page.nextCursor);
		} catch (thrown) {
			hasGap = !isNew;
			// The next poll reads the gap, but a rejected cursor may be rejected again.
			mayBeMissed = [400, 422].includes(statusOf(thrown));
			break;
		}
		const { size } = listed;
		for (const [key, job] of page.jobs) listed.set(key, job);
		// If the cursor is ignored, the same page is returned again.
		if (listed.size === size) break;
	}
	if (!isNew && mayBeMissed && !isRead())
		context.logger.warn(
			'Document Intelligence Trigger: more jobs have finished since the last poll than can be listed, so some may be missed. Poll more often.',
		);
	if (!hasGap) memory.edge = newest;
	for (const job of [...listed.values()].reverse()) memory.see(job, wanted.starts(job));
	const unlisted = memory.open.filter((jobId) => !listed.has(jobKey(jobId)));
	for (const jobId of unlisted.slice(0, Math.ceil(account.requestsPerMinute * SHARE * 0.5))) {
		try {
			const job = await getJob(session, jobId, SETTINGS);
			memory.see(job, wanted.starts(job));
		} catch (thrown) {
			if ([404, 410].includes(statusOf(thrown))) memory.settle(jobId);
			// The next poll begins with the others.
			else return void memory.open.push(...memory.open.splice(memory.open.indexOf(jobId), 1));
		}
	}
}

async function deliver(polled: Polled, memory: Memory): Promise<Finished[]> {
	const { account, clock, signal, traffic } = polled.session;
	const attempt = async (due: DueJob): Promise<Finished[]> => {
		// The poll ended before this job's turn, which is not an attempt.
		if (signal.aborted) return [];
		const now = clock.now();
		const isLast = now - (due.failedAt ?? now) >= GIVE_UP_AFTER_MS;
		const items = await finishedJob(polled, due.job, isLast);
		if (items === undefined) memory.fail(due, now);
		else memory.settle(due.job.jobId);
		return items ?? [];
	};
	const hasFailed = ({ failedAt }: DueJob) => Number(failedAt !== undefined);
	const due = memory.due.toSorted((one, other) => hasFailed(one) - hasFailed(other));
	const left = Math.max(1, Math.floor(account.requestsPerMinute * SHARE) - traffic.requests);
	const slots = new Slots(CONCURRENCY);
	const attempts = due
		.slice(0, left)
		.map(async (entry) => await slots.use(async () => await attempt(entry)));
	return (await Promise.all(attempts)).flat();
}

/** Uses the newest ended job, new or not, so that the user has data to build the workflow with. */
async function testEvent(polled: Polled): Promise<INodeExecutionData[]> {
	const { jobs } = await listJobs(polled.session, SETTINGS);
	const newest = [...jobs.values()].find((job) => hasEnded(job) && polled.wanted.starts(job));
	if (newest !== undefined)
		return itemsOf((await finishedJob(polled, newest, true)) ?? [], new Hints(), '');
	throw new DocumentError(
		"No finished job matches 'Trigger On' and 'Operations'",
		'Process a document as a job: use the Document Intelligence node with the resource Job and the operation Submit. When the job has finished, click Fetch Test Event again.',
	);
}
