import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { finish, itemsOf, type Finished } from '../../../../nodes/DocumentIntelligence/run/items';
import type {
	Document,
	FilePart,
	Operation,
	Output,
} from '../../../../nodes/DocumentIntelligence/operations/operation';
import { INCLUDE_INPUT_FILE } from '../../../../nodes/DocumentIntelligence/parameters/options';
import { type ReadParameter } from '../../../../nodes/DocumentIntelligence/parameters/read';
import type { Row } from '../../../../nodes/DocumentIntelligence/results/rows';

function notRead(): never {
	throw new Error('No step reads a file.');
}

const NO_HINTS = { add: () => expect('no hint').toBe('added') };

const binaryOf = (id: string): IBinaryData => ({
	id,
	data: 'filesystem-v2',
	mimeType: 'image/png',
});

const partOf = (formField: string, field: string | undefined): FilePart => ({
	formField,
	file: {
		field,
		binary: binaryOf(field ?? formField),
		name: 'a.png',
		uploadName: 'a.png',
		type: undefined,
		mimeType: 'image/png',
		content: { bytes: 0, open: notRead },
	},
});

function documentWith(
	options: IDataObject,
	parts: FilePart[] = [partOf('document', 'scan')],
	json: IDataObject = { subject: 'Hello' },
): Document {
	const read: ReadParameter = (name, fallback) =>
		(options[name.replace('options.', '')] ?? fallback) as typeof fallback;
	const item = {
		itemIndex: 3,
		json,
		read,
		isSandbox: false,
		files: async () => await Promise.resolve([]),
	};
	return { subject: '"a.png"', fileName: 'a.png', item, parts, skipped: 0 };
}

const finished = (output: Exclude<Output, Error>, document: Document) =>
	finish(output, document, { options: [INCLUDE_INPUT_FILE] } as unknown as Operation, 0);
const withFile = { includeInputFile: true };

test('an output about several items is paired with each of them once', () => {
	const pairedWith = (itemIndexes: number[]) =>
		finished({ json: {}, itemIndexes }, documentWith({})).item.pairedItem;
	expect(pairedWith([3, 5, 3])).toEqual([{ item: 3 }, { item: 5 }]);
	expect(pairedWith([5])).toEqual({ item: 3 });
	expect(pairedWith([])).toEqual({ item: 3 });
});

test('a file that passes through is its own input file; another with the same data or ID is not', () => {
	const document = documentWith(withFile);
	const same = { data: binaryOf('scan') };
	expect(finished({ json: {}, binary: same }, document).item.binary).toEqual(same);
	for (const other of [
		{ data: binaryOf('other') },
		{ data: { ...binaryOf('scan'), data: 'elsewhere' } },
	])
		expect(finished({ json: {}, binary: other }, document).item.binary).toEqual({
			...other,
			input: binaryOf('scan'),
		});
});

test('rows have the same columns, and stand where their documents do', () => {
	const row = (cells: Row['document']): Row => ({ document: cells, additions: {} });
	const withFields = documentWith({ includeInputFields: true });
	const all: Finished[] = [
		finished({ row: row({ a: 1 }) }, withFields),
		finished({ json: { error: 'none' } }, documentWith({})),
		finished({ row: row({ b: 2 }) }, documentWith({})),
	];
	expect(itemsOf(all, NO_HINTS, 'of_')).toEqual([
		{ json: { a: 1, b: null, of_subject: 'Hello' }, pairedItem: { item: 3 } },
		{ json: { error: 'none' }, pairedItem: { item: 3 } },
		{ json: { a: null, b: 2, of_subject: null }, pairedItem: { item: 3 } },
	]);
});

test('the cells of an input item are made once for all of its rows', () => {
	let reads = 0;
	const json = {
		get text() {
			reads += 1;
			return 'x';
		},
	};
	const document = documentWith({ includeInputFields: true }, [], json);
	const row: Row = { document: { a: 1 }, additions: {} };
	const all = Array.from({ length: 5 }, () => finished({ row }, document));
	expect(itemsOf(all, NO_HINTS).map((item) => item.json.input_text)).toEqual(Array(5).fill('x'));
	expect(reads).toBe(1);
});

test('too many columns for all rows are told', () => {
	const all = Array.from({ length: 1500 }, (_, number) =>
		finished({ row: { document: { [`c${number}`]: 1 }, additions: {} } }, documentWith({})),
	);
	const add = jest.fn();
	const items = itemsOf(all, { add });
	expect(add.mock.calls).toEqual([['tables', 'only the first row has all 1500 columns']]);
	expect(items.slice(0, 3).map(({ json }) => Object.keys(json).length)).toEqual([1500, 1, 1]);
});
