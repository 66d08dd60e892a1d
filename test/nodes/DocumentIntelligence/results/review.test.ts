import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import { plainName, shortName } from '../../../../nodes/DocumentIntelligence/results/paths';
import {
	confidenceDoubt,
	filledFields,
	firstReasons,
	lowConfidenceIn,
	review,
	uncertaintyOf,
	type Findings,
} from '../../../../nodes/DocumentIntelligence/results/review';
import { field } from './printedField';

const low = (metadata: object) =>
	lowConfidenceIn(readMetadata(metadata), new Map([['', 80]])).map(({ path }) => shortName(path));

test.each<[string, object, string[]]>([
	['nothing to read', {}, []],
	['one of two', { fields: { a: field('x', '79,9 %'), b: field('y', 80) } }, ['a']],
	[
		'a value whose confidence is missing or no number',
		{
			...{ a: { value: 'x' }, b: field('x', null), c: field('x', 'low'), d: field('x', {}) },
			...{ E: { Value: 'x', Confidence: 10 }, f: { ...field('x', 10), type: 'text' } },
			g: { value: 'x', page: 1, bbox: [0, 0, 1, 1] },
		},
		['a', 'b', 'c', 'd', 'E', 'f', 'g'],
	],
	[
		'a field without a value, whatever its confidence',
		{ a: field(null, 0), b: field('', 1), c: field(' ', 1), d: field('n/a', 1), e: field([], 1) },
		[],
	],
	['false and zero are values', { a: field(false, 10), b: field(0, 10) }, ['a', 'b']],
	['plain values have no confidence', { fields: { a: 'x', b: 0, c: false } }, []],
	[
		'tables: each cell by itself',
		{
			lines: { items: [{ a: field('1', 40) }, null, { a: field('', 0), b: field('2', 79) }] },
		},
		['lines[0].a', 'lines[2].b'],
	],
	['a table as a whole once', { lines: field([{ a: field('x', 50) }], 70) }, ['lines']],
	['depth', { seller: { address: { city: field('Porto', 1) } } }, ['seller.address.city']],
	['lists of values', { tags: [field('a', 90), field('b', 20)] }, ['tags[1]']],
])('values of a low confidence: %s', (_, metadata, expected) => {
	expect(low(metadata)).toEqual(expected);
});

test('a threshold of a field applies to all that is in it; the closest one counts, that of a row before that of its column', () => {
	const document = readMetadata({
		fields: {
			note: field('x', 85),
			total: field('1', 94),
			lineItems: {
				items: [
					{ amount: field('1', 85), text: field('a', 91) },
					{ amount: field('2', 85), text: field('b', 89) },
				],
			},
		},
	});
	const byName = { '': 80, total: 95, lineItems: 90, 'lineItems.text': 92 };
	const thresholds = new Map(
		Object.entries({ ...byName, 'lineItems[1].amount': 70, 'lineItems[0].text': 85 }).map(
			([name, threshold]) => [plainName(name), threshold],
		),
	);
	const low = lowConfidenceIn(document, thresholds);
	expect(low.map(({ path, why }) => `${shortName(path)} ${why}`)).toEqual([
		'total has a confidence of 94, below 95',
		'lineItems[0].amount has a confidence of 85, below 90',
		'lineItems[1].text has a confidence of 89, below 92',
	]);
});

describe('The fields that have a value', () => {
	const document = readMetadata({
		documentType: 'Invoice',
		fields: {
			invoiceNumber: field('INV-1', 99),
			total: field(null, 0),
			paid: false,
			discount: 0,
			note: ' ',
			seller: { address: { city: field('Porto', 90), street: null } },
			lineItems: {
				items: [
					{ sku: 'A', amount: '1', price: { net: 1 }, parts: [{ id: 1 }, { id: 2 }] },
					null,
					{ sku: 'B', parts: [{ id: 3 }, {}] },
				],
			},
			taxes: { items: [] },
			tags: ['a', ''],
			'Amount, net': '5',
			constructor: 'x',
		},
	});
	const filled = filledFields(document);

	test.each([
		['are there', 'invoiceNumber, documentType, paid, discount, constructor', ''],
		['are not', '', 'total, note, purchaseOrder, __proto__'],
		['with `fields`', 'fields.invoiceNumber', 'fields.total'],
		['in other letters', 'INVOICEnumber, Invoice number, invoice_number', ''],
		['in groups, by path or column', 'seller, seller.address.city, seller_address_city', 'city'],
		['in groups without a value', '', 'seller_address_street'],
		['tables', 'lineItems', 'taxes'],
		['cells', 'lineItems[0].amount, lineItems[2].sku', 'lineItems[2].amount, lineItems[9].sku'],
		// Every row has to have it, also one without the key.
		['columns', 'lineItems.sku', 'lineItems.amount, lineItems.price.net, lineItems.parts.id, sku'],
		['entries of lists', 'tags, tags[0]', 'tags[1]'],
	])('%s: %j have one, %j have none', (_, some, none) => {
		const isFilled = (names: string) =>
			names === '' ? [] : names.split(', ').map((name) => filled.get(plainName(name)) === true);
		expect(new Set(isFilled(some))).toEqual(new Set(some === '' ? [] : [true]));
		expect(new Set(isFilled(none))).toEqual(new Set(none === '' ? [] : [false]));
		expect(filled.get(plainName(' Amount, net '))).toBe(true);
	});

	test('of the rows of a table named `fields`, each has to have them', () => {
		const rows = [{ description: 'A', amount: '5' }, { description: 'B' }];
		const { amount, description } = Object.fromEntries(
			filledFields(readMetadata({ fields: rows })),
		);
		expect({ amount, description }).toEqual({ amount: false, description: true });
	});

	test.each<[boolean, string]>([
		[
			false,
			'N/A n/a n.a. N.A. none None k.A. - – — -- _ ___ null NULL ... … · •• \u200b \u2800\ufeff',
		],
		[true, 'NA -5 0 nonesuch nullable .5 x- x_ k.A.5'],
	])('%j for each of %s', (expected, values) => {
		for (const value of [...values.split(' '), ...(expected ? [] : [' '])])
			expect([value, filledFields(readMetadata({ a: value })).get('a')]).toEqual([value, expected]);
	});
});

test('each list is there if it is requested, and nothing if none is', () => {
	const listsOf = (findings: Findings) => review(findings).lists;
	const warnings = ['Low quality'];
	expect(listsOf({ doubts: {} })).toEqual({});
	expect(listsOf({ doubts: {}, warnings })).toEqual({ needsReview: true, reviewReasons: warnings });
	const doubt = { path: ['lines', 2, 'amount'], why: 'is odd' };
	expect(listsOf({ doubts: { uncertainFields: [doubt] } })).toEqual({
		needsReview: true,
		uncertainFields: ['lines[2].amount'],
		reviewReasons: ['lines[2].amount is odd'],
	});
	const none = { doubts: { lowConfidenceFields: [], uncertainFields: [] }, missingFields: [] };
	const empty = { lowConfidenceFields: [], missingFields: [], uncertainFields: [] };
	expect(listsOf({ ...none, failures: [] })).toEqual({
		...{ needsReview: false, ...empty, failedChecks: [], reviewReasons: [] },
	});
	expect(listsOf({ ...none, warnings })).toEqual({
		...{ needsReview: true, ...empty, reviewReasons: warnings },
	});
});

describe('The reasons', () => {
	test('are sentences, with what decides most first', () => {
		const failedCheck = { check: 'a = b', expected: 1, actual: 2, difference: 1 };
		const findings = {
			doubts: {
				lowConfidenceFields: [{ path: ['fields', 'total'], why: 'is odd' }],
				uncertainFields: [{ path: ['lines', 2, 'amount'], why: 'is unclear' }],
			},
			missingFields: ['supplier'],
			failures: [{ failedCheck, reason: 'a is 2, but b is 1' }],
			warnings: ['Cogneris reports low quality: blurred'],
		};
		expect(review(findings).reasons).toEqual([
			'Cogneris reports low quality: blurred',
			'a is 2, but b is 1',
			'supplier has no value',
			'lines[2].amount is unclear',
			'total is odd',
		]);
	});

	test.each([
		[confidenceDoubt('80 %', 80), undefined],
		[confidenceDoubt(null, 0), undefined],
		[confidenceDoubt('79.5 %', 80), 'has a confidence of 79.5, below 80'],
		[confidenceDoubt(null, 80), 'has no confidence'],
		[uncertaintyOf('1.250 €', ['1250', '1.250']), 'can be 1250 or 1.250'],
		[
			uncertaintyOf('3/4', ['4 Mar', '3 Apr'], 'Date Order'),
			'can be 4 Mar or 3 Apr: set Date Order',
		],
		[uncertaintyOf('1.2.3'), 'is 1.2.3, which cannot be read with certainty'],
		[
			uncertaintyOf(`a\nb${'c'.repeat(200)}`),
			`is a b${'c'.repeat(97)}…, which cannot be read with certainty`,
		],
	])('%s', (why, expected) => {
		expect(why).toBe(expected);
	});

	test('are at most ten', () => {
		const reasons = Array.from({ length: 22 }, (_, index) => `reason ${index}`);
		expect(firstReasons(reasons)).toEqual([...reasons.slice(0, 10), 'and 12 more']);
		expect(firstReasons(reasons.slice(0, 10))).toEqual(reasons.slice(0, 10));
	});
});
