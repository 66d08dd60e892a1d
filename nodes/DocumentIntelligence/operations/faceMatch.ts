import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { contentHash } from '../files/content';
import { beside } from '../results/fields';
import type { FileSource } from '../parameters/fileParameters';
import { INCLUDE_INPUT_FILE } from '../parameters/options';
import { pluralize } from '../text/words';
import {
	billed,
	ONE_FILE,
	simplified,
	type DocumentOperation,
	type FileInput,
	type FilePart,
} from './operation';
import { notUnderstood } from '../service/envelope';
import { booleanOf, isObject, numberOf, objectsOf, textOf } from '../text/json';

const SELFIE: FileSource = {
	binaryField: {
		displayName: 'Selfie Field',
		name: 'selfieField',
		default: 'selfie',
		placeholder: 'e.g. selfie',
		hint: 'Name of the binary field with the selfie',
		description: 'The binary field that holds the photo of the person. Use exactly one photo.',
	},
	url: {
		displayName: 'Selfie URL',
		name: 'selfieUrl',
		placeholder: 'e.g. https://example.com/selfie.jpg',
		description: 'Link to the picture of the person',
	},
};

const DOCUMENTS: FileSource = {
	binaryField: {
		displayName: 'Document Fields',
		name: 'documentsField',
		default: 'documents',
		placeholder: 'e.g. idCard',
		hint: 'Field names separated by commas, or * for every file except the selfie',
		description:
			'The binary fields with the identity documents to compare the selfie with. Each document should show a face. Omit the back of a card, or set Match When to Any Document Matches.',
	},
	url: {
		displayName: 'Document URLs',
		name: 'documentUrls',
		placeholder: 'e.g. https://example.com/ID-card.jpg',
		description:
			'Links to the identity documents to compare the selfie with, separated by spaces or line breaks',
	},
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
			description: 'If a document has no face, such as the back of a card, the result is false',
		},
	],
	default: 'every',
	description:
		'How many documents must match the selfie. The result is in the output field named matched.',
} satisfies INodeProperties;

export const faceMatch: DocumentOperation<IDataObject | undefined> = {
	...ONE_FILE,
	value: 'faceMatch',
	name: 'Match Faces',
	description: 'Compare a selfie with the photos on identity documents',
	action: 'Match selfie with identity documents',
	path: '/Document/facematch',
	sources: [SELFIE, DOCUMENTS],
	parameters: [MATCH_WHEN],
	options: [INCLUDE_INPUT_FILE],
	outputs: [simplified('One item per selfie: whether it matched, and the score of each document')],

	async documents(_, files) {
		const [first, ...more] = await files(SELFIE);
		const selfie =
			first !== undefined && more.length === 0
				? first
				: new DocumentError(
						`The selfie must be a single file, but there are ${more.length + 1}`,
						"Choose only the file that is the selfie. Put all other images in 'Document Fields' or 'Document URLs'.",
					);
		const found = await files(DOCUMENTS);
		// `*` means all others.
		const documents: FileInput[] = found.filter((file) => !isSameFile(file, selfie));
		if (documents.length === 0)
			documents.push(
				new DocumentError(
					'There is no document besides the selfie',
					'Choose an identity document that is a different file from the selfie. Nothing was sent.',
				),
			);
		const parts = documents.map((file) => ({ formField: 'documents', file }));
		return [[{ formField: 'selfie', file: selfie }, ...parts]];
	},

	async refuse(parts, signal) {
		const hashOf = async ({ file }: FilePart) => await contentHash(file.content, signal);
		const [selfie, ...documents] = await Promise.all(parts.map(hashOf));
		const copy = parts[documents.indexOf(selfie ?? '') + 1];
		if (copy === undefined || copy === parts[0]) return undefined;
		return new DocumentError(
			`"${copy.file.name}" is the same file as the selfie`,
			'A picture always matches itself. Choose a photo of an identity document. Nothing was sent.',
		);
	},

	parse: ({ data }) => [isObject(data) ? data : undefined],

	toOutputs(
		data,
		{ document: { fileName, parts, skipped }, read, subject, creditsConsumed, hints },
	) {
		if (data === undefined) {
			const { message, description } = notUnderstood(200, subject);
			throw billed(message, description);
		}
		const isEvery = read<unknown>(MATCH_WHEN.name, MATCH_WHEN.default) === 'every';
		const { doubts, ...comparison } = compare(data, parts.length - 1, skipped, isEvery);
		if (doubts.length > 0) hints.add('decision', `${subject}: ${doubts.join('; ')}`);
		const documentsSkipped = skipped > 0 ? skipped : undefined;
		return [{ json: { fileName, ...beside(comparison, { documentsSkipped, creditsConsumed }) } }];
	},
};

const ADVICE =
	", so 'Every Document Matches' cannot be true: send only sides with a face, or set 'Match When' to Any Document Matches";

/**
 * A document has matched if it shows a face, and every entry for it compares it with the selfie and says that they match.
 * If the response lists several selfies, or more documents than were sent, nothing has matched.
 */
function compare(data: IDataObject, documentsSent: number, skipped: number, isEvery: boolean) {
	const entries = objectsOf(data.matches).map(readEntry);
	const faces = objectsOf(data.extractions).map(readEntry);
	const faceOf = new Map(faces.map((face) => [face.id, face]));
	const selfies = new Set(entries.flatMap(({ selfieId }) => selfieId || []));
	const sources = new Set(entries.map(({ id }) => id));
	const ids = new Set([...sources, ...faceOf.keys()].filter((id) => id !== ''));
	const documents = [...ids].filter((id) => !selfies.has(id));
	const isClear =
		selfies.size <= 1 &&
		documents.length <= documentsSent &&
		// The selfie may be listed along with all documents, not in place of one, and each only once.
		(documents.length === documentsSent || documents.length === ids.size) &&
		faceOf.size === faces.length;
	const compared = (isClear ? documents : [])
		.filter((id) => faces.length === 0 || faceOf.get(id)?.hasFace === true)
		.map((id) => entries.filter((entry) => entry.id === id))
		.filter((own) => own.length > 0 && own.every(({ isDecision }) => isDecision));
	const decisive = new Set(compared.flat());
	const documentsMatched = compared.filter((own) => own.every(({ matched }) => matched)).length;
	const documentsWithoutFace = documents.filter((id) => faceOf.get(id)?.hasFace === false).length;
	const several = compared.filter((own) => own.length > 1 || own[0]?.tooManyFaces).length;
	const expected = documentsSent + skipped;
	const missing = expected - documentsWithoutFace - compared.length;
	const counted = (count: number, one: string, many = one) =>
		count > 0 ? [`${pluralize(count, 'document')} ${count === 1 ? one : many}`] : [];
	const advice = isEvery ? ADVICE : '';
	const doubts = [
		...counted(documentsWithoutFace, `shows no face${advice}`, `show no face${advice}`),
		...counted(several, 'shows several faces', 'show several faces'),
		...counted(missing, 'without an entry in the response'),
	];
	const withoutEntry = faces.filter(({ id }) => !sources.has(id) && !selfies.has(id));
	const scores = [...decisive].flatMap(({ score }) => score ?? []);
	return {
		matched: isEvery ? documentsMatched === expected : documentsMatched > 0,
		needsReview: !isClear || doubts.length > 0,
		// A spread list of 200,000 would be too long for a call.
		bestScore: scores.reduce<number | null>((best, score) => Math.max(best ?? score, score), null),
		documentsSent,
		documentsMatched,
		documentsWithoutFace,
		requestId: textOf(data.requestId),
		matches: [...entries, ...withoutEntry].map((entry) => ({
			matched: decisive.has(entry) && entry.matched,
			score: entry.score,
			tooManyFaces: entry.tooManyFaces,
			hasFace: faceOf.get(entry.id)?.hasFace ?? null,
			documentType: faceOf.get(entry.id)?.documentType ?? null,
			sourceDocumentId: entry.sourceDocumentId,
		})),
		doubts: isClear ? doubts : ['the response does not show which documents it compares'],
	};
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
		sourceDocumentId: textOf(sourceDocumentId),
	};
}

/** Whether two fields or links lead to one file. */
function isSameFile(one: FileInput, other: FileInput): boolean {
	if ('href' in one && 'href' in other) return one.href === other.href;
	if (!('binary' in one && 'binary' in other)) return false;
	const { id } = one.binary;
	const isSameField = one.field !== undefined && one.field === other.field;
	return isSameField || one.binary === other.binary || (id !== undefined && id === other.binary.id);
}
