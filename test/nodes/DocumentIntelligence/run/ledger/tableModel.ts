import type { Fate, Happening, JobModel } from './serviceModel';

/**
 * The table of what happens to a document that something has happened to before, as a model: what each call of the node
 * may send and has to output, from what the service saw and what n8n passed on. It shares no code with the node.
 */

export type Option = 'none' | 'process' | 'reuse' | 'skip' | 'record';

/** What a call of the node is asked. */
export interface Asked {
	workflow: string;
	node: string;
	key: string;
	operation: string;
	option: Option;
	isManual: boolean;
	documents: string[];
}

/** One call of the node by n8n. */
export interface Call extends Asked {
	execution: string;
	/** Attempts of Retry On Fail share it. */
	series: string;
	/** What happened at the service during the call. */
	happenings: Happening[];
	/** Undefined if it threw. */
	outputs: Map<string, Output> | undefined;
	/** As the notes report them. */
	credits: number | undefined;
}

/** A result by what it is recognized by. */
type Output = { result: string } | 'failed';

type Open =
	| { kind: 'result'; result: string; execution: string; since: number }
	| { kind: 'job'; jobId: string; execution: string; since: number }
	| {
			kind: 'pending';
			happening: Happening;
			fate: Fate;
			/** What an earlier run has lost. */
			lost: Lost | null;
			execution: string;
			since: number;
	  }
	| Lost;

interface Lost {
	kind: 'lost';
	series: string;
	execution: string;
	since: number;
}

interface PassedOn {
	result: string;
	since: number;
	execution: string;
	isByHand: boolean;
	/** Whether the memory still has it, as far as the pages say. */
	held: 'yes' | 'maybe' | 'no';
}

interface Past {
	open: Open | null;
	passedOn: PassedOn | null;
}

/** Of a job. */
const FAILED = new Set<Fate>(['rejected', 'lost', 'billedFailure']);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export class TableModel {
	now = 1_000_000_000_000;
	readonly violations: string[] = [];
	readonly #pasts = new Map<string, Past>();
	readonly #history = new Map<string, 'answered' | 'lost'>();
	/** Of each result, the question that was paid for. */
	readonly #owners = new Map<string, string>();
	readonly #credits = new Map<string, number>();

	constructor(private readonly jobs: ReadonlyMap<string, JobModel>) {}

	wait(ms: number): void {
		this.now += ms;
		for (const past of this.#pasts.values()) {
			if (past.open !== null && this.now - past.open.since >= DAY) past.open = null;
			if (past.passedOn !== null && this.now - past.passedOn.since >= DAY)
				past.passedOn.held = 'no';
		}
	}

	/** Only n8n's history remains. */
	restart(): void {
		for (const past of this.#pasts.values()) {
			past.open = null;
			if (past.passedOn !== null) past.passedOn.held = 'no';
		}
	}

	/** What was paid for, and no run has passed on. */
	owed(): Array<Omit<Asked, 'documents' | 'option' | 'isManual'> & { document: string }> {
		return [...this.#pasts].flatMap(([question, { open }]) => {
			const past = resolved(open);
			const isReady = past?.kind === 'job' && this.jobs.get(past.jobId)?.fate === 'answered';
			if (past?.kind !== 'result' && !isReady) return [];
			const [workflow = '', node = '', key = '', operation = '', document = ''] =
				question.split(' ');
			return { workflow, node, key, operation, document };
		});
	}

	/** @param lateFate of requests in flight after a stop whose responses come during a later run */
	settle(call: Call, isPassedOn: boolean, lateFate: Fate = 'answered'): void {
		for (const document of call.documents) this.#settleOne(call, document, isPassedOn, lateFate);
		// What a submitted job costs is known when it has ended.
		if (call.operation !== 'submit') this.#checkCredits(call, isPassedOn);
	}

	#settleOne(call: Call, document: string, isPassedOn: boolean, lateFate: Fate): void {
		const question = questionOf(call, document);
		const past = this.#pasts.get(question) ?? { open: null, passedOn: null };
		this.#pasts.set(question, past);
		const before = { open: resolved(past.open), passedOn: past.passedOn };
		past.open = before.open;
		const happenings = call.happenings.filter(
			(happening) => happening.key === call.key && happening.document === document,
		);
		const produced = new Set<string>();
		for (const happening of happenings)
			this.#see(call, question, past, happening, produced, lateFate);
		// What happened last to a document is all that is kept of it; what a stop interrupts may come to nothing.
		const isReplaced = past.open !== null && past.open !== before.open;
		const mayBeReplaced = call.outputs === undefined && happenings.length > 0;
		if (past.passedOn !== null && (isReplaced || mayBeReplaced))
			past.passedOn = { ...past.passedOn, held: isReplaced ? 'no' : 'maybe' };
		if (isPassedOn) this.#passOn(call, question, document, before, past, produced);
	}

	/** Each event at the service, in order: was it allowed, and what is known after it? */
	#see(
		call: Call,
		question: string,
		past: Past,
		happening: Happening,
		produced: Set<string>,
		lateFate: Fate,
	): void {
		const { what, result, jobId } = happening;
		const { execution, series } = call;
		const { now: since } = this;
		const isUpload = call.operation === 'upload';
		if (what === 'stored' && !isUpload) return;
		const isOfJob = what === 'fetched' || what === 'jobFailed' || jobId !== undefined;
		const isSent = !isOfJob || what === 'submitted';
		if (isSent) {
			const reason = this.#whyNotSend(call, question, past);
			if (reason !== undefined)
				this.violations.push(`sent (${what}) although ${reason}: ${question}, ${call.series}`);
		}
		if (isOfJob && !isSent) {
			if (past.open?.kind !== 'job' || past.open.jobId !== jobId) return;
			if (what === 'jobFailed' && happening.credits === 0) {
				past.open = null;
				// That it may be billed was said of this job, as far as the run asks the history.
				const key = historyKeyOf(call, question);
				const isAsked = call.option === 'skip' || call.option === 'record';
				if (isAsked && this.#history.get(key) === 'lost') this.#history.delete(key);
			} else if (what === 'jobFailed' || what === 'noResult')
				past.open = { kind: 'lost', execution, series, since };
			else past.open = { ...past.open, kind: 'result', result };
			if (past.open?.kind === 'result') {
				produced.add(result);
				this.#owners.set(result, question);
			}
			return;
		}
		// What an earlier run has lost may still be billed.
		if (what === 'rejected') past.open = past.open?.kind === 'lost' ? past.open : null;
		else if (what === 'lost' || what === 'noResult')
			past.open = { kind: 'lost', execution, series, since };
		else if (what === 'held')
			past.open = {
				kind: 'pending',
				happening,
				fate: lateFate,
				lost: past.open?.kind === 'lost' ? past.open : null,
				execution,
				since,
			};
		else if (what === 'submitted' && call.operation !== 'submit')
			past.open = { kind: 'job', jobId: jobId ?? '', execution, since };
		else {
			past.open = { kind: 'result', result, execution, since };
			produced.add(result);
		}
		this.#owners.set(result, question);
	}

	#whyNotSend(call: Call, question: string, { open, passedOn }: Past): string | undefined {
		const { option, series } = call;
		if (option === 'record') return 'it was only to be recorded';
		if (open?.kind === 'result') return `its result ${open.result} was not passed on`;
		if (open?.kind === 'job') return `its job ${open.jobId} may have a result`;
		if (open?.kind === 'pending') return 'it is in flight';
		if (open?.kind === 'lost' && open.series === series) return 'an attempt has lost it';
		if (open?.kind === 'lost' && option === 'skip') return 'it may be billed';
		if (open !== null) return undefined;
		const isRecorded = this.#history.has(historyKeyOf(call, question));
		if (option === 'skip' && isRecorded) return 'it is skipped';
		if (passedOn?.held === 'yes' && this.#mayReturn(call, passedOn))
			return `its result ${passedOn.result} is returned`;
		return undefined;
	}

	/** Whether what was passed on answers the call, if the memory has it. */
	#mayReturn({ option, isManual, execution, operation }: Call, passedOn: PassedOn): boolean {
		const age = this.now - passedOn.since;
		const fate = this.jobs.get(passedOn.result)?.fate ?? 'answered';
		// A job that was submitted and has failed is submitted anew.
		if (operation === 'upload' || FAILED.has(fate)) return false;
		if (option === 'reuse' || option === 'skip') return age < DAY;
		if (option !== 'none' || !isManual) return false;
		return passedOn.isByHand && passedOn.execution !== execution && age < HOUR;
	}

	#passOn(
		call: Call,
		question: string,
		document: string,
		before: Past,
		past: Past,
		produced: Set<string>,
	): void {
		const output = call.outputs?.get(document);
		const complain = (text: string) =>
			this.violations.push(`${text}: ${question}, ${call.series}, ${call.option}`);
		const key = historyKeyOf(call, question);
		const isKnown = this.#history.has(key);
		const isRecorded = call.option === 'skip' || call.option === 'record';
		if (output === undefined) {
			// Of a job that came to nothing, the history of an earlier result is left.
			const known = past.open === null ? past : before;
			const isSkipped = call.option === 'skip' && this.#isSkipped(key, known);
			if (call.option !== 'record' && !isSkipped) complain('no output');
			if (call.option === 'record' && !isKnown) this.#history.set(key, 'answered');
			if (isSkipped && before.open !== null && !isKnown) this.#history.set(key, 'lost');
			return;
		}
		if (output === 'failed') {
			if (past.open?.kind === 'result') complain(`its result ${past.open.result} is not output`);
			const isOver = produced.size === 0 && past.open === null && before.open === null;
			if (isOver && !call.happenings.some((each) => each.document === document))
				complain('failed without a request');
			if (isRecorded && past.open === null) this.#history.delete(key);
			if (isRecorded && past.open !== null) this.#history.set(key, 'lost');
			if (past.open?.kind === 'lost') past.open = null;
			return;
		}
		const { result } = output;
		if (this.#owners.get(result) !== question) complain(`has the result ${result} of another`);
		const isKept = before.open?.kind === 'result' && before.open.result === result;
		const isReturned =
			before.open?.kind !== 'result' &&
			past.passedOn?.result === result &&
			past.passedOn.held !== 'no' &&
			this.#mayReturn(call, past.passedOn);
		if (!produced.has(result) && !isKept && !isReturned) complain(`has the older ${result}`);
		if (call.option === 'skip' && !isKept && !produced.has(result) && isKnown)
			complain('is not skipped');
		if (isRecorded) this.#history.set(key, 'answered');
		past.passedOn = this.#passedOn(call, result, before.passedOn);
		past.open = null;
	}

	#isSkipped(key: string, { open }: Past): boolean {
		return open === null ? this.#history.has(key) : open.kind === 'lost';
	}

	#passedOn(call: Call, result: string, passedOn: PassedOn | null): PassedOn {
		const { execution, isManual, option } = call;
		if (passedOn?.result === result)
			return {
				...passedOn,
				isByHand: passedOn.isByHand || isManual,
				held: passedOn.isByHand === isManual ? passedOn.held : 'maybe',
			};
		const isHeld = option === 'reuse' || (isManual && option === 'none');
		// It takes the place of an older one, which would come back after it.
		const replaces = passedOn !== null && passedOn.held !== 'no';
		const mayBeHeld = isManual || replaces;
		const isLikeByHand = !isManual && option !== 'reuse' && replaces && passedOn.isByHand;
		return {
			result,
			since: isLikeByHand ? passedOn.since : this.now,
			execution,
			isByHand: isManual || isLikeByHand,
			held: isHeld ? 'yes' : mayBeHeld ? 'maybe' : 'no',
		};
	}

	/** The note of a run that is passed on reports what its attempts paid. */
	#checkCredits(call: Call, isPassedOn: boolean): void {
		for (const { what, jobId } of call.happenings)
			if (what === 'submitted' && jobId !== undefined) this.#submittedBy.set(jobId, call.execution);
		const ofThis = call.happenings.filter(({ key, document, jobId }) => {
			if (key !== call.key || !call.documents.includes(document)) return false;
			return jobId === undefined || this.#submittedBy.get(jobId) === call.execution;
		});
		const paid = ofThis.reduce((sum, { credits, jobId, what }) => {
			const isSeen = what === 'jobFailed' && this.#counted.has(jobId ?? '');
			if (what === 'jobFailed') this.#counted.add(jobId ?? '');
			return sum + (isSeen ? 0 : credits);
		}, 0);
		const total = (this.#credits.get(call.series) ?? 0) + paid;
		this.#credits.set(call.series, total);
		if (isPassedOn && (call.credits ?? 0) !== total)
			this.violations.push(
				`the note says ${call.credits ?? 0} credits, and ${call.series} paid ${total}`,
			);
	}

	readonly #submittedBy = new Map<string, string>();
	readonly #counted = new Set<string>();
}

/** A request that was in flight at a stop, as far as its response has come. */
function resolved(open: Open | null): Open | null {
	if (open?.kind !== 'pending') return open;
	const { happening, fate, lost, execution, since } = open;
	if (fate === 'rejected') return lost;
	if (fate === 'lost') return { kind: 'lost', series: '', execution, since };
	return { kind: 'result', result: happening.result, execution, since };
}

export function questionOf(
	{ workflow, node, key, operation }: Omit<Asked, 'documents'>,
	document: string,
): string {
	return [workflow, node, key, operation, document].join(' ');
}

/** The API key is not part of it. */
function historyKeyOf({ key }: Asked, question: string): string {
	return question.replace(` ${key} `, ' ');
}
