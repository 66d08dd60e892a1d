import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';

import { readAmount } from '../../../../nodes/DocumentIntelligence/results/amounts';
import { readDate } from '../../../../nodes/DocumentIntelligence/results/dates';
import { readMetadata, valuesOf } from '../../../../nodes/DocumentIntelligence/results/fields';
import { pathName } from '../../../../nodes/DocumentIntelligence/results/review';
import {
	typedValues,
	type UncertainValue,
} from '../../../../nodes/DocumentIntelligence/results/values';
import { numRuns } from '../../numRuns';

/** The languages that the service reads, each with the currency of its country. */
const CURRENCIES = {
	'en-GB': 'GBP',
	'en-US': 'USD',
	'en-IN': 'INR',
	'de-DE': 'EUR',
	'de-CH': 'CHF',
	'de-AT': 'EUR',
	'fr-FR': 'EUR',
	'fr-CH': 'CHF',
	'es-ES': 'EUR',
	'it-IT': 'EUR',
	'pt-BR': 'BRL',
	'nl-NL': 'EUR',
	'sv-SE': 'SEK',
	'nb-NO': 'NOK',
	'da-DK': 'DKK',
	'fi-FI': 'EUR',
};

const locale = fc.constantFrom(...Object.keys(CURRENCIES)) as fc.Arbitrary<keyof typeof CURRENCIES>;

/** Whole cents, so that what is printed is what was meant. */
const amount = fc
	.integer({ min: -999_999_999_99, max: 999_999_999_99 })
	.map((cents) => cents / 100);

function typed(
	metadata: object,
	settings: Partial<Parameters<typeof typedValues>[1]> = {},
): { values: unknown; uncertain: Array<{ field: string; decides: UncertainValue['decides'] }> } {
	const { tree, uncertain } = typedValues(readMetadata(metadata), {
		decimalMark: 'detect',
		dateOrder: 'detect',
		textFields: [],
		...settings,
	});
	return {
		values: valuesOf(tree),
		uncertain: uncertain.map(({ path, decides }) => ({ field: pathName(path), decides })),
	};
}

describe('amounts', () => {
	test.each([
		['1.005,55', 1005.55],
		['12.50', 12.5],
		["1'234'567", 1234567],
		['$101,102,103', 101102103],
		['1.234.567 €', 1234567],
		['12,34,567.00', 1234567],
		['$1,234.50', 1234.5],
		['1.234,50 €', 1234.5],
		['1.234,50\u00a0€', 1234.5],
		['1\u202f234,50\u00a0€', 1234.5],
		['1 234,00 kr', 1234],
		['kr 1 234,00', 1234],
		['EUR 100', 100],
		['100 EUR', 100],
		['US$5.00', 5],
		['R$ 1.234,56', 1234.56],
		['CHF 1’234.50', 1234.5],
		["1'234", 1234],
		['CHF 50.–', 50],
		['Fr. 50.–', 50],
		['Fr. 13.50', 13.5],
		["Fr. 1'234.50", 1234.5],
		['13.50 Fr.', 13.5],
		['1.234,50 lei', 1234.5],
		['2.50 CUP', 2.5],
		['kr 100', 100],
		['Rs. 500', 500],
		['100,-', 100],
		['₹1,00,000', 100000],
		['(1,234.50)', -1234.5],
		['$ (5.00)', -5],
		['($5)', -5],
		['(5 €)', -5],
		['(12.50)', -12.5],
		['(1 234,50)', -1234.5],
		['1.234,50-', -1234.5],
		['-$5.00', -5],
		['$-5.00', -5],
		['\u22125,00', -5],
		['19 %', 19],
		['7,5%', 7.5],
		['0.234', 0.234],
		['0', 0],
		['42', 42],
		['123456', 123456],
		['$1234567', 1234567],
		['TOP 100.50', 100.5],
	])('%j is %d', (text, value) => {
		expect(typed({ text })).toEqual({ values: { text: value }, uncertain: [] });
	});

	test.each([
		'007',
		'0123',
		'1234567',
		'0049 171 123',
		'+491234',
		'030 123 456',
		'732 829 320',
		'192.168.100.200',
		'99999999999999.99',
		'12345678901234567890',
		'1e5',
		'5 apples',
		'5x123',
		'x5,123.45',
		'TOP 100',
		'PEN 5',
		'CUP 2',
		'2 CUP',
		'CUP 1.234',
		'Fr 13',
		'Fr.13',
		'13 Fr',
		'Fr. 13.',
		'13 Ft',
		'12.50 Ft',
		'12.500 Ft',
		'5 lei',
		'(0123)',
		'(1234567)',
		'(732 829 320)',
		'INV-100',
		'1005,55 DM',
		'12-5',
		'1,23,45',
		'1.23.456',
		'12.345,6.7',
		'(5',
		'--5',
		'$5 €',
		'5 % %',
		'-',
		'',
		' ',
		'.',
		'=1+1',
		'٣٤',
	])('%j stays as printed', (text) => {
		expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
	});

	test.each([
		...['1.234', '1,234', '12.345', '123,456', '1.234 €', '-1.234'],
		...['101,102,103', '101.102.103', '1,234,567', '99,100,101', '-1.234.567', '12,34,567'],
	])('%j stays as printed unless something decides, and is named', (text) => {
		expect(typed({ text })).toEqual({
			values: { text },
			uncertain: [{ field: 'text', decides: 'decimalMark' }],
		});
	});

	test.each(['(1)', '(2)', '(42)', '(100)'])(
		'%j is the mark of a footnote or a negative amount: it stays as printed and is named',
		(text) => {
			for (const decimalMark of ['detect', 'point', 'comma'] as const)
				expect(typed({ text, total: '$5.50' }, { decimalMark })).toEqual({
					values: { text, total: 5.5 },
					uncertain: [{ field: 'text', decides: undefined }],
				});
		},
	);

	test.each(['1 250', '12 500', '999\u202f999', '-1\u00a0250'])(
		'%j may be an amount without decimals or the number of something, and is named',
		(text) => {
			expect(typed({ text, total: '13 750,00 kr' })).toEqual({
				values: { text, total: 13750 },
				uncertain: [{ field: 'text', decides: undefined }],
			});
		},
	);

	test.each(['0 250', '030 123', '1 250 000', '12 50', '1 2500'])(
		'%j is rather the number of something',
		(text) => expect(typed({ text }).uncertain).toEqual([]),
	);

	test('groups of digits are one number only where the document or the setting says so', () => {
		const list = '101,102,103';
		expect(typed({ list, total: '$1,005.55' }).values).toMatchObject({ list: 101102103 });
		expect(typed({ list }, { decimalMark: 'point' }).values).toEqual({ list: 101102103 });
		expect(typed({ list, total: '1.005,55 €' })).toEqual({
			values: { list, total: 1005.55 },
			uncertain: [],
		});
		expect(typed({ list }, { decimalMark: 'comma' })).toEqual({ values: { list }, uncertain: [] });
		expect(typed({ list: '101.102.103', total: '5,50 €' }).values).toMatchObject({
			list: 101102103,
		});
	});

	test.each(['Fr 13.50', '13.50 lei', '2.50 CUP', 'TOP 100.50', '(12.50)', '1,234,567'])(
		'%j may be something else than money, so it decides nothing',
		(other) => {
			expect(typed({ quantity: '1.234', other }).uncertain).toContainEqual({
				field: 'quantity',
				decides: 'decimalMark',
			});
		},
	);

	test('certain values of the same document decide the uncertain ones', () => {
		expect(typed({ total: '1.005,55', quantity: '1.234' }).values).toEqual({
			total: 1005.55,
			quantity: 1234,
		});
		expect(typed({ total: '1,005.55', quantity: '1.234' }).values).toEqual({
			total: 1005.55,
			quantity: 1.234,
		});
	});

	test('values that contradict each other decide nothing, and leave it to the setting', () => {
		const document = { a: '$5.50', b: '5,50 €', c: '1.234' };
		expect(typed(document)).toEqual({
			values: { a: 5.5, b: 5.5, c: '1.234' },
			uncertain: [{ field: 'c', decides: 'decimalMark' }],
		});
		expect(typed(document, { decimalMark: 'comma' }).values).toMatchObject({ c: 1234 });
	});

	test('the document decides before the setting, which holds for those of other countries', () => {
		const american = { total: '$99.50', amount: '$12,000', date: '11/30/2026', due: '12/01/2026' };
		const european = { decimalMark: 'comma', dateOrder: 'dayFirst' } as const;
		expect(typed(american, european).values).toEqual({
			total: 99.5,
			amount: 12_000,
			date: '2026-11-30',
			due: '2026-12-01',
		});
	});

	test.each(['14.30', '2.1', '52.520008', '1.0823', '24.12', '3.2'])(
		'%j is no money, so it decides nothing',
		(other) => {
			expect(typed({ price: '12.000 €', other })).toMatchObject({
				values: { price: '12.000 €' },
				uncertain: [{ field: 'price', decides: 'decimalMark' }],
			});
		},
	);

	test.each(['10.2026', '1.2026', '2026.01', '2026.1', 'CAD-204', 'EUR-100'])(
		'%j stays a text',
		(text) => {
			expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
		},
	);

	test.each([
		...['500 T€', '1,5 M€', '12 K€', '12 k€', '3 MM€', '5 M$', '5M$', 'T€ 500', 'M€ 12,5', 'K$ 12'],
		...['500 TEUR', '5 MCHF', 'XY$ 5.00', '5 M£'],
	])(
		'%j is a number of thousands or millions, or of an unknown currency: it stays a text',
		(text) => {
			expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
		},
	);

	test.each([
		['US$5', 5],
		['CA$ 5', 5],
		['C$5.00', 5],
		['AU$5', 5],
		['A$5', 5],
		['NZ$5', 5],
		['HK$5', 5],
		['S$5', 5],
		['R$ 5', 5],
		['MX$5', 5],
		['NT$500', 500],
		['5 US$', 5],
	])('%j is %d, as the letters are those of a country', (text, value) => {
		expect(typed({ text })).toEqual({ values: { text: value }, uncertain: [] });
	});

	test.each(['50¢', '¢50', '99 ¢', '0.50 ¢'])('%j is in cents: it stays a text', (text) => {
		expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
	});

	test.each(['100-EUR', '204-CAD', '500-USD', '20-kr', '5-US$', '100 -EUR'])(
		'%j is no negative amount, as the hyphen belongs to the letters',
		(text) => {
			expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
		},
	);

	test.each([
		['100- EUR', -100],
		['100 - EUR', -100],
		['5,00-€', -5],
		['EUR 5,00-', -5],
		['100-', -100],
		['100,-EUR', 100],
		['100.–CHF', 100],
	])('%j is %d', (text, value) => {
		expect(typed({ text })).toEqual({ values: { text: value }, uncertain: [] });
	});

	test.each([
		['1.299,-', 1299],
		['1.299,–', 1299],
		['kr 1.299,-', 1299],
		['1,234.-', 1234],
		['1,234.-- CHF', 1234],
		["1'234.-", 1234],
		['1 234,-', 1234],
		['12.345.678,-', 12_345_678],
	])(
		'%j is %d whatever else there is: the mark in front of the dash is the decimal one',
		(text, value) => {
			for (const other of ['5.00%', '5,00%', '$5.00', '5,00 €', 'x']) {
				for (const decimalMark of ['detect', 'point', 'comma'] as const) {
					const { values, uncertain } = typed({ text, other }, { decimalMark });
					expect(values).toMatchObject({ text: value });
					expect(uncertain).toEqual([]);
				}
			}
		},
	);

	test.each(['1,299,-', '1.234.-', '1,23,45.-', '01,-'])(
		'%j is no price, so it stays a text',
		(text) => {
			expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
		},
	);

	test('a price without decimals decides where a currency is beside it or it has both marks', () => {
		expect(typed({ price: '1.299,-', a: '1.234' }).values).toMatchObject({ a: 1234 });
		expect(typed({ price: '100,- €', a: '1.234' }).values).toMatchObject({ a: 1234 });
		// A section.
		expect(typed({ section: '1.-', a: '1.234' }).values).toMatchObject({ a: '1.234' });
	});

	test.each(["(1'234)", '(1.234)', '(1.234.567)', '(100)'])(
		'%j is the mark of a footnote or a negative amount, whatever the document decides',
		(text) => {
			for (const other of ['1.005,55 €', '$1,005.55', 'x']) {
				expect(typed({ text, other })).toMatchObject({
					values: { text },
					uncertain: [{ field: 'text', decides: undefined }],
				});
			}
		},
	);

	test.each([
		['-€5', -5],
		['€-5', -5],
		['EUR -100', -100],
		['-EUR 100', -100],
		['$-5.50', -5.5],
	])('%j is %d', (text, value) => {
		expect(typed({ text }).values).toEqual({ text: value });
	});

	const swiss = { quantity: '1,250', rate: '2,625 %', price: '1 234.50 CHF', fuel: '1.875 CHF' };

	test('French Switzerland: a point in money decides money, a comma in percent the other numbers', () => {
		expect(typed(swiss)).toEqual({
			values: { ...swiss, price: 1234.5, fuel: 1.875 },
			uncertain: [
				{ field: 'quantity', decides: 'decimalMark' },
				{ field: 'rate', decides: 'decimalMark' },
			],
		});
		expect(typed(swiss, { decimalMark: 'comma' }).values).toEqual({
			quantity: 1.25,
			rate: 2.625,
			price: 1234.5,
			fuel: 1.875,
		});
		expect(typed({ ...swiss, vat: '8,1 %' }).values).toEqual({
			quantity: 1.25,
			rate: 2.625,
			price: 1234.5,
			fuel: 1.875,
			vat: 8.1,
		});
	});

	test.each(["CHF 1'234.50", 'CHF 12.50', '1 234.50 €', '12.50 €', 'SFr. 5.00', '100.– CHF'])(
		'%j may be printed in French Switzerland, so it decides no numbers that are no money',
		(price) => {
			expect(typed({ price, quantity: '1,250' })).toMatchObject({
				values: { quantity: '1,250' },
				uncertain: [{ field: 'quantity', decides: 'decimalMark' }],
			});
			expect(typed({ price, unit: '1.250 EUR' })).toMatchObject({ values: { unit: 1.25 } });
		},
	);

	test('percent and plain numbers do not decide an amount in francs, but other amounts', () => {
		expect(typed({ rate: '2,5 %', fuel: '1.875 CHF' })).toMatchObject({
			values: { fuel: '1.875 CHF' },
			uncertain: [{ field: 'fuel', decides: 'decimalMark' }],
		});
		expect(typed({ rate: '7,5 %', price: '12.000 €' }).values).toMatchObject({ price: 12_000 });
	});

	test.each([
		['1.234,50 €', '1.234', 1234],
		['12,50 €', '1.234', 1234],
		['12,50 CHF', '1.234', 1234],
		['$99.50', '1,234', 1234],
		['€99.50', '1,234', 1234],
		['CHF 1,234.50', '1,234', 1234],
		['1,234.50 EUR', '1,234', 1234],
	])('%j decides plain numbers too', (price, quantity, value) => {
		expect(typed({ price, quantity }).values).toMatchObject({ quantity: value });
	});

	test('of a document that Intl prints, each value comes back exactly, or stays', () => {
		const random = numRuns(10_000);
		let read = 0;
		const thousandths = fc.integer({ min: -99_999_999, max: 99_999_999 });
		const styles = fc.constantFrom('decimal', 'currency', 'percent');
		fc.assert(
			fc.property(
				locale,
				fc.array(fc.tuple(thousandths, styles, fc.integer({ min: 0, max: 3 })), { maxLength: 5 }),
				(language, values) => {
					const printed = values.map(([thousandth, style, digits]) => {
						const value = Math.trunc(thousandth / 10 ** (3 - digits)) / 10 ** digits;
						const text = new Intl.NumberFormat(language, {
							style,
							currency: CURRENCIES[language],
							minimumFractionDigits: digits,
							maximumFractionDigits: digits + (style === 'percent' ? 2 : 0),
						}).format(style === 'percent' ? value / 100 : value);
						return { text, value };
					});
					const document = Object.fromEntries(
						printed.map(({ text }, place) => [`a${place}`, text]),
					);
					const { values: found } = typed(document);
					for (const [place, value] of Object.values(found as object).entries()) {
						if (typeof value !== 'number') continue;
						read += 1;
						expect(value).toBeCloseTo(printed[place]?.value ?? NaN, 6);
					}
				},
			),
			random,
		);
		// On average more than one value each.
		expect(read).toBeGreaterThan(random.numRuns);
	});

	test('what Intl prints comes back exactly, but for a hyphen glued to letters', () => {
		fc.assert(
			fc.property(
				locale,
				amount,
				fc.constantFrom('decimal', 'currency'),
				(language, value, style) => {
					const text = new Intl.NumberFormat(language, {
						style: style,
						currency: CURRENCIES[language],
						minimumFractionDigits: 2,
					}).format(value);
					const reading = readAmount(text);
					if (text.startsWith('CHF-')) expect(reading).toBeUndefined();
					else
						expect(reading).toMatchObject({
							kind: 'certain',
							value: value === 0 ? Math.abs(value) : value,
						});
				},
			),
			numRuns(5000),
		);
	});

	test('whole numbers that Intl prints come back exactly, or stay', () => {
		fc.assert(
			fc.property(locale, fc.maxSafeInteger(), (language, value) => {
				const reading = readAmount(new Intl.NumberFormat(language).format(value));
				if (reading?.kind === 'certain') expect(reading.value).toBe(value);
				else if (reading !== undefined) expect(Object.values(reading.value)).toContain(value);
			}),
			numRuns(5000),
		);
	});
});

describe('dates', () => {
	test.each([
		'OUT-2041-12',
		'MAR-2024-05',
		'SET-1234-05',
		'13-05-4711',
		'12.05.4711',
		'15/1/2569',
		'1404/10/11',
	])('%j is a number of something else', (text) => {
		expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
	});

	test('a number that is no date decides no order', () => {
		expect(typed({ invoice: '13-05-4711', date: '05/06/2026' }).uncertain).toEqual([
			{ field: 'date', decides: 'dateOrder' },
		]);
	});

	test.each([
		['2026-01-05', '2026-01-05'],
		['2026-01-05T00:00:00Z', '2026-01-05'],
		['2026/01/05', '2026-01-05'],
		['05.01.2026', '2026-01-05'],
		['5. 1. 2026', '2026-01-05'],
		['25/06/2026', '2026-06-25'],
		['6/25/2026', '2026-06-25'],
		['05/05/2026', '2026-05-05'],
		['January 5, 2026', '2026-01-05'],
		['5 janvier 2026', '2026-01-05'],
		['1er janvier 2026', '2026-01-01'],
		['5. Januar 2026', '2026-01-05'],
		['Montag, 5. Januar 2026', '2026-01-05'],
		['5 de enero de 2026', '2026-01-05'],
		['5th Jan 2026', '2026-01-05'],
		['05-Jan-2026', '2026-01-05'],
		['Mar 5, 2026', '2026-03-05'],
		['mar. 5 mai 2026', '2026-05-05'],
		['29 February 2024', '2024-02-29'],
	])('%j is %s', (text, value) => {
		expect(typed({ text })).toEqual({ values: { text: value }, uncertain: [] });
	});

	test.each([
		'2026-01-05T10:30:00Z',
		'32.01.26',
		'13.13.26',
		'20-45-63',
		'5.1.26',
		'1.2.10',
		'5-6-26',
		'MAR-24-05',
		'30 February 26',
		'Jan 26',
		'32.01.2026',
		'30 February 2026',
		'2026-13-01',
		'May 2026',
		'5 May',
		'5 May 2026 14:00',
		'5 May 2026 approx',
		'5 Mayo June 2026',
		'May the 5th be with you 2026',
	])('%j stays as printed', (text) => {
		expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
	});

	test.each([
		...['05.01.26', '05.06.26', '5/6/26', '25/06/26', '06/25/26', '26/06/05', '05-06-26'],
		...[
			'05.13.26',
			'10.10.10',
			'29.02.24',
			'5 Jan 26',
			'05-Jan-26',
			'Mo, 5. Januar 26',
			'5 de enero de 26',
			'Jan 5, 26',
			"Jan 5th '26",
			'Mo, Januar 5, 26',
			'05.6.26',
			'5.06.26',
			'05-6-26',
		],
	])('%j is a date of an unknown century: it stays as printed and is named', (text) => {
		for (const dateOrder of ['detect', 'dayFirst', 'monthFirst'] as const)
			expect(typed({ text, issued: '25/05/2026' }, { dateOrder })).toEqual({
				values: { text, issued: '2026-05-25' },
				uncertain: [{ field: 'text', decides: undefined }],
			});
	});

	test('a date of an unknown century decides no order', () => {
		expect(typed({ due: '05/06/2026', issued: '25/06/26' }).uncertain).toEqual([
			{ field: 'due', decides: 'dateOrder' },
			{ field: 'issued', decides: undefined },
		]);
	});

	test.each(['12.25.2026', '1. 25. 2026'])(
		'beside %j, a dotted date has no certain order, and Date Order alone decides',
		(dotted) => {
			const document = { due: '05.06.2026', issued: '12/25/2026', dotted };
			expect(typed(document)).toEqual({
				values: { ...document, issued: '2026-12-25' },
				uncertain: [{ field: 'due', decides: 'dateOrder' }],
			});
			expect(typed(document, { dateOrder: 'monthFirst' })).toEqual({
				values: { ...document, issued: '2026-12-25', due: '2026-05-06' },
				uncertain: [],
			});
			expect(typed({ ...document, due: '25.06.2026', same: '5.5.2026' }).values).toMatchObject({
				due: '2026-06-25',
				same: '2026-05-05',
			});
		},
	);

	test.each(['12.25.4711', '13.13.2026', '12.32.2026', '12/25/2026'])(
		'beside %j, a dotted date is day first',
		(other) => {
			expect(typed({ due: '05.06.2026', other })).toMatchObject({
				values: { due: '2026-06-05' },
				uncertain: [],
			});
		},
	);

	test('the order is decided by the setting, else by certain dates of the same document', () => {
		const metadata = { due: '05/06/2026' };
		expect(typed(metadata)).toEqual({
			values: metadata,
			uncertain: [{ field: 'due', decides: 'dateOrder' }],
		});
		expect(typed(metadata, { dateOrder: 'dayFirst' }).values).toEqual({ due: '2026-06-05' });
		expect(typed(metadata, { dateOrder: 'monthFirst' }).values).toEqual({ due: '2026-05-06' });
		expect(typed({ ...metadata, issued: '25/05/2026' }).values).toEqual({
			due: '2026-06-05',
			issued: '2026-05-25',
		});
		expect(typed({ ...metadata, a: '25/05/2026', b: '5/25/2026' }).values).toMatchObject(metadata);
	});

	test.each(['full', 'long', 'medium', 'short'] as const)(
		'what Intl prints in its %s style comes back exactly, or stays',
		(dateStyle) => {
			const random = numRuns(2000);
			let read = 0;
			const noon = fc.integer({ min: -25_000, max: 47_000 }).map((day) => day * 86_400_000);
			fc.assert(
				fc.property(locale, noon, (language, time) => {
					const format = new Intl.DateTimeFormat(language, { dateStyle, timeZone: 'UTC' });
					const iso = new Date(time).toISOString().slice(0, 10);
					const reading = readDate(format.format(time));
					if (reading?.kind === 'certain') {
						read += 1;
						expect(reading.value).toBe(iso);
					} else if (reading !== undefined && !/\d{4}/.test(format.format(time))) {
						expect(reading.value).toEqual({});
					} else if (reading !== undefined) {
						expect(Object.values(reading.value)).toContain(iso);
					}
				}),
				random,
			);
			if (dateStyle === 'long' || dateStyle === 'medium')
				expect(read).toBeGreaterThan(0.75 * random.numRuns);
		},
	);
});

test('nothing but numbers and dates ever changes', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'grapheme' }), (text) => {
			fc.pre(!/\d/.test(text));
			expect(typed({ text })).toEqual({ values: { text }, uncertain: [] });
		}),
		numRuns(2000),
	);
});

test('every digit of a text that became a number is still in it', () => {
	fc.assert(
		fc.property(fc.stringMatching(/^[$€-]?[\d.,' ]{1,24}%?$/), (text) => {
			const reading = readAmount(text);
			if (reading?.kind !== 'certain') return;
			const [integer = '', decimals = ''] = String(Math.abs(reading.value)).split('.');
			const digits = text.replace(/\D/g, '');
			expect(digits.replace(/^0+/, '')).toMatch(
				new RegExp(`^${`${integer}${decimals}`.replace(/^0+/, '')}0*$`),
			);
		}),
		numRuns(20_000),
	);
});

test('fields, tables and plain values alike, except those that stay as printed', () => {
	const metadata = {
		fields: {
			total: { value: '1.005,55', confidence: 91 },
			customer: { value: '4711', confidence: 99 },
			lineItems: { items: [{ quantity: { value: '2', confidence: 9 }, code: '12' }] },
		},
		paid: true,
		count: 3,
		nothing: null,
	};
	expect(typed(metadata, { textFields: ['customer', 'fields.lineitems.code'] }).values).toEqual({
		fields: { total: 1005.55, customer: '4711', lineItems: [{ quantity: 2, code: '12' }] },
		paid: true,
		count: 3,
		nothing: null,
	});
});

test.each([
	'code',
	'Code',
	'lineItems.code',
	'fields.lineItems.code',
	'FIELDS.LINEITEMS.CODE',
	'lineItems_code',
])('%j names a field that stays a text, in every row of its table', (name) => {
	const metadata = { fields: { codes: '7', lineItems: [{ code: '12', no: '1' }, { code: '13' }] } };
	expect(typed(metadata, { textFields: [name] }).values).toEqual({
		fields: { codes: 7, lineItems: [{ code: '12', no: 1 }, { code: '13' }] },
	});
});

test('blanks around a name make no difference', () => {
	const metadata = { 'Total ': '12.50', lines: [{ ' Code': '12.50' }], b: '12.50' };
	expect(typed(metadata, { textFields: ['total', 'lines.code '] }).values).toEqual({
		...metadata,
		b: 12.5,
	});
});

test('each uncertain value has its own name', () => {
	const lineItems = ['1.234', '5,00'].map((amount) => ({ amount, due: '05/06/2026' }));
	const tags = ['x', { value: '05.06.26' }];
	expect(typed({ fields: { lineItems, weight: { value: '2.500' }, tags } }).uncertain).toEqual([
		{ field: 'fields.lineItems[0].amount', decides: 'decimalMark' },
		{ field: 'fields.lineItems[0].due', decides: 'dateOrder' },
		{ field: 'fields.lineItems[1].due', decides: 'dateOrder' },
		{ field: 'fields.weight', decides: 'decimalMark' },
		{ field: 'fields.tags[1]', decides: undefined },
	]);
});

test('a field that is kept as text is not uncertain', () => {
	const metadata = { due: '05.06.26', note: '(1)', lines: [{ room: '101,102,103' }] };
	expect(typed(metadata, { textFields: ['due', 'note', 'lines.room'] }).uncertain).toEqual([]);
});

test('confidence, page and box of a field stay as the service gave them', () => {
	const place = { confidence: '87', page: '1', bbox: ['0.1', '0.2', '0.3', '0.4'] };
	const { tree } = typedValues(readMetadata({ total: { value: '5,50', ...place } }), {
		decimalMark: 'detect',
		dateOrder: 'detect',
		textFields: [],
	});
	expect(valuesOf(tree, true)).toEqual({
		total: {
			value: 5.5,
			confidence: '87',
			page: '1',
			boundingBox: place.bbox,
		},
	});
});

describe('docs/values.md', () => {
	const page = readFileSync(join(__dirname, '../../../../docs/values.md'), 'utf8');

	/** The examples in the second column of the tables whose first column is called so. */
	const examples = (column: string) =>
		page
			.split('\n\n')
			.filter((block) => block.startsWith(`| ${column} |`))
			.flatMap((table) => table.split('\n').slice(2))
			.flatMap((row) => [...(row.split(' | ')[1] ?? '').matchAll(/`([^`]+)`/g)])
			.map(([, text = '']) => text);

	test.each(examples('Read'))('%j is converted', (text) => {
		const { values, uncertain } = typed({ text });
		expect(uncertain).toEqual([]);
		if (!/^\d{4}-\d\d-\d\d$/.test(text)) expect(values).not.toEqual({ text });
	});

	test.each(examples('Stays a text'))('%j stays a text', (text) => {
		expect(typed({ text }).values).toEqual({ text });
	});

	test('has examples of both', () => {
		expect(examples('Read').length).toBeGreaterThan(30);
		expect(examples('Stays a text').length).toBeGreaterThan(15);
	});
});

describe('What is printed almost like an amount', () => {
	const certain = (value: number) => expect.objectContaining({ kind: 'certain', value }) as object;
	const money = ['money', 'numbers'];

	test.each<[text: string, why: string, reading: object | undefined]>([
		[' 5.50 ', 'blanks around it', { kind: 'certain', value: 5.5 }],
		['\u200f5.50\u200e', 'marks of direction', { kind: 'certain', value: 5.5 }],
		['12’34.50', 'an apostrophe in front of two digits', undefined],
		['5 % €', 'a percentage of money', undefined],
		['€ 5,00 €', 'a currency twice', undefined],
		['5 %%', 'two percent signs', undefined],
		['( 5.50 )', 'blanks in brackets', { kind: 'certain', value: -5.5 }],
		['12(5.50)', 'a number in front of brackets', undefined],
		['(5.50) 7', 'a number behind brackets', undefined],
		['(7)', 'the mark of a footnote', { kind: 'uncertain', value: {}, decidedBy: [] }],
		['10.2026', 'a month', undefined],
		['2026.12', 'a month', undefined],
		['13.2026', 'no month', certain(13.2026)],
		['10.20265', 'no month', certain(10.20265)],
		['12026.10', 'no month', certain(12026.1)],
		['2026.105', 'no month', certain(2026.105)],
		['2026.13', 'no month', certain(2026.13)],
		[
			'1,234,567,890',
			'a list',
			{ kind: 'uncertain', value: { point: 1234567890 }, decidedBy: ['numbers'] },
		],
		['1.168.100.200', 'an address', undefined],
		['1.168.255.200', 'an address', undefined],
		[
			'1.168.300.200',
			'no address',
			{ kind: 'uncertain', value: { comma: 1168300200 }, decidedBy: ['numbers'] },
		],
		['1.168.100.200,50', 'decimals, so no address', certain(1168100200.5)],
		['€ 1.168.100.200', 'money, so no address', certain(1168100200)],
		[
			'€ 1.234',
			'a point that two marks explain',
			{ kind: 'uncertain', value: { point: 1.234, comma: 1234 }, decidedBy: money },
		],
		['€ 1 2.3 456', 'different separators', undefined],
		['€ 1,234,56,789', 'groups of different lengths', undefined],
		['1234,567.00', 'a first group that is too long', undefined],
		['1,23456,789.00', 'a group that is too long', undefined],
		['123,45,678.00', 'a first group that is too long in India', undefined],
		['12,45,678.00', 'groups of India', certain(1245678)],
		['€ 1234567890123.45', 'as many digits as a number keeps', certain(1234567890123.45)],
		['€ 12345678901234.56', 'more digits than a number keeps', undefined],
		['€ 1000000000000000', 'zeros that count as digits', undefined],
		['€ 0.0012345678901234', 'zeros that do not count as digits', certain(0.0012345678901234)],
	])('%j (%s)', (text, _, reading) => {
		if (reading === undefined) expect(readAmount(text)).toBeUndefined();
		else expect(readAmount(text)).toEqual(reading);
	});
});

test('a date that shows no order says nothing against one that does', () => {
	const said = { issued: '2026-11-03', due: '25/11/2026', paid: '03/12/2026' };
	const values = { issued: '2026-11-03', due: '2026-11-25', paid: '2026-12-03' };
	expect(typed(said)).toEqual({ values, uncertain: [] });
});

test('a text of more than a hundred characters is no number or date', () => {
	const [fits, tooLong] = [100, 101].map((length) => '2026-11-03'.padEnd(length));
	expect(typed({ fits, tooLong }).values).toEqual({ fits: '2026-11-03', tooLong });
});

test.each(['1 234 €', "CHF 1'234", '€ 12 345 678'])('%j shows no decimal mark', (price) => {
	expect(readAmount(price)).toEqual({ kind: 'certain', value: Number(price.replace(/\D/g, '')) });
	expect(typed({ price, other: '1.250 €' })).toMatchObject({
		values: { other: '1.250 €' },
		uncertain: [{ field: 'other', decides: 'decimalMark' }],
	});
});
