import type { INodeProperties } from 'n8n-workflow';

// Options address parameters from the root.

/** An added switch starts on. What applies if it is not added is the fallback where it is read. */
const SWITCH = { type: 'boolean', default: true } as const;

const UNLESS_RAW = { hide: { '/output': ['raw'] } };

/** A stored file is not in n8n, and is always processed as a job. */
const UNLESS_STORED = { hide: { '/inputSource': ['storedFile'] } };

/** The node as the tool of an AI agent, which passes and receives text only. */
export const AS_TOOL = { '@tool': [true] };

export const CONFIDENCE_THRESHOLD = {
	displayName: 'Confidence Threshold',
	name: 'confidenceThreshold',
	type: 'string',
	default: '80',
	placeholder: 'e.g. 80, total: 95',
	description:
		'Adds needsReview and lowConfidenceFields, a list of the fields whose confidence is missing or below this value (0 to 100), or below a threshold of their own, such as 95 for total in 80, total: 95. Values that Cogneris returns without any details are not checked.',
	displayOptions: UNLESS_RAW,
} satisfies INodeProperties;

export const CHECKS: INodeProperties = {
	displayName: 'Check Sums',
	name: 'checks',
	type: 'string',
	typeOptions: { rows: 3 },
	default: '',
	placeholder: 'e.g. total = lineItems.amount + tax',
	description:
		'One check per line, such as total = lineItems.amount + tax, or lineItems.amount = lineItems.quantity * lineItems.unitPrice for each row, or total = 1000 ± 2 %. Adds failedChecks, a list of the checks that the document does not pass (also if a field has no value), and needsReview, which is true if a check is listed.',
	displayOptions: UNLESS_RAW,
};

export const DOWNLOAD_IMAGES: INodeProperties = {
	displayName: 'Download Images',
	name: 'downloadImages',
	...SWITCH,
	description:
		'Whether to download each cropped image into its item (on by default). If turned off, the item has only a link, which may expire.',
	displayOptions: UNLESS_RAW,
};

export const FILES_PER_REQUEST = {
	displayName: 'Files per Request',
	name: 'filesPerRequest',
	type: 'number',
	default: 1,
	typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
	description:
		'How many files to send in one request, including files of different items. Does not apply to jobs.',
	displayOptions: UNLESS_STORED,
} satisfies INodeProperties;

export const FILE_NAMES: INodeProperties = {
	displayName: 'File Names',
	name: 'fileNames',
	type: 'string',
	default: '*.pdf',
	placeholder: 'e.g. *.pdf, !logo*',
	description:
		'Which files to process, as patterns separated by commas: * is any text, ? one character, ! in front excludes files. An item without such a file has no output.',
	displayOptions: { hide: { ...UNLESS_STORED.hide, ...AS_TOOL } },
};

export const IGNORE_UNSUPPORTED_FILES: INodeProperties = {
	displayName: 'Ignore Unsupported Files',
	name: 'ignoreUnsupportedFiles',
	...SWITCH,
	description:
		'Whether to skip files of unsupported types. Without it, they are skipped only if Input Binary Field is * and another file is supported.',
	displayOptions: { hide: { ...UNLESS_STORED.hide, ...AS_TOOL } },
};

const INCLUDE_FIELD_DETAILS: INodeProperties = {
	displayName: 'Include Field Details',
	name: 'includeFieldDetails',
	...SWITCH,
	description: 'Whether to include the confidence, page and position of each value',
	displayOptions: UNLESS_RAW,
};

export const INCLUDE_INPUT_FIELDS: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	...SWITCH,
	description: 'Whether to add the input item, in the field input or columns input_… of rows',
	displayOptions: { hide: AS_TOOL },
};

export const INCLUDE_INPUT_FILE = {
	displayName: 'Include Input File',
	name: 'includeInputFile',
	...SWITCH,
	description: 'Whether to add the input file to the output, in the binary field data',
	displayOptions: { hide: { ...UNLESS_STORED.hide, ...AS_TOOL } },
} satisfies INodeProperties;

export const MARKED_COPY = {
	displayName: 'Include Marked Copy',
	name: 'markedCopy',
	...SWITCH,
	description:
		'Whether to add a PDF of the document in which the values that need a review are marked, in the binary field marked. The numbers of the marks are in reviewReasons.',
	displayOptions: { hide: { ...UNLESS_RAW.hide, ...AS_TOOL } },
} satisfies INodeProperties;

export const PROCESSING = {
	displayName: 'Processing',
	name: 'processing',
	type: 'options',
	options: [
		{
			name: 'As a Job',
			value: 'job',
			description:
				'Takes about three requests. After a lost response, the request is retried as the same job.',
		},
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'As a job with a sandbox key or a chosen template. Otherwise, directly.',
		},
		{
			name: 'Direct',
			value: 'direct',
			description:
				'In a single request with a live key. With a chosen template, a job is used anyway.',
		},
	],
	default: 'automatic',
	description: 'How Cogneris processes the document. The result of a job is kept for 7 days.',
	displayOptions: UNLESS_STORED,
} satisfies INodeProperties;

export const REQUIRED_FIELDS = {
	displayName: 'Required Fields',
	name: 'requiredFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoiceNumber, total',
	description:
		'Adds missingFields, a list of the fields named here that have no value, and needsReview, which is true if a field is listed. Names separated by commas, or an expression that returns a list.',
	displayOptions: UNLESS_RAW,
} satisfies INodeProperties;

const PROCESS_AGAIN = {
	name: 'Process Again',
	value: 'process',
	description: 'Process every file. Each may be billed again.',
};

const RETURN_EARLIER_RESULT = {
	name: 'Return Earlier Result',
	value: 'reuse',
	description:
		'Return the result from the last day, which n8n keeps in its memory. Templates may have changed since.',
};

/** What is to happen to files that this node has processed before (docs/paid-kept-skipped.md). */
export const FILES_PROCESSED_BEFORE = {
	displayName: 'Files Processed Before',
	name: 'processedBefore',
	type: 'options',
	options: [
		PROCESS_AGAIN,
		{
			name: 'Record Only',
			value: 'record',
			description:
				'Record files without processing them, such as an old folder. After one run, choose Skip.',
		},
		RETURN_EARLIER_RESULT,
		{
			name: 'Skip',
			value: 'skip',
			description:
				'Skip files that this node has processed since Skip was chosen. They have no output.',
		},
	],
	default: 'skip',
	description:
		'What to do with files that this node has processed with the same settings. Without it, only test runs reuse results, for an hour.',
	displayOptions: { hide: AS_TOOL },
} satisfies INodeProperties;

/** An agent needs a result of every file. */
export const PROCESSED_BEFORE_AS_TOOL = {
	...FILES_PROCESSED_BEFORE,
	options: [PROCESS_AGAIN, RETURN_EARLIER_RESULT],
	default: 'reuse',
	description: 'What to do with files that this tool has processed',
	displayOptions: { show: AS_TOOL },
} satisfies INodeProperties;

export const PROCESSED_BEFORE = [FILES_PROCESSED_BEFORE, PROCESSED_BEFORE_AS_TOOL];

/** Up to a day: a timer of Node.js cannot count to more than 24 days. */
export const TIMEOUT = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	default: 300,
	typeOptions: { minValue: 1, maxValue: 86_400, numberPrecision: 0 },
	description: 'How long to wait for each request, download or job',
} satisfies INodeProperties;

export const TEMPLATE: INodeProperties = {
	displayName: 'Template',
	name: 'templateId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Automatic',
			typeOptions: { searchListMethod: 'searchTemplates', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 5f0c2a1e-6f0b-4a59-9a63-6a1f0c8f9d21',
		},
	],
	description:
		'The template to read the document with, or Automatic to let Cogneris choose. Choosing one yourself needs a live key, and the document is then processed as a job.',
};

export const ROWS_FROM = {
	displayName: 'Rows From',
	name: 'rowsFrom',
	type: 'string',
	default: '',
	placeholder: 'e.g. lineItems',
	description:
		'Name of the table whose rows become items, or its path, such as order.lineItems. Leave empty to use the table with the most columns for the whole run.',
	displayOptions: { show: { '/output': ['rows'] } },
} satisfies INodeProperties;

/** Without this option, rows are converted and Simplified is not. */
export const VALUES = {
	displayName: 'Values',
	name: 'values',
	type: 'options',
	options: [
		{ name: 'As Printed', value: 'printed', description: 'Every value as on the document' },
		{
			name: 'Numbers and Dates',
			value: 'typed',
			description:
				'Amounts become numbers, and dates become YYYY-MM-DD. Uncertain values are left as text.',
		},
	],
	default: 'typed',
	description:
		'How to output amounts and dates: without this option, rows contain numbers and dates, and Simplified contains values as printed. Numbers and Dates also adds uncertainFields and needsReview.',
	displayOptions: UNLESS_RAW,
} satisfies INodeProperties;

const UNLESS_PRINTED = { hide: { '/output': ['raw'], '/options.values': ['printed'] } };

export const DECIMAL_MARK = {
	displayName: 'Decimal Mark',
	name: 'decimalMark',
	type: 'options',
	options: [
		{ name: 'Comma', value: 'comma', description: '1.234 becomes 1234, and 1,234 becomes 1.234' },
		{
			name: 'Detect',
			value: 'detect',
			description:
				'The mark that the other amounts show. If they show none, the value is left as text.',
		},
		{ name: 'Point', value: 'point', description: '1,234 becomes 1234, and 1.234 stays 1.234' },
	],
	default: 'detect',
	description:
		'The decimal mark of amounts, if all documents use the same one. Amounts that do not fit, such as 12.50 with Comma, are left as text.',
	displayOptions: UNLESS_PRINTED,
} satisfies INodeProperties;

export const DATE_ORDER = {
	displayName: 'Date Order',
	name: 'dateOrder',
	type: 'options',
	options: [
		{ name: 'Day First', value: 'dayFirst', description: '05/06/2026 is June 5' },
		{
			name: 'Detect',
			value: 'detect',
			description:
				'The order that the other dates show. If they show none, the value is left as text.',
		},
		{ name: 'Month First', value: 'monthFirst', description: '05/06/2026 is May 6' },
	],
	default: 'detect',
	description:
		'The order of numeric dates, if all documents use the same one. Dates that do not fit, such as 25/06/2026 with Month First, are left as text.',
	displayOptions: UNLESS_PRINTED,
} satisfies INodeProperties;

export const TEXT_FIELDS = {
	displayName: 'Keep as Text',
	name: 'textFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. customerNumber, lineItems.code',
	description:
		'Fields that are never converted to numbers or dates, such as customer and product numbers. Names separated by commas, or an expression that returns a list.',
	displayOptions: UNLESS_PRINTED,
} satisfies INodeProperties;

/** The choice of Output that Extract, Discover Fields and Get Result have in common. */
export const ROWS_PER_DOCUMENT = {
	name: 'Rows per Document',
	value: 'documentRows',
	description: 'One row per document, with tables as JSON text. All rows have the same columns.',
};

/** Whether a choice of Output is one of rows, in which a list is text. */
export function isRows(output: string): boolean {
	return output === 'rows' || output === ROWS_PER_DOCUMENT.value;
}

export const FIELD_OPTIONS: INodeProperties[] = [
	CONFIDENCE_THRESHOLD,
	INCLUDE_FIELD_DETAILS,
	MARKED_COPY,
	REQUIRED_FIELDS,
	DATE_ORDER,
	DECIMAL_MARK,
	TEXT_FIELDS,
	VALUES,
];

/** For fields of a template, which may be tables. */
export const TEMPLATE_OPTIONS = [CHECKS, ROWS_FROM, ...FIELD_OPTIONS];
