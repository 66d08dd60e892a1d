import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { IDataObject, IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';

import { xlsxOf } from './xlsx';

/**
 * What the example needs of n8n's own nodes, which come only with all of n8n: a start, reading and writing files, and a
 * spreadsheet. They take the parameters that the example has set, and no others.
 */
export const fileNodes: Record<string, INodeType> = {
	'n8n-nodes-base.manualTrigger': nodeType([], () => Promise.resolve([{ json: {} }])),
	'n8n-nodes-base.readWriteFile': nodeType(
		['operation', 'fileSelector', 'fileName', 'dataPropertyName'],
		async (context) =>
			context.getNodeParameter('operation', 0) === 'read'
				? await readFiles(context)
				: await writeFiles(context),
	),
	'n8n-nodes-base.convertToFile': nodeType(
		['operation', 'binaryPropertyName', 'options'],
		makeSpreadsheet,
	),
};

function nodeType(
	parameters: string[],
	execute: (context: IExecuteFunctions) => Promise<INodeExecutionData[]>,
): INodeType {
	return {
		description: {
			displayName: 'Node of the Demo',
			name: 'demo',
			group: ['transform'],
			version: [1, 1.1],
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: ['main'],
			// The engine drops parameters that a node does not declare.
			properties: parameters.map((name) => ({
				displayName: name,
				name,
				type: 'json',
				default: '',
			})),
		},
		async execute() {
			return [await execute(this)];
		},
	};
}

/** The files of a folder that match a pattern with one star in its last part. */
async function readFiles(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const pattern = context.getNodeParameter('fileSelector', 0) as string;
	const [start = '', end = ''] = basename(pattern).split('*');
	const names = (await readdir(dirname(pattern))).sort();
	return await Promise.all(
		names
			.filter((name) => name.startsWith(start) && name.endsWith(end))
			.map(async (name) => {
				const bytes = await readFile(join(dirname(pattern), name));
				return {
					json: { fileName: name },
					binary: { data: await context.helpers.prepareBinaryData(bytes, name) },
					pairedItem: { item: 0 },
				};
			}),
	);
}

async function writeFiles(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	for (const index of items.keys()) {
		const path = context.getNodeParameter('fileName', index) as string;
		const field = String(context.getNodeParameter('dataPropertyName', index));
		await writeFile(path, await context.helpers.getBinaryDataBuffer(index, field));
	}
	return items.map((item, index) => ({ ...item, pairedItem: { item: index } }));
}

async function makeSpreadsheet(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const field = String(context.getNodeParameter('binaryPropertyName', 0));
	const options = context.getNodeParameter('options', 0) as Record<string, string>;
	const rows = context.getInputData().map(({ json }) => cellsOf(json));
	const bytes = xlsxOf(options.sheetName ?? 'Sheet', rows);
	const data = await context.helpers.prepareBinaryData(bytes, options.fileName);
	return [{ json: {}, binary: { [field]: data }, pairedItem: { item: 0 } }];
}

/** Lists and objects as JSON, as n8n writes them. */
function cellsOf(row: IDataObject): Record<string, string | number | boolean | null> {
	return Object.fromEntries(
		Object.entries(row).map(([column, value]) => {
			const isPlain = value === null || ['string', 'number', 'boolean'].includes(typeof value);
			return [
				column,
				isPlain ? (value as string | number | boolean | null) : JSON.stringify(value),
			];
		}),
	);
}
