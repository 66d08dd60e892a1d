import type { IDataObject } from 'n8n-workflow';

import { MB } from '../../text/bytes';
import { beside, itemJson } from '../../results/fields';
import { fileParameters } from '../../parameters/fileParameters';
import { fileOf, oneDocumentPerFile, type Operation } from '../operation';
import { isObject, objectsOf } from '../../text/json';

export const split: Operation = {
	value: 'split',
	name: 'Split',
	description: 'Find the type and pages of each document inside a long PDF',
	action: 'Split bundle into page ranges',
	path: '/Document/split',
	maxFileBytes: 500 * MB,
	timeoutSeconds: 1800,
	passesFileOn: true,
	fileParameters,
	parameters: [],
	options: [],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per document found in the file, with its type and pages, and the file',
		},
	],
	documents: oneDocumentPerFile('file'),

	results({ data }, { document }) {
		const { name: fileName } = fileOf(document);
		const segments = segmentsIn(data);
		if (segments === undefined) {
			return [{ json: beside(itemJson(data), { fileName }) }];
		}
		return segments.map((segment, index) => ({
			json: beside(typeAndPagesFirst(segment), { fileName, index }),
		}));
	},
};

/** What services call the type and the pages of a segment, in lower case and without `_`: the contract leaves it open. */
const TYPE_NAMES = [
	'documenttype',
	'detectedtype',
	'doctype',
	'type',
	'class',
	'classification',
	'category',
	'label',
];
const PAGE_NAMES = [
	...['pages', 'pagerange', 'pagenumbers', 'range'],
	...['firstpage', 'startpage', 'pagestart', 'pagefrom', 'frompage', 'start', 'first', 'from'],
	...['lastpage', 'endpage', 'pageend', 'pageto', 'topage', 'end', 'last', 'to'],
];

/** What services call the list itself. */
const LIST_NAMES = ['segments', 'documents', 'parts', 'splits'];

/** How deep in the answer the list is looked for. */
const DEPTH = 3;

/** The first list of which every entry says a type or pages, else the first that is called like a list of segments. */
function segmentsIn(data: unknown): IDataObject[] | undefined {
	const lists = listsIn(data, '');
	const recognised =
		lists.find(({ entries }) => entries.every((entry) => isNamed(entry, PAGE_NAMES))) ??
		lists.find(({ entries }) => entries.every((entry) => isNamed(entry, TYPE_NAMES))) ??
		lists.find(({ name }) => LIST_NAMES.includes(plain(name)));
	return recognised?.entries;
}

function listsIn(
	data: unknown,
	name: string,
	depth = 0,
): Array<{ name: string; entries: IDataObject[] }> {
	if (Array.isArray(data)) {
		const entries = objectsOf(data);
		const isList = entries.length > 0 && data.every((entry) => entry === null || isObject(entry));
		return isList ? [{ name, entries }] : [];
	}
	if (!isObject(data) || depth === DEPTH) return [];
	return Object.entries(data).flatMap(([inner, entry]) => listsIn(entry, inner, depth + 1));
}

function isNamed(object: IDataObject, names: string[]): boolean {
	return Object.keys(object).some((name) => names.includes(plain(name)));
}

function plain(name: string): string {
	return name.replaceAll('_', '').toLowerCase();
}

/** Everything the service says of a segment, in an order that reads well. */
function typeAndPagesFirst(segment: IDataObject): IDataObject {
	const rank = (name: string) =>
		TYPE_NAMES.includes(plain(name)) ? 0 : PAGE_NAMES.includes(plain(name)) ? 1 : 2;
	return Object.fromEntries(Object.entries(segment).sort(([a], [b]) => rank(a) - rank(b)));
}
