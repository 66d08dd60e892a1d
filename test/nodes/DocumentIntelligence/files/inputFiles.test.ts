import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { checkFile } from '../../../../nodes/DocumentIntelligence/files/inputFiles';
import { split } from '../../../../nodes/DocumentIntelligence/operations/document/split';
import { useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { filesIn, itemOf, MB, pdfOfSize, sha256, storedSample } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

const service = useService();
const combined = { settings: { binaryMode: 'combined' as const } };

let invoice: IBinaryData;
let contract: IBinaryData;
let letter: IBinaryData;

beforeAll(async () => {
	invoice = await storedSample('invoice-us.pdf');
	contract = await storedSample('contract.pdf');
	letter = await storedSample('letter.docx');
});

/** Classifies with this parameter: what is said of each document, and the names that arrived. */
async function classified(parameter: unknown, items: INodeExecutionData[], more = {}) {
	const { items: results } = await service.run(
		{
			operation: 'classify',
			binaryPropertyName: parameter as string,
			options: { includeInputFile: false },
		},
		items,
		{ ...goOn, ...more },
	);
	const names = results.map(({ json }) => json.fileName ?? (json.error as IDataObject).message);
	const arrived = (await service.files()).map(({ fileName }) => fileName).sort();
	return { results, names, arrived };
}

const mail = (): INodeExecutionData => ({
	json: { subject: 'Three attachments' },
	binary: { attachment_0: invoice, attachment_1: contract, attachment_2: letter },
});
const [INVOICE, CONTRACT, LETTER] = ['invoice-us.pdf', 'contract.pdf', 'letter.docx'];

describe('Input Binary Field', () => {
	test.each<[string, string[]]>([
		[',attachment_2,,attachment_0,', [LETTER, INVOICE]],
		['*', [INVOICE, CONTRACT, LETTER]],
		['={{ Object.keys($binary).slice(1) }}', [CONTRACT, LETTER]],
		['attachment_1, ATTACHMENT_1, *, *', [CONTRACT, INVOICE, LETTER]],
		['={{ ["*", $binary.attachment_2] }}', [INVOICE, CONTRACT, LETTER]],
	])('%s', async (parameter, expected) => {
		const { results, names, arrived } = await classified(parameter, [mail()]);
		expect(names).toEqual(expected);
		expect(results.map(({ pairedItem }) => pairedItem)).toEqual(expected.map(() => ({ item: 0 })));
		expect(arrived).toEqual([...expected].sort());
	});

	// In memory, the objects of an expression lack the bytes.
	test.each<[BinaryMode, string, string[]]>([
		['filesystem', '={{ [$binary.other, "other", $binary.other] }}', [CONTRACT]],
		['filesystem', '={{ Object.values($binary) }}', [CONTRACT, INVOICE, INVOICE]],
		['default', '={{ $binary.other }}', [CONTRACT]],
		['default', '={{ Object.values($binary) }}', [CONTRACT, INVOICE, INVOICE]],
	])('files as objects (%s): %s', async (mode, parameter, expected) => {
		await useBinaryMode(mode);
		const binary = await filesIn({ one: INVOICE, same: INVOICE, other: CONTRACT });
		const { arrived } = await classified(parameter, [{ json: {}, binary }]);
		expect(arrived).toEqual(expected);
		await useBinaryMode('filesystem');
	});

	test('a file of no item, given twice, is one document', async () => {
		const file = { ...invoice, fileName: 'other.pdf' } as unknown as IDataObject;
		const item = { json: { file }, binary: { data: contract } };
		const { arrived } = await classified('={{ [$json.file, "data", $json.file] }}', [item]);
		expect(arrived).toEqual([CONTRACT, 'other.pdf']);
	});

	test('a field that is not there is an item of its own, which lists those that are', async () => {
		const { results, names, arrived } = await classified('attachment_0, x, x', [mail()]);
		expect(names).toEqual([INVOICE, 'No file in the field "x"']);
		expect(failureOf(results[1]).description).toBe(
			'The item has files in: "attachment_0", "attachment_1", "attachment_2". If one of them is the right one, enter its name in \'Input Binary Field\'.',
		);
		expect(arrived).toEqual([INVOICE]);
	});

	test('other capitals must fit one field only', async () => {
		const item = { json: {}, binary: { Data: invoice, DATA: contract } };
		expect((await classified('DATA', [item])).names).toEqual([CONTRACT]);
		expect((await classified('data', [item])).names).toEqual(['No file in the field "data"']);
	});

	test.each<[string, IDataObject, string, RegExp]>([
		['data', {}, 'No file in the field "data"', /^Make sure that the previous node outputs files/],
		['*', {}, 'The item has no file', /Filter/],
		['*', { fileName: 'bundle.pdf' }, 'The item for "bundle.pdf" has no file', /Split/],
		[
			'',
			{ file: true },
			"'Input Binary Field' is empty",
			/files in: "data"\. .*enter its name in 'Input Binary Field'/,
		],
		['={{ 5 }}', { file: true }, "'Input Binary Field' does not resolve to a file", /"data"/],
		['={{ $binary.none }}', {}, "'Input Binary Field' does not resolve to a file", /previous node/],
		['constructor', { file: true }, 'No file in the field "constructor"', /"data"/],
		// A field that holds content by mistake is not quoted.
		['data:application/pdf;base64,s3cr3t', {}, 'No file in the field "data:…"', /./],
		[`a, ${'b, '.repeat(800)}`, {}, 'No file in the field (2402 characters of text)', /./],
	])('%j of an item with %j: %s', async (parameter, json, message, description) => {
		const item = json.file === true ? { json, binary: { data: invoice } } : { json };
		const { results, arrived } = await classified(parameter, [item]);
		const failure = failureOf(results[0]);
		expect(failure.message).toBe(message);
		expect(failure.description).toMatch(description);
		expect(arrived).toEqual([]);
	});

	test('a file that n8n has removed is named, and the other files of its item go on', async () => {
		const gone = { ...invoice, fileName: 'gone.pdf', id: `${invoice.id}-removed` };
		const { names } = await classified('*', [{ json: {}, binary: { gone, invoice } }]);
		expect(names).toEqual(['"gone.pdf" can no longer be read from n8n\'s file storage', INVOICE]);
	});

	test('a file that a Code node has copied without its id, so that data is only the name of a store, is named', async () => {
		const stores = ['filesystem-v2', 'filesystem', 's3', 'azure', 'database'];
		const file = { mimeType: 'application/pdf', fileName: 'copied.pdf' };
		const copied = Object.fromEntries(stores.map((data) => [data, { ...file, data }]));
		const item = { json: {}, binary: { ...copied, invoice } };
		const { results, names, arrived } = await classified('*', [item]);
		expect(names).toEqual([
			...stores.map((at) => `The binary field "${at}" has no id, so n8n cannot find its file`),
			INVOICE,
		]);
		expect(failureOf(results[0]).description).toMatch(/^A Code node .*binary: item\.binary/);
		expect(arrived).toEqual([INVOICE]);
	});

	test('JSON of the shape of a file is a file only if n8n keeps files inside the JSON', async () => {
		const json = { data: { ...invoice }, mail: { files: [contract, letter] } };
		const item = { json: json as unknown as IDataObject };
		expect((await classified('*', [item])).names).toEqual(['The item has no file']);
		for (const [parameter, expected] of [
			['mail.files[1], mail.files.1, Mail.Files[1], *', [LETTER, INVOICE, CONTRACT]],
			['={{ $json.mail.files }}', [CONTRACT, LETTER]],
		]) {
			const { names } = await classified(parameter, [item], combined);
			expect({ parameter, names }).toEqual({ parameter, names: expected });
		}
		const { results } = await classified('invoice', [item], combined);
		expect(failureOf(results[0]).description).toMatch('"data", "mail.files.0", "mail.files.1"');
	});
});

test('exactly 10 MB are sent whole, a byte more is not, nor an empty file', async () => {
	await useBinaryMode('default');
	await service.standIn.queueFaults([{ kind: 'answer', data: { results: [{}] } }]);
	const content = pdfOfSize(10 * MB);
	const files = [content, pdfOfSize(10 * MB + 1), Buffer.alloc(0)];
	const items = files.map(async (bytes) => await itemOf(bytes, 'scan.pdf'));
	const { results } = await classified('data', await Promise.all(items));
	expect(await service.files()).toMatchObject([{ bytes: 10 * MB, sha256: sha256(content) }]);
	expect(failureOf(results[1])).toMatchObject({
		message: '"scan.pdf" is too large: it is 10.01 MB, and the limit for this operation is 10 MB',
		description: expect.stringContaining('Split cuts files of up to 200 MB') as string,
		details: { fileName: 'scan.pdf' },
	});
	expect(failureOf(results[2]).message).toBe('"scan.pdf" is empty');
	await useBinaryMode('filesystem');
});

test('Split accepts 500 MB, and not a byte more', () => {
	const failureAt = (bytes: number) =>
		checkFile({ name: 'a.pdf', type: 'pdf', content: { bytes } } as never, split.maxFileBytes);
	expect(failureAt(500 * MB)).toBeUndefined();
	expect(failureAt(500 * MB + 1)?.message).toBe(
		'"a.pdf" is too large: it is 500.01 MB, and the limit for this operation is 500 MB',
	);
});

test('the base name of a file is uploaded, and its own name stays in the result', async () => {
	// A quote in a header parameter is %22 on the wire, as browsers send it.
	const cases: Array<[string | undefined, string]> = [
		['../../etc/invoice.pdf', 'invoice.pdf'],
		['C:\\Users\\Ann\\INVOICE.PDF', 'INVOICE.PDF'],
		['the "best" in\r\nvoice.pdf\0', 'the %22best%22 invoice.pdf'],
		['🧾 חשבונית — cafe\u0301.pdf', '🧾 חשבונית — cafe\u0301.pdf'],
		['x'.repeat(300), `${'x'.repeat(251)}.pdf`],
		[`${'🧾'.repeat(300)}.pdf`, `${'🧾'.repeat(62)}.pdf`],
		['mail/', 'data.pdf'],
		['invoice', 'invoice.pdf'],
		['invoice.2026', 'invoice.2026.pdf'],
	];
	const items = cases.map(([fileName]) => ({
		json: {},
		binary: { data: { ...invoice, fileName } },
	}));
	const { names, arrived } = await classified('data', items);
	expect(arrived).toEqual(cases.map(([, uploaded]) => uploaded).sort());
	expect(names.slice(-3)).toEqual(['data', 'invoice', 'invoice.2026']);
});
