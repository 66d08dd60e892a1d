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
	rest: IDataObject;
}

/** In the order of the answer, which may list the last page first. */
type Range = [from: number, to: number];

// The forms that are read, with names in lower case (docs/internals/service-contract.md, Split).

/** In `data` or `data.metadata`. */
const LISTS = ['segments', 'documents', 'results'];

const TYPES = ['documenttype', 'detectedtype', 'type', 'label'];

/** The first form that can be read counts. */
const PAGES: Array<{ names: string[]; read: (...values: unknown[]) => Range[] }> = [
	{ names: ['pages'], read: rangesIn },
	{ names: ['startpage', 'endpage'], read: rangeBetween },
	{ names: ['firstpage', 'lastpage'], read: rangeBetween },
	{ names: ['pagerange'], read: rangeInObject },
];

/** No file that Split accepts has as many pages, and each is a number in memory. */
const MAX_PAGES = 100_000;

/** In the order of the answer; undefined if it has no list in a form that is read. */
export function readSegments(data: unknown): Segment[] | undefined {
	const place = inLowerCase(data);
	return [place, inLowerCase(place.metadata)]
		.flatMap((lists) => LISTS.map((name) => listOf(lists[name]).filter((entry) => entry !== null)))
		.filter((list): list is IDataObject[] => list.every(isObject))
		.map((list) => list.map(segmentOf))
		.find((segments) =>
			segments.some(({ documentType, pages }) => documentType !== null || pages.length > 0),
		);
}

/** Names in a job's result start with a capital letter. */
function inLowerCase(value: unknown): IDataObject {
	const entries = Object.entries(objectOf(value));
	return Object.fromEntries(entries.map(([name, own]) => [name.toLowerCase(), own]));
}

function segmentOf(entry: IDataObject): Segment {
	const said = inLowerCase(entry);
	const type = TYPES.find((name) => textOf(said[name])?.trim()) ?? '';
	const { names, ranges } = PAGES.map(({ names, read }) => ({
		names,
		ranges: read(...names.map((name) => said[name])),
	})).find(({ ranges }) => ranges.length > 0) ?? { names: [], ranges: [] };
	const pages = [...new Set(ranges.flatMap(pagesIn))].sort((one, other) => one - other);
	const known = [...names, type];
	const rest = Object.entries(entry).filter(([name]) => !known.includes(name.toLowerCase()));
	return {
		documentType: textOf(said[type])?.trim() ?? null,
		pages,
		isReversed: ranges.some(([from, to]) => from > to),
		rest: Object.fromEntries(rest),
	};
}

const RANGE = /^(\d+)(?:\s*[-–—]\s*(\d+))?$/;

/** Reads text such as `1-3, 5` or a list if every part is readable; a number may be a page count. */
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
	].filter((said) => typeof said === 'string');
}

const MAX_RANGES = 5;

/** For example `pages 1, 5-7 in no document`; undefined without pages. */
function remark(pages: number[], said: string): string | undefined {
	const ranges: Range[] = [];
	for (const page of pages.sort((one, other) => one - other)) {
		const last = ranges.at(-1);
		if (last?.[1] === page - 1) last[1] = page;
		else ranges.push([page, page]);
	}
	const names = ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
	if (names.length > MAX_RANGES) names.splice(MAX_RANGES, Infinity, '…');
	if (pages.length === 0) return undefined;
	return `${pages.length === 1 ? 'page' : 'pages'} ${names.join(', ')} ${said}`;
}
