import type { IExecuteFunctions } from 'n8n-workflow';

import { operationNamed } from '../operations/index';
import type { Operation } from '../operations/operation';
import { RunningJobs } from '../service/jobs/runningJobs';
import type { Limiters } from '../service/limiter';
import { openSession, type Session } from '../service/exchange';
import { Slots } from '../waiting/waiting';
import type { Attempt } from './ledger/attempt';
import type { LedgerMemory, Owner } from './ledger/memory';
import { Held } from './ledger/held';
import { RunEnd } from './runEnd';
import { offersProcessedBefore } from './settings';

/** What all documents of a run share. */
export class Run {
	/** For what is submitted: it goes on if no more documents are accepted, and takes turns with what is sent. */
	readonly collecting: Session;
	readonly jobs: RunningJobs;
	/** For requests that send documents directly. Jobs have slots of their own for their uploads. */
	readonly requestSlots: Slots;
	/** Apart from uploads: otherwise the first job would wait until all links are followed. */
	readonly loadSlots: Slots;
	/** For results, whose files may be downloaded or stored: those of many may be there at once. */
	readonly resultSlots: Slots;
	readonly held: Held;
	readonly owner: Owner;
	/**
	 * Whether a person is building the workflow, and no agent uses the node as its tool: results of earlier test runs are
	 * returned unless the user chooses otherwise.
	 */
	readonly isTestRun: boolean;

	private constructor(
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		readonly session: Session,
		readonly end: RunEnd,
		readonly attempt: Attempt,
		readonly memory: LedgerMemory,
	) {
		const { concurrentRequests } = session.account;
		this.collecting = { ...session, turns: {}, signal: end.requests };
		const hasSeveral = context.getInputData().length > 1;
		const uploads = new Slots(concurrentRequests);
		this.jobs = new RunningJobs(session, uploads, this.collecting, hasSeveral);
		this.requestSlots = new Slots(concurrentRequests);
		this.loadSlots = new Slots(concurrentRequests);
		this.resultSlots = new Slots(concurrentRequests);
		this.held = new Held(memory.maxBytesOfRun);
		const { id: nodeId, type } = context.getNode();
		this.owner = { workflowId: context.getWorkflow().id ?? '', nodeId };
		const isByHand = context.getMode() === 'manual' && !type.endsWith('Tool');
		this.isTestRun = isByHand && offersProcessedBefore(operation);
	}

	/** @throws DocumentError if the credential cannot be used, or there is no such operation */
	static async open(
		context: IExecuteFunctions,
		limiters: Limiters,
		attempt: Attempt,
		memory: LedgerMemory,
	): Promise<Run> {
		const operation = operationNamed(
			(name, fallback) => context.getNodeParameter(name, 0, fallback) as typeof fallback,
		);
		const canceled = context.getExecutionCancelSignal() ?? new AbortController().signal;
		const end = new RunEnd(canceled, !context.continueOnFail());
		const session = await openSession(context, limiters, { signal: end.sending, canceled });
		return new Run(context, operation, session, end, attempt, memory);
	}

	/** Whether its workflow has an ID. Otherwise, no other execution gets what this one has kept. */
	get isSaved(): boolean {
		return this.owner.workflowId !== '';
	}

	/** Whether what it sends must not be sent twice. */
	get keepsResults(): boolean {
		return this.operation.kind === 'document' || this.operation.onceOnly !== undefined;
	}
}
