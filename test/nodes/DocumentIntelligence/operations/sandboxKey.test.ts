import type { IDataObject } from 'n8n-workflow';

import { itemWith, storedSample } from '../../samples';
import { failureOf, goOn, useJobs } from '../../service';

const { service, run, steps, sandbox } = useJobs();

describe('A sandbox key', () => {
	test('works without an option, and costs nothing', async () => {
		const item = await itemWith('invoice-us.pdf');
		const { items } = await run({ operation: 'extract' }, [item], sandbox());
		expect(items[0]?.json).toMatchObject({ fileName: 'invoice-us.pdf' });
		expect(items[0]?.json.error).toBeUndefined();
		expect(await steps()).toEqual(expect.arrayContaining(['store', 'submit', 'fetch']));
		expect(await service.standIn.charges()).toEqual([]);
	});

	const templateId = { __rl: true, mode: 'id', value: '5f0c2a1e-6f0b-4a59-9a63-6a1f0c8f9d21' };
	test.each<[string, IDataObject, RegExp]>([
		['extract', { options: { processing: 'direct' } }, /sandbox key.*'Processing' to Automatic/],
		['extract', { templateId }, /cannot choose a template.*Set 'Template' to Automatic/],
		[
			'extract',
			{ options: { complementaryPrompt: 'Read the seal' } },
			/Clear 'Additional Instructions', or use a live key \(xtkt_live_\)\.(?!.*Direct).* Nothing was sent\.$/,
		],
		[
			'faceMatch',
			{ documentsField: 'data' },
			/^Match Faces needs a live key.* was not sent .*live key \(xtkt_live_\)/,
		],
	])('%s %j is refused before anything is sent', async (operation, parameters, said) => {
		const item = await itemWith('portrait.png');
		item.binary!.selfie = await storedSample('portrait.png', 'selfie.png');
		const { items } = await run({ operation, ...parameters }, [item], { ...goOn, ...sandbox() });
		const { message, description } = failureOf(items[0]);
		expect(`${message} ${description ?? ''}`).toMatch(said);
		expect(await service.calls()).toEqual([]);
	});
});
