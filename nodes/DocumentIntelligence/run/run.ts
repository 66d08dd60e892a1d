import type { IExecuteFunctions } from 'n8n-workflow';

import { operationNamed } from '../operations/index';
import type { Operation } from '../operations/operation';
import { mayKeepResults } from '../operations/settings';
import { RunningJobs } from '../service/jobs/runningJobs';
import type { Limiters } from '../service/limiter';
import { openSession, type Session } from '../service/exchange';
import { Slots } from '../waiting/waiting';
import { keptByProcess, MAX_BYTES_OF_WORKFLOW, type KeptResults } from './repeats/keptResults';
import { RunEnd } from './runEnd';

/** What all documents of an execution share. */
export class Run {
	readonly jobs: RunningJobs;
	/** Apart from uploads: otherwise the first job would wait until all links are followed. */
	readonly loads: Slots;
	#heldBytes = 0;

	private constructor(
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		readonly session: Session,
		readonly end: RunEnd,
		readonly kept: KeptResults,
	) {
		const { concurrentRequests } = session.account;
		const collecting = { ...session, signal: end.blocked };
		this.jobs = new RunningJobs(session, new Slots(concurrentRequests), collecting);
		this.loads = new Slots(concurrentRequests);
	}

	/** @throws DocumentError if the credential cannot be used, or there is no such operation */
	static async open(
		context: IExecuteFunctions,
		limiters: Limiters,
		kept: KeptResults = keptByProcess,
	): Promise<Run> {
		const operation = operationNamed(
			(name, fallback) => context.getNodeParameter(name, 0, fallback) as typeof fallback,
		);
		const canceled = context.getExecutionCancelSignal() ?? new AbortController().signal;
		const end = new RunEnd(canceled, !context.continueOnFail());
		const session = await openSession(context, limiters, { signal: end.signal, abort: canceled });
		return new Run(context, operation, session, end, kept);
	}

	/** Without an ID, two workflows could not be told apart. */
	get keepsResults(): boolean {
		return mayKeepResults(this.operation) && Boolean(this.context.getWorkflow().id);
	}

	/** Whether answers are held until the run ends, for a later run or for another attempt. */
	get holdsAnswers(): boolean {
		return this.keepsResults || this.context.getNode().retryOnFail === true;
	}

	/** Whether the run may hold so many more bytes of results until it ends: no more could be kept. */
	holds(bytes: number): boolean {
		if (this.#heldBytes + bytes > MAX_BYTES_OF_WORKFLOW) return false;
		this.#heldBytes += bytes;
		return true;
	}
}
