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
