import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { isTooDeep } from '../text/jsonDepth';
import type { DocumentError } from '../errors';
import type { Document, InputItem, Operation, Output } from './operation';
import { beside, type FieldObject } from '../results/fields';
import { flatten, layOut, type Row } from '../results/rows';

/** Where the next node looks for a file unless told otherwise. */
const DEFAULT_FIELD = 'data';

/** An item as n8n takes it; one that is a row of a spreadsheet gets its JSON when all rows are there. */
export interface Finished {
	item: INodeExecutionData;
	row?: Row;
}

/** Pairs an output with the item it came from, and adds what the options ask for of the input. */
export function finish(
	output: Exclude<Output, DocumentError>,
	document: Document,
	operation: Operation,
	{ itemIndex, read, json: inputJson }: InputItem,
): Finished {
	const ownBinary = 'row' in output ? {} : (output.binary ?? {});
	const withFile = read('options.includeInputFile', operation.passesFileOn);
	const withFields = read('options.includeInputFields', false);
	const binary = withFile ? { ...inputFiles(document, ownBinary), ...ownBinary } : ownBinary;
	const itemIndexes = 'json' in output ? (output.itemIndexes ?? []) : [];
	const pairing =
		itemIndexes.length > 1
			? [...new Set(itemIndexes)].map((index) => ({ item: index }))
			: { item: itemIndex };
	const item = (json: IDataObject): INodeExecutionData => ({
		json,
		...(Object.keys(binary).length > 0 ? { binary } : {}),
		pairedItem: pairing,
	});
	if ('row' in output) {
		return {
			item: item({}),
			row: { ...output.row, input: inputCells(withFields ? inputJson : {}) },
		};
	}
	return { item: item(withFields ? beside(output.json, { input: inputJson }) : output.json) };
}

function inputCells(json: IDataObject): Row['input'] {
	const named = Object.entries(json).map(([name, value]) => [`input_${name}`, asJson(value)]);
	return flatten([Object.fromEntries(named) as FieldObject]);
}

/** As n8n would save it: dates as texts. What it could not save is left out. */
function asJson(value: unknown): unknown {
	try {
		const json: unknown = JSON.parse(JSON.stringify(value));
		return isTooDeep(json) ? null : json;
	} catch {
		return null;
	}
}

/** The items of a run in their order, its rows with the same columns. */
export function itemsOf(finished: Finished[]): INodeExecutionData[] {
	const rows = layOut(finished.flatMap(({ row }) => row ?? []))[Symbol.iterator]();
	return finished.map(({ item, row }) =>
		row === undefined ? item : { ...item, json: rows.next().value! },
	);
}

/** The files of a document: a single one in `data`, or in `input` beside an image of the result; several under their own names. */
function inputFiles({ parts }: Document, taken: IBinaryKeyData): IBinaryKeyData {
	const [first, ...others] = parts;
	if (first !== undefined && others.length === 0) {
		return { [DEFAULT_FIELD in taken ? 'input' : DEFAULT_FIELD]: first.file.binary };
	}
	return Object.fromEntries(
		parts.map(({ file, formField }) => [file.field ?? formField, file.binary]),
	);
}
