import type { IExecuteFunctions } from 'n8n-workflow';

import type { JobPlan } from '../operations/documentOperations';
import type {
	Document,
	FileInput,
	FilePart,
	InputItem,
	Operation,
	Output,
} from '../operations/operation';
import { cancelledBy } from '../service/client';
import { RunningJobs } from '../service/jobs/runningJobs';
import type { Limiters } from '../service/limiter';
import { RequestError } from '../service/requestError';
import { openSession, Slots, type Session } from '../service/session';
import { DocumentError, NotSent } from '../text/errors';
import { Hints } from '../text/hints';

/**
 * A document on its way through a run: planned, then sent, for which it has its `document`, then ended, when it has
 * `outputs`.
 */
export interface RunDocument {
	item: InputItem;
	/** Its name or link in quotes, for messages. */
	subject: string;
	/** Known only if no link has to be followed first. */
	fileName?: string;
	parts: Array<FilePart<FileInput>>;
	/** How many of its files were skipped because their type is not supported. */
	skipped: number;
	/** The job that it is processed as; without one it is sent directly. */
	job?: JobPlan;
	/** With all of its files there. */
	document?: Document;
	/** None if it was skipped; a single DocumentError if it failed as a whole. */
	outputs?: Output[];
	/** Whether it was answered, so that it may be billed. */
	isAnswered?: boolean;
}

/** Whether it was answered, or failed in a way that leaves open whether it is billed. */
export function mayBeBilled({ isAnswered, outputs: [failure] = [] }: RunDocument): boolean {
	return isAnswered === true || (failure instanceof RequestError && failure.mayBeBilled);
}

/** Why a run stops, and for which document. */
export interface Failure {
	cause: DocumentError;
	document: RunDocument;
}

/** What the documents of an execution share, and what ends it before all of them are sent. */
export class Run {
	readonly hints = new Hints();

	readonly jobs: RunningJobs;

	/** For links and files that are read: in one line with uploads, the first job would wait until all links are followed. */
	readonly loads: Slots;

	#firstFailure: Failure | undefined;

	private constructor(
		/** n8n's. Its cancel signal also ends work on results that are lost because the run stops. */
		readonly context: IExecuteFunctions,
		readonly operation: Operation,
		/** Its signal ends whatever has not been sent. */
		readonly session: Session,
		private readonly failed: AbortController,
		private readonly rest: AbortController,
	) {
		const { concurrentRequests } = session.account;
		this.jobs = new RunningJobs(session, new Slots(concurrentRequests));
		this.loads = new Slots(concurrentRequests);
	}

	/** @throws DocumentError if the credential cannot be used */
	static async open(
		context: IExecuteFunctions,
		operation: Operation,
		limiters: Limiters,
	): Promise<Run> {
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
		const cause = outputs.find(
			(output) => output instanceof DocumentError && !(output instanceof NotSent),
		);
		if (!(cause instanceof DocumentError)) return;
		this.#firstFailure ??= { cause, document };
		if (!this.context.continueOnFail()) this.failed.abort(new NotSent());
	}

	/** Ends the run for every document that has not been sent. */
	closeRest(reason: NotSent): void {
		this.rest.abort(reason);
	}

	/** What the run throws instead of returning items: the first failure in order of time. */
	get fatal(): Failure | undefined {
		const isLost = this.session.cancelled.aborted || !this.context.continueOnFail();
		return isLost ? this.#firstFailure : undefined;
	}
}
