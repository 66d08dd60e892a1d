import type { IDataObject, INodeProperties } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/document/faceMatch.json';
import { DocumentError } from '../../text/errors';
import type { FileInput, FilePart } from '../../document/document';
import { contentHash } from '../../files/content';
import { missingFile } from '../../files/inputFiles';
import { withAdditions } from '../../results/fields';
import type { FileSource } from '../../parameters/fileParameters';
import { FILE_NAMES, IGNORE_UNSUPPORTED_FILES, INCLUDE_INPUT_FILE } from '../../parameters/options';
import { compareFaces, isComparison } from '../../results/faces';
import { isObject } from '../../text/json';
import { Slots } from '../../waiting/waiting';
import { ONE_FILE, simplified, type DocumentOperation } from '../operation';

const SELFIE: FileSource = {
	binaryField: {
		displayName: 'Selfie Field',
		name: 'selfieField',
		default: 'selfie',
		placeholder: 'e.g. selfie',
		hint: 'The item must have exactly one file in this field',
		description: 'The binary field with the photo of the person',
	},
	url: {
		displayName: 'Selfie URL',
		name: 'selfieUrl',
		placeholder: 'e.g. https://example.com/selfie.jpg',
		description: 'Link to a photo of the person that can be downloaded without signing in',
	},
};

const DOCUMENTS: FileSource = {
	binaryField: {
		displayName: 'Document Fields',
		name: 'documentsField',
		default: '*',
		placeholder: 'e.g. idCard',
		hint: 'Enter * for every file of the item except the selfie, or one or more field names separated by commas',
		description:
			'The binary fields with the identity documents to compare the selfie with. Send only sides that show a face: a side without one always sets needsReview.',
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
		'Which documents must match the selfie. The output field matched contains the result.',
} satisfies INodeProperties;

const NO_DOCUMENT = new DocumentError(
	'There is no document besides the selfie',
	'Choose an identity document that is a different file from the selfie. Nothing was sent.',
);

export const faceMatch: DocumentOperation<IDataObject> = {
	...ONE_FILE,
	value: 'faceMatch',
	name: 'Match Faces',
	description: 'Compare a selfie with the photos on identity documents',
	action: 'Match selfie with identity documents',
	outputSchema,
	outputNotes:
		'Confirmed is only matched && !needsReview. matched is null if the response cannot be read.',
	path: '/Document/facematch',
	sources: [SELFIE, DOCUMENTS],
	parameters: [MATCH_WHEN],
	fileNames: {
		...FILE_NAMES,
		default: '*.png, *.jpg, *.jpeg',
		placeholder: 'e.g. *.png, *.jpg, !logo*',
		description:
			'Which files are documents, as patterns separated by commas: * is any text, ? one character, ! in front excludes files. A file that does not match them is no document.',
	},
	ignoreUnsupportedFiles: {
		...IGNORE_UNSUPPORTED_FILES,
		description:
			'Whether to skip files of unsupported types instead of failing. A skipped file counts as a document that has not matched.',
	},
	options: [
		{
			...INCLUDE_INPUT_FILE,
			description:
				'Whether to add the input files to the output, in the binary fields that they had',
		},
	],
	outputs: [simplified('One item per selfie: whether it matched, and the score of each document')],
	comparison: { formField: 'selfie', check: checkCopies },

	documents([selfies = [], candidates = []]) {
		const [selfie, ...more] = selfies;
		if (selfie === undefined || more.length > 0)
			throw new DocumentError(
				`The selfie must be a single file, but there are ${more.length + 1}`,
				"Choose only the file that is the selfie. Put all other images in 'Document Fields' or 'Document URLs'.",
			);
		// The selfie is one of the files that `*` stands for.
		const documents = candidates.filter((file) => !isSameFile(file, selfie));
		if (documents.length === 0) documents.push(missingFile(NO_DOCUMENT));
		const parts = documents.map((file) => ({ formField: 'documents', file }));
		return [[{ formField: 'selfie', file: selfie }, ...parts]];
	},

	parse: (data) => (isObject(data) && isComparison(data) ? data : undefined),

	undecided: { matched: null },

	toOutputs(data, { document, read, creditsConsumed, notes }) {
		const { fileName, parts, skippedFiles } = document;
		const isEvery = read<unknown>(MATCH_WHEN.name, MATCH_WHEN.default) === 'every';
		const comparison = compareFaces(data, parts.length - 1, skippedFiles, isEvery);
		const { reviewReasons, documentsWithoutFace } = comparison;
		const advice = documentsWithoutFace > 0 ? ' (send only sides that show a face)' : '';
		if (reviewReasons.length > 0)
			notes.add('decision', `${document.subject}: ${reviewReasons.join('; ')}${advice}`);
		const documentsSkipped = skippedFiles > 0 ? skippedFiles : undefined;
		const additions = { documentsSkipped, creditsConsumed };
		return [{ json: { fileName, ...withAdditions(comparison, additions) } }];
	},
};

/** How many are read at once. */
const FILES_AT_A_TIME = 5;

/** Whether a document is a copy of the selfie. */
async function checkCopies(
	parts: FilePart[],
	signal: AbortSignal,
): Promise<DocumentError | undefined> {
	const hashOf = async ({ file }: FilePart) => await contentHash(file.content, signal);
	const [selfieHash, ...documentHashes] = await new Slots(FILES_AT_A_TIME).map(parts, hashOf);
	const [, ...documents] = parts;
	const copy = documents.find((_, index) => documentHashes[index] === selfieHash);
	if (copy === undefined) return undefined;
	return new DocumentError(
		`"${copy.file.name}" is the same file as the selfie`,
		'A picture always matches itself. Choose a photo of an identity document. Nothing was sent.',
	);
}

/** Whether two fields or links lead to one file. In memory, files have no ID, but a file is one object. */
function isSameFile(first: FileInput, second: FileInput): boolean {
	if (first.kind === 'link' && second.kind === 'link') return first.href === second.href;
	if (first.kind !== 'file' || second.kind !== 'file') return false;
	const { binary } = second;
	return first.binary === binary || (binary.id !== undefined && first.binary.id === binary.id);
}
