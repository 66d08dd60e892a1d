import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { sumOf } from '../../text/words';
import type { Payment } from './attempts';
import type { Entry } from './past';
import type { LedgerMemory } from './memory';

/** What follows a run: n8n passes its items on, it repeats the run, or neither, as after a stop. */
export type Ending = 'passedOn' | 'repeated' | 'failed';

/**
 * A run of the node in an execution. With Retry On Fail, n8n repeats it with the same items if it throws or, with On Error
 * set to Continue, if its first item is a failed one (docs/internals/n8n-behavior.md, items). Any other run of the same
 * execution, such as the next pass of a loop, is no attempt.
 */
export class Attempt {
	/** The execution; one of its own where n8n has none. */
	readonly execution: string;
	readonly runIndex: number;
	/** Of this one and those before it. */
	readonly #series: string;
	readonly #retries: boolean;
	readonly #isLast: boolean;

	constructor(
		context: IExecuteFunctions,
		private readonly memory: LedgerMemory,
	) {
		const { id: nodeId, retryOnFail, maxTries } = context.getNode();
		const executionId = context.getExecutionId() as string | undefined;
		this.execution = executionId ?? randomUUID();
		this.runIndex = context.getWorkflowDataProxy(0).$runIndex as number;
		this.#series = JSON.stringify([
			context.getWorkflow().id,
			nodeId,
			this.execution,
			this.runIndex,
		]);
		this.#retries = retryOnFail === true && executionId !== undefined;
		const count = this.#retries ? memory.attempts.begin(this.#series) : 1;
		// As n8n counts them.
		const tries = Math.min(5, Math.max(2, Number(maxTries) || 3));
		this.#isLast = !this.#retries || count >= tries;
	}

	/** @param items of the run; null if it has failed as a whole */
	endingOf(items: INodeExecutionData[] | null): Ending {
		const [first] = items ?? [];
		const hasFailed = items === null || first?.json.error !== undefined;
		if (hasFailed && !this.#isLast) return 'repeated';
		return items === null ? 'failed' : 'passedOn';
	}

	/** Whether it is of an earlier attempt of this run. */
	isOfEarlierAttempt({ execution, runIndex }: Entry): boolean {
		return this.#retries && execution === this.execution && runIndex === this.runIndex;
	}

	/** Whether it is of this execution, as is a document that got nothing before. */
	isOwn(earlier: Entry | null): boolean {
		return earlier === null || earlier.execution === this.execution;
	}

	/** What this execution has paid for a document, and not another one that has submitted its job. */
	paymentFor(earlier: Entry | null, credits?: number, jobId?: string): Payment | undefined {
		return this.isOwn(earlier) && credits !== undefined ? { credits, jobId } : undefined;
	}

	/** @returns what all attempts have paid, for each job once; undefined if that is not reported */
	pay(payments: Payment[]): number | undefined {
		const all = this.#retries ? this.memory.attempts.pay(this.#series, payments) : payments;
		const distinct = new Map(all.map((payment) => [payment.jobId ?? payment, payment.credits]));
		return sumOf([...distinct.values()]);
	}

	/** To be called when n8n does not repeat it. */
	end(): void {
		this.memory.attempts.end(this.#series);
	}
}
