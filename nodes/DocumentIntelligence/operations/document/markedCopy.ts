import type { IBinaryKeyData } from 'n8n-workflow';

import type { Document } from '../../document/document';
import { storePdf, type FileContext } from '../../files/content';
import { partName } from '../../files/fileNames';
import type { InputFile } from '../../files/inputFiles';
import { MARKED_COPY } from '../../parameters/options';
import { readSwitch } from '../../parameters/read';
import type { Highlight } from '../../pdf/openBundle';
import type { FieldTree } from '../../results/fields';
import { placesOf } from '../../results/places';
import {
	firstReasons,
	reasonOf,
	type CheckFailure,
	type Doubt,
	type Findings,
} from '../../results/review';
import { grouped } from '../../text/grouped';
import { pluralize } from '../../text/words';
import type { ResultContext } from '../operation';
import { piecesOf, REASONS, withBundle } from './cutBundle';

/**
 * A PDF of the document in which the values to review are marked, and the numbers of the marks by reason. A note says what is
 * missing: the result is passed on all the same, because it may be billed.
 * @throws StorageFailure if n8n cannot store the copy
 */
export async function markedCopy(
	tree: FieldTree,
	{ failures = [], doubts: { uncertainFields = [], lowConfidenceFields = [] } }: Findings,
	{ files, document, read, notes }: ResultContext,
): Promise<{ binary?: IBinaryKeyData; numbers?: Map<string, number> }> {
	if (!readSwitch(read, `options.${MARKED_COPY.name}`, false)) return {};
	// Red, orange and blue. If a value has several doubts, the first color counts.
	const kinds: Array<[Array<Doubt | CheckFailure>, Highlight['color']]> = [
		[failures, [0.8, 0.1, 0.1]],
		[uncertainFields, [0.75, 0.35, 0]],
		[lowConfidenceFields, [0.1, 0.3, 0.75]],
	];
	const values = kinds.flatMap(([doubts, color]) =>
		doubts.map((doubt) => {
			return { reason: reasonOf(doubt), color, places: placesOf(tree, doubt.path ?? []) };
		}),
	);
	const placed = values.filter(({ places }) => places.length > 0);
	const highlights: Highlight[] = [];
	const numbers = new Map<string, number>();
	// Values at the same places share a number and a note.
	const marks = [...grouped(placed, ({ places }) => JSON.stringify(places)).values()];
	for (const [index, mark] of marks.entries()) {
		const [first] = mark;
		if (first === undefined) continue;
		const reasons = mark.map(({ reason }) => reason);
		for (const reason of reasons) numbers.set(reason, index + 1);
		const note = { number: index + 1, note: firstReasons(reasons).join('\n') };
		const { places, color } = first;
		highlights.push(...places.map((place) => ({ ...place, ...note, color })));
	}
	const copy = placed.length === 0 ? undefined : await copyOf(document, highlights, files);
	const unplaced = values.length - placed.length;
	const remarks = [
		...(typeof copy === 'string' ? [`no copy: ${copy}`] : []),
		...(unplaced > 0 ? [`${pluralize(unplaced, 'value')} without a position`] : []),
	];
	if (remarks.length > 0) notes.add('markedCopies', `${document.subject} (${remarks.join('; ')})`);
	return copy instanceof Object ? { binary: copy, numbers } : {};
}

/** @returns why there is no copy, worded as the end of a sentence */
async function copyOf(document: Document, highlights: Highlight[], context: FileContext) {
	const file = await fileOf(document);
	if (file === undefined) return 'the item does not have exactly one supported file';
	return await withBundle(context, file.content, async (bundle) => {
		const pages = Array.from({ length: bundle.pageCount }, (_, index) => index + 1);
		if (highlights.some(({ page }) => page > pages.length))
			return 'it has fewer pages than the result';
		const pieces = await piecesOf(bundle, pages, highlights);
		if (typeof pieces === 'string') return REASONS[pieces] ?? pieces;
		return { marked: await storePdf(pieces, partName(file.name, 'marked', null), context) };
	});
}

/** The file that was sent. A job and a stored file name none, so it is that of the item if there is only one. */
async function fileOf({ parts, item }: Document): Promise<InputFile | undefined> {
	if (parts.length > 0) return parts[0]?.file;
	const [file, another] = ((await item.files?.()) ?? []).flatMap((each) =>
		each.kind === 'file' && each.type !== undefined ? each : [],
	);
	return another === undefined ? file : undefined;
}
