import { useClassify } from '../../../classifyRuns';
import { itemWith } from '../../../samples';
import { failureOf, goOn } from '../../../service';

const { service, classify, itemsOf } = useClassify();

test.each([
	['invoice-long.pdf', 'Invoice', 2, expect.stringMatching(/^[0-9a-f-]{36}$/) as string],
	['letter.docx', 'Invoice', null, expect.stringMatching(/^[0-9a-f-]{36}$/) as string],
	['id-card.png', 'Identity Card', 1, null],
])('the type of %s, and the file', async (fileName, documentType, pages, templateId) => {
	const item = await itemWith(fileName);
	const { items } = await classify([item]);
	const confidence = expect.any(Number) as number;
	expect(items).toEqual([
		{
			json: { fileName, documentType, confidence, pages, templateId },
			binary: item.binary,
			pairedItem: { item: 0 },
		},
	]);
	const [call] = await service.calls();
	expect([call?.path, call?.parts.map(({ name }) => name)]).toEqual([
		'/Document/classifier',
		['files'],
	]);
});

/** Files, the results for them as `name=type`, and the type that each file gets; `-` is a file without a result. */
test.each([
	['one is missing', 'Ä.pdf, Ö.pdf, c.pdf', '__2_.pdf=Ö, c.pdf=C', '-, Ö, C'],
	['underscores', 'Ä.pdf, c d&e.pdf, 1.pdf', '1.pdf=1, c_d_e.pdf=C, _.pdf=Ä', 'Ä, C, 1'],
	['a name of no file', 'a.pdf, b.pdf', 'a.pdf=A, upload-1.bin=B', 'A, -'],
	['no names', 'a.pdf, b.pdf', '=A, =B', '-, -'],
	['two for one name', 'a.pdf, b.pdf, c.pdf', 'a.pdf=A, a.pdf=B, c.pdf=C', '-, -, C'],
	['one has no type', 'a.pdf, b.pdf', 'a.pdf=null, b.pdf=B', 'null, B'],
	['a name without a type, and a type without a name', 'a.pdf, b.pdf', 'b.pdf, =A', '-, -'],
	['of a file by itself, without a name', 'a.pdf', '=A', 'A'],
	['of a file by itself, under another name', 'a.pdf', 'b.pdf=B', 'B'],
	['of a file by itself, several of other files', 'a.pdf', 'b.pdf=B, c.pdf=C', '-'],
	['of a file by itself, after one of another file', 'a.pdf', 'x.pdf=X, a.pdf=A', 'A'],
	['nothing but null', 'a.pdf', 'null', '-'],
])('no type of results is guessed: %s', async (_, files, answered, expected) => {
	const names = files.split(', ');
	const results = answered.split(', ').map((entry) => {
		const [fileName, documentType] = entry.split('=');
		return entry === 'null'
			? null
			: { fileName: fileName || null, documentType: documentType === 'null' ? null : documentType };
	});
	await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
	const { items } = await classify(await itemsOf(...names), {}, goOn);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(names.map((__, item) => ({ item })));
	const types = items.map((item, at) => {
		if (item.json.error === undefined) return (item.json.documentType as string | null) ?? 'null';
		expect(failureOf(item).message).toBe(`Cogneris returned no type for "${names[at]}"`);
		return '-';
	});
	expect(types.join(', ')).toBe(expected);
	expect(await service.calls()).toHaveLength(1);
});

test('what is no text or number is null, and a confidence as text is a number', async () => {
	const results = [
		{ fileName: 'a.pdf', documentType: 'Invoice', confidence: '87%', pages: '2', templateId: {} },
		{ fileName: 'b.pdf', documentType: null, confidence: 'high', pages: [] },
	];
	await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
	const { items, hints } = await classify(await itemsOf('a.pdf', 'b.pdf'));
	expect(hints.map(({ message }) => message)).toEqual(['2 documents: Invoice 1, no type 1']);
	expect(items.map(({ json }) => json)).toMatchObject([
		{ documentType: 'Invoice', confidence: 87, pages: 2, templateId: null },
		{ documentType: null, confidence: null, pages: null, templateId: null },
	]);
});

test('with a Confidence Threshold of 80, a lower or missing confidence and a missing type need a review', async () => {
	const doubt = (confidence: number) => `documentType has a confidence of ${confidence}, below 80`;
	const said: Array<[answer: object, ...reasons: string[]]> = [
		[{ confidence: 79.9 }, doubt(79.9)],
		[{ confidence: 80 }],
		[{ confidence: { value: 97 } }, 'documentType has no confidence'],
		[{ confidence: 97, documentType: null }, 'documentType has no value'],
		[{ confidence: 40, documentType: ' ' }, 'documentType has no value', doubt(40)],
	];
	const names = said.map((_, number) => `${number}.pdf`);
	const results = said.map(([answer], number) => ({
		...{ fileName: names[number], documentType: 'Invoice' },
		...answer,
	}));
	await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
	const { items } = await classify(await itemsOf(...names), { confidenceThreshold: 80 });
	expect(items.map(({ json }) => [json.needsReview, json.reviewReasons])).toEqual(
		said.map(([, ...reasons]) => [reasons.length > 0, reasons]),
	);
});
