import type { INodeProperties } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { booleanOf, numberOf, textOf } from '../text/json';
import type { ReadParameter } from './readParameter';

// Options address parameters from the root. A switch that a user adds starts on; what the code falls back to if it is
// not added stands where it is read.

/** Raw passes on the response as it came. */
const UNLESS_RAW = { hide: { '/output': ['raw'] } };

/** A stored file is not in n8n, and is always processed as a job. */
const UNLESS_STORED = { hide: { '/inputSource': ['storedFile'] } };

/** An AI agent passes and receives text only. */
const NOT_AS_TOOL = { '@tool': [true] };

export const CONFIDENCE_THRESHOLD = {
	displayName: 'Confidence Threshold',
	name: 'confidenceThreshold',
	type: 'number',
	default: 80,
	typeOptions: { minValue: 0, maxValue: 100 },
	description:
		'Adds needsReview and lowConfidenceFields, the fields whose confidence is below this value (0 to 100) or missing',
	displayOptions: UNLESS_RAW,
} satisfies INodeProperties;

/** The option for a response with the confidence of one value only. */
export const TYPE_CONFIDENCE_THRESHOLD: INodeProperties = {
	...CONFIDENCE_THRESHOLD,
	description:
		'Adds needsReview, which is true if the confidence of the document type is below this value (0 to 100) or missing',
};

export const DOWNLOAD_IMAGES: INodeProperties = {
	displayName: 'Download Images',
	name: 'downloadImages',
	type: 'boolean',
	default: true,
	description:
		'Whether to download each cropped image into its item. The links expire after a short time.',
	displayOptions: UNLESS_RAW,
};

export const FILES_PER_REQUEST = {
	displayName: 'Files per Request',
	name: 'filesPerRequest',
	type: 'number',
	default: 1,
	typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
	description:
		'How many files to send in one request, including files of different items. With 20, a thousand documents need only 50 requests.',
	displayOptions: UNLESS_STORED,
} satisfies INodeProperties;

export const IGNORE_UNSUPPORTED_FILES: INodeProperties = {
	displayName: 'Ignore Unsupported Files',
	name: 'ignoreUnsupportedFiles',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip items that have unsupported files only. They have no output, and a note lists them. Beside a supported file, unsupported files are always skipped.',
	displayOptions: { hide: { ...UNLESS_STORED.hide, ...NOT_AS_TOOL } },
};

export const INCLUDE_FIELD_DETAILS: INodeProperties = {
	displayName: 'Include Field Details',
	name: 'includeFieldDetails',
	type: 'boolean',
	default: true,
	description: 'Whether to include the confidence, page and bounding box of each value',
	displayOptions: UNLESS_RAW,
};

/** The option for rows that have the details in columns of their own. */
export const INCLUDE_DISCOVERED_DETAILS: INodeProperties = {
	...INCLUDE_FIELD_DETAILS,
	displayOptions: { hide: { '/output': ['raw', 'rows'] } },
};

export const INCLUDE_INPUT_FIELDS: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: true,
	description:
		"Whether to add the input item's JSON to each result as input, or to each row as columns that start with input_",
	displayOptions: { hide: NOT_AS_TOOL },
};

export const INCLUDE_INPUT_FILE = {
	displayName: 'Include Input File',
	name: 'includeInputFile',
	type: 'boolean',
	default: true,
	description:
		'Whether to add the input file to the output, in the field data. With a cropped image it is in the field input; Match Faces keeps the original fields.',
	displayOptions: { hide: { ...UNLESS_STORED.hide, ...NOT_AS_TOOL } },
} satisfies INodeProperties;

/** On unless it is turned off, because the next step usually needs the file. */
export const INCLUDE_CLASSIFIED_FILE = { ...INCLUDE_INPUT_FILE };

/** In a field of its own, so that the next node does not pay for the whole file instead of a part. */
export const INCLUDE_BUNDLE = {
	...INCLUDE_INPUT_FILE,
	description:
		'Whether to add the whole file to the first document, in the field input. To read only the documents in the next node, set its Input Binary Field to data instead of *.',
};

export const PROCESSING = {
	displayName: 'Processing',
	name: 'processing',
	type: 'options',
	options: [
		{
			name: 'As a Job',
			value: 'job',
			description: 'Takes about three requests instead of one. No result is lost or billed twice.',
		},
		{
			name: 'Automatic',
			value: 'automatic',
			description: 'As a job with a sandbox key, a chosen template or a stored file, else directly',
		},
		{
			name: 'Direct',
			value: 'direct',
			description: 'One request per document. Not possible with a sandbox key.',
		},
	],
	default: 'automatic',
	description:
		'Whether each request is answered with the result, or the result is kept as a job, so that a broken connection or a timeout loses nothing. A document with a chosen template or a stored file is always processed as a job.',
	displayOptions: UNLESS_STORED,
} satisfies INodeProperties;

export const REQUIRED_FIELDS = {
	displayName: 'Required Fields',
	name: 'requiredFields',
	type: 'string',
	default: '',
	placeholder: 'e.g. invoiceNumber, total',
	description:
		'Adds needsReview and missingFields, which lists the fields named here that have no value. Enter names as the Simplified output shows them, separated by commas, or use an expression that returns a list.',
	displayOptions: UNLESS_RAW,
} satisfies INodeProperties;

export const SKIP_PROCESSED_FILES = {
	displayName: 'Skip Processed Files',
	name: 'skipProcessedFiles',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip files that this node has already processed in this workflow. While you build the workflow, turn this option off. Set On Error to Continue, so that one file does not cost the results of the others.',
	displayOptions: { hide: NOT_AS_TOOL },
} satisfies INodeProperties;

/** Up to a day: a timer of Node.js cannot count to more than 24 days. Split has a longer default. */
export const TIMEOUT = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	default: 300,
	typeOptions: { minValue: 1, maxValue: 86_400, numberPrecision: 0 },
	description:
		'How long to wait for the response to one request, including the upload, and for a job to finish. The same limit applies to downloading a file from a link.',
} satisfies INodeProperties;

interface NumberOption {
	name: string;
	default: number;
	typeOptions: { minValue: number; maxValue?: number; numberPrecision?: number };
}

/**
 * The option's value for an item. An expression may give any number, or none: what is out of range becomes the
 * nearest that is not, and what is no number the default.
 */
export function readNumber(
	read: ReadParameter,
	option: NumberOption,
	usual = option.default,
): number {
	return numberWithin(option, read<unknown>(`options.${option.name}`, usual), usual);
}

/** The same of a parameter that is not among the options. */
export function readNumberParameter(read: ReadParameter, parameter: NumberOption): number {
	return numberWithin(
		parameter,
		read<unknown>(parameter.name, parameter.default),
		parameter.default,
	);
}

function numberWithin({ typeOptions }: NumberOption, value: unknown, usual: number): number {
	const { minValue, maxValue = Infinity, numberPrecision } = typeOptions;
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || Number.isNaN(number)) return usual;
	return Math.min(
		maxValue,
		Math.max(minValue, numberPrecision === 0 ? Math.trunc(number) : number),
	);
}

/** The names of Required Fields, each once; undefined when nobody asked for them. */
export function readRequiredFields(read: ReadParameter): string[] | undefined {
	const names = namesIn(read<unknown>(`options.${REQUIRED_FIELDS.name}`, ''));
	return names.length === 0 ? undefined : [...new Set(names)];
}

/** The names in a list, which may have commas of their own, or in a text with commas or line breaks between them. */
export function namesIn(value: unknown): string[] {
	const entries = Array.isArray(value)
		? value.flat(Infinity)
		: (textOf(value) ?? '').split(/[,\n]/);
	const names = entries.map((entry: unknown) => (textOf(entry) ?? '').trim());
	return names.filter((name) => name !== '');
}

/** A switch, which an expression may give as a text: what is neither true nor false is as if it were not set. */
export function readSwitch(read: ReadParameter, name: string, usual: boolean): boolean {
	return booleanOf(read<unknown>(`options.${name}`, usual)) ?? usual;
}

/**
 * Undefined when nobody asked for a review.
 *
 * @throws DocumentError for what is no number, or is a fraction of 1: with that, nothing would need a review
 */
export function readThreshold(read: ReadParameter): number | undefined {
	const { displayName, name } = CONFIDENCE_THRESHOLD;
	const given = read<unknown>(`options.${name}`, null);
	if (given === null) return undefined;
	const threshold = numberOf(given);
	if (threshold !== null && (threshold <= 0 || threshold > 1))
		return Math.min(100, Math.max(0, threshold));
	const meant = Number(((threshold ?? 0.8) * 100).toFixed(6));
	throw new DocumentError(
		threshold === null
			? `'${displayName}' is not a number`
			: `'${displayName}' is ${threshold}. Did you mean ${meant}?`,
		`Nothing was sent. Enter a number from 0 to 100, such as ${meant}.`,
	);
}
