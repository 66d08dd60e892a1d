import { nullableUuid, record, text, type Schema } from './parts';
import { submittedOperations } from './answers';

const MEGABYTE = 1024 * 1024;

/** In any case of the letters. */
const EXTENSION =
	'\\.([pP][dD][fF]|[pP][nN][gG]|[jJ][pP][eE]?[gG]|[tT][iI][fF][fF]?|[bB][mM][pP]|[dD][oO][cC][xX]?)$';

function file(megabytes: number): Schema {
	return record({
		bytes: { type: 'integer', minimum: 1, maximum: megabytes * MEGABYTE },
		fileName: { type: 'string', pattern: EXTENSION },
	});
}

function files(megabytes: number, maxItems?: number): Schema {
	return { type: 'array', items: file(megabytes), minItems: 1, ...(maxItems && { maxItems }) };
}

/** What a request may be; a part without a schema has to be empty. */
export interface RequestRules {
	/** The fields of the form, each with its files or its texts. */
	form?: Schema;
	query?: Schema;
	/** The body of a JSON request. */
	json?: Schema;
	headers?: Schema;
}

const one = files(10, 1);

const jobBody = record(
	{
		operation: { enum: submittedOperations },
		inputReference: { type: 'string', pattern: '^artifact://.+$' },
	},
	{ templateId: nullableUuid },
);

const jobHeaders: Schema = {
	type: 'object',
	properties: {
		'idempotency-key': { type: 'string', pattern: '^[A-Za-z0-9._:-]{8,128}$' },
	},
};

/** The cursor of the list of jobs is open. */
const page = record({}, { limit: { type: 'string', pattern: '^[1-9][0-9]*$' }, cursor: text });

/** By method and path. */
export const requestRules: Record<string, RequestRules> = {
	'POST /Document/extraction': {
		form: record(
			{ file: one },
			{ ComplementaryPrompt: { type: 'array', items: text, maxItems: 1 } },
		),
	},
	'POST /Document/classifier': { form: record({ files: files(10) }) },
	'POST /Document/zero-shot': { form: record({ file: one }) },
	'POST /Document/crop': { form: record({ file: one }) },
	'POST /Document/split': { form: record({ file: files(500, 1) }) },
	'POST /Document/facematch': { form: record({ selfie: one, documents: files(10) }) },
	'POST /api/v1/artifacts': { form: record({ file: one }) },
	'GET /api/v1/artifacts/content': {
		query: record({ reference: { type: 'string', minLength: 1 } }),
	},
	'POST /api/v1/document-jobs': { json: jobBody, headers: jobHeaders },
	'GET /api/v1/document-jobs': { query: page },
	'GET /api/v1/document-jobs/:jobId': {},
	'POST /api/v1/document-jobs/:jobId/cancel': {},
	'GET /api/v1/templates': { query: page },
};
