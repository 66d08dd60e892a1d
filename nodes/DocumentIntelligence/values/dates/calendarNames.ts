import { plainLetters } from '../names';
import { MONTHS, WEEKDAYS } from '../tables/dateNames';
import { MONTHS_IN_PRINT, WEEKDAYS_IN_PRINT } from '../tables/dateWords';

/**
 * The months that a word can mean, from January as 0: `lip` is June in Croatian and July in Polish. In many languages, two
 * letters are another word than a month. A whole name is no beginning: `mar` is not `marraskuu`.
 */
export const monthsOf = readerOf([MONTHS, MONTHS_IN_PRINT], 12, 3, false);

/** The weekdays that a word or a sign can mean, from Monday as 0: `ma` is the first in Dutch and begins the second in Romanian. */
export const weekdaysOf = readerOf([WEEKDAYS, WEEKDAYS_IN_PRINT], 7, 2, true);

/** The tables are read with the first word. */
function readerOf(tables: string[], count: number, minLength: number, mayNameBegin: boolean) {
	let known: ReturnType<typeof numbersOf> | undefined;
	return (word: string): number[] => {
		known ??= numbersOf(tables.join('\n'), count, minLength, mayNameBegin);
		return [...(known.get(plainLetters(word)) ?? [])];
	};
}

/**
 * Every number, from 0, that a name, or the beginning of names, can mean in one of the languages. A beginning means what
 * all longer names mean.
 * @param mayNameBegin whether a whole name also means what it begins
 */
function numbersOf(tables: string, count: number, minLength: number, mayNameBegin: boolean) {
	// With plain marks, as in printed text: `п'ятниця`.
	const lines = plainLetters(tables).replace(/ʼ/g, "'").trim().split(/\n+/);
	const names = lines.map((line) => line.split(/[, ]+/));
	const all = new Set(names.flat());
	const numbers = new Map<string, Set<number>>();
	for (const [line, inLine] of names.entries())
		for (const name of inLine)
			for (let size = Math.min(minLength, name.length); size <= name.length; size++) {
				const text = name.slice(0, size);
				if (size === name.length || mayNameBegin || !all.has(text))
					numbers.set(text, (numbers.get(text) ?? new Set()).add(line % count));
			}
	return numbers;
}
