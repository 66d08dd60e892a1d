import type { IExecuteFunctions } from 'n8n-workflow';

import type { JobPlan } from '../operations/documentOperations';
import type { Document, FileInput, FilePart, Operation, Output } from '../operations/operation';
import { operationNamed } from '../operations/index';
import { USUAL_RESOURCE } from '../parameters/menu';
import { cancelledBy } from '../service/client';
import { RunningJobs } from '../service/jobs/runningJobs';
import type { Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';
import { openSession, Slots, type Session } from '../service/session';
import { DocumentError, NotSent } from '../text/errors';
import { Hints } from '../text/hints';

/** A document on its way through a run: planned, then sent, and ended when it has `outputs`. */
export interface RunDocument extends Document {
	/** What the parameters mean; a link is followed right before its file is sent. */
	inputs: Array<FilePart<FileInput>>;
	job?: JobPlan;
	/** None if it was skipped; a single DocumentError if it failed as a whole. */
	outputs?: Output[];
	/** Whether it was answered, so that it may be billed. */
	isAnswered?: boolean;
}

/** Whether it was answered, or failed in a way that leaves open whether it is billed. */
export function mayBeBilled({ isAnswered, outputs: [failure] = [] }: RunDocument): boolean {
	return isAnswered === true || (failure instanceof RequestError && failure.mayBeBilled);
}

/** What the documents of an execution share, and what ends it before all of them are sent. */
export class Run {
	readonly hints = new Hints();
	readonly jobs: RunningJobs;
	/** Apart from uploads: otherwise the first job would wait until all links are followed. */
	readonly loads: Slots;
	#firstFailed: RunDocument | undefined;

	private constructor(
		/** n8n's. Its cancel signal also ends work on results that are lost because the run stops. */
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		/** Its signal ends whatever has not been sent. */
		readonly session: Session,
		private readonly failed: AbortController,
		/** Its abort ends the run for every document that has no answer yet. */
		readonly rest: AbortController,
	) {
		const { concurrentRequests } = session.account;
		this.jobs = new RunningJobs(session, new Slots(concurrentRequests));
		this.loads = new Slots(concurrentRequests);
	}

	/** @throws DocumentError if the credential cannot be used, or there is no such operation */
	static async open(context: IExecuteFunctions, limiters: Limiters): Promise<Run> {
		const resource = context.getNodeParameter('resource', 0, USUAL_RESOURCE);
		const operation = operationNamed(resource, context.getNodeParameter('operation', 0));
		const [failed, rest] = [new AbortController(), new AbortController()];
		const cancelled = context.getExecutionCancelSignal() ?? new AbortController().signal;
		// A request in flight may be billed, so that its answer is awaited although the run stops.
		const discarded = AbortSignal.any([cancelled, failed.signal]);
		const signal = AbortSignal.any([discarded, rest.signal]);
		const own = cancelledBy(context, discarded);
		const session = await openSession(own, limiters, { signal, cancelled });
		return new Run(own, operation, session, failed, rest);
	}

	/** Ends a document. With On Error: Stop, the first failure ends the run. */
	end(document: RunDocument, outputs: Output[], isAnswered = false): void {
		document.isAnswered = isAnswered;
		document.outputs = outputs.map((output) =>
			output instanceof NotSent ? (output.failureOf?.(document.subject) ?? output) : output,
		);
		// That the run ended before a document was sent is not a failure of its own.
		if (!outputs.some((output) => output instanceof DocumentError && !(output instanceof NotSent)))
			return;
		this.#firstFailed ??= document;
		if (!this.context.continueOnFail()) this.failed.abort(new NotSent());
	}

	/** Whose failure the run throws instead of returning items: the first in order of time. */
	get fatal(): RunDocument | undefined {
		const isLost = this.session.cancelled.aborted || !this.context.continueOnFail();
		return isLost ? this.#firstFailed : undefined;
	}
}
