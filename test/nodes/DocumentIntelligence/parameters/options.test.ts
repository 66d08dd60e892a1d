import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	namesIn,
	readRequiredFields,
	readSwitch,
} from '../../../../nodes/DocumentIntelligence/parameters/read';
import { useBinaryMode } from '../../../n8n-core/runNode';
import { instantLimiters } from '../../instantLimiters';
import { storedSample } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();
let items: INodeExecutionData[];

beforeAll(async () => {
	await useBinaryMode('filesystem');
	items = [{ json: {}, binary: { data: await storedSample('invoice-us.pdf') } }];
});

/** What an expression may give where a number is meant. */
const NOT_NUMBERS: unknown[] = ['', '  ', 'many', null, Number.NaN, {}, []];

async function extract(
	options: IDataObject,
	onError: 'continueRegularOutput' | 'stopWorkflow' = 'continueRegularOutput',
) {
	const { items: results } = await service.run({ operation: 'extract', options }, items, {
		onError,
		limiters: instantLimiters().limiters,
	});
	return results;
}

describe('An option that is a number, by expression', () => {
	test.each([...NOT_NUMBERS, -1, 0, 0.5, '60', 1e15, Number.POSITIVE_INFINITY])(
		'Timeout %p: the document is read',
		async (timeout) => {
			const [result] = await extract({ timeout } as IDataObject);
			expect(result?.json.documentType).toBe('Invoice');
		},
	);

	test('Timeout as a text counts', async () => {
		await service.standIn.queueFaults([{ kind: 'hang' }]);
		const [result] = await extract({ timeout: '1' });
		expect(failureOf(result).message).toBe('"invoice-us.pdf" was not answered within 1 second');
	});

	test.each([
		['95', ['unsure', 'sure']],
		[70.5, ['unsure']],
		[70, []],
	])('Confidence Threshold %p: a person looks at %p', async (confidenceThreshold, fields) => {
		await service.standIn.queueFaults([
			{
				kind: 'answer',
				data: {
					metadata: {
						unsure: { value: 'x', confidence: 70 },
						sure: { value: 'y', confidence: 90 },
					},
				},
			},
		]);
		const [result] = await extract({ confidenceThreshold });
		expect(result?.json.lowConfidenceFields).toEqual(fields);
	});

	test('Confidence Threshold that is not set: nobody is asked to look', async () => {
		const [result] = await extract({});
		expect(result?.json).not.toHaveProperty('needsReview');
	});
});

describe('A switch by expression', () => {
	test.each([
		[true, true],
		['true', true],
		[' TRUE ', true],
		[false, false],
		['false', false],
		['no', false],
		['', false],
		[null, false],
	])('Include Input Fields %p: %p', async (includeInputFields, expected) => {
		const [result] = await extract({ includeInputFields, includeInputFile: includeInputFields });
		expect(Object.hasOwn(result?.json ?? {}, 'input')).toBe(expected);
		expect(result?.binary !== undefined).toBe(expected);
	});
});

describe('An option that is a list of names', () => {
	test.each<[unknown, string[]]>([
		['total', ['total']],
		['total, dueDate\n\n supplier name ,', ['total', 'dueDate', 'supplier name']],
		[
			['total', ['dueDate, iban'], null, 7],
			['total', 'dueDate, iban', '7'],
		],
		['', []],
		[' , ', []],
		[null, []],
		[{ name: 'total' }, []],
	])('%j names %j', (value, names) => expect(namesIn(value)).toEqual(names));

	test.each<[unknown, string[] | undefined]>([
		['total, total, iban', ['total', 'iban']],
		[' ', undefined],
		[undefined, undefined],
	])('Required Fields %j are %j', (value, names) => {
		const read = <Value>(name: string, fallback: Value) =>
			(name === 'options.requiredFields' ? (value ?? fallback) : 'another option') as Value;
		expect(readRequiredFields(read)).toEqual(names);
	});
});

describe('An option that is a switch', () => {
	test.each<[unknown, boolean, boolean]>([
		[true, false, true],
		[false, true, false],
		['false', true, false],
		['true', false, true],
		['perhaps', true, true],
		['perhaps', false, false],
		[null, true, true],
	])('%j, usually %j, is %j', (value, usual, is) => {
		const read = <Value>(name: string) =>
			(name === 'options.downloadImages' ? value : 'another option') as Value;
		expect(readSwitch(read, 'downloadImages', usual)).toBe(is);
	});
});
