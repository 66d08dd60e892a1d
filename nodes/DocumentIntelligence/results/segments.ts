import type { IDataObject } from 'n8n-workflow';

import { isObject, listOf, numberOf, objectOf, textOf } from '../text/json';
import { pluralize } from '../text/words';

export interface Segment {
	documentType: string | null;
	/** Each once, ascending, as the answer counts them; empty if it lists none in a form below. */
	pages: number[];
	/** Whether a range runs from its last page to its first. */
	isReversed: boolean;
	/** The rest of the answer's entry, under its own names. */
	otherFields: IDataObject;
}

/** In the order of the answer, which may list the last page first. */
type Range = [from: number, to: number];

/** Names that are read, in lower case; which one Cogneris uses is open (docs/internals/service-contract.md, Split). */
const NAMES = {
	lists: ['segments', 'documents', 'results'],
	types: ['documenttype', 'detectedtype', 'type', 'label'],
	/** A range in one value, or its first and last page in two. The first that can be read counts. */
	pages: [['pagerange'], ['startpage', 'endpage'], ['firstpage', 'lastpage'], ['pages']],
};

/** No file that Split accepts has as many pages, and each is a number in memory. */
const MAX_PAGES = 100_000;

/**
 * The list of documents is `data` itself, or is in `data` or its metadata: under one of the names above, or under any name if it
 * is the only list of objects with a type or a range. In the order of the answer; undefined if there is no such list.
 */
export function readSegments(data: unknown): Segment[] | undefined {
	if (Array.isArray(data)) return segmentsIn(data);
	const { metadata, ...remaining } = inLowerCase(data);
	const inMetadata = isObject(metadata) ? inLowerCase(metadata) : { metadata };
	const lists = [remaining, inMetadata].flatMap(Object.entries).flatMap(([name, value]) => {
		const segments = segmentsIn(value);
		return segments === undefined ? [] : [{ name, segments }];
	});
	const named = NAMES.lists.flatMap((wanted) => lists.filter(({ name }) => name === wanted));
	const [chosen = lists.length === 1 ? lists[0] : undefined] = named;
	return chosen?.segments;
}

/** A list of objects, some with a type or a range, perhaps as the `items` of a table or the value of a field object. */
function segmentsIn(value: unknown): Segment[] | undefined {
	const { items = valueIn(value) } = inLowerCase(value);
	const entries = listOf(items).filter((entry) => entry !== null);
	if (!entries.every(isObject)) return undefined;
	const segments = entries.map(segmentOf);
	return segments.some(({ documentType, pages }) => documentType !== null || pages.length > 0)
		? segments
		: undefined;
}

/** Names in a job's result start with a capital letter. */
function inLowerCase(value: unknown): IDataObject {
	const entries = Object.entries(objectOf(value));
	return Object.fromEntries(entries.map(([name, entry]) => [name.toLowerCase(), entry]));
}

function segmentOf(entry: IDataObject): Segment {
	const cells = Object.fromEntries(
		Object.entries(inLowerCase(entry)).map(([name, cell]) => [name, valueIn(cell)]),
	);
	const type = NAMES.types.find((name) => textOf(cells[name])?.trim()) ?? '';
	const { names, ranges } = NAMES.pages
		.map((names) => ({ names, ranges: rangesIn(...names.map((name) => cells[name])) }))
		.find(({ ranges }) => ranges.length > 0) ?? { names: [], ranges: [] };
	const pages = [...new Set(ranges.flatMap(pagesIn))].sort((first, second) => first - second);
	const emptyTypes = NAMES.types.filter((name) => (cells[name] ?? '') === '');
	const readNames = [...names, ...emptyTypes, type];
	const otherFields = Object.entries(entry).filter(
		([name]) => !readNames.includes(name.toLowerCase()),
	);
	return {
		documentType: textOf(cells[type])?.trim() ?? null,
		pages,
		isReversed: ranges.some(([from, to]) => from > to),
		otherFields: Object.fromEntries(otherFields),
	};
}

/** Of a field object, or of a plain cell. */
function valueIn(cell: unknown): unknown {
	return inLowerCase(cell).value ?? cell;
}

const RANGE = /^(\d+)(?:\s*[-–—]\s*(\d+))?$/;

/** Reads text such as `1-3, 5` or a list if every part is readable; a number may be a page count. */
function rangesIn(...values: unknown[]): Range[] {
	const [value, last] = values;
	if (values.length > 1) return rangeBetween(value, last);
	const { from, to, start, end } = inLowerCase(value);
	if (isObject(value)) return rangeBetween(from ?? start, to ?? end);
	const parts = typeof value === 'string' ? value.split(/[,;]/) : listOf(value);
	const ranges = parts.flatMap((part) => {
		const [, from, to = from] = RANGE.exec(textOf(valueIn(part))?.trim() ?? '') ?? [];
		return rangeBetween(from, to);
	});
	return ranges.length === parts.length ? ranges : [];
}

function rangeBetween(first?: unknown, last?: unknown): Range[] {
	const [from, to] = [numberOf(first), numberOf(last)];
	if (from === null || to === null || ![from, to].every(Number.isSafeInteger)) return [];
	return from < 0 || to < 0 || Math.abs(to - from) >= MAX_PAGES ? [] : [[from, to]];
}

function pagesIn([from, to]: Range): number[] {
	return Array.from({ length: Math.abs(to - from) + 1 }, (_, more) => Math.min(from, to) + more);
}

/** @param pageCount of the file, if it is known */
export function remarksOn(segments: Segment[], pageCount = Infinity): string[] {
	const counts = new Map<number, number>();
	for (const page of segments.flatMap(({ pages }) => pages))
		counts.set(page, (counts.get(page) ?? 0) + 1);
	const listed = [...counts.keys()];
	const repeated = listed.filter((page) => counts.get(page) !== 1);
	const beyond = listed.filter((page) => page > pageCount);
	const unread = segments.filter(({ pages }) => pages.length === 0).length;
	// The missing pages may be those of a document without page numbers.
	const length = unread > 0 || pageCount === Infinity ? 0 : pageCount;
	const all = Array.from({ length }, (_, index) => index + 1);
	return [
		unread > 0 && `no page numbers for ${unread} of ${pluralize(segments.length, 'document')}`,
		remark(beyond, `beyond the file's ${pluralize(pageCount, 'page')}`),
		remark(repeated, 'in several documents'),
		remark(
			all.filter((page) => !counts.has(page)),
			'in no document',
		),
		segments.some(({ isReversed }) => isReversed) && 'a page range in reverse order',
	].filter((text) => typeof text === 'string');
}

const MAX_RANGES = 5;

/** For example `pages 1, 5-7 in no document`; undefined without pages. */
function remark(pages: number[], text: string): string | undefined {
	const ranges: Range[] = [];
	for (const page of pages.sort((first, second) => first - second)) {
		const last = ranges.at(-1);
		if (last?.[1] === page - 1) last[1] = page;
		else ranges.push([page, page]);
	}
	const names = ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
	if (names.length > MAX_RANGES) names.splice(MAX_RANGES, Infinity, '…');
	if (pages.length === 0) return undefined;
	return `${pages.length === 1 ? 'page' : 'pages'} ${names.join(', ')} ${text}`;
}
