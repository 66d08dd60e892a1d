import fc from 'fast-check';

import { readMetadata, valuesOf } from '../../../../nodes/DocumentIntelligence/results/fields';
import { pathName } from '../../../../nodes/DocumentIntelligence/results/review';
import {
	typedValues,
	type ValueSettings,
} from '../../../../nodes/DocumentIntelligence/results/values';
import { numRuns } from '../../numRuns';

const DETECT: ValueSettings = { decimalMark: 'detect', dateOrder: 'detect', textFields: [] };

/** A number, a date, `text`, `named` in uncertainFields, or named with the option that decides. */
type Outcome = number | string;

/** What becomes of each value of a document, by its path. */
function outcomes(metadata: object, settings: Partial<ValueSettings> = {}) {
	const { tree, uncertain } = typedValues(readMetadata(metadata), { ...DETECT, ...settings });
	const values = valuesOf(tree);
	const named = new Map(uncertain.map(({ path, decides }) => [pathName(path), decides ?? 'named']));
	return Object.fromEntries(
		Object.entries(metadata).map(([name, printed]) => [
			name,
			named.get(name) ?? (values[name] === printed ? 'text' : values[name]),
		]),
	) as Record<string, Outcome>;
}

const outcome = (value: string, settings?: Partial<ValueSettings>) =>
	outcomes({ value }, settings).value;

/** In families: an outcome and the printed values that have it, each alone in its document. */
const PRINTED = `
# decimals and groups
86.4: 86.40 | 86,40 | 86,4 | \u200f86.40\u200e |  86.40\t
2468.13: 2,468.13 | 2.468,13 | 2468,13 | 2’468.13 | 2'468.13 | 2´468.13 | 2\u202f468,13 | 2\u00a0468,13
2468013.75: 2,468,013.75 | 2.468.013,75 | 24,68,013.75 | 2 468 013,75
0.375: 0.375 | .375 | 0,375 | ٠٫٣٧٥ | ０．３７５
6543: 6'543 | 6543 | 6543.00
# currencies in front, behind and both
86.4: $86.40 | € 86,40 | 86,40 € | GBP86.40 | 86.40GBP | R$ 86,40 | 86,40 Kč | Fr. 86.40 | 86.40 THB | S/ 86.40
86.4: $86.40 USD | US $86.40 | A$86.40 AUD | € 86,40 EUR | 86,40 $CA | USD $86.40 | 86,40 € EUR | ٨٦٫٤٠ €
2468: $2468.00 | 2 468 kr | 2.468,- € | ₹2,468/- | 2,468:- | kr 2468 | SFr. 2’468.– | 2468 Euro | $2468.-
2468013: COP 2.468.013 | 2,468,013円 | €2468013 | Rp 2.468.013 | ₹24,68,013
0.95: $.95 | $0.95
# signs and brackets
-86.4: -86.40 | –86,40 € | \u201186,40 | \u221286,40 % | 86.40- | $-86.40 | -$86.40 | EUR -86,40 | (86.40) | £(86.40)
-86: ($86) | -86 | 86- | $86-
2468.13: +2.468,13 € | + 2468.13
0: -0,00
named: (86) | (6'543) | (-86.40) | CHF-86.40 | +2.468
# percentages
16: 16 % | %16 | +16%
6.125: 6.125% | 6,125 %
decimalMark: 621.250 %
named: (16 %) | (6.125%) | 16%–19% | 16% off
text: VAT 16 % | 16 % off for members
# readable in two ways
decimalMark: 2.468 | 24,680 | € 2.468 | 2,468,013 | ($2,468) | KWD 2.468
named: 2 468 | 301,302,303 | 9.2041 | 2031.07 | 5813,5814 | 192.168.100.200
# almost an amount
named: $86.40k | 2,4 M€ | T€ 86 | 86.40 €/h | USD 86 EUR | $86 € | 16 % € | 86€40 | 75¢ | Total: $86.40
named: 24,68.013,5 | 24 68,13 | 2468,013.5 | 88888888888888.88 | € 8888888888888888 | € 0086
text: Gift card for $50 | 86.40 per hour | 24 kg | Fr 24 | 24 lei | 24 CUP | 8² | 86 1/2 | 24 68
# identifiers
text: 0086 | 008.640 | 8640135 | USD864 | 864-USD | INV-864 | +41 44 864 | +41 | 044 864 13 57 | DE 864 135 790
text: 864 135 790 | 864.135.79 | 2,4,6 | 5813, 5814 | 172.16.0.1 | 4.2.1 | 11.2027 | 14:45 | 8E6 | 3/8 | =8+6
# dates
2027-03-09: 2027-03-09 00:00 | 2027-03-09T00:00:00+02:00 | 2027/3/9 | 2027. 3. 9. | 2027年3月9日 | 9. 3. 2027
2027-03-25: 25/03/2027 | 3-25-2027 | 25.03.2027
dateOrder: 09/03/2027 | 9-3-2027
named: 9/3/27 | 09.03.27 | 03-09-27 | 9 March '27 | 9-Mar-27 | March 9, 27 | 03.25.2027
text: 2027-03-09T08:15:00Z | 9 March 2027 08:15 | 30.02.2027 | 1889-03-09 | 9.3.27 | March 2027 | 9 March
text: 9 March 2027 to 11 March 2027 | MAR-09-2027 | OTT-11-2027 | OUT-2041-12 | OUT 20 12 | 99-31-99
text: 9 de Julio 1955 | Straße des 17. Juni 1955 | 9 March April 2027 | 13-05-4711 | 15/1/2569
# months and days of the week by name
2027-03-09: March 9th, 2027 | Tuesday the 9th of March 2027 | Tues 9 Mar. 2027 | 2027 March 9 | 09-Mar-2027
2027-03-09: Dienstag, den 9. März 2027 | mar. 9 mars 2027 | martes, 9 de marzo de 2027
2027-03-09: terça-feira, 9 de março de 2027 | 9 марта 2027 г. | 9 MÄRZ 2027 | 9 mar 2027
2027-08-01: 1er août 2027 | 1 aout 2027 | 1º agosto 2027
2027-11-09: 9 listopada 2027 | 9. listopadu 2027
named: 9. listopada 2027. | 9. srp 2027.
2027-02-09: 9. veljače 2027. | 9 februarie 2027
`;

const FAMILIES = PRINTED.split('# ')
	.slice(1)
	.map((family) => {
		const [name = '', ...lines] = family.trim().split('\n');
		const values = lines.flatMap((line) => {
			const [, expected = '', texts = ''] = /^(.*?): (.*)$/.exec(line) ?? [];
			return texts.split(' | ').map((text) => [text, expected] as const);
		});
		return { name, values };
	});

describe('Printed values', () => {
	test.each(FAMILIES)('$name', ({ values }) => {
		expect(values.map(([text]) => [text, String(outcome(text))])).toEqual(values);
	});

	test('stay what they are with any option, but for those that an option decides', () => {
		const values = FAMILIES.flatMap((family) => family.values);
		for (const decimalMark of ['point', 'comma'] as const)
			for (const dateOrder of ['dayFirst', 'monthFirst'] as const)
				for (const [text, expected] of values)
					if (expected !== 'decimalMark' && expected !== 'dateOrder')
						expect([text, `${outcome(text, { decimalMark, dateOrder })}`]).toEqual([
							text,
							expected,
						]);
	});

	test('an option decides what can be read in two ways', () => {
		const values = { a: '2.468', b: '2,468 €', c: '2,468,013', d: '09/03/2027' };
		const american = { a: 2.468, b: 2468, c: 2468013, d: '2027-09-03' };
		const settings = { decimalMark: 'point', dateOrder: 'monthFirst' } as const;
		expect(outcomes(values, settings)).toEqual(american);
		// With a comma for decimals, several of them are a list.
		const european = { a: 2468, b: 2.468, c: 'named', d: '2027-03-09' };
		expect(outcomes(values, { decimalMark: 'comma', dateOrder: 'dayFirst' })).toEqual(european);
	});

	test('a text of more than a hundred characters is no number or date', () => {
		const [fits = '', tooLong = ''] = [100, 101].map((length) => '86.40'.padEnd(length));
		expect([outcome(fits), outcome(tooLong)]).toEqual([86.4, 'text']);
	});
});

describe('What a document shows', () => {
	test.each<[why: string, document: Record<string, string>, expected: Record<string, Outcome>]>([
		['money', { a: '2.468', b: '86,40 €' }, { a: 2468, b: 86.4 }],
		['money', { a: '2.468', b: '$86.40' }, { a: 2.468, b: 86.4 }],
		['groups of money', { a: '£2,468', b: '£2,468,013' }, { a: 2468, b: 2468013 }],
		['a percentage', { a: '2.468 €', b: '8,5 %' }, { a: 2468, b: 8.5 }],
		['both marks in one', { a: '2.468', b: '9.753,10' }, { a: 2468, b: 9753.1 }],
		['a number that is no time', { a: '2.000', b: '640,00' }, { a: 2000, b: 640 }],
		['groups of plain numbers', { a: '2,468,013', b: '$86.40' }, { a: 2468013, b: 86.4 }],
		['an impossible month', { a: '09/03/2027', b: '25/03/2027' }, { a: '2027-03-09' }],
		['an impossible day', { a: '09/03/2027', b: '3/25/2027' }, { a: '2027-09-03' }],
	])('decides: %s in %j', (_, document, expected) => {
		expect(outcomes(document)).toMatchObject(expected);
		const against = { decimalMark: 'comma', dateOrder: 'dayFirst' } as const;
		expect(outcomes(document, against)).toMatchObject(expected);
	});

	test.each<[why: string, document: Record<string, string>, expected: Record<string, Outcome>]>([
		['both marks', { a: '2.000', b: '0,64', c: '128,00', d: '16.00 %' }, { a: 'decimalMark' }],
		['times or sections', { a: '24.000 €', b: '15.45', c: '4.2' }, { a: 'decimalMark', b: 15.45 }],
		['groups of blanks', { a: '2.468', b: '8 640 €' }, { a: 'decimalMark' }],
		['identifiers', { a: '2.468', accountNo: '640,00' }, { a: 'decimalMark' }],
		['both orders', { a: '09/03/2027', b: '25/03/2027', c: '3/25/2027' }, { a: 'dateOrder' }],
		['dots', { a: '09/03/2027', b: '25.03.2027' }, { a: 'dateOrder', b: '2027-03-25' }],
		['dots', { a: '09.03.2027', b: '03.25.2027' }, { a: 'dateOrder', b: 'named' }],
		['a short year', { a: '09/03/2027', b: '25/03/27' }, { a: 'dateOrder', b: 'named' }],
	])('does not decide: %s in %j', (_, document, expected) => {
		expect(outcomes(document)).toMatchObject(expected);
	});

	test('contradicts a number that may be a time, a section or a list', () => {
		const document = { total: '2.468,13 €', chapter: '3.20', price: '86,40', rate: '12.5 %' };
		const numbers = { total: 2468.13, price: 86.4, rate: 12.5 };
		expect(outcomes({ ...document, rate: '' })).toMatchObject({ chapter: 'decimalMark' });
		expect(outcomes(document)).toEqual({ ...numbers, chapter: 3.2 });
		expect(outcomes({ total: '$86.40', pages: '2,4' }).pages).toBe('decimalMark');
	});

	test('says nothing about a tax or a place', () => {
		const document = { total: '2.468,13 €', latitude: '47.376', vat: '24.680.135', base: '2.468' };
		const expected = { latitude: 'decimalMark', vat: 'decimalMark', base: 2468 };
		expect(outcomes(document)).toMatchObject(expected);
		const certain = { vat: '394,90', latitude: '47.376888' };
		expect(outcomes(certain)).toEqual({ vat: 394.9, latitude: 47.376888 });
	});

	test('says nothing about another document', () => {
		outcomes({ a: '86,40 €' });
		expect(outcome('2.468')).toBe('decimalMark');
	});
});

describe('Names', () => {
	test.each(
		(
			'glAccount, hs_code, Invoice Number:, invoiceNo, customerID, PO #, orderNumbers, bookingReference, ' +
			'IBAN, Tax ID, faxNumber, phone2, zip, appVersion, startTime, Rechnungsnummer, kundenNr, Sachkonto, ' +
			'PLZ, Uhrzeit, numéro de facture, N° client, code_postal, heureDebut, códigoCliente, cuenta, DNI, ' +
			'conto, codice fiscale, partita IVA, factuurnummer, klantnr, versie, begin tijd'
		).split(', '),
	)('%s is an identifier', (name) => {
		const values = ['9.45', '2,5', '24.680.135', '864', '09.03.2027', 'ELO-09-2027'];
		for (const value of values) {
			const document = { [name]: value, total: '2.468,13 €' };
			expect(outcomes(document)).toMatchObject({ [name]: 'text' });
		}
		expect(outcomes({ [name]: '€ 9,45' })).toEqual({ [name]: 9.45 });
	});

	test.each(
		(
			'paid, discount, Skonto, casino, numberOfGuests, overtime, codecs, accounts due, dateTime, Arbeitszeit, ' +
			'precio hora, valor, idle, encore, turno, amount, 8'
		).split(', '),
	)('%s is none', (name) => {
		expect(outcomes({ [name]: '9,45' })).toEqual({ [name]: 9.45 });
	});
});

describe('Fields', () => {
	const typed = (metadata: object, textFields: string[] = []) => {
		const { tree, uncertain } = typedValues(readMetadata(metadata), { ...DETECT, textFields });
		return { values: valuesOf(tree), named: uncertain.map(({ path }) => pathName(path)) };
	};

	test('are converted in tables and objects, with what is no text as it came', () => {
		const metadata = {
			fields: {
				total: { value: '2.468,13', confidence: 91 },
				customer: { value: '4711', confidence: 99 },
				lines: { items: [{ quantity: { value: '2', confidence: 9 }, key: '12' }] },
			},
			...{ paid: true, count: 3, nothing: null },
		};
		expect(typed(metadata, ['customer', 'fields.Lines.key']).values).toEqual({
			fields: { total: 2468.13, customer: '4711', lines: [{ quantity: 2, key: '12' }] },
			...{ paid: true, count: 3, nothing: null },
		});
	});

	test('keep confidence, page and bounding box as they came', () => {
		const place = { confidence: '87', page: '1', bbox: ['0.1', '0.2', '0.3', '0.4'] };
		const { tree } = typedValues(readMetadata({ total: { value: '5,50', ...place } }), DETECT);
		const { bbox: boundingBox, ...rest } = place;
		expect(valuesOf(tree, true)).toEqual({ total: { value: 5.5, boundingBox, ...rest } });
	});

	test.each(['key', 'Key', ' lines.key', 'fields.lines.key', 'FIELDS.LINES.KEY', 'lines_key'])(
		'are kept as text by the name %j, in every row, and are not uncertain',
		(name) => {
			const metadata = { fields: { keys: '7', lines: [{ 'Key ': '12' }, { key: '2.468' }] } };
			const values = { fields: { ...metadata.fields, keys: 7 } };
			expect(typed(metadata, [name])).toEqual({ values, named: [] });
		},
	);

	test('that are uncertain have a name each, in the order of the document', () => {
		const lines = ['2.468', '5,00'].map((amount) => ({ amount, due: '09/03/2027' }));
		const tags = ['x', { value: '09.03.27' }];
		expect(typed({ fields: { lines, weight: { value: '2.500' }, tags } }).named).toEqual([
			...['fields.lines[0].amount', 'fields.lines[0].due', 'fields.lines[1].due'],
			...['fields.weight', 'fields.tags[1]'],
		]);
	});
});

/**
 * Languages and the currencies of their countries; without French Switzerland, which prints money with a point and the
 * rest with a comma, so that a document may show only one of them.
 */
const LOCALES =
	'en-US USD, en-GB GBP, en-IN INR, en-ZA ZAR, fr-CA CAD, de-AT EUR, de-DE EUR, de-CH CHF, it-CH CHF, it-IT EUR, ' +
	'fr-FR EUR, es-ES EUR, es-MX MXN, es-AR ARS, pt-BR BRL, nl-NL EUR, sv-SE SEK, nb-NO NOK, da-DK DKK, fi-FI EUR, ' +
	'pl-PL PLN, cs-CZ CZK, ro-RO RON, ru-RU RUB, el-GR EUR, tr-TR TRY, ja-JP JPY, zh-CN CNY, th-TH THB, id-ID IDR';
const locale = fc.constantFrom(...LOCALES.split(', ').map((each) => each.split(' ')));

describe('What Intl prints', () => {
	const printed = fc.record({
		style: fc.constantFrom('decimal', 'currency', 'percent'),
		currencyDisplay: fc.constantFrom('symbol', 'narrowSymbol', 'code'),
		currencySign: fc.constantFrom('standard', 'accounting'),
		thousandths: fc.integer({ min: -9_999_999, max: 99_999_999 }),
		decimals: fc.integer({ min: 0, max: 3 }),
	});

	type PrintedNumber = typeof printed extends fc.Arbitrary<infer Value> ? Value : never;

	test('in numbers is read exactly or named, but for whole numbers', () => {
		const random = numRuns(500);
		let read = 0;
		const isRead = ([language, currency]: string[], values: PrintedNumber[]) => {
			const truth = values.map(({ thousandths, decimals, style, ...options }) => {
				// Thousands of percent are read as decimals.
				const size = style === 'percent' ? thousandths % 99_999 : thousandths;
				const value = Math.trunc(size / 10 ** (3 - decimals)) / 10 ** decimals;
				const format = new Intl.NumberFormat(language, {
					...(options as Intl.NumberFormatOptions),
					style: style as Intl.NumberFormatOptionsStyle,
					currency,
					minimumFractionDigits: decimals,
					maximumFractionDigits: decimals + (style === 'percent' ? 2 : 0),
				});
				return { value, text: format.format(style === 'percent' ? value / 100 : value) };
			});
			const found = outcomes(Object.fromEntries(truth.map(({ text }, at) => [`f${at}`, text])));
			for (const [at, { value, text }] of truth.entries()) {
				const result = found[`f${at}`];
				if (typeof result === 'number') read += 1;
				if (typeof result === 'number')
					expect([text, result]).toEqual([text, expect.closeTo(value, 6)]);
				else if (result === 'text') expect(text).not.toMatch(/[.,]\d|[%\p{Sc}]/u);
			}
		};
		fc.assert(fc.property(locale, fc.array(printed, { maxLength: 5 }), isRead), random);
		expect(read).toBeGreaterThan(random.numRuns);
	});

	test.each('en de fr es it pt nl sv da nb fi pl cs sk hu ro ru uk bg el tr'.split(' '))(
		'in dates is read for every month in %s',
		(language) => {
			for (let month = 1; month <= 12; month++) {
				const iso = `2027-${String(month).padStart(2, '0')}-13`;
				const text = new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(new Date(iso));
				expect([text, outcome(text)]).toEqual([text, iso]);
			}
		},
	);
});

test('no digit of a text that became a number is lost', () => {
	fc.assert(
		fc.property(fc.stringMatching(/^[$€-]?[\d.,' ]{1,24}%?$/), (text) => {
			const value = outcome(text);
			if (typeof value !== 'number') return;
			const digits = String(Math.abs(value)).replace('.', '').replace(/^0+/, '');
			expect(text.replace(/\D/g, '').replace(/^0+/, '')).toMatch(new RegExp(`^${digits}0*$`));
		}),
		numRuns(1000),
	);
});
