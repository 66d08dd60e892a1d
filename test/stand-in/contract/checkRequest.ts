import type { ErrorObject } from 'ajv';
import type { UploadedForm } from '../http/form';
import { HttpError } from '../http/responses';
import type { Call, Route } from '../http/route';
import { record, type Schema } from './parts';
import { requestRules } from './requests';
import { errorsIn, inWords, readJson } from './validator';

const nothing = record({});

/** Refuses a request that the contract does not have, with the code for the first thing that is wrong. */
export function checkRequest({ method, path }: Route, call: Call) {
	const rules = requestRules[`${method} ${path}`];
	if (!rules) throw new Error(`There are no rules for requests to ${method} ${path}.`);
	check(rules.query ?? nothing, Object.fromEntries(call.query), PARAMETER_CODES);
	check(rules.form ?? nothing, fieldsOf(call.form), FORM_CODES);
	if (rules.headers) check(rules.headers, call.record.headers, HEADER_CODES);
	if (rules.json) check(rules.json, parseJson(call.text), JSON_CODES);
}

/** The body of a JSON request, which is an object. */
export function parseJson(text: string): Record<string, unknown> {
	const parsed = readJson(text);
	if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
		throw new HttpError(400, 'MALFORMED_REQUEST', 'The body has to be a JSON object.');
	return { ...parsed };
}

/** By the last name of the place and the keyword, as `bytes minimum`, else by the keyword, else `otherwise`. */
type Codes = Record<string, string> & { otherwise: string };

const FORM_CODES: Codes = {
	required: 'FILE_REQUIRED',
	minItems: 'FILE_REQUIRED',
	maxItems: 'TOO_MANY_FILES',
	additionalProperties: 'UNEXPECTED_FIELD',
	'fileName pattern': 'FILE_EXTENSION_NOT_ALLOWED',
	'bytes minimum': 'FILE_EMPTY',
	'bytes maximum': 'FILE_TOO_LARGE',
	otherwise: 'MALFORMED_REQUEST',
};

const PARAMETER_CODES: Codes = {
	'limit pattern': 'limit_invalid',
	required: 'reference_required',
	minLength: 'reference_required',
	otherwise: 'parameter_unknown',
};

const HEADER_CODES: Codes = { otherwise: 'idempotency_key_invalid' };

const JSON_CODES: Codes = { otherwise: 'invalid_request' };

function check(schema: Schema, value: unknown, codes: Codes) {
	const [error] = errorsIn(schema, value);
	if (error === undefined) return;
	const field = fieldOf(error);
	const message = `The request is not valid: ${inWords(error)}.`;
	throw new HttpError(400, codeOf(error, codes), message, { field });
}

function codeOf({ instancePath, keyword }: ErrorObject, codes: Codes): string {
	const name = instancePath.split('/').at(-1) ?? '';
	return codes[`${name} ${keyword}`] ?? codes[keyword] ?? codes.otherwise;
}

/** The name of the field, parameter or property that is wrong: the first of the place. */
function fieldOf({ instancePath, params }: ErrorObject): string | undefined {
	const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
	const [, first] = instancePath.split('/');
	return first ?? missingProperty ?? additionalProperty;
}

function fieldsOf({ files, texts }: UploadedForm): Record<string, unknown[]> {
	const fields: Record<string, unknown[]> = {};
	for (const { field, fileName, bytes } of files) (fields[field] ??= []).push({ fileName, bytes });
	for (const { field, value } of texts) (fields[field] ??= []).push(value);
	return fields;
}
