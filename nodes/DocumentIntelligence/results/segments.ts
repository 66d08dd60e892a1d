import type { IDataObject } from 'n8n-workflow';

import { pluralize } from '../text/pluralize';
import { isObject, objectsOf, textOf } from '../text/json';

/** A document inside a bundle, whatever names the service uses (docs/service-contract.md, Split). */
export interface Segment {
	documentType: string | null;
	/** Counted from 1, as are all pages here. */
	firstPage: number | null;
	lastPage: number | null;
	/** Each once, in ascending order; none where the answer is not certain. */
	pages: number[];
	/** Whether a range was given from its last page to its first. */
	isReversed: boolean;
	/** Everything else the service says of the document, under its own names. */
	rest: IDataObject;
}

/** Names are compared in lower case, without separators between words. */
const TYPE_NAMES = [
	...['documenttype', 'detectedtype', 'doctype', 'documentclass', 'documentcategory'],
	...['type', 'class', 'classification', 'category', 'kind', 'label'],
];
const LIST_OF_PAGES_NAMES = [
	...['pages', 'pagenumbers', 'pagelist'],
	...['pagerange', 'pageranges', 'range', 'ranges'],
];
const ONE_PAGE_NAMES = ['page', 'pagenumber', 'pageno'];
const FIRST_PAGE_NAMES = [
	...['firstpage', 'startpage', 'pagestart', 'pagefrom', 'frompage', 'beginpage'],
	...['firstpagenumber', 'startpagenumber', 'start', 'first', 'from', 'begin'],
];
const LAST_PAGE_NAMES = [
	...['lastpage', 'endpage', 'pageend', 'pageto', 'topage', 'untilpage'],
	...['lastpagenumber', 'endpagenumber', 'end', 'last', 'to', 'until'],
];
const PAGE_COUNT_NAMES = ['pagecount', 'numberofpages', 'numpages', 'pages'];
const PAGE_NAMES = [
	...LIST_OF_PAGES_NAMES,
	...ONE_PAGE_NAMES,
	...FIRST_PAGE_NAMES,
	...LAST_PAGE_NAMES,
];

/** What services call the list itself. */
const LIST_NAMES = ['segments', 'documents', 'parts', 'splits'];

/** How deep in the answer the list is looked for, and in a document its type and pages. */
const DEPTH = 3;

/** No file of the size that Split takes has more pages; a larger number is an id, an offset or a date. */
const MAX_PAGE = 100_000;

/** How many pages the documents of one answer list in all: an answer may claim any number. */
const MAX_LISTED_PAGES = 1_000_000;

/** The documents in the order of the answer; undefined where it has no list of them. */
export function readSegments(data: unknown): Segment[] | undefined {
	const entries = segmentsIn(data);
	if (entries === undefined) return undefined;
	// A number alone may be that of a page or how many there are: only the other documents can tell.
	const isCount = entries.every((entry) => typeof named(entry, ['pages'])?.value === 'number');
	let room = MAX_LISTED_PAGES;
	return entries.map((entry) => {
		const type = typeIn(entry);
		const { ranges, names } = rangesIn(entry, isCount);
		const size = ranges.reduce((sum, { from, to }) => sum + Math.abs(to - from) + 1, 0);
		const pages = size > room ? [] : listed(ranges);
		room -= pages.length;
		const ends = ranges.flatMap(({ from, to }) => [from, to]);
		const known = {
			documentType: type?.text ?? null,
			firstPage: ends.length === 0 ? null : ends.reduce((a, b) => Math.min(a, b)),
			lastPage: ends.length === 0 ? null : ends.reduce((a, b) => Math.max(a, b)),
			pages,
		};
		const used = new Set([...names, ...(type?.names ?? [])]);
		const same = Object.entries(known).filter(([name, value]) => entry[name] === value);
		for (const [name] of same) used.add(name);
		return {
			...known,
			isReversed: ranges.some(({ from, to }) => from > to),
			rest: Object.fromEntries(Object.entries(entry).filter(([name]) => !used.has(name))),
		};
	});
}

/** The most telling list: of documents with type and pages, with pages, with types, or by its name. */
function segmentsIn(data: unknown): IDataObject[] | undefined {
	const lists = listsIn(data, '');
	const all = (names: string[]) => (entries: IDataObject[]) =>
		entries.every((entry) => named(entry, names) !== undefined);
	const havePages = all(PAGE_NAMES);
	const haveTypes = all(TYPE_NAMES);
	const recognised =
		lists.find(({ entries }) => havePages(entries) && haveTypes(entries)) ??
		lists.find(({ entries }) => havePages(entries)) ??
		lists.find(({ entries }) => haveTypes(entries)) ??
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

/** The entry of the first of these names whose value is accepted. */
function named(
	object: IDataObject,
	names: string[],
	accepts: (value: unknown) => boolean = () => true,
): { name: string; value: unknown } | undefined {
	const entries = Object.entries(object);
	for (const wanted of names) {
		const found = entries.find(([name, value]) => plain(name) === wanted && accepts(value));
		if (found !== undefined) return { name: found[0], value: found[1] };
	}
	return undefined;
}

function plain(name: string): string {
	return name.replace(/[_\s-]/g, '').toLowerCase();
}

/** The type, and the names that it takes up entirely. */
function typeIn(entry: IDataObject): { text: string; names: string[] } | undefined {
	const isText = (value: unknown) => (textOf(value) ?? '').trim() !== '';
	const own = named(entry, TYPE_NAMES, isText);
	if (own !== undefined) return { text: textOf(own.value)!.trim(), names: [own.name] };
	const nested = named(entry, TYPE_NAMES, isObject);
	if (nested === undefined || !isObject(nested.value)) return undefined;
	const inner = named(nested.value, [...TYPE_NAMES, 'name', 'value'], isText);
	return inner && { text: textOf(inner.value)!.trim(), names: [] };
}

interface Range {
	from: number;
	to: number;
}

/** The pages of a document, and the names that they were found under. */
interface Said {
	ranges: Range[];
	names: string[];
}

const NOTHING: Said = { ranges: [], names: [] };

/**
 * @param isCount whether a number named `pages` says how many there are
 * @param accepts which names count
 */
function rangesIn(
	entry: IDataObject,
	isCount: boolean,
	accepts: (name: string) => boolean = () => true,
	depth = 0,
): Said {
	const find = (names: string[], isRight: (value: unknown) => boolean) =>
		named(entry, names.filter(accepts), isRight);
	const list = find(LIST_OF_PAGES_NAMES, (value) => typeof value !== 'number');
	const ranges =
		list &&
		rangesOf(
			list.value,
			plain(list.name).startsWith('pager') || plain(list.name).startsWith('range'),
			depth,
		);
	if (list !== undefined && ranges !== undefined) return { ranges, names: [list.name] };

	const first = find(FIRST_PAGE_NAMES, isPage);
	const last = find(LAST_PAGE_NAMES, isPage);
	if (first !== undefined) {
		const from = Number(first.value);
		if (last !== undefined) {
			return { ranges: [{ from, to: Number(last.value) }], names: [first.name, last.name] };
		}
		const count = find(PAGE_COUNT_NAMES, (value) => isPage(value) && Number(value) > 0);
		if (count === undefined) return NOTHING;
		return {
			ranges: [{ from, to: from + Number(count.value) - 1 }],
			names: [first.name, count.name],
		};
	}

	const single = find(
		[...(isCount ? [] : LIST_OF_PAGES_NAMES), ...LIST_OF_PAGES_NAMES.slice(1), ...ONE_PAGE_NAMES],
		isPage,
	);
	if (single !== undefined) {
		const page = Number(single.value);
		return { ranges: [{ from: page, to: page }], names: [single.name] };
	}
	if (depth === DEPTH) return NOTHING;
	for (const value of Object.values(entry)) {
		if (!isObject(value)) continue;
		// Deeper in the entry, only a name that contains "page" counts.
		const inner = rangesIn(value, isCount, (name) => name.includes('page'), depth + 1);
		if (inner.ranges.length > 0) return { ...inner, names: [] };
	}
	return NOTHING;
}

/**
 * Pages in any form; undefined where it is not certain which they are.
 *
 * @param isRange whether two numbers are the ends of a range
 */
function rangesOf(value: unknown, isRange: boolean, depth: number): Range[] | undefined {
	if (isPage(value)) return [{ from: Number(value), to: Number(value) }];
	if (typeof value === 'string') return rangesInText(value);
	if (depth === DEPTH) return undefined;
	if (isObject(value)) {
		const { ranges } = rangesIn(value, true, undefined, depth + 1);
		return ranges.length === 0 ? undefined : ranges;
	}
	if (!Array.isArray(value) || value.length === 0) return undefined;
	const [from, to] = value as unknown[];
	if (isRange && value.length === 2 && isPage(from) && isPage(to)) {
		return [{ from: Number(from), to: Number(to) }];
	}
	const inner = (value as unknown[]).map((entry) => rangesOf(entry, true, depth + 1));
	return inner.some((ranges) => ranges === undefined)
		? undefined
		: inner.flatMap((ranges) => ranges ?? []);
}

function isPage(value: unknown): boolean {
	if (typeof value === 'string') return /^\s*\d{1,6}\s*$/.test(value) && isPage(Number(value));
	return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_PAGE;
}

const RANGE_IN_TEXT = /^(\d{1,6})(?:\s*(?:[-‐‑‒–—−~]|\.{2,3}|…|\bto\b|\bthrough\b)\s*(\d{1,6}))?$/i;

/** `1-3`, `1,3,5-7`, `pages 1 to 3`; undefined for anything else. */
function rangesInText(text: string): Range[] | undefined {
	const pieces = text
		.replace(/^\s*[[(]|[\])]\s*$/g, '')
		.split(/[,;&+]|\band\b/i)
		.map((piece) => RANGE_IN_TEXT.exec(piece.replace(/\b(?:pages?|pp?\b)\.?/gi, '').trim()));
	const ranges = pieces.flatMap((match) => {
		const [, from, to = from] = match ?? [];
		return isPage(from) && isPage(to) ? [{ from: Number(from), to: Number(to) }] : [];
	});
	return ranges.length === pieces.length ? ranges : undefined;
}

function listed(ranges: Range[]): number[] {
	const pages = new Set<number>();
	for (const { from, to } of ranges) {
		for (let page = Math.min(from, to); page <= Math.max(from, to); page++) pages.add(page);
	}
	return [...pages].sort((a, b) => a - b);
}

/**
 * Inconsistencies in the pages of a file, worded for messages.
 *
 * @param pageCount of the file; undefined where it is not known
 */
export function remarksOn(segments: Segment[], pageCount?: number): string[] {
	const seen = new Set<number>();
	const beyond = new Set<number>();
	const repeated = new Set<number>();
	for (const { pages } of segments) {
		for (const page of pages) {
			if (page > (pageCount ?? Infinity)) beyond.add(page);
			else if (seen.has(page)) repeated.add(page);
			seen.add(page);
		}
	}
	const missing =
		pageCount === undefined || segments.some(({ pages }) => pages.length === 0)
			? []
			: Array.from({ length: pageCount }, (_, index) => index + 1).filter(
					(page) => !seen.has(page),
				);
	const remark = (pages: Iterable<number>, said: string) => {
		const words = formatPages([...pages]);
		return words === '' ? [] : [`${words} ${said}`];
	};
	return [
		...remark(beyond, `past the end: the file has ${pluralize(pageCount ?? 0, 'page')}`),
		...remark(repeated, 'in several documents'),
		...remark(missing, 'in no document'),
		...(segments.some(({ isReversed }) => isReversed) ? ['a range from last to first'] : []),
	];
}

/** How many ranges a remark lists. */
const MAX_LISTED_RANGES = 5;

/** `page 3`, `pages 1, 5-7`; nothing for no page. */
function formatPages(pages: number[]): string {
	const ranges: Range[] = [];
	for (const page of pages.sort((a, b) => a - b)) {
		const last = ranges.at(-1);
		if (last?.to === page - 1) last.to = page;
		else ranges.push({ from: page, to: page });
	}
	if (ranges.length === 0) return '';
	const words = ranges
		.slice(0, MAX_LISTED_RANGES)
		.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
	const more = ranges.length > words.length ? ', …' : '';
	return `${pages.length === 1 ? 'page' : 'pages'} ${words.join(', ')}${more}`;
}
