/** Names of months in print that ICU does not have, a line a month: Austrian, Latvian, and older forms; `-` is none. */
export const MONTHS_IN_PRINT = `
janner jaenner
feber
marta maerz mrz מרס
-
maija
junija
julija
-
setiembre
-
nopember`;

/** Weekdays in Japanese, in Chinese, and in Korean, a line a weekday, and short ones in Polish and Turkish; in Chinese, Sunday has two names. */
export const WEEKDAYS_IN_PRINT = `
月 一 월 pn pt
火 二 화
水 三 수
木 四 목
金 五 금
土 六 토 ct
日 天 일 pz`;

/** Small words between the parts of a date, and the second half of Portuguese weekdays. */
export const DATE_WORDS = new Set(
	(
		'de del den of the le el г р r год году года року gada gads m d year ngay nam ' + 'dag dnia dne'
	).split(' '),
);

/** A form in print, and the usual one with the groups of its pattern. */
export type Form = [
	printed: RegExp,
	usual: string | ((whole: string, ...groups: string[]) => string),
];

/**
 * How dates are printed besides the usual forms, and the usual form of each.
 */
export const FORMS: Form[] = [
	// `令和8年3月9日`: the eighth year of an era.
	[/^令和(\d+|元)年/, (_, year) => `${year === '元' ? 2019 : 2018 + Number(year)}年`],
	// `2027年3月9日` and `2027년 3월 9일`.
	[/^(\d{4}) ?[年년] ?(\d+) ?[月월] ?(\d+) ?[日일]$/, '$1. $2. $3'],
	// `Ngày 9 tháng 3 năm 2027`.
	[/^[Nn]gày (\d+) tháng (\d+) năm (\d{4})$/, '$1.$2.$3'],
	// `9 tháng 3, 2027`.
	[/^(\d+) tháng (\d+), (\d{4})$/, '$1.$2.$3'],
	// `09.03.2027 г.`, `09.03.2027 r.` and `09.03.2027. a`.
	[/(?<=\d)\.? ?(?:г|р|r|a)\.?$/u, ''],
	// `2027. 3. 9.`
	[/(?<=\d)\.$/, ''],
];

/** Forms that are a date only under a name that means one, because otherwise they may be a number or a note. */
export const FORMS_IN_NAMES: Form[] = [
	// `9. 3.2027`.
	[/(?<=\d) ?([./-]) ?(?=\d)/g, '$1'],
	// `9 tháng 3 năm 2027`.
	[/^(\d\d?) tháng (\d\d?) năm (\d{4})$/, '$1.$2.$3'],
	// `2027/3/9(火)`.
	[/^(\d{4})([./-])(\d\d?)\2(\d\d?)(?!\d)/, '$1. $3. $4'],
	// `20270309`.
	[/^((?:19|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3'],
	// `JAN-09-2027`.
	[/^(\p{L}{3,})-(\d\d?)-(\d{4})$/u, '$1 $2 $3'],
	// `09JAN2027`.
	[/^(\d\d?)(\p{L}{3,})(\d{4})$/u, '$1 $2 $3'],
	// `09.03.2027 14.35`.
	[/(?<=\d{4},? )(\d\d?)\.(\d\d)$/, '$1:$2'],
	// `2027 03 09` and `09 03 2027`, in boxes of a form.
	[/^(\d{4}|\d\d) (\d\d) (\d{4}|\d\d)$/, '$1-$2-$3'],
	// `le 9.3.2027`, `vom 09.03.2027` and `Milano, lì 09.03.2027`.
	[/^(?:\p{L}+, (?=l))?(?:le|lì|du|vom|am|den|on|dated|del|il|op|dne|от|від)\.? (?=\d)/iu, ''],
];

/** Dates with the name of a month: `9 March 2027`, `March 9, 2027`, `9 March '27`, `2027 March 9` and `2027. gada 9. martā`. */
export const NAMED_FORMS = [
	/^(?<day>\d\d?) (?<name>\D+) (?<year>\d\d(?:\d\d)?)$/,
	/^(?<name>\D+) (?<day>\d\d?) (?<year>\d\d(?:\d\d)?)$/,
	/^(?<year>\d{4}) (?<name>\D+) (?<day>\d\d?)$/,
	/^(?<year>\d{4}) (?<day>\d\d?) (?<name>\D+)$/,
];

/** What a month's name between numbers says, but is no date. */
export const NO_DATES = [
	// A document number: `GEN-07-2026`.
	/^\p{L}+-\d+-\d+$/u,
	// An article number: `OUT 20 12`, but not `March 9, '27`.
	/^\p{L}+[ .-]+\d\d?[ .-]+\d\d$/u,
	// A street in Argentina: `25 de Mayo 1950`, but not `25 de mayo de 2027`.
	/^\d+ del? \p{L}+ \d+$/u,
];
