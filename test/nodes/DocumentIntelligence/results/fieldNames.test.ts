import { unknownNames } from '../../../../nodes/DocumentIntelligence/results/fieldNames';
import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';

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
		for (const name of ['lineItems[1].unitPrice', 'tags[9]', 'fields.lineItems[0].vat']) {
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

test('unknown names keep their order, also those of the language', () => {
	const names = ['constructor', 'invoiceNumber', '__proto__', ''];
	expect(unknownNames(document, names, {})).toEqual([
		{ name: 'constructor' },
		{ name: '__proto__' },
		{ name: '' },
	]);
	expect(unknownNames({}, ['a'], {})).toEqual([{ name: 'a' }]);
});
