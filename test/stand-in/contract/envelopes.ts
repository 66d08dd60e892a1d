import { credits, flag, listOf, nullableText, record, text, uuid, type Schema } from './parts';

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
