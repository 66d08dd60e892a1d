import { createHmac } from 'node:crypto';

import {
	hasFailure,
	loadedOf,
	type Ended,
	type KeptAnswer,
	type KeptResult,
	type Loaded,
	type Open,
	type Ready,
} from '../../document/document';
import type { DocumentOperation } from '../../operations/operation';
import type { Answer } from '../../service/envelope';
import { asDirectResult, JobError } from '../../service/jobs/jobResult';
import { objectOf } from '../../text/json';
import type { Note } from '../../text/notes';
import { pluralize } from '../../text/words';
import type { Run } from '../run';
import { identify, identityOf } from './identity';

/** Results that an earlier run has paid for reach their documents. Reads no file unless something is kept. */
export async function takeKept(
	run: Run,
	documents: Array<Open | Ended>,
): Promise<Array<Open | Ended>> {
	if (!run.keepsResults || !run.kept.hasFor(ownerOf(run))) return documents;
	const identified = await identify(run, documents);
	const keys = identified.flatMap(({ identity }) => (identity ? keyOf(run, identity) : []));
	const results = run.kept.take(keys);
	return identified.map(({ document, identity }) => {
		if (identity === undefined) return document;
		const result = results.get(keyOf(run, identity));
		if (result === undefined) return document;
		// The newer answer takes its place: otherwise the older one would come back after it.
		if (result.isPassedOn && !document.settings.reusesResults)
			return { ...document, keepsAnswer: true };
		return { ...document, earlier: result };
	});
}

/**
 * Keeps what the run could not pass on and, with Reuse Results, what it could.
 * @returns what is kept, by place
 */
export async function keepResults(
	run: Run,
	ended: Ended[],
	isRunPassedOn: boolean,
): Promise<Map<number, KeptResult>> {
	const decided = ended.flatMap((document): LoadedResult[] => {
		const loaded = loadedOf(document);
		return loaded === null
			? []
			: [{ document: loaded, result: resultToKeep(document, isRunPassedOn) }];
	});
	return await keep(run, decided);
}

function resultToKeep(document: Ended, isRunPassedOn: boolean): KeptResult | null {
	const result = paidResult(document);
	// The failure of a job of this run names the job.
	if (document.state !== 'answered') return isRunPassedOn ? document.earlier : result;
	const isPassedOn = isRunPassedOn && !hasFailure(document);
	if (result === null || (isPassedOn && !document.keepsAnswer)) return null;
	return { ...result, isPassedOn: result.isPassedOn || isPassedOn };
}

/** The answer of a document or, for one without an answer, the job that may still have it. */
export function paidResult(ended: Ended): KeptResult | null {
	return ended.state === 'answered'
		? (ended.result ?? ended.earlier)
		: (ended.earlier ?? lostJob(ended));
}

function lostJob(ended: Ended): KeptResult | null {
	if (ended.state !== 'failed' || !(ended.failure instanceof JobError)) return null;
	const { jobId, result } = ended.failure;
	return result === 'kept' ? keptJob(jobId) : null;
}

export function keptJob(jobId: string): KeptResult {
	return { kind: 'job', jobId, isPassedOn: false };
}

interface LoadedResult {
	document: Loaded;
	/** Null if there is nothing to keep. */
	result: KeptResult | null;
}

/** Also for what arrives after the user has stopped the run. A file that was not read to its end has no identity. */
export async function keep(run: Run, results: LoadedResult[]): Promise<Map<number, KeptResult>> {
	if (!run.keepsResults) return new Map();
	const entries = new Map<number, [key: string, result: KeptResult]>();
	for (const { document, result } of results) {
		if (result === null) continue;
		const identity = await identityOf(run, document).catch(() => undefined);
		if (identity !== undefined) entries.set(document.place, [keyOf(run, identity), result]);
	}
	run.kept.keep(ownerOf(run), entries.values());
	const remaining = [...entries].filter(([, [key]]) => run.kept.has(key));
	return new Map(remaining.map(([place, [, result]]) => [place, result]));
}

/** The part of each document in an answer, as bytes: nothing can change them, and their size is known. */
export function newResults(
	run: Run,
	operation: DocumentOperation,
	ready: Ready[],
	answer: Answer,
): Array<KeptResult | null> {
	if (!run.holdsAnswers || answer.kind === 'file') return [];
	const { data, stored, creditsConsumed } = answer;
	const whole = stored === undefined ? { data } : { stored };
	const parts = ready.length > 1 ? partsOf(operation, ready, data) : [whole];
	return ready.map(({ earlier }, number) => {
		const isFromMemory = earlier?.kind === 'answer';
		if (parts[number] === undefined || isFromMemory) return null;
		const bytes = new TextEncoder().encode(JSON.stringify(parts[number]));
		// What an answer cost counts once.
		const credits = number === 0 ? creditsConsumed : undefined;
		if (!run.holds(bytes.byteLength)) return null;
		return { kind: 'answer', bytes, credits, isPassedOn: false, since: earlier?.since };
	});
}

function partsOf(operation: DocumentOperation, ready: Ready[], data: unknown) {
	const sentNames = ready.map(({ parts }) => parts[0]?.file.uploadName);
	const results = operation.parse(data, sentNames);
	return results.map((result) =>
		(result ?? null) === null ? undefined : { data: operation.dataOf?.(result) },
	);
}

export function answerFrom({ bytes, credits, isPassedOn }: KeptResult & KeptAnswer): Answer {
	const { stored, data = asDirectResult(stored) } = objectOf(
		JSON.parse(new TextDecoder().decode(bytes)),
	);
	// Its credits were shown when it was passed on, and 0 would say that it was free.
	const creditsConsumed = isPassedOn ? undefined : credits;
	return { kind: 'data', data, stored, creditsConsumed };
}

/** What a run says of the results that it did not pay for. */
export function notesOnEarlierResults(ended: Ended[]): Note[] {
	const results = ended.flatMap(({ state, earlier }) =>
		state === 'answered' ? (earlier ?? []) : [],
	);
	const reused = results.filter(({ isPassedOn }) => isPassedOn).length;
	const kept = results.length - reused;
	const noteOn = (count: number, text: string): Note[] =>
		count === 0 ? [] : [{ kind: 'earlier', entry: `${pluralize(count, 'result')} ${text}` }];
	const come = kept === 1 ? 'comes' : 'come';
	const were = reused === 1 ? 'was' : 'were';
	return [
		...noteOn(
			kept,
			`${come} from an earlier run that failed or was stopped. Executing again processes the same files anew and may be billed.`,
		),
		...noteOn(
			reused,
			`of an earlier run ${were} reused. To process the same files anew, turn 'Reuse Results' off for one run.`,
		),
	];
}

/** Nobody with another API key gets a result. */
function keyOf({ session }: Run, identity: string): string {
	return createHmac('sha256', session.account.apiKey).update(identity).digest('hex');
}

function ownerOf({ context }: Run) {
	return { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id };
}
