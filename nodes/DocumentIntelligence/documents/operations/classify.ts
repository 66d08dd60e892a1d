import { DocumentError } from '../../errors';
import { MB } from '../../text/bytes';
import { fileParameters } from '../../parameters/fileParameters';
import { fileOf, oneDocumentPerFile, type Operation } from '../operation';
import { FILES_PER_REQUEST, TIMEOUT } from '../../parameters/options';

/** Service contract, results, classifier. */
interface Classification {
	fileName?: string;
	documentType?: string | null;
	confidence?: number | null;
	pages?: number | null;
	templateId?: string | null;
}

export const classify: Operation = {
	value: 'classify',
	name: 'Classify',
	description: 'Tell what type of document a file is',
	action: 'Classify document',
	path: '/Document/classifier',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	passesFileOn: true,
	fileParameters,
	parameters: [],
	options: [FILES_PER_REQUEST],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per document with its type, how sure the service is, and the file',
		},
	],
	documents: oneDocumentPerFile('files'),

	/** By the names in the answer, which differ within a request; names that the service did not keep go by position. */
	splitAnswer({ data }, documents) {
		const names = documents.map((document) => fileOf(document).uploadName);
		const results = resultsOf(data);
		const unnamed = results.filter(({ fileName = '' }) => !names.includes(fileName));
		return names.map((name) => {
			const result = results.find(({ fileName }) => fileName === name) ?? unnamed.shift();
			return { data: { results: result === undefined ? [] : [result] } };
		});
	},

	results({ data }, { document, subject }) {
		const [result] = resultsOf(data);
		if (result === undefined) {
			return [
				new DocumentError(
					`The service gave no type for ${subject}`,
					'Open the file to see whether it is whole and legible.',
					{ httpCode: 200 },
				),
			];
		}
		const { documentType = null, confidence = null, pages = null, templateId = null } = result;
		return [
			{ json: { fileName: fileOf(document).name, documentType, confidence, pages, templateId } },
		];
	},
};

function resultsOf(data: unknown): Classification[] {
	return ((data ?? {}) as { results?: Classification[] | null }).results ?? [];
}
