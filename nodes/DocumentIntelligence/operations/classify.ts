import type { IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { fileParameters } from '../parameters/fileParameters';
import { oneDocumentPerFile, type Document, type DocumentOperation } from './operation';
import {
	FILES_PER_REQUEST,
	INCLUDE_CLASSIFIED_FILE,
	readThreshold,
	SKIP_PROCESSED_FILES,
	TIMEOUT,
	TYPE_CONFIDENCE_THRESHOLD,
} from '../parameters/options';
import { plainFileName } from '../text/fileNames';
import { isObject, listOf, numberOf, textOf } from '../text/json';

/** What the service says of a document (docs/service-contract.md, results). */
interface Classification {
	documentType: string | null;
	confidence: number | null;
	pages: number | null;
	templateId: string | null;
}

export const classify: DocumentOperation<Classification | undefined> = {
	value: 'classify',
	name: 'Classify',
	description: 'Determine the document type of a file',
	action: 'Classify document',
	path: '/Document/classifier',
	jobOperation: 'Classification',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	includeInputFile: INCLUDE_CLASSIFIED_FILE,
	fileParameters,
	parameters: [],
	options: [TYPE_CONFIDENCE_THRESHOLD, FILES_PER_REQUEST, SKIP_PROCESSED_FILES],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per document with its type, the confidence and the file',
		},
	],
	documents: oneDocumentPerFile('files'),

	parse: ({ data }, documents) =>
		resultsOf(data, documents).map(
			(result) =>
				result && {
					documentType: textOf(result.documentType),
					confidence: numberOf(result.confidence),
					pages: numberOf(result.pages),
					templateId: textOf(result.templateId),
				},
		),

	toOutputs(classification, { document, subject, read }) {
		if (classification === undefined) {
			return [
				new DocumentError(
					`The service gave no type for ${subject}`,
					'The response has no result that clearly belongs to this file. Open the file and check that it is complete and legible; if it is, classify it with Files per Request set to 1. The service may have billed this request.',
					{ httpCode: 200 },
				),
			];
		}
		const { documentType, confidence } = classification;
		const threshold = readThreshold(read);
		const needsReview =
			threshold !== undefined &&
			((documentType ?? '').trim() === '' || (confidence ?? threshold) < threshold);
		return [
			{
				json: {
					fileName: document.fileName,
					...classification,
					...(threshold === undefined ? {} : { needsReview }),
				},
			},
		];
	},
};

/**
 * The result of each document that shared a request, or undefined where none is certainly its own. The names differ
 * within a request, so they decide, first to the letter, then as services may rewrite them; what is left goes by
 * position where there is one result for each document that no name has found.
 */
function resultsOf(data: unknown, documents: Document[]): Array<IDataObject | undefined> {
	// The name of a stored file is the service's to know; it is alone in its request.
	const names = documents.map(({ parts: [part] }) => part?.file.uploadName ?? '');
	const named = new Map<unknown, IDataObject[]>(names.map((name) => [name, []]));
	const others: Array<IDataObject | undefined> = [];
	for (const entry of entriesOf(data)) {
		const result = isObject(entry) ? entry : undefined;
		(named.get(result?.fileName) ?? others).push(result);
	}
	const exactly = names.filter((name) => named.get(name)?.length === 0);
	for (const result of others.splice(0)) {
		const alike = exactly.filter(
			(name) => plainFileName(name) === plainFileName(textOf(result?.fileName) ?? ''),
		);
		const [only, ...more] = alike;
		if (only === undefined || more.length > 0) others.push(result);
		else named.get(only)?.push(result ?? {});
	}
	const unmatched = names.filter((name) => named.get(name)?.length === 0);
	const byPosition =
		// An entry that is no object may hold the place of a document, or none.
		[others, others.filter((result) => result !== undefined)].find(
			({ length }) => length === unmatched.length,
		) ?? [];
	return names.map((name) => {
		const [own, ...more] = named.get(name) ?? [];
		if (own === undefined) return byPosition[unmatched.indexOf(name)];
		return more.every((result) => JSON.stringify(result) === JSON.stringify(own)) ? own : undefined;
	});
}

/** The results of an answer; those of jobs may be a list, or one that stands for itself (docs/service-contract.md, jobs). */
function entriesOf(data: unknown): unknown[] {
	if (!isObject(data)) return listOf(data);
	return 'results' in data || !('documentType' in data) ? listOf(data.results) : [data];
}
