import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useStoredHistory, type StoredHistory } from '../../../n8n-core/history';
import { storeFile, type NodeRun } from '../../../n8n-core/runNode';
import { filesForAnyOperation, itemWith, numberedInvoice, sampleBytes } from '../../samples';
import { fastLimiters } from '../../clock';
import { useService } from '../../service';

/**
 * All that users see of what went wrong, what it may have cost, what is kept and what to do next, in one table
 * (__snapshots__/failures.test.ts.snap), as n8n shows it: message and description of the error that stops a workflow, those
 * of failed items, and the notes above the output. To change a sentence, change it, run this suite with `-u`, and read the
 * difference.
 */

const service = useService();

let history: StoredHistory;

beforeEach(async () => {
	history = await useStoredHistory();
	names.clear();
});

type Fault = NonNullable<Parameters<typeof service.standIn.queueFaults>[0][number]>;

/** What a run gave users to read, with its IDs and addresses replaced. */
async function told(
	items: INodeExecutionData[],
	parameters: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<string> {
	const run = { operation: 'extract', ...parameters };
	const lines = await service.run(run, items, more).then(
		({ items, hints, credits }) => [
			...items.flatMap(({ json: { error } }, position) => {
				const { message, description } = (error ?? {}) as Record<string, string>;
				return error === undefined
					? []
					: [`item ${position}: ${message}`, `    ${description ?? ''}`];
			}),
			...hints.map(({ message, type }) => `${type}: ${message}`),
			...credits.map((message) => `info: ${message}`),
			`${items.filter(({ json }) => json.error === undefined).length} items`,
		],
		({ message, description }: { message: string; description?: string }) => [
			`stopped: ${message}`,
			...(description ?? '').split('<br>').map((line) => `    ${line}`),
		],
	);
	return lines
		.map((line) => line.trimEnd())
		.join('\n')
		.replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
		.replaceAll(/127\.0\.0\.1:\d+/g, '<server>')
		.replaceAll(/(quote) [\w-]+/g, '$1 <id>');
}

/** The files of a test by name: those of a later run are the same. */
const names = new Map<string, INodeExecutionData>();

async function invoices(count: number): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	for (let number = 0; number < count; number++) {
		const name = `${number}.pdf`;
		const item = names.get(name) ?? {
			json: {},
			binary: { data: await storeFile(numberedInvoice(name), name, 'application/pdf') },
		};
		names.set(name, item);
		items.push(item);
	}
	return items;
}

const photos = async () =>
	await Promise.all(
		['0.jpg', '1.jpg', '2.jpg'].map(async (name) => await itemWith('two-cards.jpg', name)),
	);

const goOn: Partial<NodeRun> = { onError: 'continueRegularOutput' };

/** One after the other, so that those before the last are answered when it fails. */
const inTurn = (options: IDataObject = {}, parameters: IDataObject = {}): IDataObject => ({
	...parameters,
	options: { concurrency: 1, ...options },
});

const asJob = (options: IDataObject = {}) => inTurn({ processing: 'job', ...options });

const faults = async (...list: Array<Fault | null>) => await service.standIn.queueFaults(list);

const rejected = (match: string): Fault => ({ kind: 'envelopeError', status: 422, match });

/** Served and billed, without a response. */
const lost = (match: string): Fault => ({ kind: 'reset', afterWork: true, match });

const template = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

/** A run that is stopped when so many requests have arrived. */
async function stopped(
	arrivals: number,
	items: INodeExecutionData[],
	parameters: IDataObject,
	more: Partial<NodeRun> = {},
): Promise<string> {
	const stop = new AbortController();
	const running = told(items, parameters, { ...more, signal: stop.signal });
	while ((await service.calls()).length < arrivals) await sleep(10);
	await sleep(150);
	stop.abort();
	return await running;
}

type Row = [situation: string, run: () => Promise<string>];

/** One file that fails, by what Cogneris or the connection did. */
const ANSWERS: Array<[string, Fault]> = [
	['rejected, 400', { kind: 'problem', status: 400, code: 'FILE_EMPTY', detail: 'No pages.' }],
	['rejected, 401', { kind: 'problem', status: 401, code: 'UNAUTHORIZED', detail: 'Inactive.' }],
	['rejected, 403', { kind: 'problem', status: 403, code: 'FORBIDDEN', detail: 'Not allowed.' }],
	['rejected, 404', { kind: 'status', status: 404 }],
	['rejected, 413', { kind: 'status', status: 413 }],
	['rejected, 415', { kind: 'status', status: 415 }],
	['rejected, 422', { kind: 'envelopeError', status: 422 }],
	['rejected under HTTP 200 and billed', { kind: 'charged422' }],
	['unavailable, again and again', { kind: 'retryable503', times: 'always' }],
	['unavailable and billed', { kind: 'charged503', times: 'always' }],
	['the rate limit stays reached', { kind: 'rateLimit', retryAfterSeconds: 60, times: 'always' }],
	['the quota stays exhausted', { kind: 'quotaExceeded', times: 'always' }],
	['redirected', { kind: 'redirect', location: 'https://example.com' }],
	['500', { kind: 'internal500' }],
	['502 of a gateway', { kind: 'html502' }],
	['504 of a gateway', { kind: 'gatewayTimeout504' }],
	['the connection was reset', { kind: 'reset' }],
	['no response in time', { kind: 'hang' }],
	['half a response', { kind: 'truncatedBody' }],
	['a web page', { kind: 'html200' }],
	['an empty response', { kind: 'emptyBody' }],
	['a response without data', { kind: 'answer', data: null, offContract: true }],
	['a response without fields', { kind: 'answer', data: { id: template, metadata: null } }],
	['too low quality', { kind: 'qualityBlock' }],
];

const situations: Record<string, () => Promise<string>> = {
	...Object.fromEntries(
		ANSWERS.flatMap(([name, fault]): Row[] =>
			(['stop', 'continue'] as const).map((how) => [
				`${how}: ${name}`,
				async () => {
					await faults(fault);
					const onError = how === 'stop' ? {} : goOn;
					const isHanging = fault.kind === 'hang';
					const options = inTurn({ timeout: isHanging ? 1 : 60 });
					// A timeout takes real time, a wait takes none.
					const limiters = isHanging ? {} : { limiters: fastLimiters() };
					return await told(await invoices(1), options, { ...onError, ...limiters });
				},
			]),
		),
	),

	// The failure ends a run whose other documents have results.
	'stop: results with credits are kept': async () => {
		await faults(rejected('2.pdf'));
		return await told(await invoices(3), inTurn());
	},
	'stop: a result without credits is kept': async () => {
		await faults(
			{ kind: 'answer', data: { documentType: 'A', metadata: [] }, creditsConsumed: null },
			rejected('1.pdf'),
		);
		return await told(await invoices(2), inTurn());
	},
	'stop: results are kept, and no file is to blame': async () => {
		await faults(lost('1.pdf'));
		return await told(await invoices(2), inTurn());
	},
	'stop: results are kept, and the key is rejected': async () => {
		await faults(null, { kind: 'problem', status: 401 });
		return await told(await invoices(2), inTurn());
	},
	'stop: one result is kept and one response is lost': async () => {
		await faults(
			{ kind: 'late', ms: 300, match: '0.pdf' },
			{ kind: 'hang', match: '1.pdf' },
			rejected('2.pdf'),
		);
		await service.standIn.configure({ jobRules: [] });
		return await told(await invoices(3), { options: { concurrency: 3, timeout: 1 } });
	},
	'stop: jobs are kept': async () => {
		await service.standIn.configure({
			jobRules: [
				{ match: '2.pdf', failureCode: 'input_unreadable' },
				{ match: '.pdf', runMs: 600_000 },
			],
		});
		return await told(await invoices(3), { options: { processing: 'job' } });
	},
	'stop: a workflow without an ID, results': async () => {
		await faults(rejected('2.pdf'));
		return await told(await invoices(3), inTurn(), { workflowId: null });
	},
	'stop: a workflow without an ID, results without credits': async () => {
		await faults(
			{ kind: 'answer', data: { documentType: 'A', metadata: [] }, creditsConsumed: null },
			rejected('1.pdf'),
		);
		return await told(await invoices(2), inTurn(), { workflowId: null });
	},
	'stop: a workflow without an ID, jobs': async () => {
		await service.standIn.configure({
			jobRules: [
				{ match: '1.pdf', failureCode: 'input_unreadable' },
				{ match: '.pdf', runMs: 600_000 },
			],
		});
		return await told(await invoices(2), { options: { processing: 'job' } }, { workflowId: null });
	},
	'stop: Crop': async () => {
		await faults(null, null, rejected('2.jpg'));
		return await told(await photos(), inTurn({}, { operation: 'crop' }));
	},
	'stop: Match Faces': async () => {
		await faults(null, { kind: 'envelopeError', status: 422 });
		const item = { json: {}, binary: await filesForAnyOperation() };
		return await told([item, item], inTurn({}, { operation: 'faceMatch' }));
	},
	'stop: a request of several files is rejected': async () => {
		await faults(rejected('2.pdf'));
		return await told(await invoices(4), inTurn({ filesPerRequest: 2 }, { operation: 'classify' }));
	},
	'continue: a request of several files is rejected because of one': async () => {
		await faults({ ...rejected('1.pdf'), times: 'always' });
		return await told(
			await invoices(4),
			inTurn({ filesPerRequest: 4 }, { operation: 'classify' }),
			goOn,
		);
	},
	'stop: Job: Submit, after one was submitted': async () => {
		await service.standIn.queueFaults([null, rejected('1.pdf')], 'submit');
		return await told(await invoices(2), inTurn({}, { resource: 'job', operation: 'submit' }));
	},
	'stop: Stored File: Upload, after one was stored': async () => {
		await faults(null, { kind: 'envelopeError', status: 422 });
		return await told(
			await invoices(2),
			inTurn({}, { resource: 'storedFile', operation: 'upload' }),
		);
	},
	'stop: Job: Submit, the response lost': async () => {
		await service.standIn.queueFaults(
			[{ kind: 'reset', afterWork: true, times: 'always' }],
			'submit',
		);
		return await told(await invoices(1), inTurn({}, { resource: 'job', operation: 'submit' }));
	},

	// Jobs.
	...Object.fromEntries(
		(['stop', 'continue'] as const).flatMap((how): Row[] => {
			const onError = how === 'stop' ? {} : goOn;
			const row = (name: string, change: () => Promise<void>, options: IDataObject = {}): Row => [
				`${how}: ${name}`,
				async () => {
					await change();
					return await told(await invoices(1), asJob(options), onError);
				},
			];
			const rule = (changes: IDataObject) => async () =>
				await service.standIn.configure({ jobRules: [{ match: '.pdf', ...changes }] });
			return [
				row('a job failed', rule({ failureCode: 'input_unreadable' })),
				row('a job failed and was billed', async () => {
					const answer = (job: IDataObject): Fault => ({
						kind: 'answer',
						data: { jobId: template, operation: 'Extraction', ...job },
						creditsConsumed: null,
						offContract: true,
					});
					const billed = { status: 'Failed', failureCode: 'corrupt', creditsConsumed: 2 };
					await service.standIn.queueFaults([answer({ status: 'Queued' })], 'submit');
					await service.standIn.queueFaults([answer(billed)], 'get');
				}),
				row('a job failed and can be retried', rule({ failureCode: 'busy', retryable: true })),
				row('a job did not finish', rule({ runMs: 600_000 }), { timeout: 1 }),
				row('a job has no usable result', rule({ result: { Metadata: null }, credits: 2 })),
				row('the result of a job is gone', async () => {
					await service.standIn.queueFaults([{ kind: 'problem', status: 410 }], 'fetch');
				}),
				row(
					'the result of a job is not returned until the timeout',
					async () => {
						const fault = { kind: 'problem', status: 404, times: 'always' } as const;
						await service.standIn.queueFaults([fault], 'fetch');
					},
					{ timeout: 5 },
				),
				row('the result of a job could not be fetched', async () => {
					await service.standIn.queueFaults([{ kind: 'html502', times: 'always' }], 'fetch');
				}),
			];
		}),
	),

	// Stops.
	'stopped by the user: one answered, one in flight': async () => {
		await faults(null, { kind: 'hang' });
		return await stopped(2, await invoices(3), inTurn());
	},
	'stopped by the user: a job': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		return await stopped(2, await invoices(1), { options: { processing: 'job' } });
	},
	'stopped by the user: Crop': async () => {
		await faults(null, { kind: 'hang' });
		return await stopped(2, await photos(), inTurn({}, { operation: 'crop' }));
	},

	// What the next run says.
	'after a failed run': async () => {
		await faults(rejected('2.pdf'));
		await told(await invoices(3), inTurn());
		return await told(await invoices(2), inTurn());
	},
	'after a run whose job did not finish': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		await told(await invoices(1), asJob({ timeout: 1 }));
		await service.standIn.advanceClock(700_000);
		return await told(await invoices(1), asJob());
	},
	'after a run that stopped a job which cannot be looked at': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		await told(await invoices(1), asJob({ timeout: 1 }));
		await service.standIn.queueFaults([{ kind: 'html502', times: 'always' }], 'list');
		await service.standIn.queueFaults([{ kind: 'html502', times: 'always' }], 'get');
		return await told(await invoices(1), asJob());
	},
	'Return Earlier Result': async () => {
		const options = { processedBefore: 'reuse' };
		await told(await invoices(2), inTurn(options));
		return await told(await invoices(2), inTurn(options));
	},
	'Return Earlier Result, of one file that is new': async () => {
		const options = { processedBefore: 'reuse' };
		await told(await invoices(1), inTurn(options));
		return await told(await invoices(2), inTurn(options));
	},
	'another attempt after a lost response': async () => {
		const items = await invoices(2);
		const more = { ...goOn, node: { retryOnFail: true }, executionId: 'one' };
		await faults(lost('0.pdf'));
		await told(items, inTurn(), more);
		return await told(items, inTurn(), more);
	},

	// Skip.
	'Skip: the first run': async () =>
		await told(await invoices(2), inTurn({ processedBefore: 'skip' })),
	'Skip: known, new and a copy': async () => {
		const options = inTurn({ processedBefore: 'skip' });
		await told(await invoices(1), options);
		const items = await invoices(2);
		return await told([...items, ...items.slice(1)], options);
	},
	'Skip: a response is lost': async () => {
		await faults(lost('0.pdf'));
		return await told(await invoices(1), inTurn({ processedBefore: 'skip' }), goOn);
	},
	'Skip: after a lost response': async () => {
		const options = inTurn({ processedBefore: 'skip' });
		await faults(lost('1.pdf'));
		await told(await invoices(2), options, goOn);
		return await told(await invoices(2), options);
	},
	'Skip: a job did not finish': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		return await told(await invoices(1), asJob({ timeout: 1, processedBefore: 'skip' }), goOn);
	},
	'Skip: an answer without fields': async () => {
		await faults({ kind: 'answer', data: { id: template, metadata: null } });
		return await told(await invoices(1), inTurn({ processedBefore: 'skip' }), goOn);
	},
	'Record Only': async () => await told(await invoices(2), inTurn({ processedBefore: 'record' })),
	'Skip: a workflow without an ID': async () =>
		await told(await invoices(1), inTurn({ processedBefore: 'skip' }), { workflowId: null }),
	"Skip: n8n's history cannot be used": async () => {
		history.rows.set('workflow', JSON.stringify({ mode: 'latestDate', data: '' }));
		return await told(await invoices(1), inTurn({ processedBefore: 'skip' }));
	},
	"Skip: n8n's history cannot be written at the end": async () => {
		let calls = 0;
		history.interrupt = () => {
			// The last call closes the entries.
			if (++calls > 2) throw new Error('database is locked');
		};
		return await told(await invoices(1), inTurn({ processedBefore: 'skip' }));
	},
};

test.each(Object.entries(situations))('%s', async (_, run) => {
	expect(await run()).toMatchSnapshot();
});

test('a picture that cannot be fetched', async () => {
	const imageUrl = `${service.standIn.url}/none.png`;
	await faults({ kind: 'answer', data: { documents: [{ type: 'card', imageUrl }] } });
	const item = {
		json: {},
		binary: { data: await storeFile(sampleBytes('two-cards.jpg'), '0.jpg', 'image/jpeg') },
	};
	expect(await told([item], inTurn({}, { operation: 'crop' }), goOn)).toMatchSnapshot();
});
