import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { entry, field, type Schema } from './parts';
import { job } from './answers';

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats(ajv);
for (const [$id, schema] of Object.entries({ field, entry, job }))
	ajv.addSchema({ ...schema, $id });

/** The first thing that is wrong with a value; empty if the schema takes it. */
export function errorsIn(schema: Schema, value: unknown): ErrorObject[] {
	return ajv.validate(schema, value) ? [] : (ajv.errors ?? []);
}

export function inWords({ instancePath, message = '', params }: ErrorObject): string {
	const { additionalProperty } = params as { additionalProperty?: string };
	const name = additionalProperty === undefined ? '' : ` "${additionalProperty}"`;
	return `${instancePath === '' ? 'the whole' : instancePath} ${message}${name}`;
}

/** Undefined for what is no JSON, which no schema takes. */
export function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
