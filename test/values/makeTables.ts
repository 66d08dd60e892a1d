import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { plainLetters } from '../../nodes/DocumentIntelligence/values/names';

/**
 * `npm run tables` writes the tables of `nodes/DocumentIntelligence/values/tables/`, from what the ICU of this Node.js
 * knows. The node asks no ICU: building its formats takes seconds, and each Node.js has another one. Review the difference
 * before you commit it: what print does differently goes in the tables by hand beside the generated ones.
 */

/** The currencies, and the languages of the countries that use them besides English. */
const CURRENCIES = `
AED ar; AFN fa ps; ALL sq; AMD hy; AOA pt; ARS es; AUD; AZN az; BAM bs hr sr; BDT bn; BGN bg; BHD ar; BIF fr; BND ms;
BOB es; BRL pt; BWP; BYN be ru; CAD fr; CDF fr; CHF de-CH fr-CH it-CH; CLP es; CNY zh; COP es; CRC es; CUP es; CVE pt;
CZK cs; DJF fr ar; DKK da; DOP es; DZD ar fr; EGP ar; ETB am; EUR de fr es it pt nl fi el et lv lt sk sl hr ga mt bg;
GBP; GEL ka; GHS; GNF fr; GTQ es; HKD zh-HK; HNL es; HTG fr; HUF hu; IDR id; ILS he; INR hi; IQD ar; IRR fa; ISK is;
JMD; JOD ar; JPY ja; KES sw; KGS ky ru; KHR km; KMF fr; KRW ko; KWD ar; KZT kk ru; LAK lo; LBP ar; LKR si ta; LYD ar;
MAD ar fr; MDL ro; MGA fr mg; MKD mk; MMK my; MNT mn; MOP pt zh-MO; MUR fr; MVR; MWK; MXN es; MYR ms; MZN pt; NAD; NGN;
NIO es; NOK nb; NPR ne; NZD; OMR ar; PAB es; PEN es; PGK; PHP fil; PKR ur; PLN pl; PYG es; QAR ar; RON ro; RSD sr
sr-Latn; RUB ru; RWF fr rw; SAR ar; SCR; SEK sv; SGD; SYP ar; THB th; TND ar fr; TRY tr; TTD; TWD zh-TW; TZS sw; UAH uk
ru; UGX sw; USD es; UYU es; UZS uz; VES es; VND vi; VUV fr; XAF fr; XCD; XOF fr; XPF fr; YER ar; ZAR af; ZMW`;

/** The languages whose names of months and weekdays are read. */
const LANGUAGES = (
	'en de fr es it pt nl sv da nb fi pl cs sk sl hr sr sr-Latn bs mk bg ro hu el tr ru uk be lt lv et is sq ca gl ' +
	'af sw id ms fil ar ar-LB he'
).split(' ');

const COUNTS = [1, 2, 5, 11, 100];

/** Names of one word for a currency in these languages, and its signs there: papers print no longer names. */
function namesOfCurrency(code: string, languages: string[]): string[] {
	const texts = languages.flatMap((language) => {
		const locale = code === 'USD' && language === 'es' ? 'es-EC' : language;
		const name = new Intl.DisplayNames(locale, { type: 'currency' }).of(code) ?? '';
		const names = COUNTS.map((count) => printedAs(locale, code, 'name', count));
		const signs = (['symbol', 'narrowSymbol'] as const).map((display) =>
			printedAs(locale, code, display, 1),
		);
		const isSign = (text: string) =>
			/\p{Sc}/u.test(text) || (/^[\p{L}.]{3,}$/u.test(text) && !/^[A-Z]{3}$/.test(text));
		return [
			...[name, ...names].map((text) => text.toLowerCase()).filter((text) => !/[\d( ]/.test(text)),
			...signs.filter(isSign),
		];
	});
	return [
		...new Set(
			texts.map((text) =>
				text
					.replace(/\p{Cf}/gu, '')
					.replace(/\.$/, '')
					.trim(),
			),
		),
	]
		.filter((text) => text !== '' && text.toUpperCase() !== code && !SHARED_SIGNS.has(text))
		.sort();
}

/** Signs of several currencies are in the table by hand, which says of which. */
const SHARED_SIGNS = new Set(['$', '£', '¥', '￥', '₨', 'R']);

function printedAs(
	locale: string,
	currency: string,
	currencyDisplay: 'name' | 'symbol' | 'narrowSymbol',
	count: number,
): string {
	const format = new Intl.NumberFormat(locale, {
		style: 'currency',
		currency,
		currencyDisplay,
		maximumFractionDigits: 0,
	});
	return format.formatToParts(count).find(({ type }) => type === 'currency')?.value ?? '';
}

/** As names of months and weekdays are compared, without articles and the word for "day", which are read by themselves. */
function nameInDates(text: string): string {
	return plainLetters(text)
		.replace(/\.$/, '')
		.replace(/^(?:de |d’|e |il-|it-|is-|l-|יום |วน)/, '')
		.trim();
}

/** The names of the 12 months or the 7 weekdays, alone and in a date, long and short. */
function namesInDates(part: 'month' | 'weekday', count: number): string[] {
	const names = Array.from({ length: count }, () => new Set<string>());
	for (const language of LANGUAGES)
		for (const style of ['long', 'short'] as const)
			for (const beside of [{}, { day: 'numeric' as const }, { dateStyle: DATE_STYLES[style] }]) {
				const options = 'dateStyle' in beside ? beside : { [part]: style, ...beside };
				const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, options);
				names.forEach((known, at) => {
					// The first day of 2024 was a Monday.
					const day = part === 'month' ? new Date(2024, at, 10) : new Date(2024, 0, at + 1);
					const value = format.formatToParts(day).find(({ type }) => type === part)?.value ?? '';
					const name = nameInDates(value);
					// Two letters are a month in no date that is printed, but a word in many languages.
					const isLong = name.length > (part === 'month' && /\p{Script=Latin}/u.test(name) ? 2 : 1);
					if (isLong && /^\p{L}[\p{L}ʼ-]*$/u.test(name)) known.add(name);
				});
			}
	return names.map((known) => {
		// The beginning of a name means the same, unless names of several lines begin like that.
		const isKnown = (beginning: string) => {
			const lines = names.filter((each) => [...each].some((name) => isLonger(name, beginning)));
			return lines.length === 1 && lines[0] === known;
		};
		return [...known]
			.filter((name) => !isKnown(name))
			.sort()
			.join(', ');
	});
}

function isLonger(name: string, beginning: string): boolean {
	return name !== beginning && name.startsWith(beginning);
}

const DATE_STYLES = { long: 'full', short: 'medium' } as const;

export function currencyTable(): string {
	const entries = CURRENCIES.split(';').map((entry) => entry.trim().split(/\s+/));
	const lines = entries.map(([code = '', ...languages]) =>
		[code, ...namesOfCurrency(code, ['en', ...languages])].join(' '),
	);
	return fileOf(
		'Names of currencies of one word, in lower case, and their signs, in English and in the languages of their countries.',
		{ CURRENCY_NAMES: lines },
	);
}

export function dateTable(): string {
	return fileOf(
		'Names of months, from January, and of weekdays, from Monday: in lower case, without accents and periods.',
		{ MONTHS: namesInDates('month', 12), WEEKDAYS: namesInDates('weekday', 7) },
	);
}

function fileOf(comment: string, tables: Record<string, string[]>): string {
	const constants = Object.entries(tables).map(
		([name, lines]) => `export const ${name} = \`\n${lines.join('\n')}\`;\n`,
	);
	return `/** ${comment} Made by \`npm run tables\`; do not edit. */\n${constants.join('\n')}`;
}

export const TABLES = { 'currencyNames.ts': currencyTable, 'dateNames.ts': dateTable };

export const tablesFolder = join(__dirname, '../../nodes/DocumentIntelligence/values/tables');

if (process.argv[1]?.endsWith('makeTables.ts') === true)
	for (const [name, table] of Object.entries(TABLES)) {
		const path = join(tablesFolder, name);
		writeFileSync(path, table());
		console.log(`${path}: ${readFileSync(path).length} bytes`);
	}
