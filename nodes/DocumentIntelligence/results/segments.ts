import type { IDataObject } from 'n8n-workflow';

import { isObject, listOf, numberOf, objectOf, textOf } from '../text/json';
import { pluralize } from '../text/words';

/** A document inside a bundle. */
export interface Segment {
	documentType: string | null;
	/** Counted from 1, as are all pages here. */
	firstPage: number | null;
	lastPage: number | null;
	/** Each once, in ascending order; none if the answer does not say them in a form below. */
	pages: number[];
	/** Whether a range runs from its last page to its first. */
	isReversed: boolean;
	/** Everything else that the answer says about the document, under its own names. */
	rest: IDataObject;
}

/** From the page that is said first, which may be the last one. */
type Range = [from: number, to: number];

// The forms that are read, with names in lower case (docs/internals/service-contract.md, Split).

/** Names of the list, in `data` or `data.metadata`. */
const LISTS = ['segments', 'documents', 'results'];

const TYPES = ['documenttype', 'detectedtype', 'type', 'label'];

/** Ways to say the pages; the first that can be read counts. */
const PAGES: ReadonlyArray<[names: string[], read: (...values: unknown[]) => Range[]]> = [
	[['pages'], rangesIn],
	[['startpage', 'endpage'], rangeBetween],
	[['firstpage', 'lastpage'], rangeBetween],
	[['pagerange'], rangeInObject],
];

/** Of all documents of an answer: no file of the size that Split takes has as many, and each is a number in memory. */
const MAX_PAGES = 100_000;

/** The documents in the order of the answer; undefined if it has no list of them in a form that is read. */
export function readSegments(data: unknown): Segment[] | undefined {
	const place = inLowerCase(data);
	for (const lists of [place, inLowerCase(place.metadata)]) {
		for (const name of LISTS) {
			const list = listOf(lists[name]).filter((entry) => entry !== null);
			if (!list.every(isObject)) continue;
			let pagesLeft = MAX_PAGES;
			const segments = list.map((entry) => {
				const segment = segmentOf(entry, pagesLeft);
				pagesLeft -= segment.pages.length;
				return segment;
			});
			if (segments.some(({ documentType, pages }) => documentType !== null || pages.length > 0))
				return segments;
		}
	}
	return undefined;
}

/** An object with its names in lower case: those of a job's result begin with a capital. */
function inLowerCase(value: unknown): IDataObject {
	const entries = Object.entries(objectOf(value));
	return Object.fromEntries(entries.map(([name, own]) => [name.toLowerCase(), own]));
}

/** @param maxPages pages in a form that lists more are not read */
function segmentOf(entry: IDataObject, maxPages: number): Segment {
	const said = inLowerCase(entry);
	const type = TYPES.find((name) => textOf(said[name])?.trim()) ?? '';
	const [names, ranges] = PAGES.map(([names, read]): [string[], Range[]] => [
		names,
		read(...names.map((name) => said[name])),
	]).find(([, ranges]) => ranges.length > 0 && sizeOf(ranges) <= maxPages) ?? [[], []];
	const pages = [...new Set(ranges.flatMap(pagesIn))].sort((one, other) => one - other);
	return {
		documentType: textOf(said[type])?.trim() ?? null,
		firstPage: pages[0] ?? null,
		lastPage: pages.at(-1) ?? null,
		pages,
		isReversed: ranges.some(([from, to]) => from > to),
		rest: Object.fromEntries(
			Object.entries(entry).filter(([name]) => ![...names, type].includes(name.toLowerCase())),
		),
	};
}

const RANGE = /^(\d+)(?:\s*[-–—]\s*(\d+))?$/;

/** Of a text such as `1-3, 5`, or a list; nothing if a part of it cannot be read. A number may be a count of pages. */
function rangesIn(pages: unknown): Range[] {
	const parts = typeof pages === 'string' ? pages.split(/[,;]/) : listOf(pages);
	const ranges = parts.flatMap((part) => {
		const [, from, to = from] = RANGE.exec(textOf(part)?.trim() ?? '') ?? [];
		return rangeBetween(from, to);
	});
	return ranges.length === parts.length ? ranges : [];
}

function rangeInObject(value: unknown): Range[] {
	const { from, to, start, end } = inLowerCase(value);
	return rangeBetween(from ?? start, to ?? end);
}

function rangeBetween(first: unknown, last: unknown): Range[] {
	const [from, to] = [numberOf(first), numberOf(last)];
	if (from === null || to === null || ![from, to].every(Number.isSafeInteger)) return [];
	return from < 0 || to < 0 ? [] : [[from, to]];
}

function sizeOf(ranges: Range[]): number {
	return ranges.reduce((size, [from, to]) => size + Math.abs(to - from) + 1, 0);
}

function pagesIn([from, to]: Range): number[] {
	return Array.from({ length: Math.abs(to - from) + 1 }, (_, more) => Math.min(from, to) + more);
}

/**
 * What a user should know about the pages of a file, worded for messages.
 *
 * @param pageCount of the file; undefined if it is not known
 */
export function remarksOn(segments: Segment[], pageCount = Infinity): string[] {
	const listed = new Set<number>();
	const repeated = new Set<number>();
	for (const page of segments.flatMap(({ pages }) => pages))
		(listed.has(page) ? repeated : listed).add(page);
	const unread = segments.filter(({ pages }) => pages.length === 0).length;
	const beyond = [...listed].filter((page) => page > pageCount);
	// The pages of a document that does not say them may be those.
	const length = unread > 0 || pageCount === Infinity ? 0 : pageCount;
	const missing = Array.from({ length }, (_, index) => index + 1).filter(
		(page) => !listed.has(page),
	);
	const count = `${unread} of ${pluralize(segments.length, 'document')}`;
	return [
		...(unread > 0 ? [`no page numbers for ${count}`] : []),
		...remark(beyond, `past the end of ${pluralize(pageCount, 'page')}`),
		...remark([...repeated], 'in several documents'),
		...remark(missing, 'in no document'),
		...(segments.some(({ isReversed }) => isReversed) ? ['a range in reverse order'] : []),
	];
}

/** How many ranges a remark lists. */
const MAX_RANGES = 5;

/** `page 3 in no document`, `pages 1, 5-7 in no document`; nothing for no page. */
function remark(pages: number[], said: string): string[] {
	const ranges: Range[] = [];
	for (const page of pages.sort((one, other) => one - other)) {
		const last = ranges.at(-1);
		if (last?.[1] === page - 1) last[1] = page;
		else ranges.push([page, page]);
	}
	const names = ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
	const shown = [...names.slice(0, MAX_RANGES), ...(names.length > MAX_RANGES ? ['…'] : [])];
	return pages.length === 0
		? []
		: [`${pages.length === 1 ? 'page' : 'pages'} ${shown.join(', ')} ${said}`];
}
