import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { beside } from '../results/fields';
import { fromBinary, fromUrl, type FileSource } from '../parameters/fileParameters';
import { choiceIn } from '../parameters/choices';
import type { ReadParameter } from '../parameters/readParameter';
import { pluralize } from '../text/words';
import type { DocumentOperation, FileInput } from './operation';
import { INCLUDE_INPUT_FILE } from '../parameters/options';
import { notUnderstood } from '../service/envelope';
import { booleanOf, isObject, numberOf, objectsOf, textOf } from '../text/json';

const SELFIE: FileSource = {
	binaryField: 'selfieField',
	binaryFieldLabel: 'Selfie Field',
	single: true,
	url: 'selfieUrl',
	urlLabel: 'Selfie URL',
};

const DOCUMENTS: FileSource = {
	binaryField: 'documentsField',
	binaryFieldLabel: 'Document Fields',
	url: 'documentUrls',
	urlLabel: 'Document URLs',
};

const MATCH_WHEN = {
	displayName: 'Match When',
	name: 'matchWhen',
	type: 'options',
	options: [
		{
			name: 'Any Document Matches',
			value: 'any',
			description: 'One document that shows the face in the selfie is enough',
		},
		{
			name: 'Every Document Matches',
			value: 'every',
			description: 'A document without a face, such as the back of a card, is not a match',
		},
	],
	default: 'every',
	description: 'Which of the documents must match for matched to be true',
} satisfies INodeProperties;

export const faceMatch: DocumentOperation<IDataObject | undefined> = {
	value: 'faceMatch',
	name: 'Match Faces',
	description: 'Compare a selfie with the photos on identity documents',
	action: 'Match selfie with identity documents',
	path: '/Document/facematch',
	maxFileBytes: 10 * MB,
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters: [
		fromBinary({
			displayName: SELFIE.binaryFieldLabel,
			name: SELFIE.binaryField,
			type: 'string',
			default: 'selfie',
			required: true,
			placeholder: 'e.g. selfie',
			hint: 'The name of the field that holds the selfie',
			description:
				'The binary field that holds the photo of the person. It must hold exactly one file.',
		}),
		fromUrl({
			displayName: SELFIE.urlLabel,
			name: SELFIE.url,
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/selfie.jpg',
			description: 'Link to the picture of the person',
		}),
		fromBinary({
			displayName: DOCUMENTS.binaryFieldLabel,
			name: DOCUMENTS.binaryField,
			type: 'string',
			default: 'documents',
			required: true,
			placeholder: 'e.g. idCard',
			hint: 'Field names separated by commas, or * for every file except the selfie',
			description:
				'The binary fields with the identity documents to compare the selfie with. Each is expected to show a face: omit the back of a card, or set Match When to Any Document Matches.',
		}),
		fromUrl({
			displayName: DOCUMENTS.urlLabel,
			name: DOCUMENTS.url,
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/ID-card.jpg',
			description:
				'Links to the identity documents to compare the selfie with, separated by spaces or line breaks',
		}),
	],
	parameters: [MATCH_WHEN],
	options: [],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per selfie: whether it matched, and the score of each document',
		},
	],
	documents: async (item) => {
		// A value that the list does not have is refused before anything is sent.
		readMatchWhen(item.read);
		const selfies = await item.files(SELFIE);
		const selfieFields = new Set(
			selfies.flatMap((file) => ('field' in file && file.field !== undefined ? [file.field] : [])),
		);
		const selfie = onlySelfie(selfies);
		// The same picture in both places would match itself.
		const documents = (await item.files(DOCUMENTS, selfieFields)).filter(
			(file) => !isSameFile(file, selfie),
		);
		const noOther = new DocumentError(
			'The selfie is the only file',
			'Choose an identity document that is a different file from the selfie. Nothing was sent.',
		);
		const files = documents.length > 0 ? documents : [noOther];
		const parts = files.map((file) => ({ formField: 'documents', file }));
		return [[{ formField: 'selfie', file: selfie }, ...parts]];
	},

	parse: ({ data }) => [isObject(data) ? data : undefined],

	toOutputs(data, { document: { parts, skipped }, read, subject, creditsConsumed, hints }) {
		if (data === undefined) throw notUnderstood(OK, subject);
		const documentsSent = parts.filter(({ formField }) => formField === 'documents').length;
		const isEvery = readMatchWhen(read) === 'every';
		const { doubts, ...comparison } = compare(data, documentsSent, skipped, isEvery);
		const { documentsMatched } = comparison;
		const matched = isEvery ? documentsMatched === documentsSent + skipped : documentsMatched > 0;
		if (doubts.length > 0) hints.add('decision', `${subject}: ${doubts.join('; ')}`);
		const json = { matched, needsReview: doubts.length > 0, ...comparison };
		const documentsSkipped = skipped > 0 ? skipped : undefined;
		return [{ json: beside(json, { documentsSkipped, creditsConsumed }) }];
	},
};

const OK = 200;

function readMatchWhen(read: ReadParameter): string {
	return choiceIn(MATCH_WHEN, read<unknown>(MATCH_WHEN.name, MATCH_WHEN.default)).value;
}

const ADVICE =
	", so 'Every Document Matches' cannot be true: send only sides with a face, or set 'Match When' to Any Document Matches";

/**
 * A document has matched if it shows a face, and every entry for it compares it with the selfie and says that they match.
 * If the answer names several selfies, or more documents than were sent, nothing has matched. A document without a face,
 * without an entry or with several faces, and an answer that leaves open which is which, need a review.
 *
 * @returns what items show, and why a person should decide, worded for messages
 */
function compare(data: IDataObject, documentsSent: number, skipped: number, isEvery: boolean) {
	const entries = objectsOf(data.matches);
	const faces = objectsOf(data.extractions);
	const faceOf = new Map(faces.map((face) => [idOf(face.sourceDocumentId), face]));
	const hasFace = (id = '') =>
		faceOf.has(id) ? booleanOf(faceOf.get(id)?.hasFace) === true : null;
	const selfies = idsIn(entries, 'selfieDocumentId');
	const ids = idsIn([...entries, ...faces], 'sourceDocumentId');
	const documents = [...ids].filter((id) => !selfies.has(id));
	const isClear =
		selfies.size <= 1 &&
		documents.length <= documentsSent &&
		// The selfie may be listed along with all documents, not in place of one, and each only once.
		(documents.length === documentsSent || documents.length === ids.size) &&
		faceOf.size === faces.length;

	const isDecision = ({ selfieDocumentId, matched }: IDataObject) =>
		idOf(selfieDocumentId) !== undefined && typeof matched === 'boolean';
	const compared = (isClear ? documents : [])
		.filter((id) => faces.length === 0 || hasFace(id) === true)
		.map((id) => entries.filter((entry) => idOf(entry.sourceDocumentId) === id))
		.filter((own) => own.length > 0 && own.every(isDecision));
	const decisive = new Set(compared.flat());
	const documentsWithoutFace = documents.filter((id) => hasFace(id) === false).length;
	const several = compared.filter((own) => own.length > 1 || own.some(hasManyFaces)).length;
	const missing = documentsSent + skipped - documentsWithoutFace - compared.length;
	const shows = (count: number, what: string) =>
		count > 0 ? [`${pluralize(count, 'document')} ${count === 1 ? 'shows' : 'show'} ${what}`] : [];
	const doubts = [
		...shows(documentsWithoutFace, `no face${isEvery ? ADVICE : ''}`),
		...shows(several, 'several faces'),
		...(missing > 0 ? [`${pluralize(missing, 'document')} without an entry in the response`] : []),
	];

	const sources = idsIn(entries, 'sourceDocumentId');
	const withoutEntry = faces.filter(({ sourceDocumentId }) => {
		const id = idOf(sourceDocumentId) ?? '';
		return !sources.has(id) && !selfies.has(id);
	});
	const matches = [...entries, ...withoutEntry].map((entry) => ({
		matched: decisive.has(entry) && entry.matched === true,
		score: numberOf(entry.score),
		tooManyFaces: hasManyFaces(entry),
		hasFace: hasFace(idOf(entry.sourceDocumentId)),
		documentType: textOf(faceOf.get(idOf(entry.sourceDocumentId))?.documentType),
		sourceDocumentId: textOf(entry.sourceDocumentId),
	}));
	const scores = [...decisive].flatMap(({ score }) => numberOf(score) ?? []);
	return {
		bestScore: scores.length > 0 ? scores.reduce((best, score) => Math.max(best, score)) : null,
		documentsSent,
		documentsMatched: compared.filter((own) => own.every(({ matched }) => matched === true)).length,
		documentsWithoutFace,
		requestId: textOf(data.requestId),
		matches,
		doubts: isClear ? doubts : ['the response leaves open which documents it compares'],
	};
}

function hasManyFaces({ tooManyFaces }: IDataObject): boolean {
	return booleanOf(tooManyFaces) ?? false;
}

function idsIn(entries: IDataObject[], name: string): Set<string> {
	return new Set(entries.flatMap((entry) => idOf(entry[name]) ?? []));
}

/** As IDs are compared: letters in another case or blanks around them make no other document. */
function idOf(value: unknown): string | undefined {
	return textOf(value)?.trim().toLowerCase() || undefined;
}

/** Whether two fields or links lead to one file. */
function isSameFile(one: FileInput, other: FileInput): boolean {
	if ('href' in one && 'href' in other) return one.href === other.href;
	if (!('binary' in one && 'binary' in other)) return false;
	return (
		one.binary === other.binary ||
		(one.binary.id !== undefined && one.binary.id === other.binary.id)
	);
}

function onlySelfie(selfies: FileInput[]): FileInput {
	const [selfie] = selfies;
	if (selfie !== undefined && selfies.length === 1) return selfie;
	return new DocumentError(
		`${selfies.length} files are given as the selfie, where one is expected`,
		'Choose the one file that is the selfie; all other images are documents.',
	);
}
