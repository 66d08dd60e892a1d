import { loadedOf, type Answered, type Ended, type Output } from '../document/document';
import { DistinctNames } from '../files/fileNames';
import { JobError } from '../service/jobs/jobResult';
import { DocumentError } from '../text/errors';
import { Notes } from '../text/notes';
import { sumOf } from '../text/words';
import { failedItem, itemsOf, toPendingItem, type PendingItem } from './items';
import type { Run } from './run';

/** The items and notes of all documents in the order of the input. */
export function finish(run: Run, ended: Ended[]) {
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
	const credits = sumOf(
		...ended.map((document) => ('credits' in document ? document.credits : undefined)),
	);
	const withoutCredits = ended.filter(isWithoutCredits).length;
	return { items, notes: notes.list, credits, withoutCredits };
}

/** Whether Cogneris processed it in this run and did not say what that cost. */
function isWithoutCredits(ended: Ended): boolean {
	return ended.state === 'answered' && ended.earlier === null && ended.credits === undefined;
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
	{ context }: Run,
	document: Ended,
	failure: DocumentError,
	notes: Notes,
): PendingItem {
	const { item, fileName } = document;
	notes.add('failed', failure.message);
	// A job that may still have its result is collected.
	const isCollected = failure instanceof JobError && failure.result === 'kept';
	const isSkipped = loadedOf(document)?.settings.processedBefore === 'skip' && !isCollected;
	return {
		kind: 'item',
		item: failedItem(context, failure, item.itemIndex, fileName ?? undefined, isSkipped),
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
