import type { INodeExecutionData } from 'n8n-workflow';

import { useClassify } from '../../../classifyRuns';
import { failureOf, goOn } from '../../../service';

const { service, classify, itemsOf } = useClassify();

/** What each item says: its type, or the message of the failed item. */
const typesOf = (items: INodeExecutionData[]) =>
	items.map((item) =>
		item.json.error === undefined ? item.json.documentType : failureOf(item).message,
	);

const result = (fileName: unknown, documentType: unknown) => ({ fileName, documentType });
const none = (name: string) => `Cogneris returned no type for "${name}"`;

test.each<[string, string[], unknown[], unknown[]]>([
	[
		'one is missing: no type goes to another file',
		['Ä.pdf', 'Ö.pdf', 'c.pdf'],
		[result('__2_.pdf', 'Invoice'), result('c.pdf', 'Contract')],
		[none('Ä.pdf'), 'Invoice', 'Contract'],
	],
	[
		'names with other characters as underscores, in another order',
		['Ä.pdf', 'Ö.pdf', 'c d&e.pdf', '1.pdf'],
		[
			result('1.pdf', 'One'),
			result('c_d_e.pdf', 'Space'),
			result('__2_.pdf', 'O'),
			result('_.pdf', 'A'),
		],
		['A', 'O', 'Space', 'One'],
	],
	[
		'names of other files',
		['a.pdf', 'b.pdf'],
		[result('a.pdf', 'Invoice'), result('upload-1.bin', 'Contract')],
		['Invoice', none('b.pdf')],
	],
	[
		'no names: none is guessed by its position',
		['a.pdf', 'b.pdf'],
		[result(null, 'Invoice'), { documentType: 'Contract' }],
		[none('a.pdf'), none('b.pdf')],
	],
	[
		'two types for one name: neither is guessed',
		['a.pdf', 'b.pdf', 'c.pdf'],
		[result('a.pdf', 'Invoice'), result('a.pdf', 'Contract'), result('c.pdf', 'Receipt')],
		[none('a.pdf'), none('b.pdf'), 'Receipt'],
	],
	[
		'an entry without a type',
		['a.pdf', 'b.pdf'],
		[result('a.pdf', null), result('b.pdf', 'Invoice')],
		[null, 'Invoice'],
	],
	[
		'a name without a type: the type of no name is not guessed',
		['a.pdf', 'b.pdf'],
		[{ fileName: 'b.pdf' }, { documentType: 'Invoice' }],
		[none('a.pdf'), none('b.pdf')],
	],
	['a file by itself, without a name', ['a.pdf'], [result(null, 'Invoice')], ['Invoice']],
	['a file by itself, whatever name the result has', ['a.pdf'], [result('b.pdf', 'X')], ['X']],
	[
		'a file by itself, and results of other files only',
		['a.pdf'],
		[result('b.pdf', 'X'), result('c.pdf', 'Y')],
		[none('a.pdf')],
	],
	[
		'a file by itself, after one of another file',
		['a.pdf'],
		[result('x.pdf', 'Invoice'), result('a.pdf', 'Contract')],
		['Contract'],
	],
	['a file by itself, and nothing but null', ['a.pdf'], [null], [none('a.pdf')]],
])('results, %s', async (_, names, results, expected) => {
	await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
	const { items } = await classify(await itemsOf(...names), {}, goOn);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(names.map((__, item) => ({ item })));
	expect(typesOf(items)).toEqual(expected);
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
	expect(items.map(({ json }) => json)).toEqual([
		{ fileName: 'a.pdf', documentType: 'Invoice', confidence: 87, pages: 2, templateId: null },
		{ fileName: 'b.pdf', documentType: null, confidence: null, pages: null, templateId: null },
	]);
});

describe('Confidence Threshold', () => {
	test('of 80: a lower or missing confidence and a missing type need a review', async () => {
		const said: Array<[answer: object, needsReview: boolean]> = [
			[{ confidence: 79.9 }, true],
			[{ confidence: 80 }, false],
			[{ confidence: '12 %' }, true],
			[{ confidence: '97' }, false],
			[{ confidence: 0 }, true],
			[{ confidence: null }, true],
			[{}, true],
			[{ confidence: 'low' }, true],
			[{ confidence: { value: 97 } }, true],
			[{ confidence: 97, documentType: null }, true],
		];
		const names = said.map((_, number) => `${number}.pdf`);
		const results = said.map(([answer], number) => ({
			...{ fileName: names[number], documentType: 'Invoice' },
			...answer,
		}));
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const { items } = await classify(await itemsOf(...names), { confidenceThreshold: 80 });
		expect(items.map(({ json }) => json.needsReview)).toEqual(said.map(([, expected]) => expected));
		expect(items[1]?.json).toMatchObject({ needsReview: false, reviewReasons: [] });
	});

	test('the reasons of a review', async () => {
		const results = [{ documentType: ' ', confidence: 40 }];
		await service.standIn.queueFaults([{ kind: 'answer', data: { results } }]);
		const { items } = await classify(await itemsOf('a.pdf'), { confidenceThreshold: 80 });
		expect(items[0]?.json.reviewReasons).toEqual([
			'documentType has no value',
			'documentType has a confidence of 40, below 80',
		]);
	});
});
