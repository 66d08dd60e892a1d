import type { IBuilderHint, INodeProperties } from 'n8n-workflow';

import {
	CHECKS,
	CONFIDENCE_THRESHOLD,
	INCLUDE_FIELD_DETAILS,
	REQUIRED_FIELDS,
	VALUES,
} from './options';

// What n8n tells AI assistants that build workflows with the node. They see no descriptions of choices and no notices
// (docs/internals/n8n-behavior.md, AI assistants). Hosts before n8n 2.29 ignore it.

/** The output of an operation with its parameters at their defaults, without the fields of templates. */
export interface OutputSchema {
	type: string | string[];
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

type Variations = NonNullable<IBuilderHint['extraTypeDefContent']>;

/** Shown in search results, too. */
export const NODE_HINT = [
	"Billing: each automatic run sends every file that it gets, and each may be billed. If files can arrive again (a folder, mailbox or schedule), set options.processedBefore to 'skip' in each node that has it. A file that was processed then has no output, so append rows, or write files with dated names. 'reuse' pays again after a day or a restart of n8n.",
	'Executions by hand reuse the results of the last hour, except those of Match Faces.',
	"A stored file is known by its reference. If it is uploaded again, it is paid again, also with 'skip' and by hand: Extract or Submit it as 'binaryField' instead.",
	"Set onError of the node to 'continueErrorOutput': failed items then leave through the second output, with fileName, error.message and error.description, but no file and no needsReview. Otherwise one failed file ends the run, and nothing is passed on.",
	'Field names and document types are those of the Cogneris account: ask for them.',
	"Confidences are 0 to 100. A template is chosen by its UUID: templateId { __rl: true, mode: 'id', value: UUID }. Without one, Cogneris chooses.",
].join(' ');

/** Printed once, before the operations. */
export const OUTPUT_HINT = [
	"Output 'fields': the values of a template are in $json.fields, as printed, or with options.values 'typed' as numbers and YYYY-MM-DD. Rows: they are columns (a group is joined: seller_city), typed unless options.values is 'printed'. Line items have rowNumber (from 1). A document without any is one row.",
	'needsReview: boolean exists with confidenceThreshold, requiredFields, checks or typed values. If it is true, reviewReasons says why: string[], in rows text.',
	"Lists contain names of the template, without 'fields.': total, lineItems[2].amount (positions from 0, as index). They exist even if empty, but not in a result that cannot be read: test needsReview, too. Test $json.lowConfidenceFields.includes('total'). In rows, a list is text: $json.lowConfidenceFields.split(', ').includes('total').",
	"A job has status 'Queued', 'Processing', 'Succeeded', 'Failed' or 'Cancelled', and operation 'Extraction', 'Classification', 'ZeroShot', 'Crop' or 'Split'.",
	"As the tool of an AI agent, the node has no inputSource 'binaryField': use 'fileUrl'.",
].join('\n');

export const TRIGGER_HINT =
	"Starts for each job of the Cogneris account that has ended, also for jobs that operations of the node create. Items have jobId, operation ('Extraction', 'Classification', 'ZeroShot', 'Crop', 'Split'), status, completedAt and failureCode, and those of succeeded jobs the output of Get Result: values in $json.fields. status is 'Succeeded', 'Failed' or 'Cancelled' (not as in events, where 'failed' includes canceled jobs). A job without a result has error.message. Field names and document types are those of the Cogneris account: ask for them. fileName is null: look it up by jobId. For the jobs of one workflow only, save the jobIds of its Submit and filter by them.";

interface Described {
	value: string;
	options: INodeProperties[];
	outputSchema: OutputSchema;
	/** What the binary field `data` of an item contains. */
	binary?: string;
}

interface Choice {
	value: string;
	description: string;
}

/** The choices of a list, of which assistants see the values only. */
export function choicesHint(choices: Choice[]): { propertyHint: string } {
	const texts = choices.map(({ value, description }) => `'${value}': ${sentence(description)}`);
	return { propertyHint: texts.join(' ') };
}

function sentence(text: string): string {
	return text.endsWith('.') ? text : `${text}.`;
}

/** For each operation, the names and types of its output, and what options add. */
export function outputHints(resource: string, operations: readonly Described[]): Variations {
	return operations.map(({ value, options, outputSchema, binary }) => {
		const lines = [
			`Output by default: ${typeText(outputSchema)}`,
			...(binary === undefined ? [] : [`Binary field data: ${binary}`]),
			...addedBy(options),
		];
		const displayOptions = { show: { resource: [resource], operation: [value] } };
		return { content: lines.join('\n'), displayOptions };
	});
}

/** What options add to an item, as the names of the fields with their types. */
const ADDED = new Map<INodeProperties, string>([
	[CONFIDENCE_THRESHOLD, 'lowConfidenceFields: string[]'],
	[REQUIRED_FIELDS, 'missingFields: string[]'],
	[
		CHECKS,
		'failedChecks: { check: string; expected, actual, difference: number | null; row?: number }[]',
	],
	[VALUES, "uncertainFields: string[] if 'typed'"],
	[INCLUDE_FIELD_DETAILS, 'each field is { value, confidence, page, boundingBox }'],
]);

function addedBy(options: INodeProperties[]): string[] {
	const added = options.flatMap((option) => {
		const fields = ADDED.get(option);
		return fields === undefined ? [] : [`${option.name} (${fields})`];
	});
	return added.length === 0 ? [] : [`Added by options: ${added.join(', ')}`];
}

/** Nearly as TypeScript writes it, but shorter: `{ fileName, documentType: string; pages: number | null }`. */
export function typeText({ type, properties = {}, items }: OutputSchema): string {
	const names = new Map<string, string[]>();
	for (const [name, schema] of Object.entries(properties)) {
		const text = typeText(schema);
		names.set(text, [...(names.get(text) ?? []), name]);
	}
	const fields = [...names].map(([text, ofType]) => `${ofType.join(', ')}: ${text}`);
	const texts: Record<string, string> = {
		array: `${items === undefined ? 'unknown' : typeText(items)}[]`,
		object: fields.length === 0 ? 'object' : `{ ${fields.join('; ')} }`,
	};
	return [type]
		.flat()
		.map((name) => texts[name] ?? name)
		.join(' | ');
}
