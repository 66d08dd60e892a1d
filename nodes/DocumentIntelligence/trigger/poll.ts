import type { IDataObject, INode, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { itemsOf, type PendingItem } from '../run/items';
import { CREDENTIAL_NAME } from '../service/account';
import { getJob } from '../service/api';
import { hasEnded, type Job } from '../service/jobs/job';
import { readJobList, type JobList } from '../service/jobs/jobList';
import { isGone } from '../service/jobs/jobResult';
import { processLimiters, type Limiters } from '../service/limiter';
import { openSession } from '../service/exchange';
import { asNodeError, DocumentError } from '../text/errors';
import { isObject, objectOf } from '../text/json';
import { Notes } from '../text/notes';
import { Slots } from '../waiting/waiting';
import { finishedJob, needsRequest, POLL_CALL, type Polled } from './finishedJob';
import { Memory, type DueJob } from './memory';
import { readWanted } from './parameters';

/** Polls come each minute; an activation ends after 84 s (docs/internals/n8n-behavior.md). */
const MAX_POLL_MS = 50_000;

/** A poll's share of the rate limit; the rest is for workflows that submit documents. */
const RESULT_SHARE = 0.5;

/** Of the rate limit, for the list of jobs; and for unfinished jobs that it does not show. */
const [LIST_SHARE, UNLISTED_SHARE] = [0.2, 0.25];

/** Enough to see that neither a larger limit nor the cursor of the list is granted. */
const MIN_LIST_REQUESTS = 4;

const MAX_LIST_REQUESTS = 10;

const CONCURRENCY = 4;

/** Cogneris may be down for some hours; it keeps results for 7 days. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

/** By workflow and node: the poll that began last, and the memory that n8n may not have saved. */
export type Polls = Map<string, { latest?: symbol; unsavedMemory?: string }>;

const processPolls: Polls = new Map();

/** Of the memories in a workflow's static data, one for each node ID: n8n would keep a node's own by its name. */
const MEMORIES = 'documentIntelligenceTrigger';

/** The items of all jobs that have ended since the last poll, each job once. Tests bring `limiters` and `polls`. */
export async function pollJobs(
	context: IPollFunctions,
	limiters: Limiters = processLimiters,
	polls: Polls = processPolls,
): Promise<INodeExecutionData[][] | null> {
	const isTest = context.getMode() === 'manual';
	// Only n8n 2 has getPollBudgetMs.
	const host: Partial<IPollFunctions> = context;
	const budgetMs = host.getPollBudgetMs?.() ?? MAX_POLL_MS;
	const signal = AbortSignal.timeout(Math.min(budgetMs, MAX_POLL_MS));
	try {
		const read: Polled['read'] = (name, fallback) =>
			context.getNodeParameter(name, fallback) as typeof fallback;
		const wanted = readWanted(read);
		const session = await openSession(context, limiters, { signal, canceled: signal });
		const polled = { context, session, wanted, read };
		return isTest ? [await testEvent(polled)] : await poll(polled, polls);
	} catch (thrown) {
		const tooLate = new DocumentError(
			'The job list did not arrive in time',
			"Nothing is lost: the next poll tries again. If this happens often, and other programs or n8n processes use the same key, lower 'Requests per Minute' in the credential.",
		);
		const error = asNodeError(context.getNode(), signal.aborted ? tooLate : thrown, 0);
		// If a workflow cannot be activated, n8n shows only the message.
		if (!isTest) error.message = `${error.message}. ${error.description ?? ''}`.trim();
		throw error;
	}
}

async function poll(polled: Polled, polls: Polls): Promise<INodeExecutionData[][] | null> {
	const { context, session } = polled;
	const { id: nodeId } = context.getNode();
	const key = `${context.getWorkflow().id} ${nodeId}`;
	const thisPoll = Symbol(key);
	const { unsavedMemory } = polls.get(key) ?? {};
	polls.set(key, { latest: thisPoll, unsavedMemory });
	const staticData = context.getWorkflowStaticData('global');
	const memory = readMemory(polled, staticData[MEMORIES], unsavedMemory);
	const before = memory.save();
	const pending = await findItems(polled, memory);
	// A poll that began later, such as that of a new activation, replaces this one.
	if (polls.get(key)?.latest !== thisPoll) return null;
	memory.polls += 1;
	const after = memory.save();
	staticData[MEMORIES] = { ...memoriesOfNodes(context, staticData[MEMORIES]), [nodeId]: after };
	// n8n saves static data only if there are items, and may discard those.
	polls.set(key, { latest: thisPoll, unsavedMemory: pending.length === 0 ? after : before });
	context.logger.debug('Document Intelligence Trigger polled', { ...session.traffic });
	return pending.length === 0 ? null : [itemsOf(pending, new Notes(), '')];
}

/** Reads the list and, at its end, asks for jobs that it has not shown. @returns the items of all that have ended */
async function findItems(polled: Polled, memory: Memory): Promise<PendingItem[]> {
	const listEnd = await updateJobs(polled, memory);
	const { due } = memory;
	if (listEnd === 'paused') return await fetchResults(polled, memory, due);
	const unlisted = unlistedJobs(polled, memory);
	// First, because jobs that are asked for by ID may take until the poll ends.
	const listed = await fetchResults(polled, memory, due, unlisted.length);
	await askFor(polled, memory, unlisted);
	memory.endReading(listEnd === 'complete');
	const known = new Set(due.map(({ job }) => job.jobId));
	const asked = memory.due.filter(({ job }) => !known.has(job.jobId));
	return [...listed, ...(await fetchResults(polled, memory, asked))];
}

/** Begins anew for another credential, and in a copy of the workflow. */
function readMemory({ context, session }: Polled, memories: unknown, unsaved?: string): Memory {
	const { id: nodeId, credentials } = context.getNode();
	const { isSandbox, baseUrl } = session.account;
	const { id: workflowId = '' } = context.getWorkflow();
	const owner = [workflowId, credentials?.[CREDENTIAL_NAME]?.id, isSandbox, baseUrl].join(' ');
	const now = session.clock.now();
	const saved = isObject(memories) ? memories[nodeId] : memories;
	const texts = [saved, unsaved].filter((text) => text !== undefined);
	const memory = Memory.read(owner, now, texts);
	if (memory === undefined)
		context.logger.warn(
			'Document Intelligence Trigger: what the workflow has saved about its jobs cannot be read. Jobs that have finished by now do not start it.',
		);
	return memory ?? new Memory(owner, now);
}

/** Without those of nodes that the workflow no longer has. */
function memoriesOfNodes(context: IPollFunctions, memories: unknown): IDataObject {
	// The interface has no list of nodes, but the context of n8n does.
	const { workflow } = context as Partial<{ workflow: { nodes?: Record<string, INode> } }>;
	const nodeIds = workflow?.nodes && Object.values(workflow.nodes).map(({ id }) => id);
	const entries = Object.entries(objectOf(memories));
	return Object.fromEntries(entries.filter(([nodeId]) => nodeIds?.includes(nodeId) ?? true));
}

/** Reads the list on from where the last poll paused. @returns how far it was read */
async function updateJobs(
	{ context, session, wanted }: Polled,
	memory: Memory,
): Promise<JobList['end']> {
	const { account, clock } = session;
	const startedAt = clock.now();
	const share = Math.floor(account.requestsPerMinute * LIST_SHARE);
	const maxRequests = Math.min(Math.max(share, MIN_LIST_REQUESTS), MAX_LIST_REQUESTS);
	if (memory.cursor === undefined) memory.beginReading();
	const list = await readJobList(session, POLL_CALL, { cursor: memory.cursor, maxRequests });
	const { jobs, end, servedAt = startedAt } = list;
	memory.cursor = list.cursor;
	// By the service's clock, as the times of its jobs are; what it shows has whole seconds.
	if (memory.isNew) memory.since = Math.min(Math.max(startedAt, servedAt), servedAt + 999);
	for (const job of jobs.values()) memory.record(job, wanted.starts(job));
	if (end === 'paused') return end;
	if (end === 'blocked' && !memory.hasWarned)
		context.logger.warn(
			'Document Intelligence Trigger: Cogneris does not list all jobs of the account, so some may be missed. Job: Get finds a job by its ID.',
		);
	memory.hasWarned = end === 'blocked';
	return end;
}

/** IDs of unfinished jobs that the list has not shown, those first that were not asked for the longest time. */
function unlistedJobs({ session }: Polled, memory: Memory): string[] {
	const count = Math.ceil(session.account.requestsPerMinute * UNLISTED_SHARE);
	return memory.unlisted.slice(0, count);
}

async function askFor(
	{ session, wanted }: Polled,
	memory: Memory,
	jobIds: string[],
): Promise<void> {
	await new Slots(CONCURRENCY).map(jobIds, async (jobId) => {
		// The poll ended before this job's turn.
		if (session.signal.aborted) return;
		memory.postpone(jobId);
		try {
			const { job } = await getJob(session, jobId, POLL_CALL);
			memory.record(job, wanted.starts(job));
		} catch (thrown) {
			if (isGone(thrown)) memory.settle(jobId);
		}
	});
}

/**
 * The items of jobs that have ended, as far as the poll's share of the rate limit allows.
 * @param reserved requests of the share that the poll makes later
 */
async function fetchResults(
	polled: Polled,
	memory: Memory,
	jobs: DueJob[],
	reserved = 0,
): Promise<PendingItem[]> {
	const { account, clock, signal, traffic } = polled.session;
	const fetchItems = async (due: DueJob): Promise<PendingItem[]> => {
		// The poll ended before this job's turn, so it has not failed.
		if (signal.aborted) return [];
		const now = clock.now();
		const isLast = now - (due.failedAt ?? now) >= GIVE_UP_AFTER_MS;
		const items = await finishedJob(polled, due.job, isLast);
		if (items === undefined) memory.fail(due, now);
		else memory.settle(due.job.jobId);
		return items ?? [];
	};
	const share = Math.floor(account.requestsPerMinute * RESULT_SHARE);
	let remaining = Math.max(1, share - traffic.requests - reserved);
	// A job whose item needs no request does not wait.
	const isAsked = ({ job }: DueJob) => !needsRequest(polled, job) || remaining-- > 0;
	const due = jobs.toSorted(byTurn).filter(isAsked);
	return (await new Slots(CONCURRENCY).map(due, fetchItems)).flat();
}

/** Jobs whose result could not be fetched go last, and otherwise the one that finished first goes first. */
function byTurn(first: DueJob, second: DueJob): number {
	const failures = Number(first.failedAt !== undefined) - Number(second.failedAt !== undefined);
	if (failures !== 0) return failures;
	const [firstEnd, secondEnd] = [first.job.completedAt ?? '', second.job.completedAt ?? ''];
	return Number(firstEnd > secondEnd) - Number(firstEnd < secondEnd);
}

/** Uses the ended job of the first page that finished last, new or not, so that the user has data to build with. */
async function testEvent(polled: Polled): Promise<INodeExecutionData[]> {
	const isWanted = (job: Job) => hasEnded(job) && polled.wanted.starts(job);
	const { jobs } = await readJobList(polled.session, POLL_CALL, {
		maxRequests: MAX_LIST_REQUESTS,
		isEnough: (listed) => [...listed.values()].some(isWanted),
	});
	const finished = [...jobs.values()].filter(isWanted).map((job) => ({ job }));
	const latest = finished.sort(byTurn).at(-1)?.job;
	if (latest !== undefined)
		return itemsOf((await finishedJob(polled, latest, true)) ?? [], new Notes(), '');
	throw new DocumentError(
		"No finished job matches 'Trigger On' and 'Operations'",
		'Process a document as a job: use Job: Submit. When the job has finished, click Fetch Test Event again.',
	);
}
