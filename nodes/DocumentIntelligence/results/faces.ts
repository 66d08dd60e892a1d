import type { IDataObject } from 'n8n-workflow';

import {
	booleanOf,
	hasMore,
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

/**
 * Whether an answer has the two lists, or one of them, and says of something in them which document it belongs to. If it
 * has entries of comparisons, one of them has to say whether it matched. Without entries, it may say nothing else.
 */
export function isComparison(data: IDataObject): boolean {
	const { matches, extractions } = data;
	const lists = [matches, extractions].filter((list) => (list ?? null) !== null);
	const all = lists.flatMap(listOf);
	const comparisons = listOf(matches).filter((entry) => !isEmpty(entry));
	return (
		lists.length > 0 &&
		lists.every(Array.isArray) &&
		((all.every(isEmpty) && !hasMore(data, ['requestId', 'matches', 'extractions'])) ||
			all.some((entry) => readEntry(objectOf(entry)).id !== '')) &&
		(comparisons.length === 0 ||
			comparisons.some((entry) => typeof objectOf(entry).matched === 'boolean'))
	);
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
	const faceOf = new Map(faces.map((face) => [face.id, face]));
	const { selfies, documents, isClear } = documentsIn(entries, faces, documentsSent);
	const isWithoutFace = (id: string) => faceOf.get(id)?.hasFace === false;
	const isSelfieWithoutFace = [...selfies].some(isWithoutFace);
	const compared = (isClear && !isSelfieWithoutFace ? documents : [])
		.filter((id) => faces.length === 0 || faceOf.get(id)?.hasFace === true)
		.map((id) => entries.filter((entry) => entry.id === id))
		.filter((matches) => matches.length > 0 && matches.every(({ isDecision }) => isDecision));
	const decisive = new Set(compared.flat());
	const documentsMatched = compared.filter((matches) =>
		matches.every(({ matched }) => matched),
	).length;
	const documentsWithoutFace = documents.filter(isWithoutFace).length;
	const several = compared.filter((matches) => matches.length > 1 || matches[0]?.tooManyFaces);
	const expected = documentsSent + documentsSkipped;
	const missing = documentsSent - documentsWithoutFace - compared.length;
	const ofDocuments = reasonsFor(expected, [
		[documentsWithoutFace, 'shows no face', 'show no face'],
		[several.length, 'shows several faces', 'show several faces'],
		[missing, 'is not in the response', 'are not in the response'],
		[documentsSkipped, `was ${NOT_SENT}`, `were ${NOT_SENT}`],
	]);
	const ofResponse = [
		...(isClear ? [] : ['the response does not show which documents it compares']),
		...(isSelfieWithoutFace ? ['the selfie shows no face'] : []),
	];
	const reviewReasons = ofResponse.length > 0 ? ofResponse : ofDocuments;
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

/** The IDs of the documents, and whether the response shows clearly that they are the ones that were sent. */
function documentsIn(entries: Entry[], faces: Entry[], documentsSent: number) {
	const selfies = new Set(entries.flatMap(({ selfieId }) => selfieId || []));
	const ids = new Set([...entries, ...faces].map(({ id }) => id).filter((id) => id !== ''));
	const documents = [...ids].filter((id) => !selfies.has(id));
	const isClear =
		[...entries, ...faces].every(({ id }) => id !== '') &&
		selfies.size <= 1 &&
		documents.length <= documentsSent &&
		// The selfie may be listed along with all documents, not in place of one, and each only once.
		(documents.length === documentsSent || documents.length === ids.size) &&
		new Set(faces.map(({ id }) => id)).size === faces.length;
	return { selfies, documents, isClear };
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
