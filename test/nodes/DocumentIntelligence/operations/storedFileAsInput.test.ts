import type { IDataObject } from 'n8n-workflow';

import { useStoredHistory } from '../../../n8n-core/history';
import { asInput, comparable, failureOf, goOn, useJobs } from '../../service';
import { itemsWith } from '../../samples';

const { service, run, storedFile, steps } = useJobs();

const source = { inputSource: 'storedFile', reference: '={{ $json.reference }}' };

const stored = async (...names: string[]) =>
	asInput((await storedFile('upload', await itemsWith(...names))).items);

describe('Input Source Stored File', () => {
	test.each([
		['extract', 'fields', 'invoice-us.pdf'],
		['split', 'fields', 'bundle.pdf'],
	])('%s, %s: the items of a direct answer, without an upload', async (operation, output, name) => {
		const options = { includeInputFile: false };
		const direct = await run({ operation, output, options }, await itemsWith(name));
		const input = await stored(name);
		const before = (await steps()).length;
		const { items, credits } = await run({ operation, output, ...source }, input);
		expect(items.map(comparable)).toEqual(direct.items.map(comparable));
		expect(credits).toEqual(direct.credits);
		const made = (await steps()).slice(before).filter((step) => step !== 'list');
		expect(made).toEqual(['submit', 'fetch']);
	});

	test('a stored file has the name that its item has beside the same reference, else that of the reference', async () => {
		const [uploaded] = await stored('invoice-us.pdf');
		const reference = uploaded?.json.reference as string;
		const { items } = await run({ operation: 'extract', ...source, reference }, [
			{ json: { reference } },
			{ json: { reference, fileName: 'mine.pdf' } },
			{ json: { reference: 'artifact://other', fileName: 'other.pdf' } },
		]);
		const ofReference = reference.split('/').at(-1);
		const names = [ofReference, 'mine.pdf', ofReference];
		expect(items.map(({ json }) => json.fileName)).toEqual(names);
	});

	test('Split cuts no file that is not there: its items, and a hint', async () => {
		const { items, hints } = await run(
			{ operation: 'split', ...source },
			await stored('bundle.pdf'),
		);
		expect(items.length).toBeGreaterThan(1);
		expect(items.every(({ binary }) => binary === undefined)).toBe(true);
		expect(items[0]?.json).toMatchObject({ fileName: 'bundle.pdf', firstPage: 1 });
		expect(hints.map(({ message }) => message)).toEqual([
			expect.stringContaining('"bundle.pdf" (not cut: the file is stored in Cogneris, not in n8n)'),
		]);
	});

	test.each<[string, IDataObject, RegExp]>([
		['faceMatch', {}, /^Unknown value for 'Input Source': "storedFile"/],
		// Where Input Source is an expression, the panel cannot know to hide them.
		[
			'extract',
			{ options: { complementaryPrompt: 'x' }, inputSource: '={{ "storedFile" }}' },
			/^Jobs don't support 'Additional Instructions'.* Stored files.* are always processed as jobs/,
		],
	])('is refused before anything is sent: %s %j', async (operation, parameters, said) => {
		const input = [{ json: { reference: 'artifact://1' } }];
		const { items } = await run({ operation, ...source, ...parameters }, input, goOn);
		const { message, description } = failureOf(items[0]);
		expect(`${message} ${description}`).toMatch(said);
		expect(await service.calls()).toEqual([]);
	});

	test('with Skip, one that is uploaded again is another file, and the same reference is not', async () => {
		await useStoredHistory();
		const [first, again] = await stored('invoice-us.pdf', 'invoice-us.pdf');
		const parameters = { operation: 'extract', ...source, options: { processedBefore: 'skip' } };
		const { items } = await run(parameters, [first!, first!, again!]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
		expect((await steps()).filter((step) => step === 'submit')).toHaveLength(2);
	});
});
