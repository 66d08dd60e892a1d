import { plainLetters } from '../names';
import { MONTHS, WEEKDAYS } from '../tables/dateNames';
import { MONTHS_IN_PRINT, WEEKDAY_SIGNS } from '../tables/dateWords';

/** Every number that a name, or the beginning of names, can mean in one of the languages. */
type Numbers = ReadonlySet<number>;
type Names = ReadonlyMap<string, Numbers>;

const NONE: Numbers = new Set();

let known: Record<'months' | 'weekdays', Names> | undefined;

/** Made from the tables when the first date is read. */
function knownNames() {
	return (known ??= {
		// In many languages, two letters are another word than a month.
		months: namesIn([...linesOf(MONTHS, 1), ...linesOf(MONTHS_IN_PRINT, 1)], 3),
		weekdays: namesIn([...linesOf(WEEKDAYS, 0), ...linesOf(WEEKDAY_SIGNS, 0)], 2),
	});
}

/** The months that a word can mean, from 1: `lip` is June in Croatian and July in Polish. */
export function monthsOf(word: string): Numbers {
	return knownNames().months.get(plainLetters(word)) ?? NONE;
}

/** The weekdays that a word or a sign can mean, from Monday as 0. */
export function weekdaysOf(word: string): Numbers {
	return knownNames().weekdays.get(plainLetters(word)) ?? NONE;
}

type Line = [number: number, names: string[]];

function linesOf(table: string, first: number): Line[] {
	const lines = table.trim().split('\n');
	return lines.map((line, at) => [at + first, plainLetters(line).split(/[, ]+/)]);
}

/** A beginning means what all longer names mean, unless it is a name itself: `mar` is March, and not `marraskuu`. */
function namesIn(lines: Line[], minLength: number): Names {
	const exact = new Map<string, Set<number>>();
	for (const [number, names] of lines) for (const name of names) add(exact, name, number);
	const all = new Map(exact);
	for (const [name, numbers] of exact)
		for (let size = minLength; size < name.length; size++) {
			const beginning = name.slice(0, size);
			if (!exact.has(beginning)) for (const number of numbers) add(all, beginning, number);
		}
	return all;
}

function add(names: Map<string, Set<number>>, name: string, number: number): void {
	names.set(name, (names.get(name) ?? new Set()).add(number));
}
