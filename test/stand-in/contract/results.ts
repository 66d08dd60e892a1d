import { discoveredFields, metadata } from './fields';
import {
	confidence,
	flag,
	having,
	listOf,
	nullable,
	nullableText,
	nullableUuid,
	record,
	text,
	time,
	uuid,
	type Schema,
} from './parts';

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
