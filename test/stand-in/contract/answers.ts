import type { Step } from '../http/route';
import {
	count,
	credits,
	confidence,
	discoveredFields,
	flag,
	having,
	listOf,
	metadata,
	nullable,
	nullableText,
	nullableTime,
	nullableUuid,
	record,
	text,
	time,
	uuid,
	type Schema,
} from './parts';

const status: Schema = { type: 'integer', minimum: 100, maximum: 599 };

const apiError = record(
	{ code: text, message: text, retryable: flag },
	{
		field: nullableText,
		details: { type: ['object', 'null'], additionalProperties: text },
	},
);

/** `messages` is empty on success. */
export function success(data: Schema): Schema {
	return record({
		data,
		meta: record(
			{ httpStatusCode: status, messages: { type: 'array', maxItems: 0 } },
			{ errors: { type: 'array', maxItems: 0 }, creditsConsumed: credits },
		),
		hasErrors: { const: false },
	});
}

export const errorEnvelope: Schema = record({
	data: { type: 'null' },
	meta: record(
		{ httpStatusCode: status, errors: { ...listOf(apiError), minItems: 1 } },
		{ messages: listOf(text), creditsConsumed: credits },
	),
	hasErrors: { const: true },
});

export const problem: Schema = record(
	{
		type: text,
		title: text,
		status,
		instance: text,
		code: text,
		correlationId: uuid,
		retryable: flag,
	},
	{ detail: text, field: text, errors: listOf(apiError) },
);

// Documents, by the path of the request.

const verdict: Schema = { type: 'integer', enum: [0, 1, 2] };
const number: Schema = { type: 'number' };

const quality = record({
	overall: verdict,
	findings: listOf(
		record({ probe: text, level: verdict, measured: number, threshold: number, message: text }),
	),
});

/** With a verdict of 2, nothing was extracted. */
const blockedIsEmpty: Schema = {
	if: {
		type: 'object',
		properties: {
			quality: { type: 'object', properties: { overall: { const: 2 } }, required: ['overall'] },
		},
		required: ['quality'],
	},
	then: { type: 'object', properties: { metadata: { type: 'null' } } },
};

const extraction: Schema = {
	...record({
		id: uuid,
		createdDate: time,
		metadata: nullable(metadata),
		fraudBlocked: { const: false },
		fraudRequestId: nullableUuid,
		quality: nullable(quality),
	}),
	allOf: [blockedIsEmpty],
};

const classified = record({
	fileName: text,
	documentType: text,
	confidence,
	pages: { type: ['integer', 'null'] },
	templateId: nullableUuid,
	templateMetadata: nullableText,
});

const classification = record({ results: listOf(classified) });

/** All but a comparison of faces may have these. */
const identity = { id: uuid, createdDate: time };

const zeroShot = record({ documentType: text, confidence, metadata: discoveredFields }, identity);

const link: Schema = { type: 'string', format: 'uri' };
const whole: Schema = { type: 'integer' };

const crop = record(
	{
		imageUrls: nullable(listOf(link)),
		compositeImageUrl: nullable(link),
		documents: listOf(
			record({
				box2D: listOf(whole),
				mask: listOf(listOf(whole)),
				side: text,
				type: text,
				confidence: nullable(confidence),
				imageUrl: link,
			}),
		),
	},
	identity,
);

/** The names of segments are open: most likely they are in `metadata`, and a list beside it is plausible. */
const split: Schema = {
	...record({}, { ...identity, metadata, segments: listOf({ type: 'object' }) }),
	oneOf: [having('metadata'), having('segments')],
};

const faces = record({
	requestId: uuid,
	extractions: listOf(
		record({
			sourceDocumentId: uuid,
			hasFace: flag,
			documentType: text,
			cropSignedUrl: nullable(link),
		}),
	),
	matches: listOf(
		record({
			sourceDocumentId: uuid,
			selfieDocumentId: uuid,
			score: number,
			matched: flag,
			tooManyFaces: flag,
		}),
	),
});

/** `data` of the operations, by their path. */
export const resultsByPath: Record<string, Schema> = {
	'/Document/extraction': extraction,
	'/Document/classifier': classification,
	'/Document/zero-shot': zeroShot,
	'/Document/crop': crop,
	'/Document/split': split,
	'/Document/facematch': faces,
};

/** A stored result that is JSON, with its names in small letters: those of the contract are read in any case. */
export const jobResults: Record<string, Schema> = {
	Extraction: {
		type: 'object',
		properties: { metadata: nullable(metadata) },
		required: ['metadata'],
	},
	Classification: { anyOf: [listOf(classified), classification] },
	ZeroShot: zeroShot,
	Crop: crop,
	Split: split,
};

// Stored files, jobs and templates.

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

/** A good answer. Without a body schema, it is the bytes of a file. */
export interface Answer {
	status: number;
	body?: Schema;
	headers?: Schema;
}

const seconds: Schema = { type: 'string', pattern: '^[0-9]+$' };

const headers = (properties: Record<string, Schema>, required: string[]): Schema => ({
	type: 'object',
	properties,
	required,
});

/** Those to requests for a document are by their path, above. */
export const answersByStep: Record<Exclude<Step, 'process'>, Answer> = {
	store: { status: 201, body: success(artifact) },
	fetch: {
		status: 200,
		headers: headers(
			{
				'content-type': { type: 'string', minLength: 1 },
				'content-disposition': { type: 'string', pattern: 'filename' },
			},
			['content-type', 'content-disposition'],
		),
	},
	submit: {
		status: 202,
		body: success(submission),
		headers: headers(
			{
				location: { type: 'string' },
				'retry-after': seconds,
				'idempotent-replayed': { const: 'true' },
			},
			['location'],
		),
	},
	get: {
		status: 200,
		body: success({ $ref: 'job' }),
		headers: headers({ 'retry-after': seconds }, []),
	},
	list: { status: 200, body: success(jobList) },
	cancel: { status: 202, body: success(cancellation) },
	templates: { status: 200, body: success(templateList) },
};

const processed: Record<string, Answer> = Object.fromEntries(
	Object.entries(resultsByPath).map(([path, data]) => [path, { status: 200, body: success(data) }]),
);

export function goodAnswer(step: Step, path: string): Answer | undefined {
	return step === 'process' ? processed[path] : answersByStep[step];
}
