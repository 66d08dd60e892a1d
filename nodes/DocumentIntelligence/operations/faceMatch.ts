import type { IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { beside } from '../results/fields';
import { fromBinary, fromUrl, type FileSource } from '../parameters/fileParameters';
import type { Document, DocumentOperation, FileInput, FilePart } from './operation';
import { INCLUDE_INPUT_FILE, TIMEOUT } from '../parameters/options';
import { notUnderstood } from '../service/envelope';
import { booleanOf, isObject, numberOf, objectsOf, textOf } from '../text/json';

const SELFIE: FileSource = {
	binaryField: 'selfieField',
	binaryFieldLabel: 'Selfie Input Binary Field',
	single: true,
	url: 'selfieUrl',
	urlLabel: 'Selfie URL',
};

const DOCUMENTS: FileSource = {
	binaryField: 'documentsField',
	binaryFieldLabel: 'Documents Input Binary Field',
	url: 'documentUrls',
	urlLabel: 'Document URLs',
};

export const faceMatch: DocumentOperation<Comparison | undefined> = {
	value: 'faceMatch',
	name: 'Match Faces',
	description: 'Compare a selfie with the photos on identity documents',
	action: 'Match selfie with identity documents',
	path: '/Document/facematch',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
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
	parameters: [
		{
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
		},
	],
	options: [],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per selfie: whether it matched, and the score of each document',
		},
	],
	documents: async (item) => {
		const selfies = await item.files(SELFIE);
		const selfieFields = new Set(
			selfies.flatMap((file) => ('field' in file && file.field !== undefined ? [file.field] : [])),
		);
		const selfie = onlySelfie(selfies);
		// The same picture in both places would match itself.
		const documents = (await item.files(DOCUMENTS, selfieFields)).filter(
			(file) => !isSameFile(file, selfie),
		);
		if (documents.length === 0) documents.push(noOtherFile());
		return [
			[
				{ formField: 'selfie', file: selfie },
				...documents.map((file) => ({ formField: 'documents', file })),
			],
		];
	},

	parse: ({ data }, [document]) => [
		isObject(data) ? compared(data, documentsOf(document).length) : undefined,
	],

	toOutputs(comparison, { document, read, subject, creditsConsumed }) {
		if (comparison === undefined) throw notUnderstood(OK, subject);
		const { documentsMatched, documentsSent } = comparison;
		const { skipped } = document;
		const matched =
			// An expression may give anything: only the plain wish for less than all documents is one.
			read<unknown>('matchWhen', 'every') === 'any'
				? documentsMatched > 0
				: // A document that was skipped was not compared, so not every document has matched.
					documentsMatched === documentsSent && skipped === 0;
		const documentsSkipped = skipped > 0 ? skipped : undefined;
		return [{ json: beside({ matched, ...comparison }, { documentsSkipped, creditsConsumed }) }];
	},
};

const OK = 200;

/** The files that the selfie is compared with. */
function documentsOf(document: Document | undefined): FilePart[] {
	return (document?.parts ?? []).filter(({ formField }) => formField === 'documents');
}

interface Comparison {
	bestScore: number | null;
	documentsSent: number;
	documentsMatched: number;
	documentsWithoutFace: number;
	requestId: string | null;
	matches: object[];
}

/**
 * What the service says of the documents sent. The decision about a person rests on entries that are there, that
 * belong to one of the documents, and that say so plainly: whatever is unclear has not matched.
 */
function compared(data: IDataObject, documentsSent: number): Comparison {
	const answered = objectsOf(data.matches);
	const selfies = new Set(answered.flatMap((entry) => idOf(entry.selfieDocumentId) ?? []));
	const documents = documentsIn(data, selfies);
	const entries = answered.map((entry): FaceEntry => ({
		sourceDocumentId: textOf(entry.sourceDocumentId),
		key: idOf(entry.sourceDocumentId),
		score: numberOf(entry.score),
		// An entry that does not say which two it compares may be about the selfie alone.
		matched: entry.matched === true && idOf(entry.selfieDocumentId) !== undefined,
		tooManyFaces: booleanOf(entry.tooManyFaces) ?? false,
	}));

	// A document may have several entries.
	const keys = new Set(entries.flatMap(({ key }) => key ?? []));
	for (const selfie of selfies) keys.delete(selfie);
	// Ids are all that ties an entry to a file: where there are more of them than files, none is certain.
	const listsDocuments = !isEmpty(data.extractions);
	const known: ReadonlySet<string> = listsDocuments ? new Set(documents.keys()) : keys;
	const isCertain = Math.max(known.size, keys.size) <= documentsSent;
	const belongs = ({ key }: FaceEntry) =>
		isCertain && key !== undefined && keys.has(key) && known.has(key);

	const rows = entries.map((entry) => {
		const { score, tooManyFaces, sourceDocumentId, key = '' } = entry;
		const { hasFace = null, documentType = null } = documents.get(key) ?? {};
		const matched = entry.matched && hasFace !== false && belongs(entry);
		return { matched, score, tooManyFaces, hasFace, documentType, sourceDocumentId };
	});
	const matchedKeys = new Set(keys);
	for (const [place, entry] of entries.entries())
		if (rows[place]?.matched !== true) matchedKeys.delete(entry.key ?? '');
	const withoutEntry = [...documents]
		.filter(([key]) => !keys.has(key))
		.map(([, found]) => ({ matched: false, score: null, tooManyFaces: false, ...found }));
	const scores = entries.filter(belongs).flatMap(({ score }) => score ?? []);
	const faceless = [...documents.values()].filter(({ hasFace }) => hasFace === false);
	return {
		bestScore: scores.length > 0 ? scores.reduce((best, score) => Math.max(best, score)) : null,
		documentsSent,
		documentsMatched: matchedKeys.size,
		documentsWithoutFace: Math.min(faceless.length, documentsSent),
		requestId: textOf(data.requestId),
		matches: [...rows, ...withoutEntry],
	};
}

interface FaceEntry {
	sourceDocumentId: string | null;
	/** Its id as ids are compared; without one it counts for no document. */
	key: string | undefined;
	score: number | null;
	matched: boolean;
	tooManyFaces: boolean;
}

interface FoundDocument {
	hasFace: boolean | null;
	documentType: string | null;
	sourceDocumentId: string;
}

/** The documents that the service lists, by their ids; the selfie may be listed with them. */
function documentsIn(data: IDataObject, selfies: ReadonlySet<string>): Map<string, FoundDocument> {
	const documents = new Map<string, FoundDocument>();
	for (const entry of objectsOf(data.extractions)) {
		const key = idOf(entry.sourceDocumentId);
		if (key === undefined || selfies.has(key)) continue;
		// Of a document that is listed twice, the entry without a face counts.
		if (documents.get(key)?.hasFace === false) continue;
		documents.set(key, {
			// What cannot be read is no face.
			hasFace: booleanOf(entry.hasFace) ?? (isEmpty(entry.hasFace) ? null : false),
			documentType: textOf(entry.documentType),
			sourceDocumentId: textOf(entry.sourceDocumentId) ?? key,
		});
	}
	return documents;
}

/** As ids are compared: letters in another case or blanks around them make no other document. */
function idOf(value: unknown): string | undefined {
	return textOf(value)?.trim().toLowerCase() || undefined;
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
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

function noOtherFile(): DocumentError {
	return new DocumentError(
		'The selfie is the only file',
		'Choose an identity document that is a different file from the selfie. Nothing was sent.',
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
