import type { IDataObject } from 'n8n-workflow';

import {
	billed,
	ONE_FILE,
	oneDocumentPerFile,
	simplified,
	type DocumentContext,
	type DocumentOperation,
} from './operation';
import {
	CONFIDENCE_THRESHOLD,
	FILES_PER_REQUEST,
	INCLUDE_CLASSIFIED_FILE,
	SKIP_PROCESSED_FILES,
} from '../parameters/options';
import { readThreshold } from '../parameters/read';
import { isLow } from '../results/review';
import { plainFileName } from '../files/fileNames';
import { numberOf, objectOf, textOf } from '../text/json';

export const classify: DocumentOperation<IDataObject | undefined> = {
	value: 'classify',
	name: 'Classify',
	description: 'Determine the document type of a file',
	action: 'Classify document',
	path: '/Document/classifier',
	jobOperation: 'Classification',
	...ONE_FILE,
	options: [CONFIDENCE_THRESHOLD, FILES_PER_REQUEST, INCLUDE_CLASSIFIED_FILE, SKIP_PROCESSED_FILES],
	outputs: [simplified('One item per document with its type, its confidence and the input file')],
	documents: oneDocumentPerFile('files'),

	parse: ({ data }, contexts) => resultsOf(data, contexts),

	toOutputs(result, { document: { fileName }, subject, read }) {
		if (result === undefined) {
			const fix =
				"The response has no result that clearly belongs to this file. Open the file and check that it is complete and legible. If you raised 'Files per Request', set it to 1.";
			return [billed(`Cogneris returned no type for ${subject}`, fix)];
		}
		const documentType = textOf(result.documentType);
		const json = {
			fileName,
			documentType,
			confidence: numberOf(result.confidence),
			pages: numberOf(result.pages),
			templateId: textOf(result.templateId),
		};
		const threshold = readThreshold(read);
		if (threshold === undefined) return [{ json }];
		const needsReview = !documentType?.trim() || isLow(result.confidence, threshold);
		return [{ json: { ...json, needsReview } }];
	},
};

/** A result belongs to the file that it names; without names, to the files in order if there is one for each. */
function resultsOf(data: unknown, contexts: DocumentContext[]): Array<IDataObject | undefined> {
	// That of a job may be a list, or one result (docs/internals/service-contract.md, jobs).
	const { results: list = data } = objectOf(data);
	const entries = [list].flat().map(objectOf);
	const results = entries.map((entry) => ('documentType' in entry ? entry : undefined));
	// The names within a request differ. That of a stored file is not known, but it is alone in its request.
	const names = contexts.map(({ document: { parts } }) => parts[0]?.file.uploadName);
	const said = entries.map(({ fileName }) => textOf(fileName)?.trim() || undefined);
	if (names[0] === undefined || said.every((name) => name === undefined))
		return results.length === names.length ? results : names.map(() => undefined);
	const meant = said.map((name) => name && nameMeant(name, names));
	return names.map((name) => {
		const [own, ...more] = results.filter((_, place) => meant[place] === name);
		return more.every((other) => JSON.stringify(other) === JSON.stringify(own)) ? own : undefined;
	});
}

/** The one of the names that is written like this, or else the only one that differs in what services rewrite. */
function nameMeant(said: string, names: Array<string | undefined>): string | undefined {
	if (names.includes(said)) return said;
	const alike = names.filter((name) => plainFileName(name ?? '') === plainFileName(said));
	return alike.length === 1 ? alike[0] : undefined;
}
