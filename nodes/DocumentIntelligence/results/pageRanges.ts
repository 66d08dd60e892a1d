import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../text/json';

/** Pages in a row, from the one that is named first. */
export interface Range {
	from: number;
	to: number;
}

/** What an object says of the pages of a document. */
export interface PagesSaid {
	/** As they are said; none where it is not certain which pages are meant. */
	ranges: Range[];
	/** The names that say them. */
	names: string[];
	/** Whether only a number of pages says where they end, which may be that of the whole file. */
	isCounted: boolean;
}

const NOTHING: PagesSaid = { ranges: [], names: [], isCounted: false };

/** Names as `plain` gives them, by what they say. */
type Words = Record<'lists' | 'firsts' | 'lasts' | 'singles' | 'counts', string[]>;

/** They speak of pages. */
const PAGE_WORDS: Words = {
	lists: ['pages', 'pagenumbers', 'pagelist', 'pagerange', 'pageranges'],
	firsts: [
		...['firstpage', 'startpage', 'pagestart', 'pagefrom', 'frompage', 'beginpage'],
		...['firstpagenumber', 'startpagenumber'],
	],
	lasts: [
		...['lastpage', 'endpage', 'pageend', 'pageto', 'topage', 'untilpage'],
		...['lastpagenumber', 'endpagenumber'],
	],
	singles: ['page', 'pagenumber', 'pageno'],
	counts: ['pagecount', 'numberofpages', 'numpages'],
};

/** They may as well speak of places in a text, of dates or of people. */
const OTHER_WORDS: Words = {
	lists: ['range', 'ranges'],
	firsts: ['start', 'first', 'from', 'begin'],
	lasts: ['end', 'last', 'to', 'until'],
	singles: [],
	counts: [],
};

/** Names under which whole ranges or lists of pages are said. */
export const RANGE_NAMES = [...PAGE_WORDS.lists, ...PAGE_WORDS.firsts];

/** All names that may say pages. */
export const PAGE_NAMES = [PAGE_WORDS, OTHER_WORDS].flatMap(({ lists, firsts, lasts, singles }) => [
	...lists,
	...firsts,
	...lasts,
	...singles,
]);

type Kinds = ReadonlyMap<string, keyof Words>;

const PAGE_KINDS = kindsOf(PAGE_WORDS);
const OTHER_KINDS = kindsOf(OTHER_WORDS);

function kindsOf(words: Words): Kinds {
	const kinds = ['lists', 'firsts', 'lasts', 'singles', 'counts'] as const;
	return new Map(kinds.flatMap((kind) => words[kind].map((word) => [word, kind] as const)));
}

/** Names are compared in lower case, without separators between words. */
export function plain(name: string): string {
	return name.replace(/[_\s-]/g, '').toLowerCase();
}

/** No file of the size that Split takes has more pages; a larger number is an id, an offset or a date. */
const MAX_PAGE = 100_000;

/** How deep in an object its pages are looked for. */
const DEPTH = 3;

/** What counts where the object stands. */
interface Place {
	/** Whether a number named `pages` is that of a page; otherwise it says how many there are. */
	numberIsPage: boolean;
	/** Whether a page alone is all of the document. */
	takesSingle: boolean;
	/** Whether the first page and a number of pages are a range. */
	takesCount: boolean;
	/** Which names count besides those that speak of pages. */
	otherWords: 'all' | 'alone' | 'none';
}

const DOCUMENT: Place = {
	numberIsPage: false,
	takesSingle: true,
	takesCount: true,
	otherWords: 'all',
};

/** Something inside a document may have a page of its own, as a field has. */
const PART: Place = { ...DOCUMENT, takesSingle: false, otherWords: 'none' };

/** A page beside a number of pages is one of those of the file. */
const RANGE: Place = { ...DOCUMENT, takesCount: false };

/** What a page holds may have places in its text. */
const PAGE: Place = { ...RANGE, otherWords: 'alone' };

/** Whether the object has other pages than a number under the name `pages`. */
export function listsItsPages(entry: IDataObject): boolean {
	return Object.entries(entry).some(
		([name, value]) =>
			plain(name) === 'pages' &&
			typeof value !== 'number' &&
			rangesOf(value, 'pages', 0) !== undefined,
	);
}

/**
 * The pages of a document. Names that speak of pages count before others; where those of one kind contradict each
 * other there are no pages.
 *
 * @param numberIsPage whether a number named `pages` is that of a page; otherwise it says how many there are
 */
export function pagesSaidIn(entry: IDataObject, numberIsPage: boolean): PagesSaid {
	return pagesIn(entry, { ...DOCUMENT, numberIsPage }, 0) ?? NOTHING;
}

/** What the fields of an object say under one kind of names. */
interface Statements {
	/** Ways of saying all pages. */
	wholes: PagesSaid[];
	firsts: Numbered[];
	lasts: Numbered[];
	singles: Numbered[];
	counts: Numbered[];
	/** Whether a list has a value that says no pages, such as what the pages hold. */
	hasOtherList: boolean;
	/** Whether a page or a number of them has a value that is none. */
	hasOtherNumber: boolean;
}

interface Numbered {
	name: string;
	number: number;
}

/** Undefined where the object says nothing, or not with certainty. */
function pagesIn(entry: IDataObject, place: Place, depth: number): PagesSaid | undefined {
	const fields = Object.entries(entry).filter(([, value]) => !isEmpty(value));
	const own = statementsIn(fields, PAGE_KINDS, place, depth);
	const said = resolved(own, place);
	if (said !== 'incomplete') return said;

	const inside = partsOf(fields, depth);
	if (inside !== 'incomplete') return inside && agreed(own, inside);
	if (place.otherWords === 'none') return undefined;
	const isOther = ([name]: [string, unknown]) =>
		!PAGE_KINDS.has(plain(name)) && !OTHER_KINDS.has(plain(name));
	if (place.otherWords === 'alone' && fields.some(isOther)) return undefined;
	const others = statementsIn(fields, OTHER_KINDS, place, depth);
	const other = resolved({ ...others, counts: own.counts }, place);
	return typeof other === 'object' ? agreed(own, other) : undefined;
}

/** What the objects among the fields say, where all that say pages say the same. */
function partsOf(
	fields: Array<[string, unknown]>,
	depth: number,
): PagesSaid | 'incomplete' | undefined {
	if (depth === DEPTH) return 'incomplete';
	const parts = fields.flatMap(([, value]) => {
		const part = isObject(value) ? pagesIn(value, PART, depth + 1) : undefined;
		return part === undefined ? [] : [part];
	});
	const [first, ...others] = parts;
	if (first === undefined) return 'incomplete';
	const pages = merged(first.ranges);
	return others.every(({ ranges }) => isSame(merged(ranges), pages))
		? { ...first, names: [] }
		: undefined;
}

/** Pages that are said elsewhere, where they fit what the names that speak of pages say. */
function agreed(own: Statements, said: PagesSaid): PagesSaid | undefined {
	const fits = resolved({ ...own, wholes: [said] }, DOCUMENT);
	return typeof fits === 'object' ? said : undefined;
}

function statementsIn(
	fields: Array<[string, unknown]>,
	kinds: Kinds,
	{ numberIsPage }: Place,
	depth: number,
): Statements {
	const said: Statements = {
		...{ wholes: [], firsts: [], lasts: [], singles: [], counts: [] },
		...{ hasOtherList: false, hasOtherNumber: false },
	};
	for (const [name, value] of fields) {
		const word = plain(name);
		const listed = kinds.get(word);
		if (listed === undefined) continue;
		const isCount = word === 'pages' && typeof value === 'number' && !numberIsPage;
		const kind = isCount ? 'counts' : listed;
		if (kind !== 'lists' && isPage(value)) {
			const number = Number(value);
			// A document of no pages is one of which the number is not known.
			if (kind !== 'counts' || number > 0) said[kind].push({ name, number });
			continue;
		}
		const mayBeRange = kind === 'lists' || kind === 'singles';
		const ranges = mayBeRange ? rangesOf(value, formOf(word), depth) : undefined;
		if (ranges !== undefined) said.wholes.push({ ranges, names: [name], isCounted: false });
		else if (listed === 'lists') said.hasOtherList = true;
		else said.hasOtherNumber = true;
	}
	return said;
}

/** The pages on which all statements agree; undefined where they contradict each other. */
function resolved(
	{ wholes, firsts, lasts, singles, counts, hasOtherList, hasOtherNumber }: Statements,
	{ takesSingle, takesCount }: Place,
): PagesSaid | 'incomplete' | undefined {
	const starts = [...firsts, ...singles];
	if (![starts, lasts, counts].every(isOneNumber)) return undefined;
	const [from, to, count] = [starts, lasts, counts].map(([said]) => said?.number);
	const all = [...wholes];
	const isEnded = from !== undefined && to !== undefined;
	if (isEnded) all.push({ ...saidBy([...starts, ...lasts]), ranges: [{ from, to }] });
	const [first, ...others] = all;
	if (first === undefined) {
		if (from === undefined || hasOtherNumber) return 'incomplete';
		if (count !== undefined) {
			if (!takesCount) return undefined;
			const ranges = [{ from, to: from + count - 1 }];
			return { ...saidBy([...starts, ...counts]), ranges, isCounted: true };
		}
		// Beside anything else, the page may only be where the document starts.
		const isAlone = firsts.length === 0 && !hasOtherList;
		return takesSingle && isAlone
			? { ...saidBy(singles), ranges: [{ from, to: from }] }
			: 'incomplete';
	}
	const fewest = others.reduce((one, other) => (isFewer(other, one) ? other : one), first);
	const pages = merged(fewest.ranges);
	const ends = hullOf(pages);
	const fits = (said: PagesSaid) => {
		const its = merged(said.ranges);
		// The ends of a list may be said beside it.
		return isSame(its, pages) || isSame(its, [ends]);
	};
	const isCertain =
		all.every(fits) &&
		(isEnded || ((from ?? ends.from) === ends.from && (to ?? ends.to) === ends.to)) &&
		(count ?? sizeOf(pages)) === sizeOf(pages);
	return isCertain ? { ...fewest, names: all.flatMap(({ names }) => names) } : undefined;
}

function saidBy(statements: Numbered[]): PagesSaid {
	return { ...NOTHING, names: statements.map(({ name }) => name) };
}

function isOneNumber(statements: Numbered[]): boolean {
	return new Set(statements.map(({ number }) => number)).size <= 1;
}

function isFewer(one: PagesSaid, other: PagesSaid): boolean {
	return sizeOf(merged(one.ranges)) < sizeOf(merged(other.ranges));
}

function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	return typeof value === 'object' && (value === null || Object.keys(value).length === 0);
}

/** Whether a name means one range, several, or pages. */
type Form = 'range' | 'ranges' | 'pages';

function formOf(word: string): Form {
	if (word.endsWith('range')) return 'range';
	return word.endsWith('ranges') ? 'ranges' : 'pages';
}

/** Pages in any form; undefined where it is not certain which they are. */
function rangesOf(value: unknown, form: Form, depth: number): Range[] | undefined {
	if (isPage(value)) return [{ from: Number(value), to: Number(value) }];
	if (typeof value === 'string') return rangesInText(value);
	if (depth === DEPTH) return undefined;
	if (isObject(value)) return pagesIn(value, DOCUMENT, depth + 1)?.ranges;
	if (!Array.isArray(value) || value.length === 0) return undefined;
	const list = value as unknown[];
	const ends = form === 'range' ? endsIn(list) : undefined;
	if (ends !== undefined) return [ends];
	const ranges: Range[] = [];
	for (const entry of list) {
		const its = rangesOfEntry(entry, form, depth + 1);
		if (its === undefined) return undefined;
		for (const range of its) ranges.push(range);
	}
	return ranges;
}

function rangesOfEntry(entry: unknown, form: Form, depth: number): Range[] | undefined {
	if (Array.isArray(entry)) {
		const ends = form === 'pages' ? undefined : endsIn(entry);
		return ends && [ends];
	}
	if (isObject(entry)) return pagesIn(entry, form === 'pages' ? PAGE : RANGE, depth)?.ranges;
	return rangesOf(entry, form, depth);
}

/** Two numbers; texts may be pages as well. */
function endsIn(list: unknown[]): Range | undefined {
	const [from, to] = list;
	if (list.length !== 2 || typeof from !== 'number' || typeof to !== 'number') return undefined;
	return isPage(from) && isPage(to) ? { from, to } : undefined;
}

function isPage(value: unknown): boolean {
	const isWhole =
		typeof value === 'string' ? /^\s*\d{1,6}\s*$/.test(value) : Number.isInteger(value);
	return isWhole && Number(value) >= 0 && Number(value) <= MAX_PAGE;
}

const RANGE_IN_TEXT = /^(\d{1,6})(?:\s*(?:[-‐‑‒–—−~]|\.{2,3}|…|\bto\b|\bthrough\b)\s*(\d{1,6}))?$/i;

/** `1-3`, `1,3,5-7`, `pages 1 to 3`; undefined for anything else. */
function rangesInText(text: string): Range[] | undefined {
	const pieces = text
		.replace(/^\s*[[(]|[\])]\s*$/g, '')
		.split(/[,;&+]|\band\b/i)
		.map((piece) => RANGE_IN_TEXT.exec(piece.replace(/\b(?:pages?|pp?\b)\.?/gi, '').trim()));
	const ranges = pieces.flatMap((match) => {
		if (match === null) return [];
		const [, from, to = from] = match;
		return isPage(from) && isPage(to) ? [{ from: Number(from), to: Number(to) }] : [];
	});
	return ranges.length === pieces.length ? ranges : undefined;
}

/** The same pages as ascending ranges that do not touch. */
export function merged(ranges: Range[]): Range[] {
	const ascending = ranges
		.map(({ from, to }) => ({ from: Math.min(from, to), to: Math.max(from, to) }))
		.sort((one, other) => one.from - other.from);
	const apart: Range[] = [];
	for (const range of ascending) {
		const last = apart.at(-1);
		if (last !== undefined && range.from <= last.to + 1) last.to = Math.max(last.to, range.to);
		else apart.push(range);
	}
	return apart;
}

/** How many pages are in ranges that do not touch. */
export function sizeOf(ranges: Range[]): number {
	return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

/** From the first to the last page of ranges, of which there is at least one. */
function hullOf(ranges: Range[]): Range {
	return {
		from: Math.min(...ranges.map(({ from }) => from)),
		to: Math.max(...ranges.map(({ to }) => to)),
	};
}

function isSame(one: Range[], other: Range[]): boolean {
	const text = (ranges: Range[]) => ranges.map(({ from, to }) => `${from}-${to}`).join();
	return text(one) === text(other);
}
