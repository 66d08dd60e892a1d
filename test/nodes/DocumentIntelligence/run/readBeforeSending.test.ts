import { ExecuteContext } from 'n8n-core';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { documentOperations } from '../../../../nodes/DocumentIntelligence/operations/document/index';
import { getResult } from '../../../../nodes/DocumentIntelligence/operations/job/getResult';
import { Limiter, type Ticket } from '../../../../nodes/DocumentIntelligence/service/limiter';
import type { Grant } from '../../../../nodes/DocumentIntelligence/service/rateWindow';
import { asInput, useJobs } from '../../service';
import { filesForAnyOperation, itemWith } from '../../samples';

const { job, run } = useJobs();

// An expression that fails after the answer would lose a result that is paid.

/** The parameters that a run reads only after its first request has started. */
async function readLate(execute: () => Promise<unknown>): Promise<string[]> {
	const early = new Set<string>();
	const late = new Set<string>();
	let isSending = false;
	const { acquire } = Limiter.prototype as unknown as {
		acquire: (this: Limiter, ticket: Ticket) => Promise<Grant | undefined>;
	};
	const sending = jest.spyOn(Limiter.prototype, 'acquire').mockImplementation(async function (
		this: Limiter,
		ticket,
	) {
		isSending = true;
		return await acquire.call(this, ticket);
	});
	// What the `getNodeParameter` of each context calls.
	const context = ExecuteContext.prototype as unknown as {
		_getNodeParameter: (name: string, ...more: unknown[]) => unknown;
	};
	const evaluate = context._getNodeParameter;
	const reading = jest.spyOn(context, '_getNodeParameter').mockImplementation(function (
		this: unknown,
		name,
		...more
	) {
		(isSending ? late : early).add(name);
		return evaluate.call(this, name, ...more);
	});
	await execute().finally(() => {
		sending.mockRestore();
		reading.mockRestore();
	});
	expect(isSending).toBe(true);
	return [...late].filter((name) => !early.has(name));
}

const FILES: Record<string, string> = { split: 'bundle.pdf', crop: 'two-cards.jpg' };

async function itemFor(operation: string): Promise<INodeExecutionData> {
	return operation === 'faceMatch'
		? { json: {}, binary: await filesForAnyOperation() }
		: await itemWith(FILES[operation] ?? 'invoice-us.pdf');
}

const outputsOf = (outputs: Array<{ value: string }> = []) => [
	...outputs.map(({ value }) => value),
	'raw',
];

test.each(
	documentOperations.flatMap(({ value, outputs }) =>
		outputsOf(outputs).map((output): [string, string] => [value, output]),
	),
)('%s, %s: all parameters are read before the request', async (operation, output) => {
	const items = [await itemFor(operation)];
	expect(await readLate(async () => await run({ operation, output }, items))).toEqual([]);
});

test.each(outputsOf(getResult.outputs))(
	'Get Result, %s: all parameters are read before the request',
	async (output) => {
		const files = [await itemWith('invoice-us.pdf')];
		const jobs = asInput((await job('submit', files, { jobOperation: 'extract' })).items);
		const parameters: IDataObject = { jobId: '={{ $json.jobId }}', output };
		expect(await readLate(async () => await job('getResult', jobs, parameters))).toEqual([]);
	},
);
