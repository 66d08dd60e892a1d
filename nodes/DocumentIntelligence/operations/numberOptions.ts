import type { INodeProperties } from 'n8n-workflow';

import type { ReadParameter } from './operation';

export const CONCURRENCY = {
	displayName: 'Concurrent Requests',
	name: 'concurrency',
	type: 'number',
	default: 10,
	typeOptions: { minValue: 1, maxValue: 50, numberPrecision: 0 },
	description: 'How many documents are under way at the same time. Results come in the order of the input all the same.',
} satisfies INodeProperties;

export const CONFIDENCE_THRESHOLD = {
	displayName: 'Confidence Threshold',
	name: 'confidenceThreshold',
	type: 'number',
	default: 80,
	typeOptions: { minValue: 0, maxValue: 100 },
	description: 'Adds needsReview and lowConfidenceFields, which name the fields without a value and those the service is less sure of than this, from 0 to 100',
} satisfies INodeProperties;

export const FILES_PER_REQUEST = {
	displayName: 'Files per Request',
	name: 'filesPerRequest',
	type: 'number',
	default: 1,
	typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
	description: 'How many files go to the service together, also of different items. With 20, a thousand documents cost 50 requests of the rate limit.',
} satisfies INodeProperties;

export const MAX_RETRIES = {
	displayName: 'Max Retries',
	name: 'maxRetries',
	type: 'number',
	default: 3,
	typeOptions: { minValue: 0, maxValue: 10, numberPrecision: 0 },
	description: 'How often a document is sent again after a passing failure. Only what cannot have been billed is sent again.',
} satisfies INodeProperties;

/** Up to a day: the platform's timers cannot count to more than 24 of them. Split has a longer default. */
export const TIMEOUT = {
	displayName: 'Timeout',
	name: 'timeout',
	type: 'number',
	default: 300,
	typeOptions: { minValue: 1, maxValue: 86_400, numberPrecision: 0 },
	description: 'Seconds to wait for the result of one document, upload included',
} satisfies INodeProperties;

interface NumberOption {
	name: string;
	default: number;
	typeOptions: { minValue: number; maxValue: number; numberPrecision?: number };
}

/**
 * The option's value for an item. An expression may give any number, or none: what is out of range becomes the
 * nearest that is not, and what is no number the default.
 */
export function readNumber(read: ReadParameter, option: NumberOption, usual = option.default): number {
	const { minValue, maxValue, numberPrecision } = option.typeOptions;
	const value = read<unknown>(`options.${option.name}`, usual);
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof number !== 'number' || Number.isNaN(number)) return usual;
	return Math.min(maxValue, Math.max(minValue, numberPrecision === 0 ? Math.trunc(number) : number));
}

/** Undefined when nobody asked for a review. */
export function readThreshold(read: ReadParameter): number | undefined {
	const isSet = read<unknown>(`options.${CONFIDENCE_THRESHOLD.name}`, null) !== null;
	return isSet ? readNumber(read, CONFIDENCE_THRESHOLD) : undefined;
}
