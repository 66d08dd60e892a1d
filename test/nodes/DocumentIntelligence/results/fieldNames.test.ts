import { unknownNames } from '../../../../nodes/DocumentIntelligence/results/fieldNames';
import { Field, readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';

const document = readMetadata({
	documentType: 'Invoice',
	fields: {
		invoiceNumber: { value: 'R-1', confidence: 90 },
		due_date: null,
		seller: { address: { city: 'Porto' } },
		lineItems: { items: [{ unitPrice: '5' }, null, { unitPrice: '6', vat: null }] },
		tags: ['a'],
		id: '1',
	},
});

const nearest = (name: string, how: Parameters<typeof unknownNames>[2] = {}) =>
	unknownNames(document, [name], how);

describe('A name is known', () => {
	test.each([
		...['documentType', 'invoiceNumber', 'INVOICENUMBER', 'fields.invoiceNumber', 'due_date'],
		...['seller', 'seller.address.city', 'seller_address_city', 'lineItems.unitPrice', 'tags'],
		...['lineItems.vat', 'lineItems', 'fields'],
	])('%j', (name) => {
		expect(nearest(name)).toEqual([]);
	});

	test('with a position, or alone, where these count', () => {
		for (const name of ['lineItems[10].unitPrice', 'tags[9]', 'fields.lineItems[0].vat']) {
			expect(nearest(name, { positions: true })).toEqual([]);
			expect(nearest(name)).toHaveLength(1);
		}
		for (const name of ['unitPrice', 'CITY']) {
			expect(nearest(name, { alone: true })).toEqual([]);
			expect(nearest(name)).toHaveLength(1);
		}
	});
});

describe('The nearest name', () => {
	test.each([
		['invoice number', 'invoiceNumber'],
		['invoice_number', 'invoiceNumber'],
		['Invoice-Number', 'invoiceNumber'],
		['duedate', 'due_date'],
		['fields.dueDate', 'due_date'],
		['invoiceNumbr', 'invoiceNumber'],
		['invoiceNummber', 'invoiceNumber'],
		['invoiceNunber', 'invoiceNumber'],
		['nvoiceNumber', 'invoiceNumber'],
		['invoiceNumbers', 'invoiceNumber'],
		['line_items.unit_price', 'lineItems.unitPrice'],
		['lineItem.unitPrice', 'lineItems.unitPrice'],
		['unitPrice', 'lineItems.unitPrice'],
		['lineItems[0].unitPrise', 'lineItems.unitPrice'],
		['lineItems[10].unitPrise', 'lineItems.unitPrice'],
		['tagz', 'tags'],
		['tag', undefined],
		['town', undefined],
		['invoiceNo', undefined],
		['invioceNumber', undefined],
		['ix', undefined],
		['x', undefined],
		['field', undefined],
	])('of %j is %j', (name, expected) => {
		expect(nearest(name)).toEqual([
			expected === undefined ? { name } : { name, nearest: expected },
		]);
	});
});

test('the same letters, of any number, are nearer than others', () => {
	expect(unknownNames({ totals: '1', total: '2', id: '3' }, ['to tal', 'i-d'], {})).toEqual([
		{ name: 'to tal', nearest: 'total' },
		{ name: 'i-d', nearest: 'id' },
	]);
});

test('fields inside a field with a confidence are known', () => {
	const tree = { total: new Field({ net: '1' }, 90, undefined, undefined) };
	expect(unknownNames(tree, ['total.net', 'total.gross'], {})).toEqual([{ name: 'total.gross' }]);
});

test('no names, none unknown', () => {
	expect(unknownNames(document, [], {})).toEqual([]);
});

test('unknown names keep their order, also those of the language', () => {
	const names = ['constructor', 'invoiceNumber', '__proto__', ''];
	expect(unknownNames(document, names, {})).toEqual([
		{ name: 'constructor' },
		{ name: '__proto__' },
		{ name: '' },
	]);
	expect(unknownNames({}, ['a'], {})).toEqual([{ name: 'a' }]);
});
