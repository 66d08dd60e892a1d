import {
	count,
	credits,
	flag,
	listOf,
	nullableText,
	nullableTime,
	nullableUuid,
	record,
	text,
	time,
	uuid,
	type Schema,
} from './parts';

/** Of what is stored: images as they were, everything else as a PDF. */
const storedTypes: Schema = {
	enum: ['application/pdf', 'image/png', 'image/jpeg', 'image/tiff', 'image/bmp'],
};

export const artifact = record({
	reference: { type: 'string', pattern: '^artifact://.+$' },
	fileName: { type: 'string', pattern: '^[A-Za-z0-9._-]+$' },
	contentType: storedTypes,
	sizeBytes: count,
	expiresAt: time,
});

export const submittedOperations = [
	...['Extraction', 'Classification', 'ZeroShot', 'Crop', 'Split', 'Facematch'],
];

const jobStatus: Schema = { enum: ['Queued', 'Processing', 'Succeeded', 'Failed', 'Cancelled'] };

/** A result belongs to a job that succeeded, and a Redaction never has one. */
const resultOnlyIfSucceeded: Schema = {
	if: {
		type: 'object',
		properties: { status: { const: 'Succeeded' }, operation: { not: { const: 'Redaction' } } },
	},
	else: { type: 'object', properties: { outputReference: { type: 'null' } } },
};

/** What a job consumed is absent while it is not known; null is for sandbox keys. */
const costsAfterwards: Schema = {
	if: { type: 'object', properties: { status: { enum: ['Queued', 'Processing'] } } },
	then: { type: 'object', properties: { creditsConsumed: { type: 'null' } } },
};

export const job: Schema = {
	...record(
		{
			jobId: uuid,
			operation: { enum: [...submittedOperations, 'Redaction'] },
			status: jobStatus,
			templateId: nullableUuid,
			outputReference: nullableText,
			stage: nullableText,
			processedPages: { type: ['integer', 'null'] },
			totalPages: { type: ['integer', 'null'] },
			attemptCount: count,
			failureCode: nullableText,
			retryable: flag,
			startedAt: nullableTime,
			completedAt: nullableTime,
			cancellationRequestedAt: nullableTime,
			expiresAt: time,
		},
		{ creditsConsumed: credits },
	),
	allOf: [resultOnlyIfSucceeded, costsAfterwards],
};

export const submission = record({
	jobId: uuid,
	status: jobStatus,
	statusUrl: text,
	retryAfterSeconds: count,
	replayed: flag,
});

const page = { hasMore: flag, limit: { type: 'integer', minimum: 1 } };

export const jobList = record(
	{ jobs: listOf({ $ref: 'job' }), ...page },
	{ nextCursor: nullableText },
);

export const cancellation = record({ jobId: uuid, cancellationRequested: { const: true } });

export const templateList = record(
	{
		templates: listOf(
			record({
				id: uuid,
				name: text,
				description: nullableText,
				status: { const: 'Finished' },
			}),
		),
		...page,
	},
	{ nextCursor: nullableText },
);
