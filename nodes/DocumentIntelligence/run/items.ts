import type {
	IBinaryData,
	IBinaryKeyData,
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
} from 'n8n-workflow';

import { jsonCopy } from '../text/json';
import { failedItemJson, type DocumentError } from '../text/errors';
import type { Document, Output } from '../document/document';
import type { Operation } from '../operations/operation';
import { INCLUDE_INPUT_FILE } from '../parameters/options';
import { readSwitch } from '../parameters/read';
import { freeName, withAdditions } from '../results/fields';
import { cellsIn, buildRows, type DocumentValues } from '../results/rows';
import type { Next } from '../text/failures';
import type { Notes } from '../text/notes';

/**
 * n8n's error output replaces the JSON of an item by the message of its `error`, unless the copy that it makes has none:
 * so `error` is not enumerable (docs/internals/n8n-behavior.md, items).
 */
export function failedItem(
	context: IExecuteFunctions,
	failure: DocumentError,
	itemIndex: number,
	fileName?: string,
	next?: Next,
): INodeExecutionData {
	const json = failedItemJson(failure, fileName, next);
	const item: INodeExecutionData = { json, pairedItem: { item: itemIndex } };
	if (context.getNode().onError === 'continueErrorOutput')
		Object.defineProperty(item, 'error', { value: { message: json.error }, enumerable: false });
	return item;
}

/** An item of the output. A row gets its JSON when the columns of all rows are known. */
export type PendingItem =
	| { kind: 'item'; item: INodeExecutionData }
	| {
			kind: 'row';
			item: Omit<INodeExecutionData, 'json'>;
			values: Omit<DocumentValues, 'input'>;
			/** What the row shows besides, such as its input item. */
			input: IDataObject | undefined;
	  };

/** @param additions what stands next to the output in an item; a row has it in columns of its own */
export function toPendingItem(
	output: Exclude<Output, DocumentError>,
	document: Document,
	operation: Operation,
	position: number,
	additions: IDataObject = {},
): PendingItem {
	const { itemIndex, read, json: inputJson } = document.item;
	// A bundle belongs to its first part only.
	const isLaterPart = operation.inputFile === 'cut' && position > 0;
	const files = output.binary ?? {};
	const binary = isLaterPart ? files : withInputFiles(files, document, operation);
	const item = {
		...(Object.keys(binary).length > 0 && { binary }),
		pairedItem: { item: itemIndex },
	};
	const included = readSwitch(read, 'options.includeInputFields', false) ? inputJson : undefined;
	if ('row' in output) return { kind: 'row', item, values: output.row, input: included };
	const input = included && savedForm(included);
	const json = withAdditions(output.json, { ...additions, input });
	return { kind: 'item', item: { json, ...item } };
}

/** @param prefix of the columns of a row's input */
export function itemsOf(pending: PendingItem[], notes: Pick<Notes, 'add'>, prefix = 'input_') {
	// Converted once per item, because a copy of an email for each of a thousand rows would fill the memory.
	const inputs = new Map<IDataObject, DocumentValues['input']>();
	const withRows = pending.filter((each) => each.kind === 'row');
	const allValues = withRows.map(({ values, input }): DocumentValues => {
		if (input !== undefined && !inputs.has(input))
			inputs.set(input, cellsIn(savedForm(input, prefix)));
		return { ...values, input: input && inputs.get(input) };
	});
	const { rows, remarks } = buildRows(allValues);
	for (const remark of remarks) notes.add('tables', remark);
	const rowsOf = new Map(withRows.map((each, number) => [each, rows[number] ?? []]));
	return pending.flatMap((each) =>
		each.kind === 'item'
			? [each.item]
			: (rowsOf.get(each) ?? []).map((json) => ({ json, ...each.item })),
	);
}

function savedForm(json: IDataObject, prefix = '') {
	return Object.fromEntries(
		Object.entries(json).map(([name, value]) => [`${prefix}${name}`, jsonCopy(value)]),
	);
}

function withInputFiles(
	files: IBinaryKeyData,
	document: Document,
	{ options, inputFile }: Operation,
): IBinaryKeyData {
	// Only read where `checkParameters` has read it before the request.
	const isOn =
		options.some(({ name }) => name === INCLUDE_INPUT_FILE.name) &&
		readSwitch(document.item.read, 'options.includeInputFile', inputFile === 'passedOn');
	return isOn ? { ...inputFiles(document, files, inputFile === 'cut'), ...files } : files;
}

/**
 * A single file is in `data`, or in `input` next to a file of the result; several keep their fields.
 * @param isCut whether it is never in `data`, so that the next node does not process the whole file instead of a part
 */
function inputFiles({ parts }: Document, taken: IBinaryKeyData, isCut: boolean): IBinaryKeyData {
	const [first, ...remaining] = parts;
	if (first !== undefined && remaining.length === 0) {
		const { id, data } = first.file.binary;
		// A document that passes through is its own input file.
		if (Object.values(taken).some((file) => file.id === id && file.data === data)) return {};
		const field = isCut || 'data' in taken ? 'input' : 'data';
		return { [field]: { ...first.file.binary } };
	}
	const files = new Map<string, IBinaryData>();
	// A file behind a link has no field.
	for (const { file, formField } of parts)
		files.set(freeName(file.field ?? formField, files), { ...file.binary });
	return Object.fromEntries(files);
}
