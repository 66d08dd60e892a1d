import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { entry, field } from './fields';
import type { Schema } from './parts';
import { job } from './storage';

/**
 * `strict` is for what the stand-in says by itself: every documented name, and no other. `lenient` is for what a test has
 * it say: a part of an answer, unknown names and short IDs are fine, and a wrong type or range is not.
 */
export type Strictness = 'strict' | 'lenient';

const validators = { strict: validator('strict'), lenient: validator('lenient') };

function validator(strictness: Strictness) {
	const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
	addFormats(ajv);
	for (const [$id, schema] of Object.entries({ field, entry, job }))
		ajv.addSchema({ ...asStrictAs(strictness, schema), $id });
	return { ajv, compiled: new Map<Schema, ValidateFunction>() };
}

/** The first thing that is wrong with a value; empty if the schema takes it. */
export function errorsIn(
	schema: Schema,
	value: unknown,
	strictness: Strictness = 'strict',
): ErrorObject[] {
	const { ajv, compiled } = validators[strictness];
	const validate = compiled.get(schema) ?? ajv.compile(asStrictAs(strictness, schema));
	compiled.set(schema, validate);
	return validate(value) ? [] : (validate.errors ?? []);
}

export function inWords({ instancePath, message = '', params }: ErrorObject): string {
	const { additionalProperty } = params as { additionalProperty?: string };
	const name = additionalProperty === undefined ? '' : ` "${additionalProperty}"`;
	return `${instancePath === '' ? 'the whole' : instancePath} ${message}${name}`;
}

function asStrictAs(strictness: Strictness, schema: Schema): Schema {
	return strictness === 'strict' ? schema : (relaxed(schema) as Schema);
}

/** Without the demand for names, and with room for others. Conditions keep theirs, as they would always hold without. */
function relaxed(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(relaxed);
	if (typeof schema !== 'object' || schema === null) return schema;
	const parts = Object.entries(schema).flatMap(([name, part]): Array<[string, unknown]> => {
		if (name === 'required' && Array.isArray(part)) return [];
		if (name === 'additionalProperties' && part === false) return [];
		if (['oneOf', 'dependentRequired', 'format'].includes(name)) return [];
		return [[name, name === 'if' ? part : relaxed(part)]];
	});
	return Object.fromEntries(parts);
}

/** Undefined for what is no JSON, which no schema takes. */
export function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
