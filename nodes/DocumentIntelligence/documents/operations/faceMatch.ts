import { DocumentError } from '../../errors';
import { MB } from '../../text/bytes';
import { beside } from '../../results/fields';
import { fromBinary, fromUrl, type FileSource } from '../../parameters/fileParameters';
import type { FileInput, Operation } from '../operation';
import { TIMEOUT } from '../../parameters/options';

/** Service contract, results, facematch. */
interface FaceMatch {
	requestId?: string;
	extractions?: Array<{
		sourceDocumentId?: string;
		hasFace?: boolean;
		documentType?: string | null;
	}> | null;
	matches?: Array<{
		sourceDocumentId?: string;
		score?: number | null;
		matched?: boolean;
		tooManyFaces?: boolean;
	}> | null;
}

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

export const faceMatch: Operation = {
	value: 'faceMatch',
	name: 'Match Faces',
	description: 'Compare a selfie with the photos on identity documents',
	action: 'Match faces of selfie and documents',
	path: '/Document/facematch',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	passesFileOn: false,
	fileParameters: [
		fromBinary({
			displayName: SELFIE.binaryFieldLabel,
			name: SELFIE.binaryField,
			type: 'string',
			default: 'selfie',
			required: true,
			placeholder: 'e.g. selfie',
			hint: 'The name of the field that holds the selfie',
			description: 'The binary field with the picture of the person. It has to be one file.',
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
			placeholder: 'e.g. front, back',
			hint: 'The name of the field that holds the identity document; several names separated by commas; or * for every file but the selfie',
			description: 'The binary fields with the identity documents to compare the selfie with',
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
	parameters: [],
	options: [],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description:
				'One item per selfie that says whether every document matched, with the score of each',
		},
	],
	documents: async (item) => {
		const selfies = await item.files(SELFIE);
		const selfieFields = new Set(
			selfies.flatMap((file) => ('field' in file && file.field !== undefined ? [file.field] : [])),
		);
		const documents = await item.files(DOCUMENTS, selfieFields);
		return [
			[
				{ formField: 'selfie', file: onlySelfie(selfies) },
				...documents.map((file) => ({ formField: 'documents', file })),
			],
		];
	},

	results({ data, creditsConsumed }) {
		const { requestId, extractions, matches } = (data ?? {}) as FaceMatch;
		const rows = (matches ?? []).map(
			({ sourceDocumentId, score = null, matched = false, tooManyFaces = false }) => {
				const extraction = extractions?.find(
					(entry) => entry.sourceDocumentId === sourceDocumentId,
				);
				return {
					matched,
					score,
					tooManyFaces,
					hasFace: extraction?.hasFace ?? null,
					documentType: extraction?.documentType ?? null,
					sourceDocumentId,
				};
			},
		);
		const scores = rows.map(({ score }) => score).filter((score) => score !== null);
		return [
			{
				json: beside(
					{
						matched: rows.length > 0 && rows.every(({ matched }) => matched),
						bestScore:
							scores.length > 0 ? scores.reduce((best, score) => Math.max(best, score)) : null,
						requestId,
						matches: rows,
					},
					{ creditsConsumed },
				),
			},
		];
	},
};

function onlySelfie(selfies: FileInput[]): FileInput {
	const [selfie] = selfies;
	if (selfie !== undefined && selfies.length === 1) return selfie;
	return new DocumentError(
		`${selfies.length} files are given as the selfie, where one is expected`,
		'Name the one file that is the selfie; all other pictures belong to the documents.',
	);
}
