import { confidence, having, nullableText, type Schema } from './parts';

const fraction: Schema = { type: 'number', minimum: 0, maximum: 1 };

/** Where a value was read: all three, or none. */
const place = {
	page: { type: 'integer', minimum: 1 },
	bbox: { type: 'array', items: fraction, minItems: 4, maxItems: 4 },
	bbox_confidence: confidence,
};

const allOrNone = {
	page: ['bbox', 'bbox_confidence'],
	bbox: ['page', 'bbox_confidence'],
	bbox_confidence: ['page', 'bbox'],
};

/** A value with its confidence, or a table: `items` in place of a value. */
export const field: Schema = {
	$id: 'field',
	type: 'object',
	properties: {
		value: nullableText,
		confidence,
		...place,
		items: { type: 'array', items: { type: 'object', additionalProperties: { $ref: 'entry' } } },
	},
	oneOf: [having('value', 'confidence'), having('items')],
	dependentRequired: allOrNone,
};

/** What is in `metadata`: field objects and plain values, mixed at any depth. */
export const entry: Schema = {
	$id: 'entry',
	type: ['string', 'number', 'boolean', 'null', 'array', 'object'],
	if: having('value', 'confidence'),
	then: { $ref: 'field' },
	else: { additionalProperties: { $ref: 'entry' }, items: { $ref: 'entry' } },
};

/** The keys are the template's own. */
export const metadata: Schema = { type: 'object', additionalProperties: { $ref: 'entry' } };

/** One field for each name. */
export const discoveredFields: Schema = {
	type: 'object',
	additionalProperties: { $ref: 'field' },
};
