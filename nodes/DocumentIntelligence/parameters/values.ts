import type { INodeProperties } from 'n8n-workflow';

import type { ValueSettings } from '../results/values';
import { namesIn } from './options';
import type { ReadParameter } from './readParameter';

const TYPED = 'typed';
const PRINTED = 'printed';

/** The outputs that a spreadsheet or a database takes. */
const ROW_OUTPUTS = ['rows', 'documentRows'];

/** A choice of Output. */
export const ROWS_PER_DOCUMENT = {
	name: 'Rows per Document',
	value: 'documentRows',
	description:
		'One flat item per document, all with the same columns, ready for a sheet or a database; tables as JSON text',
};

/** Belongs to the choice of rows. */
export const ROWS_FROM: INodeProperties = {
	displayName: 'Rows From',
	name: 'rowsFrom',
	type: 'string',
	default: '',
	placeholder: 'e.g. lineItems',
	description:
		'Name of the table whose rows become items, or its path such as order.lineItems. Leave empty for the table with the most rows in each document.',
	displayOptions: { show: { output: ['rows'] } },
};

const VALUES: INodeProperties = {
	displayName: 'Values',
	name: 'values',
	type: 'options',
	options: [
		{
			name: 'As Printed',
			value: PRINTED,
			description: 'Every value exactly as printed on the document',
		},
		{
			name: 'Numbers and Dates',
			value: TYPED,
			description:
				'Amounts become numbers and dates become YYYY-MM-DD where their meaning is certain',
		},
	],
	default: PRINTED,
	description:
		'Whether amounts and dates are converted. Numbers and Dates adds needsReview and uncertainFields, the values that can be read in two ways and stay as printed.',
};

/** Its default depends on Output. Where Output is an expression, n8n takes the default of the last. */
export const valuesParameters: INodeProperties[] = [
	{ ...VALUES, default: TYPED, displayOptions: { show: { output: ROW_OUTPUTS } } },
	{ ...VALUES, displayOptions: { show: { output: ['fields'] } } },
];

const WHERE_TYPED = { show: { '/values': [TYPED] } };

const DECIMAL_MARK: INodeProperties = {
	displayName: 'Decimal Mark',
	name: 'decimalMark',
	type: 'options',
	options: [
		{ name: 'Comma', value: 'comma', description: '1.234 is one thousand two hundred thirty-four' },
		{
			name: 'Detect',
			value: 'detect',
			description: 'Other amounts in the same document decide; if none does, the value stays text',
		},
		{ name: 'Point', value: 'point', description: '1,234 is one thousand two hundred thirty-four' },
	],
	default: 'detect',
	description: 'How to read an amount that has two meanings, such as 1.234',
	displayOptions: WHERE_TYPED,
};

const DATE_ORDER: INodeProperties = {
	displayName: 'Date Order',
	name: 'dateOrder',
	type: 'options',
	options: [
		{ name: 'Day First', value: 'dayFirst', description: '05/06/2026 is in June' },
		{
			name: 'Detect',
			value: 'detect',
			description: 'Other dates in the same document decide; if none does, the value stays text',
		},
		{ name: 'Month First', value: 'monthFirst', description: '05/06/2026 is in May' },
	],
	default: 'detect',
	description: 'How to read a date that has two meanings, such as 05/06/2026',
	displayOptions: WHERE_TYPED,
};

export const TEXT_FIELDS = {
	displayName: 'Keep as Text',
	name: 'textFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. customerNumber, lineItems.code',
	description:
		'Fields that are never converted, such as customer and article numbers. Enter names as the Fields or Simplified output shows them, separated by commas, or use an expression that returns a list.',
	displayOptions: WHERE_TYPED,
} satisfies INodeProperties;

/** What decides how values are converted. */
export const VALUE_OPTIONS = [DATE_ORDER, DECIMAL_MARK, TEXT_FIELDS];

/** Undefined where values stay as printed. */
export function readValueSettings(read: ReadParameter, output: string): ValueSettings | undefined {
	const usual = ROW_OUTPUTS.includes(output) ? TYPED : PRINTED;
	const values = read<unknown>(VALUES.name, usual);
	if (values === PRINTED || (values !== TYPED && usual === PRINTED)) return undefined;
	const decimalMark = read<unknown>(`options.${DECIMAL_MARK.name}`, 'detect');
	const dateOrder = read<unknown>(`options.${DATE_ORDER.name}`, 'detect');
	return {
		decimalMark: decimalMark === 'point' || decimalMark === 'comma' ? decimalMark : 'detect',
		dateOrder: dateOrder === 'dayFirst' || dateOrder === 'monthFirst' ? dateOrder : 'detect',
		textFields: namesIn(read<unknown>(`options.${TEXT_FIELDS.name}`, '')),
	};
}
