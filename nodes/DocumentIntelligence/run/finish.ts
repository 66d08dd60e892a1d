import type { Output } from '../document/document';
import { DistinctNames } from '../files/fileNames';
import { Undelivered } from '../operations/operation';
import { RequestError } from '../service/requestError';
import { asDocumentError, asNodeError, DocumentError, ofNothingSent } from '../text/errors';
import { describeNextStep, describeOthers } from '../text/failures';
import { Notes } from '../text/notes';
import { sumOf } from '../text/words';
import { mayBeBilled, type Answered, type Ended, type Failed } from './state';
import { isUsedNext, nextOf } from './ledger/decide';
import { wasPassedOn, type Past } from './ledger/past';
import { failedItem, itemsOf, toPendingItem, type PendingItem } from './items';
import type { Run } from './run';
import type { FatalFailure } from './runEnd';

/** The items and notes of all documents in the order of the input. Never throws: all of them are paid for. */
export function finish(run: Run, ended: Ended[]): ReturnType<typeof outputOf> | FatalFailure {
	try {
		return outputOf(run, ended);
	} catch (thrown) {
		return { document: null, failure: asDocumentError(thrown) };
	}
}

function outputOf(run: Run, ended: Ended[]) {
	const names = new DistinctNames();
	const notes = new Notes();
	const pending: PendingItem[] = [];
	for (const document of ended) {
		notes.list.push(...document.notes);
		if (document.state === 'failed')
			pending.push(toFailedItem(run, document, document.failure, notes));
		if (document.state === 'answered') pending.push(...toItems(run, document, names, notes));
	}
	for (const field of unknownFields(ended)) notes.add('unknownFields', field);
	const items = itemsOf(pending, notes);
	const withoutCredits = ended.filter(isWithoutCredits).length;
	const failedAtUnknownCost = ended.filter((each) => isFailedAtUnknownCost(run, each)).length;
	return { items, notes: notes.list, costs: { withoutCredits, failedAtUnknownCost } };
}

/** Whether Cogneris processed it in this run and did not say what that cost. */
function isWithoutCredits(ended: Ended): boolean {
	return ended.state === 'answered' && ended.earlier === null && ended.paid === undefined;
}

/** Whether it failed in this execution, and may be billed although Cogneris did not say what it cost. */
function isFailedAtUnknownCost({ attempt, keepsResults }: Run, ended: Ended): boolean {
	if (!keepsResults || ended.state !== 'failed') return false;
	const { failure, earlier } = ended;
	const isUnknown = failure.mayBeBilled && failure.details.creditsConsumed === undefined;
	return isUnknown && attempt.isOwn(earlier);
}

/** Names in options that no document of the run has, as a typing mistake would be. */
function unknownFields(ended: Ended[]): string[] {
	const outputs = ended.flatMap((document) =>
		document.state === 'answered' ? document.outputs : [],
	);
	const [first = [], ...remaining] = outputs.flatMap((output) =>
		'unknownFields' in output && output.unknownFields ? [output.unknownFields] : [],
	);
	return first.filter((field) => remaining.every((fields) => fields.includes(field)));
}

function toItems(run: Run, document: Answered, names: DistinctNames, notes: Notes): PendingItem[] {
	const { operation } = run;
	return document.outputs.map((output, position) => {
		if (output instanceof DocumentError) return toFailedItem(run, document, output, notes);
		const named = operation.inputFile === 'cut' ? withDistinctName(output, names) : output;
		return toPendingItem(named, document, operation, position);
	});
}

function toFailedItem(
	run: Run,
	document: Failed | Answered,
	failure: DocumentError,
	notes: Notes,
): PendingItem {
	const { item, fileName } = document;
	notes.add('failed', failure.message);
	const next = nextOf(run, document, failure, isUsedNext(run, document));
	return {
		kind: 'item',
		item: failedItem(run.context, failure, item.itemIndex, fileName ?? undefined, next),
	};
}

function withDistinctName(
	output: Exclude<Output, DocumentError>,
	names: DistinctNames,
): Exclude<Output, DocumentError> {
	const file = output.binary?.data;
	if (!('json' in output) || file === undefined) return output;
	const fileName = names.take(file.fileName ?? '');
	return {
		...output,
		json: { ...output.json, fileName },
		binary: { ...output.binary, data: { ...file, fileName } },
	};
}

/** What the run throws, with what became of the results of the other documents. */
export function fatalError(
	run: Run,
	{ document, failure }: FatalFailure,
	ended: Ended[],
	kept: ReadonlyMap<number, Past>,
	isAnySent: boolean,
) {
	const { context, end, keepsResults, operation } = run;
	const remaining = ended.filter(({ place }) => place !== document?.place);
	const pasts = remaining.flatMap(({ place }) => kept.get(place) ?? []);
	const countOf = (...kinds: Array<Past['kind']>) =>
		pasts.filter(({ kind }) => kinds.includes(kind)).length;
	const others = {
		results: countOf('answer', 'outputs'),
		credits:
			sumOf(pasts.map((past) => ('creditsConsumed' in past ? past.creditsConsumed : undefined))) ??
			0,
		jobs: countOf('job'),
		inFlight: countOf('pending'),
		// What was passed on before may be returned again, and has cost nothing.
		lost: remaining.filter(
			(each) => mayBeBilled(each) && !kept.has(each.place) && !wasPassedOn(each.earlier),
		).length,
		followsLinks:
			operation.kind === 'document' &&
			remaining.some(
				({ place, item }) =>
					kept.get(place)?.kind === 'answer' && operation.followsLinks?.(item.read) === true,
			),
	};
	const isOfFile = !end.canceled.aborted && mayBeOfAFile(failure);
	const culprits = document !== null && isOfFile ? [document.subject || 'the item'] : [];
	const sentence = keepsResults ? describeOthers(others, describeNextStep(culprits)) : '';
	const failedEnd = ended.find(({ place }) => place === document?.place);
	const next = failedEnd && nextOf(run, failedEnd, failure, kept.has(failedEnd.place));
	const itemIndex = document?.item.itemIndex ?? 0;
	const shown = isAnySent ? failure : ofNothingSent(failure);
	return asNodeError(context.getNode(), shown, itemIndex, sentence, next);
}

/** Statuses that have nothing to do with the document. */
const NOT_OF_A_FILE = new Set([401, 403, 429]);

/** Whether a file may be to blame, and not a response that did not arrive or the storage of n8n. */
function mayBeOfAFile(failure: DocumentError): boolean {
	if (failure instanceof RequestError && failure.retryKind !== 'never') return false;
	return !(failure instanceof Undelivered) && !NOT_OF_A_FILE.has(failure.details.httpCode ?? 0);
}
