import sharp from 'sharp';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf } from '../../../../n8n-core/runNode';
import { corpus } from '../../../../pdf/corpus';
import { hostile } from '../../../../pdf/hostile';
import { PdfReader } from '../../../../pdf/reader';
import { asInput, useJobs } from '../../../service';
import { filesIn, itemOf, itemWith, sampleBytes, truth } from '../../../samples';

// Where a box is on a page, whatever the page, and what a picture looks like in a PDF is in pdf/marking/.

const { service, run, job } = useJobs();
let reader: PdfReader;

beforeAll(() => {
	reader = new PdfReader();
});
afterAll(() => reader.stop());

const DOUBTS = { confidenceThreshold: 100, markedCopy: true };

async function extracted(
	item: INodeExecutionData,
	options: IDataObject = { ...DOUBTS, confidenceThreshold: 80 },
	output = 'fields',
) {
	const { items, hints } = await run({ operation: 'extract', output, options }, [item]);
	return { items, hints: hints.map(({ message }) => message) };
}

/** The boxes of the copy: their comment, and the text that they cover. */
async function boxesIn({ binary }: INodeExecutionData) {
	const { pages } = await reader.read(await readFileOf(binary!.marked!));
	return pages
		.flatMap(({ annotations }) => annotations)
		.filter(({ subtype }) => subtype === 'Square');
}

const commentsIn = async (item: INodeExecutionData) =>
	(await boxesIn(item)).map(({ contents }) => contents);

const answer = async (fields: object) =>
	await service.standIn.queueFaults([{ kind: 'answer', data: { metadata: { fields } } }]);

const field = (value: unknown, bbox: unknown, page: unknown = 1, confidence = 40) => ({
	...{ value, confidence, page, bbox, bbox_confidence: 90 },
});

const A_FIELD = { total: field('1', [0.1, 0.1, 0.2, 0.2]) };

test('each box is around its value, at the place where the stand-in has read it', async () => {
	const options = { ...DOUBTS, values: 'typed' };
	const { items, hints } = await extracted(await itemWith('invoice-us.pdf'), options);
	const { fields = {} } = truth['invoice-us.pdf']!;
	const boxes = await boxesIn(items[0]!);
	const boxesOf = (name: string) =>
		boxes.filter(({ contents }) => contents?.startsWith(`${name} `));
	for (const name of ['invoiceNumber', 'total'])
		expect(boxesOf(name)[0]?.covers).toContain(fields[name]);
	// One box for a value that is uncertain and has a low confidence.
	expect(boxesOf('invoiceDate').map(({ contents }) => contents)).toEqual([
		expect.stringMatching(/^invoiceDate can be .*\ninvoiceDate has a confidence of/),
	]);
	expect(items[0]?.binary?.marked).toMatchObject({
		fileName: 'invoice-us-marked.pdf',
		mimeType: 'application/pdf',
	});
	expect(hints).not.toContainEqual(expect.stringContaining('Marked copies'));
});

test('kinds of doubts, several boxes, boxes that leave the page, and values without a position', async () => {
	await answer({
		total: field('130.00', [0.5, 0.5, 0.6, 0.52], 1, 99),
		net: field('100.00', [
			[-0.2, 0.1, 0.2, 0.2],
			[0.1, 0.8, 0.3, 1.5],
		]),
		tax: field('21.00', [2, 2, 3, 3]),
		date: { value: '26.10.22', confidence: 99 },
		lines: { items: [field({ text: { value: 'a', confidence: 10 } }, [0, 0, 0.5, 0.1], 1, 99)] },
	});
	const { items, hints } = await extracted(await itemWith('invoice-us.pdf'), {
		...{ confidenceThreshold: 80, markedCopy: true, values: 'typed' },
		checks: 'total = net + tax\nmissing = net',
	});
	expect(await commentsIn(items[0]!)).toEqual([
		'total is 130.00, but net + tax is 121.00',
		'net has a confidence of 40, below 80',
		'net has a confidence of 40, below 80',
		'lines[0].text has a confidence of 10, below 80',
	]);
	expect(hints).toContain('Marked copies: "invoice-us.pdf" (3 values without a position)');
});

test('a box and the reason have the same number, as the margin cannot show all names', async () => {
	await answer({
		...{ 合計: field('1', [0, 0, 1, 1]), total: field('1', [0, 0, 1, 0.5]) },
		tax: field('1', [0, 0, 1, 1]),
		net: field('1', undefined),
	});
	const { items } = await extracted(await itemWith('invoice-us.pdf'));
	const [first, second, third, fourth] = ['合計', 'total', 'tax', 'net'].map(
		(name) => `${name} has a confidence of 40, below 80`,
	);
	expect(items[0]?.json.reviewReasons).toEqual([
		...[`(1) ${first}`, `(2) ${second}`, `(1) ${third}`, fourth],
	]);
	expect(await commentsIn(items[0]!)).toEqual([`${first}\n${third}`, second]);
});

test('without a doubt there is no copy, and no note', async () => {
	await answer({ total: field('1', [0, 0, 1, 1], 1, 99) });
	const { items, hints } = await extracted(await itemWith('invoice-us.pdf'));
	expect([items[0]?.binary, hints]).toEqual([undefined, []]);
});

test.each([
	['extract', 'raw', []],
	['extract', 'rows', ['marked']],
	['zeroShot', 'fields', ['marked']],
	['zeroShot', 'documentRows', ['marked']],
	['zeroShot', 'rows', ['marked']],
])('in %s, %s, each item has as files: the input and %j', async (operation, output, files) => {
	const options = { ...DOUBTS, includeInputFile: true };
	const item = await itemWith(operation === 'extract' ? 'invoice-de.pdf' : 'form.pdf');
	const { items } = await run({ operation, output, options }, [item]);
	for (const { binary } of items)
		expect(Object.keys(binary ?? {}).sort()).toEqual(['data', ...files]);
});

const NOT_ONE = 'job (no copy: the item does not have exactly one supported file)';

test.each<[string, Record<string, string>, string]>([
	['the only file', { file: 'invoice-us.pdf' }, ''],
	['the only supported file', { notes: 'notes.txt', file: 'invoice-us.pdf' }, ''],
	['none of two files', { file: 'invoice-us.pdf', other: 'invoice-uk.pdf' }, NOT_ONE],
	['no file', {}, NOT_ONE],
])('Job: Get Result marks %s of the item', async (_, files, note) => {
	const submitted = await job('submit', [await itemWith('invoice-us.pdf')]);
	const [item] = asInput(submitted.items);
	const parameters = { jobId: '={{ $json.jobId }}', options: DOUBTS };
	const input = [{ ...item!, binary: await filesIn(files) }];
	const { items, hints } = await job('getResult', input, parameters);
	expect(items[0]?.json.needsReview).toBe(true);
	expect(Object.keys(items[0]?.binary ?? {})).toEqual(note === '' ? ['marked'] : []);
	const messages = hints.map(({ message }) => message.replace(/job [0-9a-f-]{36}/, 'job'));
	expect(messages.filter((message) => message.startsWith('Marked'))).toEqual(
		note === '' ? [] : [`Marked copies: ${note}`],
	);
});

const NOT_A_KIND = 'it is not a PDF, JPEG or PNG without transparency and interlacing';

const picture = async () =>
	await sharp({ create: { width: 60, height: 40, channels: 3, background: '#fff' } })
		.jpeg()
		.toBuffer();

test.each<[string, () => Promise<Buffer> | Buffer, object, string]>([
	['photo.jpg', picture, A_FIELD, ''],
	['letter.docx', () => sampleBytes('letter.docx'), A_FIELD, NOT_A_KIND],
	['cut.jpg', async () => (await picture()).subarray(0, 30), A_FIELD, NOT_A_KIND],
	['locked.pdf', () => corpus['password, AES 128']!.file(), A_FIELD, 'it needs a password'],
	['damaged.pdf', () => Buffer.from('%PDF-1.7 nothing'), A_FIELD, 'it is damaged'],
	[
		'another.pdf',
		() => sampleBytes('invoice-us.pdf'),
		{ ...A_FIELD, note: field('x', [0.1, 0.1, 0.2, 0.2], 7) },
		'it has fewer pages than the result',
	],
])('%s: the result is passed on, with a copy or a reason', async (name, make, fields, reason) => {
	await answer(fields);
	const { items, hints } = await extracted(await itemOf(await make(), name));
	expect(items[0]?.json).toMatchObject({ fields: { total: '1' }, needsReview: true });
	expect(Object.keys(items[0]?.binary ?? {})).toEqual(reason === '' ? ['marked'] : []);
	expect(hints).toEqual(reason === '' ? [] : [`Marked copies: "${name}" (no copy: ${reason})`]);
});

// That reading ends, whatever the file is, is in pdf/bounds.test.ts.
test('a file that stands for much work costs no result', async () => {
	await answer(A_FIELD);
	const file = hostile['empty blocks of compressed data']!(300_000);
	const { items } = await extracted(await itemOf(file, 'hostile.pdf'));
	expect(items[0]?.json).toMatchObject({ fields: { total: '1' }, needsReview: true });
});
