import type { IDataObject } from 'n8n-workflow';

import {
	booleanOf,
	hasOthers,
	isEmpty,
	listOf,
	numberOf,
	objectOf,
	objectsOf,
	textOf,
} from '../text/json';
import { pluralize } from '../text/words';

const NOT_SENT = 'not sent: unsupported file type';

type Entry = ReturnType<typeof readEntry>;

/** Whether an answer is a comparison of documents, or says in the form of one that nothing was found. */
export function isComparison(data: IDataObject): boolean {
	const { matches, extractions } = data;
	const lists = [matches, extractions].filter((list) => (list ?? null) !== null);
	if (lists.length === 0 || !lists.every(Array.isArray)) return false;
	const comparisons = listOf(matches).filter((entry) => !isEmpty(entry));
	const isDecided = (entry: unknown) => typeof objectOf(entry).matched === 'boolean';
	// Whether they match may be under a name that the node does not know.
	if (comparisons.length > 0 && !comparisons.some(isDecided)) return false;
	const entries = lists.flatMap(listOf);
	// What was found may be under another name, too.
	if (entries.every(isEmpty)) return !hasOthers(data, ['requestId', 'matches', 'extractions']);
	return entries.some((entry) => readEntry(objectOf(entry)).id !== '');
}

/**
 * A document has matched if it and the selfie show a face, and every entry for it compares it with the selfie and says that
 * they match. If the response lists several selfies, more documents than were sent, or an entry of no document, nothing has
 * matched.
 */
export function compareFaces(
	data: IDataObject,
	documentsSent: number,
	documentsSkipped: number,
	isEvery: boolean,
) {
	const entries = objectsOf(data.matches).map(readEntry);
	const faces = objectsOf(data.extractions).map(readEntry);
	const { selfies, documents, isClear } = documentsIn(entries, faces, documentsSent);
	const faceOf = new Map(faces.map((face) => [face.id, face]));
	const isWithoutFace = (id: string) => faceOf.get(id)?.hasFace === false;
	const isSelfieWithoutFace = [...selfies].some(isWithoutFace);
	const ofResponse = [
		...(isClear ? [] : ['the response does not show which documents it compares']),
		...(isSelfieWithoutFace ? ['the selfie shows no face'] : []),
	];
	const comparable = ofResponse.length > 0 ? [] : documents;
	/** The entries of each document that they decide about. */
	const decided = comparable
		.filter((id) => faces.length === 0 || faceOf.get(id)?.hasFace === true)
		.map((id) => entries.filter((entry) => entry.id === id))
		.filter((matches) => matches.length > 0 && matches.every(({ isDecision }) => isDecision));
	const documentsMatched = decided.filter((matches) =>
		matches.every(({ matched }) => matched),
	).length;
	const documentsWithoutFace = documents.filter(isWithoutFace).length;
	const several = decided.filter((matches) => matches.length > 1 || matches[0]?.tooManyFaces);
	const expected = documentsSent + documentsSkipped;
	const missing = documentsSent - documentsWithoutFace - decided.length;
	const ofDocuments = reasonsFor(expected, [
		[documentsWithoutFace, 'shows no face', 'show no face'],
		[several.length, 'shows several faces', 'show several faces'],
		[missing, 'is not in the response', 'are not in the response'],
		[documentsSkipped, `was ${NOT_SENT}`, `were ${NOT_SENT}`],
	]);
	const reviewReasons = ofResponse.length > 0 ? ofResponse : ofDocuments;
	const decisive = new Set(decided.flat());
	const scores = [...decisive].flatMap(({ score }) => score ?? []);
	const sources = new Set(entries.map(({ id }) => id));
	const unlisted = faces.filter(({ id }) => !sources.has(id) && !selfies.has(id));
	return {
		matched: isEvery ? documentsMatched === expected : documentsMatched > 0,
		needsReview: reviewReasons.length > 0,
		reviewReasons,
		// A spread list of 200,000 would be too long for a call.
		bestScore: scores.reduce<number | null>((best, score) => Math.max(best ?? score, score), null),
		documentsSent,
		documentsMatched,
		documentsWithoutFace,
		requestId: textOf(data.requestId),
		matches: [...entries, ...unlisted].map((entry) => {
			const { hasFace = null, documentType = null, faceUrl = null } = faceOf.get(entry.id) ?? {};
			const { score, tooManyFaces, sourceDocumentId } = entry;
			const matched = decisive.has(entry) && entry.matched;
			return { matched, score, tooManyFaces, hasFace, documentType, faceUrl, sourceDocumentId };
		}),
	};
}

/** The IDs of the selfies and the documents, and whether these are clearly what was sent. */
function documentsIn(entries: Entry[], faces: Entry[], documentsSent: number) {
	const selfies = new Set(entries.flatMap(({ selfieId }) => selfieId || []));
	const all = new Set([...entries, ...faces].map(({ id }) => id));
	const ids = [...all].filter((id) => id !== '');
	const documents = ids.filter((id) => !selfies.has(id));
	const isSelfieListed = documents.length < ids.length;
	const isListedTwice = new Set(faces.map(({ id }) => id)).size < faces.length;
	const isUnclear =
		all.has('') || selfies.size > 1 || documents.length > documentsSent || isListedTwice;
	// The selfie may be listed along with all documents, not in place of one.
	const isSelfieInPlace = isSelfieListed && documents.length !== documentsSent;
	return { selfies, documents, isClear: !isUnclear && !isSelfieInPlace };
}

/** One sentence for each kind of document to look at, if there is any. */
function reasonsFor(
	documents: number,
	kinds: Array<[count: number, one: string, many: string]>,
): string[] {
	return kinds.flatMap(([count, one, many]) =>
		count > 0
			? [`${count} of ${pluralize(documents, 'document')} ${count === 1 ? one : many}`]
			: [],
	);
}

/** An entry of `matches` or of `extractions`. IDs are compared without blanks around them and in small letters. */
function readEntry({ sourceDocumentId, selfieDocumentId, matched, ...entry }: IDataObject) {
	const idOf = (value: unknown) => (textOf(value) ?? '').trim().toLowerCase();
	const selfieId = idOf(selfieDocumentId);
	return {
		id: idOf(sourceDocumentId),
		selfieId,
		isDecision: selfieId !== '' && typeof matched === 'boolean',
		matched: matched === true,
		score: numberOf(entry.score),
		tooManyFaces: booleanOf(entry.tooManyFaces) ?? false,
		hasFace: booleanOf(entry.hasFace) === true,
		documentType: textOf(entry.documentType),
		faceUrl: textOf(entry.cropSignedUrl),
		sourceDocumentId: textOf(sourceDocumentId),
	};
}
