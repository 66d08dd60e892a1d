import type { INodeProperties } from 'n8n-workflow';

/** The choice of Output that Extract, Discover Fields and Get Result have in common. */
export const ROWS_PER_DOCUMENT = {
	name: 'Rows per Document',
	value: 'documentRows',
	description:
		'One flat item per document, all with the same columns, ready for a sheet or a database; tables as JSON text',
};

export const ROWS_FROM = {
	displayName: 'Rows From',
	name: 'rowsFrom',
	type: 'string',
	default: '',
	placeholder: 'e.g. lineItems',
	description:
		'Name of the table whose rows become items, or its path such as order.lineItems. Leave empty for the table with the most columns.',
	displayOptions: { show: { '/output': ['rows'] } },
} satisfies INodeProperties;

/** What an item shows without it is up to Output: rows are typed. */
export const VALUES = {
	displayName: 'Values',
	name: 'values',
	type: 'options',
	options: [
		{
			name: 'As Printed',
			value: 'printed',
			description: 'Every value exactly as printed on the document',
		},
		{
			name: 'Numbers and Dates',
			value: 'typed',
			description:
				'Amounts become numbers and dates YYYY-MM-DD if they can be read in one way only',
		},
	],
	default: 'typed',
	description:
		'How to output amounts and dates. Without this option, they are converted in rows, and as printed in the Simplified output. Numbers and Dates adds needsReview and uncertainFields.',
	displayOptions: { hide: { '/output': ['raw'] } },
} satisfies INodeProperties;

const UNLESS_PRINTED = { hide: { '/output': ['raw'], '/options.values': ['printed'] } };

export const DECIMAL_MARK = {
	displayName: 'Decimal Mark',
	name: 'decimalMark',
	type: 'options',
	options: [
		{ name: 'Comma', value: 'comma', description: '1.234 is one thousand two hundred thirty-four' },
		{
			name: 'Detect',
			value: 'detect',
			description: 'The other amounts in the document decide, otherwise the value is left as text',
		},
		{ name: 'Point', value: 'point', description: '1,234 is one thousand two hundred thirty-four' },
	],
	default: 'detect',
	description: 'How to read an amount that has two meanings, such as 1.234',
	displayOptions: UNLESS_PRINTED,
} satisfies INodeProperties;

export const DATE_ORDER = {
	displayName: 'Date Order',
	name: 'dateOrder',
	type: 'options',
	options: [
		{ name: 'Day First', value: 'dayFirst', description: '05/06/2026 is in June' },
		{
			name: 'Detect',
			value: 'detect',
			description: 'The other dates in the document decide, otherwise the value is left as text',
		},
		{ name: 'Month First', value: 'monthFirst', description: '05/06/2026 is in May' },
	],
	default: 'detect',
	description: 'How to read a date that has two meanings, such as 05/06/2026',
	displayOptions: UNLESS_PRINTED,
} satisfies INodeProperties;

export const TEXT_FIELDS = {
	displayName: 'Keep as Text',
	name: 'textFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. customerNumber, lineItems.code',
	description:
		'Fields that are never converted, such as customer and article numbers. Enter names as the Simplified output shows them, separated by commas, or use an expression that returns a list.',
	displayOptions: UNLESS_PRINTED,
} satisfies INodeProperties;

/** Whether values are converted, and how. */
export const VALUE_OPTIONS: INodeProperties[] = [DATE_ORDER, DECIMAL_MARK, TEXT_FIELDS, VALUES];
