/** A JSON Schema (2020-12). */
export type Schema = Record<string, unknown>;

export const text: Schema = { type: 'string' };
export const nullableText: Schema = { type: ['string', 'null'] };
export const flag: Schema = { type: 'boolean' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const nullableUuid: Schema = { type: ['string', 'null'], format: 'uuid' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const nullableTime: Schema = { type: ['string', 'null'], format: 'date-time' };
/** The one scale that there is. */
export const confidence: Schema = { type: 'number', minimum: 0, maximum: 100 };
/** May be a fraction. */
export const credits: Schema = { type: ['number', 'null'], minimum: 0 };

export function listOf(items: Schema): Schema {
	return { type: 'array', items };
}

export function nullable(schema: Schema): Schema {
	return { anyOf: [schema, { type: 'null' }] };
}

/** An object that has these names, among others. */
export function having(...names: string[]): Schema {
	const properties = Object.fromEntries(names.map((name) => [name, true]));
	return { type: 'object', properties, required: names };
}

/** An object with these names, and no name that the contract does not have. */
export function record(
	properties: Record<string, Schema>,
	optional: Record<string, Schema> = {},
): Schema {
	return {
		type: 'object',
		properties: { ...properties, ...optional },
		required: Object.keys(properties),
		additionalProperties: false,
	};
}

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
