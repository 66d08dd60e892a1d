import type { IDataObject } from 'n8n-workflow';

import { storeFile } from '../../../n8n-core/runNode';
import { sampleBytes, storedSample } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

const service = useService();

describe('Nothing unknown is sent', () => {
	test.each<[string, IDataObject]>([
		['Input Source', { inputSource: '={{ ["fileUrl"] }}' }],
		['Output', { output: '={{ null }}' }],
		['Values', { options: { values: 'numbers' } }],
	])('%s: %j', async (label, parameters) => {
		const data = await storeFile(sampleBytes('invoice-us.pdf'), 'a.pdf', 'application/pdf');
		const items = [{ json: {}, binary: { data } }];
		const { items: results } = await service.run(
			{ operation: 'extract', ...parameters },
			items,
			goOn,
		);
		const { message, description } = failureOf(results[0]);
		expect(message).toMatch(new RegExp(`^Unknown value for '${label}': `));
		expect(description).toMatch(/^Nothing was sent\. Choose from the list/);
		expect(await service.calls()).toEqual([]);
	});

	const getResult = { resource: 'job', operation: 'getResult', jobId: 'a-job' };

	test.each<[string, IDataObject, string]>([
		[
			`'Required Fields' cannot be read: "[{"name":"total"}]"`,
			{ options: { requiredFields: '={{ [{ name: "total" }] }}' } },
			'Enter text, such as invoiceNumber, total.',
		],
		[
			'Unknown value for \'Files Processed Before\': "ja"',
			{ options: { processedBefore: '={{ "ja" }}' } },
			'Choose from the list. Possible values: process, record, reuse, skip.',
		],
		[
			'\'Timeout (Seconds)\' cannot be read: "5 minutes"',
			{ options: { timeout: '={{ "5 minutes" }}' } },
			'Enter a number, such as 300.',
		],
		[
			'\'Timeout (Seconds)\' cannot be read: "1,800"',
			{ options: { timeout: '={{ "1,800" }}' } },
			'Enter a number, such as 300.',
		],
		[
			"'Confidence Threshold' is 0.8. Did you mean 80?",
			{ ...getResult, options: { confidenceThreshold: 0.8 } },
			'Enter a number from 0 to 100, such as 80. Fields with another number can follow, such as 80, total: 95.',
		],
	])('%s', async (refusal, parameters, advice) => {
		const items = [{ json: {}, binary: { data: await storedSample('invoice-us.pdf') } }];
		const { items: results } = await service.run(
			{ operation: 'extract', ...parameters },
			items,
			goOn,
		);
		const { message, description } = failureOf(results[0]);
		expect([message, description]).toEqual([refusal, `Nothing was sent. ${advice}`]);
		expect(await service.calls()).toEqual([]);
	});

	test('a calculated number may have three decimals', async () => {
		const items = [{ json: {}, binary: { data: await storedSample('invoice-us.pdf') } }];
		const options = { timeout: '={{ 501 / 8 }}' };
		await service.run({ operation: 'extract', options }, items);
		expect(await service.calls()).toHaveLength(1);
	});
});
