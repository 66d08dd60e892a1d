import type { IDataObject } from 'n8n-workflow';

import { plainFileName } from '../text/fileNames';
import { pluralize } from '../text/pluralize';
import { isObject, objectOf, objectsOf, textOf } from '../text/json';
import {
	listsItsPages,
	merged,
	PAGE_NAMES,
	pagesSaidIn,
	plain,
	RANGE_NAMES,
	sizeOf,
	type PagesSaid,
	type Range,
} from './pageRanges';

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

const TYPE_NAMES = [
	...['documenttype', 'detectedtype', 'doctype', 'documentclass', 'documentcategory'],
	...['type', 'class', 'classification', 'category', 'kind', 'label'],
];

/** What services call the list itself. */
const LIST_NAMES = ['segments', 'documents', 'parts', 'splits'];

/** A list of these names is about each page by itself, unless it says ranges. */
const PAGE_LIST_NAME = /^pages?/;

/** How an answer names the file that something is about. */
const FILE_NAMES = ['filename', 'sourcefilename', 'originalfilename', 'sourcefile', 'file'];

/** The extensions that the service takes (docs/service-contract.md, limits). */
const IS_FILE_NAME = /\.(pdf|png|jpe?g|tiff?|bmp|docx?)$/i;

/** How deep in the answer the list is looked for. */
const DEPTH = 3;

/** How many pages the documents of one answer list in all: an answer may claim any number. */
const MAX_LISTED_PAGES = 1_000_000;

/**
 * The documents in the order of the answer; undefined where it has no list of them.
 *
 * @param fileName under which the file was sent: what an answer says of another one does not count; undefined where
 *   that is not known
 */
export function readSegments(data: unknown, fileName: string | undefined): Segment[] | undefined {
	const entries = segmentsIn(data, fileName);
	if (entries === undefined) return undefined;
	// A number alone may be that of a page or how many there are: only the other documents can tell.
	const numberIsPage = entries.some(listsItsPages);
	const said = entries.map((entry) => ({ entry, ...pagesSaidIn(entry, numberIsPage) }));
	let room = MAX_LISTED_PAGES;
	return withoutSharedCounts(said).map(({ entry, ranges, names }) => {
		const type = typeIn(entry);
		const apart = merged(ranges);
		const pages = sizeOf(apart) > room ? [] : listed(apart);
		room -= pages.length;
		const known = {
			documentType: type?.text ?? null,
			firstPage: apart[0]?.from ?? null,
			lastPage: apart.at(-1)?.to ?? null,
			pages,
		};
		const used = new Set([...names, type?.name]);
		const same = Object.entries(known).filter(([name, value]) => entry[name] === value);
		for (const [name] of same) used.add(name);
		return {
			...known,
			isReversed: ranges.some(({ from, to }) => from > to),
			rest: Object.fromEntries(Object.entries(entry).filter(([name]) => !used.has(name))),
		};
	});
}

/** Numbers of pages that reach into another document are those of the file, so they say no pages. */
function withoutSharedCounts<T extends PagesSaid>(all: T[]): T[] {
	const ascending = all
		.flatMap(({ ranges, isCounted }) =>
			merged(ranges).map(({ from, to }) => ({ from, to, isCounted })),
		)
		.sort((one, other) => one.from - other.from);
	let [last, lastCounted] = [-1, -1];
	for (const { from, to, isCounted } of ascending) {
		if (from <= (isCounted ? last : lastCounted)) {
			return all.map((said) => (said.isCounted ? { ...said, ranges: [], names: [] } : said));
		}
		last = Math.max(last, to);
		if (isCounted) lastCounted = Math.max(lastCounted, to);
	}
	return all;
}

/** Objects that may be the documents of a file. */
interface List {
	name: string;
	entries: IDataObject[];
	/** Of the file that they are about, where the answer says it. */
	fileName?: string;
}

const isNamed = ({ name }: List) => LIST_NAMES.includes(plain(name));
const isOfPages = ({ name }: List) => PAGE_LIST_NAME.test(plain(name));
const all = (names: string[]) => (list: List) =>
	list.entries.every((entry) => named(entry, names) !== undefined);
const haveTypes = (list: List) => all(TYPE_NAMES)(list);
const havePages = all(PAGE_NAMES);
const haveRanges = all(RANGE_NAMES);

/** The lists that may be meant, the best first: what is not called one has to say more to be one. */
const LISTS: ReadonlyArray<(list: List) => boolean> = [
	(list) => isNamed(list) && havePages(list) && haveTypes(list),
	(list) => isNamed(list) && havePages(list),
	(list) => isNamed(list) && haveTypes(list),
	(list) => !isOfPages(list) && havePages(list) && haveTypes(list),
	(list) => !isOfPages(list) && haveRanges(list),
	(list) => !isOfPages(list) && haveTypes(list),
	isNamed,
	haveRanges,
];

function segmentsIn(data: unknown, fileName: string | undefined): IDataObject[] | undefined {
	const lists = listsIn(data, { name: '' }, fileName);
	const own = lists.filter((list) => isFile(list.fileName, fileName));
	const unnamed = lists.filter((list) => list.fileName === undefined);
	const meant = fileName === undefined ? lists : own.length > 0 ? own : unnamed;
	for (const isRight of LISTS) {
		const found = meant.find(isRight);
		if (found !== undefined) return entriesOf(found, fileName);
	}
	return undefined;
}

/** Without those of other files. A name that no other entry has may be that of the document in the file. */
function entriesOf({ entries }: List, fileName: string | undefined): IDataObject[] | undefined {
	if (fileName === undefined) return entries;
	const names = entries.map(fileNameIn);
	if (names.some((name) => isFile(name, fileName)))
		return entries.filter((_, index) => isFile(names[index] ?? fileName, fileName));
	const [first, ...others] = names;
	const isOther =
		first !== undefined && others.length > 0 && others.every((name) => name === first);
	return isOther ? undefined : entries;
}

function isFile(fileName: string | undefined, sent: string | undefined): boolean {
	return (
		fileName !== undefined && sent !== undefined && plainFileName(fileName) === plainFileName(sent)
	);
}

function fileNameIn(object: IDataObject): string | undefined {
	const found = named(object, FILE_NAMES, (value) => IS_FILE_NAME.test(textOf(value) ?? ''));
	return textOf(found?.value) ?? undefined;
}

/** The lists in an answer, each with the file that it is about. */
function listsIn(
	data: unknown,
	about: Pick<List, 'name' | 'fileName'>,
	sent: string | undefined,
	depth = 0,
): List[] {
	if (Array.isArray(data)) {
		const entries = objectsOf(data);
		const isList = entries.length > 0 && data.every((entry) => entry === null || isObject(entry));
		return isList ? listsOf({ ...about, entries }, sent, depth) : [];
	}
	if (!isObject(data) || depth === DEPTH) return [];
	const lists = Object.entries(data).flatMap(([name, entry]) =>
		listsIn(
			entry,
			{ name, ...(IS_FILE_NAME.test(name) ? { fileName: name } : {}) },
			sent,
			depth + 1,
		),
	);
	const fileName = fileNameIn(data) ?? about.fileName;
	return lists.map((list) => ({ fileName, ...list }));
}

/** The list, or those in its entries where these are files. */
function listsOf(list: List, sent: string | undefined, depth: number): List[] {
	const { entries } = list;
	const inside = entries.flatMap((entry) => {
		const own = fileNameIn(entry);
		const lists = listsIn(entry, list, sent, depth).filter(
			(inner) => isNamed(inner) || (own !== undefined && !isOfPages(inner) && havePages(inner)),
		);
		return lists.length > 0 ? [{ own, lists }] : [];
	});
	const areFiles = inside.length > 0 && inside.every(({ own }) => own !== undefined);
	if (!areFiles && !(inside.length === 1 && entries.length === 1)) return [list];
	const isOfThisFile = inside.some(({ own }) => isFile(own, sent));
	const areDocuments =
		!isOfThisFile && entries.every((entry) => pagesSaidIn(entry, false).ranges.length > 0);
	return areDocuments ? [list] : inside.flatMap(({ lists }) => lists);
}

/** The entry of the first of these names whose value is accepted. */
function named(
	object: IDataObject,
	names: string[],
	accepts: (value: unknown) => boolean = () => true,
): { name: string; value: unknown } | undefined {
	let found: { name: string; value: unknown } | undefined;
	let rank = names.length;
	for (const [name, value] of Object.entries(object)) {
		const position = names.indexOf(plain(name));
		if (position < 0 || position >= rank || !accepts(value)) continue;
		found = { name, value };
		rank = position;
	}
	return found;
}

/** The type, and the name that it takes up entirely. */
function typeIn(entry: IDataObject): { text: string; name?: string } | undefined {
	const isText = (value: unknown) => (textOf(value) ?? '').trim() !== '';
	const own = named(entry, TYPE_NAMES, isText);
	if (own !== undefined) return { text: textOf(own.value)!.trim(), name: own.name };
	const nested = objectOf(named(entry, TYPE_NAMES, isObject)?.value);
	const inner = named(nested, [...TYPE_NAMES, 'name', 'value'], isText);
	return inner && { text: textOf(inner.value)!.trim() };
}

function listed(ranges: Range[]): number[] {
	const pages: number[] = [];
	for (const { from, to } of ranges) {
		for (let page = from; page <= to; page++) pages.push(page);
	}
	return pages;
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
	// Where the pages of a document are not certain, they may be those.
	const isCertain = segments.every(({ pages }) => pages.length > 0);
	const missing = Array.from(
		{ length: isCertain ? (pageCount ?? 0) : 0 },
		(_, index) => index + 1,
	).filter((page) => !seen.has(page));
	const remark = (pages: Iterable<number>, said: string) => {
		const words = formatPages([...pages]);
		return words === '' ? [] : [`${words} ${said}`];
	};
	return [
		...remark(beyond, `past the end: the file has ${pluralize(pageCount ?? 0, 'page')}`),
		...remark(repeated, 'in several documents'),
		...remark(missing, 'in no document'),
		...(segments.some(({ isReversed }) => isReversed) ? ['a range in reverse order'] : []),
	];
}

/** How many ranges a remark lists. */
const MAX_LISTED_RANGES = 5;

/** `page 3`, `pages 1, 5-7`; nothing for no page. */
function formatPages(pages: number[]): string {
	const ranges = merged(pages.map((page) => ({ from: page, to: page })));
	if (ranges.length === 0) return '';
	const words = ranges
		.slice(0, MAX_LISTED_RANGES)
		.map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`));
	const more = ranges.length > words.length ? ', …' : '';
	return `${pages.length === 1 ? 'page' : 'pages'} ${words.join(', ')}${more}`;
}
