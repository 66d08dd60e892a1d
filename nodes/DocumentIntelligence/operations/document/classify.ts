import type { IDataObject } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/document/classify.json';
import { ONE_FILE, oneDocumentPerFile, simplified, type DocumentOperation } from '../operation';
import {
	CONFIDENCE_THRESHOLD,
	FILES_PER_REQUEST,
	INCLUDE_INPUT_FILE,
	PROCESSED_BEFORE,
} from '../../parameters/options';
import { readThresholds } from '../../parameters/read';
import { confidenceDoubt, withoutValue } from '../../results/review';
import { asCognerisWrites } from '../../files/fileNames';
import { failureMessage } from '../../service/requestError';
import { hasOthers, isEmpty, isObject, numberOf, objectOf, textOf } from '../../text/json';

export const classify: DocumentOperation<IDataObject> = {
	value: 'classify',
	name: 'Classify',
	description: 'Determine the document type of a file',
	action: 'Classify document',
	outputSchema,
	binary: 'the input file',
	path: '/Document/classifier',
	jobOperation: 'Classification',
	...ONE_FILE,
	options: [
		{
			...CONFIDENCE_THRESHOLD,
			placeholder: 'e.g. 80',
			description:
				'Adds needsReview, which is true if there is no type or its confidence is missing or below this value (0 to 100)',
		},
		FILES_PER_REQUEST,
		{
			...INCLUDE_INPUT_FILE,
			description:
				'Whether to add the input file to the output, in the binary field data (on by default)',
		},
		...PROCESSED_BEFORE,
	],
	outputs: [simplified('One item per document with its type, its confidence and the input file')],
	inputFile: 'passedOn',
	documents: oneDocumentPerFile('files'),

	/** One result for one file belongs to it, whatever name it has. */
	parse(data, { document }) {
		const results = resultsIn(data);
		if (!results) return results;
		const sentName = document.parts[0]?.file.uploadName ?? '';
		const [result, ...more] = results.length === 1 ? results : resultsFor(results, sentName);
		return more.length === 0 && result && hasType(result) ? result : null;
	},

	/** An answer that cannot be read is that of each of its files. */
	answerFor(data, sentName) {
		const results = resultsIn(data);
		return results ? { results: resultsFor(results, sentName) } : data;
	},

	noResult: failureMessage(
		'Cogneris returned no type for %s',
		"Open the file and check that it is complete and legible. If 'Files per Request' is above 1, set it to 1.",
	),

	toOutputs(result, { document: { fileName }, read, notes }) {
		const documentType = textOf(result.documentType);
		const json = {
			fileName,
			documentType,
			confidence: numberOf(result.confidence),
			pages: numberOf(result.pages),
			templateId: textOf(result.templateId),
		};
		const type = documentType ?? 'no type';
		notes.add('classified', `${type} (${json.confidence ?? 'no confidence'})`, type);
		const threshold = readThresholds(read)?.get('');
		if (threshold === undefined) return [{ json }];
		const doubt = confidenceDoubt(result.confidence, threshold);
		const reviewReasons = [
			...(documentType?.trim() ? [] : [withoutValue('documentType')]),
			...(doubt === undefined ? [] : [`documentType ${doubt}`]),
		];
		return [{ json: { ...json, needsReview: reviewReasons.length > 0, reviewReasons } }];
	},
};

/** Null if there is no result in the data, or only the names of files. Undefined if they cannot be read. */
function resultsIn(data: unknown): IDataObject[] | null | undefined {
	// That of a job may be a list, or one result (docs/internals/service-contract.md, jobs).
	const { results = data } = objectOf(data);
	const entries: unknown[] = [results].flat();
	const read = entries.map(objectOf);
	if (read.some(hasType)) return read;
	const isNothing = (entry: unknown) =>
		isObject(entry) ? !hasOthers(entry, ['fileName']) : isEmpty(entry);
	return !hasOthers(data, ['results', 'fileName']) && entries.every(isNothing) ? null : undefined;
}

/** Whether it says that there is no type, or which. */
function hasType({ documentType }: IDataObject): boolean {
	return documentType !== undefined && (isEmpty(documentType) || textOf(documentType) !== null);
}

/** Names are compared as Cogneris writes them. */
function resultsFor(results: IDataObject[], sentName: string): IDataObject[] {
	const written = asCognerisWrites(sentName);
	return results.filter(
		({ fileName }) =>
			written !== '' && asCognerisWrites(textOf(fileName)?.trim() ?? '') === written,
	);
}
