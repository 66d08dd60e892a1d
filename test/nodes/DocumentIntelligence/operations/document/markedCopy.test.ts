import { degrees, PDFDocument } from 'pdf-lib';
import sharp from 'sharp';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { readFileOf } from '../../../../n8n-core/runNode';
import { corpus } from '../../../../pdf/corpus';
import { hostile } from '../../../../pdf/hostile';
import { PdfReader } from '../../../../pdf/reader';
import { asInput, useJobs } from '../../../service';
import { itemOf, itemWith, sampleBytes, truth } from '../../../samples';

const { service, run, job } = useJobs();
let reader: PdfReader;

beforeAll(() => {
	reader = new PdfReader();
});
afterAll(() => reader.stop());

const DOUBTS = { confidenceThreshold: 100, markedCopy: true };

async function extracted(item: INodeExecutionData, options: IDataObject, more: IDataObject = {}) {
	const { items, hints } = await run({ operation: 'extract', ...more, options }, [item]);
	return { items, hints: hints.map(({ message }) => message) };
}

/** The boxes of the copy: their comment, and the text that they cover. */
async function boxesIn({ binary }: INodeExecutionData) {
	const { pages } = await reader.read(await readFileOf(binary!.marked!));
	return pages.flatMap(({ annotations }, index) =>
		annotations
			.filter(({ subtype }) => subtype === 'Square')
			.map(({ contents, covers }) => ({ page: index + 1, contents, covers })),
	);
}

const answer = async (fields: object) =>
	await service.standIn.queueFaults([{ kind: 'answer', data: { metadata: { fields } } }]);

const field = (value: unknown, bbox: unknown, page: unknown = 1, confidence = 40) => ({
	...{ value, confidence, page, bbox, bbox_confidence: 90 },
});

test('each box is around its value, at the place where the stand-in has read it', async () => {
	const { items, hints } = await extracted(await itemWith('invoice-us.pdf'), {
		...DOUBTS,
		values: 'typed',
	});
	const { fields = {} } = truth['invoice-us.pdf']!;
	const boxes = await boxesIn(items[0]!);
	const coveredBy = (name: string) =>
		boxes.find(({ contents }) => contents?.startsWith(`${name} `))?.covers;
	for (const [name, printed] of Object.entries({
		invoiceNumber: fields.invoiceNumber,
		total: fields.total,
	}))
		expect(coveredBy(name)).toContain(String(printed));
	expect(items[0]?.binary?.marked).toMatchObject({
		fileName: 'invoice-us-marked.pdf',
		mimeType: 'application/pdf',
	});
	// One box for a value that is uncertain and has a low confidence.
	const dates = boxes.filter(({ contents }) => contents?.includes('invoiceDate'));
	expect(dates).toHaveLength(1);
	expect(dates[0]?.contents).toMatch(/^invoiceDate can be .*\ninvoiceDate has a confidence of/);
	expect(hints).not.toContainEqual(expect.stringContaining('Marked copies'));
});

test.each([90, 180, 270])('a page that a scanner turned by %d degrees, cropped', async (angle) => {
	const document = await PDFDocument.create();
	const [page] = await document.embedPdf(sampleBytes('invoice-uk.pdf'));
	const { width, height } = page!;
	const isUpright = angle === 180;
	const turned = document.addPage(isUpright ? [width, height] : [height, width]);
	const origin = { 90: { x: height, y: 0 }, 180: { x: width, y: height }, 270: { x: 0, y: width } };
	turned.drawPage(page!, { ...origin[angle as 90], rotate: degrees(angle) });
	turned.setRotation(degrees(angle));
	const size = turned.getSize();
	turned.setCropBox(10, 20, size.width - 30, size.height - 25);
	const file = Buffer.from(await document.save());
	const { items } = await extracted(await itemOf(file, 'turned.pdf'), DOUBTS);
	const { fields = {} } = truth['invoice-uk.pdf']!;
	const boxes = await boxesIn(items[0]!);
	const total = boxes.find(({ contents }) => contents?.startsWith('total '));
	expect(total?.covers).toContain(String(fields.total));
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
	expect((await boxesIn(items[0]!)).map(({ contents }) => contents)).toEqual([
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
	const { items } = await extracted(await itemWith('invoice-us.pdf'), {
		confidenceThreshold: 80,
		markedCopy: true,
	});
	const [first, second, third, fourth] = ['合計', 'total', 'tax', 'net'].map(
		(name) => `${name} has a confidence of 40, below 80`,
	);
	expect(items[0]?.json.reviewReasons).toEqual([
		...[`(1) ${first}`, `(2) ${second}`, `(1) ${third}`, fourth],
	]);
	expect((await boxesIn(items[0]!)).map(({ contents }) => contents)).toEqual([
		`${first}\n${third}`,
		second,
	]);
});

test('without a doubt there is no copy and no note', async () => {
	await answer({ total: field('1', [0, 0, 1, 1], 1, 99) });
	const { items, hints } = await extracted(await itemWith('invoice-us.pdf'), {
		confidenceThreshold: 80,
		markedCopy: true,
	});
	expect([items[0]?.binary, hints]).toEqual([undefined, []]);
});

describe('Where the copy is', () => {
	test('in rows, all rows have it, as they have the input file', async () => {
		const { items } = await extracted(
			await itemWith('invoice-de.pdf'),
			{ ...DOUBTS, includeInputFile: true },
			{ output: 'rows' },
		);
		expect(items.length).toBeGreaterThan(1);
		expect(items.map(({ binary }) => Object.keys(binary ?? {}).sort())).toEqual(
			items.map(() => ['data', 'marked']),
		);
	});

	test.each(['fields', 'documentRows', 'rows'])('Discover Fields, %s', async (output) => {
		const { items } = await run({ operation: 'zeroShot', output, options: DOUBTS }, [
			await itemWith('form.pdf'),
		]);
		expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toEqual(
			items.map(() => ['marked']),
		);
		expect((await boxesIn(items[0]!)).length).toBeGreaterThan(0);
	});

	test('a file with fewer pages than the result is not marked, because it is another one', async () => {
		await answer({
			total: field('1', [0.1, 0.1, 0.2, 0.2]),
			note: field('x', [0.1, 0.1, 0.2, 0.2], 7),
		});
		const { items, hints } = await extracted(await itemWith('invoice-us.pdf'), DOUBTS);
		expect(items[0]?.binary).toBeUndefined();
		expect(items[0]?.json.reviewReasons).toContain('total has a confidence of 40, below 100');
		expect(hints).toContain(
			'Marked copies: "invoice-us.pdf" (no copy: it has fewer pages than the result)',
		);
	});

	test('Raw has none', async () => {
		const { items } = await extracted(await itemWith('invoice-us.pdf'), DOUBTS, { output: 'raw' });
		expect(items[0]?.binary).toBeUndefined();
	});
});

describe('Job: Get Result', () => {
	const NOT_ONE = 'Marked copies: job (no copy: the item does not have exactly one supported file)';

	test.each<[string, string[], string[], string[]]>([
		['the only file', ['invoice-us.pdf'], ['marked'], []],
		['the only supported file', ['notes.txt', 'invoice-us.pdf'], ['marked'], []],
		['none of two files', ['invoice-us.pdf', 'invoice-uk.pdf'], [], [NOT_ONE]],
		['no file', [], [], [NOT_ONE]],
	])('marks %s of the item', async (_, names, expected, notes) => {
		const [input] = asInput(
			(await job('submit', [await itemWith('invoice-us.pdf')], { jobOperation: 'extract' })).items,
		);
		const files = await Promise.all(
			names.map(async (name, at) => [`file${at}`, (await itemWith(name)).binary!.data!] as const),
		);
		const { items, hints } = await job(
			'getResult',
			[{ ...input!, binary: Object.fromEntries(files) }],
			{ jobId: '={{ $json.jobId }}', options: DOUBTS },
		);
		expect(items[0]?.json.needsReview).toBe(true);
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(expected);
		const messages = hints.map(({ message }) => message.replace(/job [0-9a-f-]{36}/, 'job'));
		expect(messages.filter((message) => message.startsWith('Marked'))).toEqual(notes);
	});
});

describe('Files', () => {
	const picture = sharp({
		create: { width: 60, height: 40, channels: 3, background: '#fff' },
	});
	const NOT_A_KIND = 'it is not a PDF, JPEG or PNG without transparency and interlacing';

	test.each<[string, () => Promise<Buffer> | Buffer, string | undefined]>([
		['photo.jpg', async () => await picture.clone().jpeg().toBuffer(), undefined],
		['scan.png', async () => await picture.clone().png().toBuffer(), undefined],
		['clear.png', async () => await picture.clone().ensureAlpha().png().toBuffer(), NOT_A_KIND],
		['scan.tiff', async () => await picture.clone().tiff().toBuffer(), NOT_A_KIND],
		['letter.docx', () => sampleBytes('letter.docx'), NOT_A_KIND],
		['cut.jpg', async () => (await picture.clone().jpeg().toBuffer()).subarray(0, 30), NOT_A_KIND],
		['cut.png', async () => (await picture.clone().png().toBuffer()).subarray(0, 30), NOT_A_KIND],
		['locked.pdf', () => corpus['password, AES 128']!.file(), 'it needs a password'],
		['damaged.pdf', () => Buffer.from('%PDF-1.7 nothing'), 'it is damaged'],
	])('%s: the result is passed on, with a copy or a reason', async (name, make, reason) => {
		await answer({ total: field('1', [0.1, 0.1, 0.2, 0.2]) });
		const item = await itemOf(await make(), name);
		const { items, hints } = await extracted(item, DOUBTS);
		expect(items[0]?.json).toMatchObject({ fields: { total: '1' }, needsReview: true });
		expect(Object.keys(items[0]?.binary ?? {})).toEqual(reason === undefined ? ['marked'] : []);
		expect(hints).toEqual(
			reason === undefined ? [] : [`Marked copies: "${name}" (no copy: ${reason})`],
		);
	});

	// That reading ends, whatever the file is, is in pdf/bounds.test.ts.
	test('a file that stands for much work costs no result', async () => {
		await answer({ total: field('1', [0.1, 0.1, 0.2, 0.2]) });
		const file = hostile['empty blocks of compressed data']!(300_000);
		const item = await itemOf(file, 'hostile.pdf');
		const { items } = await extracted(item, DOUBTS);
		expect(items[0]?.json).toMatchObject({ fields: { total: '1' }, needsReview: true });
	});
});
