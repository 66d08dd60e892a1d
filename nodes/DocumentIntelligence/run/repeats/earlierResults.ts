import { createHash } from 'node:crypto';

import type { Ended, KeptResult, Loaded, Open, Ready } from '../../document/document';
import type { DocumentOperation } from '../../operations/operation';
import type { Answer } from '../../service/envelope';
import { asDirectResult } from '../../service/jobs/jobResult';
import { RequestError } from '../../service/requestError';
import { DocumentError } from '../../text/errors';
import { objectOf } from '../../text/json';
import type { Note } from '../../text/notes';
import { pluralize } from '../../text/words';
import type { Run } from '../run';
import { identify, identityOf } from './identity';

/** Results that an earlier run has paid for reach their documents as a route. Reads no file unless something is kept. */
export async function takeKept(
	run: Run,
	documents: Array<Open | Ended>,
): Promise<Array<Open | Ended>> {
	if (!run.keepsResults || !run.kept.hasFor(ownerOf(run))) return documents;
	const identified = await identify(run, documents);
	const keyOf = keyFor(run);
	const results = run.kept.take(identified.map(({ identity }) => keyOf(identity)));
	return identified.map(({ document, identity }) => {
		const result = results.get(keyOf(identity));
		if (identity === undefined || result === undefined) return document;
		// The newer answer takes its place: otherwise the older one would come back after it.
		if (result.isPassedOn && !document.settings.reusesResults)
			return { ...document, settings: { ...document.settings, reusesResults: true } };
		return { ...document, route: { via: 'earlier', result, otherwise: document.route } };
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
	const loaded = ended.filter(isLoaded);
	const results = loaded.map((document) => resultToKeep(document, isRunPassedOn));
	return await keep(run, loaded, results);
}

function resultToKeep(document: Ended, isRunPassedOn: boolean): KeptResult | undefined {
	const result = resultOf(document);
	const isPassedOn = isRunPassedOn && !hasFailedOnResult(document);
	const isReusable = document.state === 'answered' && document.settings.reusesResults;
	if (result === undefined || (isPassedOn && !isReusable)) return undefined;
	return { ...result, isPassedOn: result.isPassedOn || isPassedOn };
}

/** Also for what arrives after the user has stopped the run. A file that was not read to its end has no identity. */
export async function keep(
	run: Run,
	documents: Loaded[],
	results: Array<KeptResult | undefined>,
): Promise<Map<number, KeptResult>> {
	if (!run.keepsResults) return new Map();
	const keyOf = keyFor(run);
	const entries: Array<{ place: number; key: string; result: KeptResult }> = [];
	for (const [number, document] of documents.entries()) {
		const result = results[number];
		if (result === undefined) continue;
		const identity = await identityOf(run, document).catch(() => undefined);
		if (identity !== undefined)
			entries.push({ place: document.place, key: keyOf(identity), result });
	}
	const kept = run.kept.keep(
		ownerOf(run),
		entries.map(({ key, result }) => [key, result]),
	);
	const remaining = entries.filter(({ key }) => kept.has(key));
	return new Map(remaining.map(({ place, result }) => [place, result]));
}

/** The result of this run, the one that it was given, or the job that still has it. */
function resultOf(ended: Ended): KeptResult | undefined {
	if (ended.state === 'answered' && ended.result !== undefined) return ended.result;
	if (ended.route?.via === 'earlier') return ended.route.result;
	if (ended.state !== 'failed' || !(ended.failure instanceof RequestError)) return undefined;
	const { retryKind, details } = ended.failure;
	return retryKind === 'lost' && details.jobId !== undefined ? keptJob(details.jobId) : undefined;
}

export function keptJob(jobId: string): KeptResult {
	return { bytes: new Uint8Array(), jobId, isPassedOn: false };
}

/** The part of each document in an answer, as bytes: nothing can change them, and their size is known. */
export function newResults(
	run: Run,
	operation: DocumentOperation,
	ready: Ready[],
	{ data, stored, file, creditsConsumed }: Answer,
): Array<KeptResult | undefined> {
	if (!run.keepsResults || file !== undefined) return [];
	const parts =
		ready.length > 1
			? partsOf(operation, ready, data).map((part) => part && { data: part })
			: [stored === undefined ? { data } : { stored }];
	return ready.map(({ route }, number) => {
		const earlier = route.via === 'earlier' ? route.result : undefined;
		const isFromMemory = earlier !== undefined && earlier.jobId === undefined;
		if (parts[number] === undefined || isFromMemory) return undefined;
		const bytes = new TextEncoder().encode(JSON.stringify(parts[number]));
		// What an answer cost counts once.
		const credits = number === 0 ? creditsConsumed : undefined;
		const result = { bytes, credits, isPassedOn: false, since: earlier?.since };
		return run.holds(bytes.byteLength) ? result : undefined;
	});
}

function partsOf(operation: DocumentOperation, ready: Ready[], data: unknown): unknown[] {
	const sentNames = ready.map(({ parts }) => parts[0]?.file.uploadName);
	try {
		const results = operation.parse(data, sentNames);
		return results.map((result) => (result === undefined ? undefined : operation.dataOf?.(result)));
	} catch {
		return [];
	}
}

export function answerFrom({ bytes, credits, isPassedOn }: KeptResult): Answer {
	const { data, stored } = objectOf(JSON.parse(new TextDecoder().decode(bytes)));
	// Its credits were shown when it was passed on, and 0 would say that it was free.
	const creditsConsumed = isPassedOn ? undefined : credits;
	const answer = stored === undefined ? { data } : { data: asDirectResult(stored), stored };
	return creditsConsumed === undefined ? answer : { ...answer, creditsConsumed };
}

/** What a run says of the results that it did not pay for. */
export function notesOnEarlierResults(ended: Ended[]): Note[] {
	const results = ended.flatMap(({ state, route }) =>
		state === 'answered' && route?.via === 'earlier' ? route.result : [],
	);
	return SOURCES.flatMap(({ isPassedOn, one, more, advice }): Note[] => {
		const count = results.filter((result) => result.isPassedOn === isPassedOn).length;
		const [source, them] = count === 1 ? [one, 'it'] : [more, 'them'];
		const entry = `${pluralize(count, 'result')} ${source}. To have ${them} processed anew, ${advice}.`;
		return count === 0 ? [] : [{ kind: 'earlier', entry }];
	});
}

const SOURCES = [
	{
		isPassedOn: false,
		one: 'comes from an earlier run that failed',
		more: 'come from an earlier run that failed',
		advice: 'execute again',
	},
	{
		isPassedOn: true,
		one: 'of an earlier run was reused',
		more: 'of an earlier run were reused',
		advice: "turn 'Reuse Results' off for one run",
	},
];

/** Whether there is a result that is no part of the output. A job of this run is: its failure names it. */
function hasFailedOnResult(ended: Ended): boolean {
	return ended.state === 'answered'
		? ended.outputs.some((output) => output instanceof DocumentError)
		: ended.route?.via === 'earlier';
}

function isLoaded(document: Ended): document is Ended & Loaded {
	return 'parts' in document;
}

/** Nobody with another API key gets a result. */
function keyFor({ session }: Run): (identity?: string) => string {
	const digest = createHash('sha256').update(session.account.apiKey).digest('hex');
	return (identity = '') => `${identity} ${digest}`;
}

function ownerOf({ context }: Run) {
	return { workflowId: context.getWorkflow().id ?? '', nodeId: context.getNode().id };
}
