import type { IBuilderHint, INodeProperties } from 'n8n-workflow';

import {
	CHECKS,
	CONFIDENCE_THRESHOLD,
	FILES_PROCESSED_BEFORE,
	MARKED_COPY,
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
	"Billing: each automatic run sends every file that it gets, and each may be billed. If files can arrive again (a folder, mailbox or schedule), set options.processedBefore to 'skip' in each node that has it. A file that was processed, or failed but may be billed, then has no output, nor has a copy of a file in the same run, so append rows, or write files with dated names. Files are known by their content, and recorded when the node has finished: if n8n is stopped before, they are paid again. 'reuse' pays again after a day or a restart of n8n.",
	"Executions by hand reuse the results of the last hour, but not with 'skip', and not those of Match Faces.",
	"A stored file is known by its reference. If it is uploaded again, it is paid again, also with 'skip' and by hand: Extract or Submit it as 'binaryField' instead.",
	"Set onError of the node to 'continueErrorOutput': failed items then leave through the second output, with the fields of the input item, fileName, error.message and error.description, but no file and no needsReview. Otherwise one failed file ends the run, and nothing is passed on.",
	'Field names and document types are those of the Cogneris account: ask for them.',
	"Confidences are 0 to 100. A template is chosen by its UUID: templateId { __rl: true, mode: 'id', value: UUID }.",
].join(' ');

/** Printed once, before the operations. */
export const OUTPUT_HINT = [
	`processedBefore, for a file that this node has processed: ${choicesText(FILES_PROCESSED_BEFORE.options)}`,
	"Output 'fields': the values of a template are in $json.fields, as printed, or with options.values 'typed' as numbers and YYYY-MM-DD. Rows: they are columns (a group is joined: seller_city), typed unless options.values is 'printed'. Line items have rowNumber (from 1). A document without any is one row. A column named like a field of the document is lineItems_amount.",
	'Typed values that can be read in two ways, such as 03/04/2026 or 1.250, stay text and need a review.',
	"needsReview: boolean and reviewReasons: string[] (in rows text) exist with confidenceThreshold, requiredFields, checks or typed values. Without these, a response that cannot be read or has a low quality ('Cogneris reports low quality: …') has them, too.",
	"Lists contain names of the template, without 'fields.': total, lineItems[2].amount (positions from 0, as index). They exist even if empty, except in a response that cannot be read, which is passed on unchanged with needsReview true. Test $json.lowConfidenceFields?.includes('total') ?? true. In rows, a list is text: $json.lowConfidenceFields?.split(', ').includes('total') ?? true.",
	'With includeFieldDetails, each field is { value, confidence, page, boundingBox }. Rows keep the value and add columns such as total_confidence.',
	"A job has status 'Queued', 'Processing', 'Succeeded', 'Failed' or 'Cancelled', and operation 'Extraction', 'Classification', 'ZeroShot', 'Crop' or 'Split'.",
	"As the tool of an AI agent, the node (documentIntelligenceTool) has no inputSource 'binaryField': use 'fileUrl', with $fromAI() in the parameters for links, and onError 'continueRegularOutput', or the agent may get no message.",
].join('\n');

export const TRIGGER_HINT =
	"Starts the workflow when a job in the Cogneris account finishes, including jobs that the Document Intelligence node submits. By default, events has both. Items have jobId, operation ('Extraction', 'Classification', 'ZeroShot', 'Crop', 'Split'), status, completedAt and failureCode, and those of succeeded jobs the output of Get Result: values in $json.fields, or in rows as columns. Jobs that ended before it was first active are left out. status is 'Succeeded', 'Failed' or 'Cancelled' (not as in events, where 'failed' includes canceled jobs). A job without a result has error.message and no needsReview: test error.message first. Lists have names such as total, without 'fields.'. In rows, they are text: .split(', ').includes('total'). Field names and document types are those of the Cogneris account: ask for them. fileName is null: look it up by jobId. For the jobs of one workflow only, save the jobIds of its Submit and filter by them.";

interface Described {
	value: string;
	options: INodeProperties[];
	outputSchema: OutputSchema;
	rowsSchema?: OutputSchema;
	/** What the binary field `data` of an item contains. */
	binary?: string;
	outputNotes?: string;
}

interface Choice {
	value: string;
	description: string;
}

/** The choices of a list, of which assistants see the values only. */
export function choicesText(choices: Choice[]): string {
	return choices.map(({ value, description }) => `'${value}': ${sentence(description)}`).join(' ');
}

function sentence(text: string): string {
	return text.endsWith('.') ? text : `${text}.`;
}

/** For each operation, the names and types of its output, and what options add. */
export function outputHints(resource: string, operations: readonly Described[]): Variations {
	return operations.map(({ value, options, outputSchema, rowsSchema, binary, outputNotes }) => {
		const lines = [
			`Output by default: ${typeText(outputSchema)}`,
			...(rowsSchema ? [`Output 'rows': ${typeText(rowsSchema)} and columns of fields`] : []),
			...(binary === undefined ? [] : [`Binary field data: ${binary}`]),
			...(outputNotes === undefined ? [] : [outputNotes]),
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
	[MARKED_COPY, 'binary field marked, if a value to review has a position'],
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
