import type { IBinaryKeyData } from 'n8n-workflow';

import type { Document } from '../../document/document';
import type { FileContext } from '../../files/content';
import { partName } from '../../files/fileNames';
import type { InputFile } from '../../files/inputFiles';
import { MARKED_COPY } from '../../parameters/options';
import { readSwitch, type ReadParameter } from '../../parameters/read';
import { canShow, openDocument, type Bundle, type Highlight } from '../../pdf/openBundle';
import { grouped } from '../../results/columns';
import type { FieldTree } from '../../results/fields';
import { shortName, type Path } from '../../results/paths';
import { placesOf } from '../../results/places';
import { reasonOf, type Findings } from '../../results/review';
import { pluralize } from '../../text/words';
import type { ResultContext } from '../operation';
import { REASONS, withBundle } from './cutBundle';

/** Of a box and its label, by what is in doubt. If a place has several doubts, the first of these colors counts. */
const COLORS = {
	failedCheck: [0.8, 0.1, 0.1],
	uncertain: [0.75, 0.35, 0],
	lowConfidence: [0.1, 0.3, 0.75],
} as const;

function isOn(read: ReadParameter): boolean {
	return readSwitch(read, `options.${MARKED_COPY.name}`, false);
}

/** With a number for each value whose name the labels of a marked copy cannot show. */
export function withNumbers(findings: Findings, { read }: ResultContext): Findings {
	if (!isOn(read)) return findings;
	let count = 0;
	const withNumber = <Entry extends { path?: Path }>(entry: Entry): Entry =>
		canShow(shortName(entry.path ?? [])) ? entry : { ...entry, number: ++count };
	const { lowConfidenceFields, uncertainFields } = findings.doubts;
	return {
		...findings,
		failures: findings.failures?.map(withNumber),
		doubts: {
			lowConfidenceFields: lowConfidenceFields?.map(withNumber),
			uncertainFields: uncertainFields?.map(withNumber),
		},
	};
}

/**
 * A PDF of the document in which the values to review are marked; undefined if it is not requested or not possible. A note
 * says what is missing: the result is passed on all the same, because it may be billed.
 */
export async function markedCopy(
	tree: FieldTree,
	findings: Findings,
	{ context, document, read, notes, subject }: ResultContext,
): Promise<IBinaryKeyData | undefined> {
	if (!isOn(read)) return undefined;
	const { highlights, unplaced } = highlightsIn(tree, findings);
	const copy = highlights.length === 0 ? undefined : await copyOf(document, highlights, context);
	const unmarked = unplaced + (copy instanceof Object ? copy.unplaced : 0);
	const remarks = [
		...(typeof copy === 'string' ? [`no copy: ${copy}`] : []),
		...(unmarked > 0 ? [`${pluralize(unmarked, 'value')} without a position`] : []),
	];
	if (remarks.length > 0) notes.add('markedCopies', `${subject} (${remarks.join('; ')})`);
	return copy instanceof Object ? copy.binary : undefined;
}

/** One highlight for each place, and how many doubts have none. */
function highlightsIn(tree: FieldTree, { doubts, failures = [] }: Findings) {
	const { lowConfidenceFields = [], uncertainFields = [] } = doubts;
	const values = [
		...failures.map((failure) => ({ doubt: failure, color: COLORS.failedCheck })),
		...uncertainFields.map((doubt) => ({ doubt, color: COLORS.uncertain })),
		...lowConfidenceFields.map((doubt) => ({ doubt, color: COLORS.lowConfidence })),
	].map((value) => ({ ...value, places: placesOf(tree, value.doubt.path ?? []) }));
	const marks = values.flatMap(({ places, doubt, color }) =>
		places.map((place) => ({ place, doubt, color })),
	);
	const highlights = [...grouped(marks, ({ place }) => JSON.stringify(place)).values()].flatMap(
		(ofPlace): Highlight[] => {
			const labels = ofPlace.map(({ doubt: { number, path = [] } }) =>
				number === undefined ? shortName(path) : String(number),
			);
			const label = [...new Set(labels)].join(', ');
			const comment = ofPlace.map(({ doubt }) => reasonOf(doubt)).join('\n');
			return ofPlace.slice(0, 1).map(({ place, color }) => ({ ...place, label, comment, color }));
		},
	);
	return { highlights, unplaced: values.filter(({ places }) => places.length === 0).length };
}

/** @returns why there is no copy, worded as the end of a sentence */
async function copyOf(document: Document, highlights: Highlight[], context: FileContext) {
	const file = await fileOf(document);
	if (file === undefined) return 'the item does not have exactly one supported file';
	const work = async (bundle: Bundle) => {
		const pages = Array.from({ length: bundle.pageCount }, (_, index) => index + 1);
		const placed = highlights.filter(({ page }) => page <= bundle.pageCount);
		const unplaced = highlights.length - placed.length;
		if (placed.length === 0) return { unplaced };
		const bytes = await bundle.cut(pages, placed);
		if (typeof bytes === 'string') return REASONS[bytes] ?? bytes;
		const fileName = partName(file.name, 'marked', null);
		const data = await context.helpers.prepareBinaryData(bytes, fileName, 'application/pdf');
		return { unplaced, binary: { [MARKED]: { ...data, fileName } } };
	};
	return await withBundle(context, file.content, work, openDocument);
}

/** The binary field of the copy. */
const MARKED = 'marked';

/** The file that was sent. A job and a stored file name none, so it is that of the item if there is only one. */
async function fileOf({ parts, item }: Document): Promise<InputFile | undefined> {
	if (parts.length > 0) return parts[0]?.file;
	const [file, another] = ((await item.files?.()) ?? []).flatMap((each) =>
		each.kind === 'file' && each.type !== undefined ? each : [],
	);
	return another === undefined ? file : undefined;
}
