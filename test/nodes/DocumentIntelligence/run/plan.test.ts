import type { IDataObject } from 'n8n-workflow';

import { itemWith } from '../../samples';
import { failureOf, goOn, useService } from '../../service';

const service = useService();

const extract = async (parameters: IDataObject) =>
	await service.run(
		{ operation: 'extract', ...parameters },
		[await itemWith('invoice-us.pdf')],
		goOn,
	);

const getResult = { resource: 'job', operation: 'getResult', jobId: 'a-job' };
const CHOOSE = 'Choose from the list. Possible values: ';
const A_NUMBER = 'Enter a number, such as 300.';

test.each<[refusal: string, parameters: IDataObject, advice: string]>([
	[
		'Unknown value for \'Input Source\': "["fileUrl"]"',
		{ inputSource: '={{ ["fileUrl"] }}' },
		`${CHOOSE}binaryField, fileUrl, storedFile.`,
	],
	[
		'Unknown value for \'Output\': ""',
		{ output: '={{ null }}' },
		`${CHOOSE}fields, documentRows, rows, raw.`,
	],
	[
		'Unknown value for \'Files Processed Before\': "ja"',
		{ options: { processedBefore: '={{ "ja" }}' } },
		`${CHOOSE}process, record, reuse, skip.`,
	],
	[
		`'Required Fields' cannot be read: "[{"name":"total"}]"`,
		{ options: { requiredFields: '={{ [{ name: "total" }] }}' } },
		'Enter text, such as invoiceNumber, total.',
	],
	[
		`'Timeout (Seconds)' cannot be read: "5 minutes"`,
		{ options: { timeout: '={{ "5 minutes" }}' } },
		A_NUMBER,
	],
	[
		`'Timeout (Seconds)' cannot be read: "1,800"`,
		{ options: { timeout: '={{ "1,800" }}' } },
		A_NUMBER,
	],
	[
		"'Confidence Threshold' is 0.8. Did you mean 80?",
		{ ...getResult, options: { confidenceThreshold: 0.8 } },
		'Enter a number from 0 to 100, such as 80. Fields with another number can follow, such as 80, total: 95.',
	],
])('nothing unknown is sent: %s', async (refusal, parameters, advice) => {
	const { message, description } = failureOf((await extract(parameters)).items[0]);
	expect([message, description]).toEqual([refusal, `Nothing was sent. ${advice}`]);
	expect(await service.calls()).toEqual([]);
});

test('a calculated number may have three decimals', async () => {
	await extract({ options: { timeout: '={{ 501 / 8 }}' } });
	expect(await service.calls()).toHaveLength(1);
});
