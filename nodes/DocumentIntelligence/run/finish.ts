import type { Answered, Ended, Origin, Output } from '../document/document';
import { DistinctNames } from '../files/fileNames';
import { DocumentError } from '../text/errors';
import { Notes } from '../text/notes';
import { failedItem, itemsOf, toPendingItem, type PendingItem } from '../operations/items';
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
	return { items, notes: notes.list, credits: creditsOf(ended) };
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
		const named = operation.cutsFiles ? withDistinctName(output, names) : output;
		return toPendingItem(named, document, operation, position);
	});
}

function toFailedItem(
	{ context }: Run,
	{ item, fileName }: Origin,
	failure: DocumentError,
	notes: Notes,
): PendingItem {
	notes.add('failed', failure.message);
	return {
		kind: 'item',
		item: failedItem(context, failure, item.itemIndex, fileName ?? undefined),
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

/** Of this run. Undefined if Cogneris reported none. */
function creditsOf(ended: Ended[]): number | undefined {
	const credits = ended
		.filter((document) => document.state === 'answered' || document.state === 'failed')
		.flatMap((document) => (document.earlier === null ? (document.credits ?? []) : []));
	return credits.length === 0 ? undefined : credits.reduce((sum, each) => sum + each, 0);
}
