import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useStoredHistory, type StoredHistory } from '../../../n8n-core/history';
import type { NodeRun } from '../../../n8n-core/runNode';
import { distinctInvoices, itemWith } from '../../samples';
import { fastLimiters, until } from '../../clock';
import { goOn, useService } from '../../service';

/**
 * All that users see of what went wrong, what it may have cost, what is kept and what to do next, in one table
 * (__snapshots__/failures.test.ts.snap), as n8n shows it: message and description of the error that stops a workflow, those
 * of failed items, and the notes above the output. To change a sentence, change it, run this suite with `-u`, and read the
 * difference.
 */

const service = useService();

let history: StoredHistory;

/** The files of a test: those of a later run are the same. */
let files: INodeExecutionData[];

beforeEach(async () => {
	history = await useStoredHistory();
	files = await distinctInvoices(4);
});

const invoices = (count: number) => files.slice(0, count);

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
	await until(async () => (await service.calls()).length >= arrivals);
	await sleep(150);
	stop.abort();
	return await running;
}

/**
 * One file that fails under On Error: Continue, by what Cogneris or the connection did. The error that stops a workflow
 * has the same sentences: run/runItems.test.ts.
 */
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
	['the connection was reset', { kind: 'reset' }],
	['no response in time', { kind: 'hang' }],
	['a web page', { kind: 'html200' }],
	['an empty response', { kind: 'emptyBody' }],
	['a response without data', { kind: 'answer', data: null, offContract: true }],
	['a response without fields', { kind: 'answer', data: { id: template, metadata: null } }],
	['too low quality', { kind: 'qualityBlock' }],
];

/** A job that behaves like this, or whose result is answered like this. */
function jobSituations(
	jobs: Record<string, { rule?: IDataObject; fetch?: Fault; timeout?: number }>,
): Record<string, () => Promise<string>> {
	const situation = async ({ rule, fetch, timeout = 300 }: (typeof jobs)[string]) => {
		if (rule) await service.standIn.configure({ jobRules: [{ match: '.pdf', ...rule }] });
		if (fetch) await service.standIn.queueFaults([fetch], 'fetch');
		return await told(invoices(1), asJob({ timeout }), goOn);
	};
	return Object.fromEntries(
		Object.entries(jobs).map(([name, job]) => [name, async () => await situation(job)]),
	);
}

const situations: Record<string, () => Promise<string>> = {
	...Object.fromEntries(
		ANSWERS.map(([name, fault]) => [
			name,
			async () => {
				await faults(fault);
				const isHanging = fault.kind === 'hang';
				const options = inTurn({ timeout: isHanging ? 1 : 60 });
				// A timeout takes real time, a wait takes none.
				const limiters = isHanging ? {} : { limiters: fastLimiters() };
				return await told(invoices(1), options, { ...goOn, ...limiters });
			},
		]),
	),

	// The failure ends a run whose other documents have results.
	'stop: results with credits are kept': async () => {
		await faults(rejected('2.pdf'));
		return await told(invoices(3), inTurn());
	},
	'stop: a result without credits is kept': async () => {
		await faults(
			{ kind: 'answer', data: { documentType: 'A', metadata: [] }, creditsConsumed: null },
			rejected('1.pdf'),
		);
		return await told(invoices(2), inTurn());
	},
	'stop: results are kept, and no file is to blame': async () => {
		await faults(lost('1.pdf'));
		return await told(invoices(2), inTurn());
	},
	'stop: results are kept, and the key is rejected': async () => {
		await faults(null, { kind: 'problem', status: 401 });
		return await told(invoices(2), inTurn());
	},
	'stop: one result is kept and one response is lost': async () => {
		await faults(
			{ kind: 'late', ms: 300, match: '0.pdf' },
			{ kind: 'hang', match: '1.pdf' },
			rejected('2.pdf'),
		);
		await service.standIn.configure({ jobRules: [] });
		return await told(invoices(3), { options: { concurrency: 3, timeout: 1 } });
	},
	'stop: jobs are kept': async () => {
		await service.standIn.configure({
			jobRules: [
				{ match: '2.pdf', failureCode: 'input_unreadable' },
				{ match: '.pdf', runMs: 600_000 },
			],
		});
		return await told(invoices(3), { options: { processing: 'job' } });
	},
	'stop: a workflow without an ID, results': async () => {
		await faults(rejected('2.pdf'));
		return await told(invoices(3), inTurn(), { workflowId: null });
	},
	'stop: a workflow without an ID, jobs': async () => {
		await service.standIn.configure({
			jobRules: [
				{ match: '1.pdf', failureCode: 'input_unreadable' },
				{ match: '.pdf', runMs: 600_000 },
			],
		});
		return await told(invoices(2), { options: { processing: 'job' } }, { workflowId: null });
	},
	'continue: a request of several files is rejected because of one': async () => {
		await faults({ ...rejected('1.pdf'), times: 'always' });
		return await told(invoices(4), inTurn({ filesPerRequest: 4 }, { operation: 'classify' }), goOn);
	},
	'stop: Job: Submit, after one was submitted': async () => {
		await service.standIn.queueFaults([null, rejected('1.pdf')], 'submit');
		return await told(invoices(2), inTurn({}, { resource: 'job', operation: 'submit' }));
	},
	'stop: Stored File: Upload, after one was stored': async () => {
		await faults(null, { kind: 'envelopeError', status: 422 });
		return await told(invoices(2), inTurn({}, { resource: 'storedFile', operation: 'upload' }));
	},
	'stop: Job: Submit, the response lost': async () => {
		await service.standIn.queueFaults(
			[{ kind: 'reset', afterWork: true, times: 'always' }],
			'submit',
		);
		return await told(invoices(1), inTurn({}, { resource: 'job', operation: 'submit' }));
	},

	// Jobs.
	...jobSituations({
		'a job failed': { rule: { failureCode: 'input_unreadable' } },
		'a job failed and can be retried': { rule: { failureCode: 'busy', retryable: true } },
		'a job did not finish': { rule: { runMs: 600_000 }, timeout: 1 },
		'a job has no usable result': { rule: { result: { Metadata: null }, credits: 2 } },
		'the result of a job is gone': { fetch: { kind: 'problem', status: 410 } },
		'the result of a job is not returned until the timeout': {
			fetch: { kind: 'problem', status: 404, times: 'always' },
			timeout: 5,
		},
		'the result of a job could not be fetched': { fetch: { kind: 'html502', times: 'always' } },
	}),
	'a job failed and was billed': async () => {
		const answer = (job: IDataObject): Fault => ({
			kind: 'answer',
			data: { jobId: template, operation: 'Extraction', ...job },
			creditsConsumed: null,
			offContract: true,
		});
		const billed = { status: 'Failed', failureCode: 'corrupt', creditsConsumed: 2 };
		await service.standIn.queueFaults([answer({ status: 'Queued' })], 'submit');
		await service.standIn.queueFaults([answer(billed)], 'get');
		return await told(invoices(1), asJob(), goOn);
	},

	// Stops.
	'stopped by the user: one answered, one in flight': async () => {
		await faults(null, { kind: 'hang' });
		return await stopped(2, invoices(3), inTurn());
	},
	'stopped by the user: a job': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		return await stopped(2, invoices(1), { options: { processing: 'job' } });
	},

	// What the next run says.
	'after a failed run': async () => {
		await faults(rejected('2.pdf'));
		await told(invoices(3), inTurn());
		return await told(invoices(2), inTurn());
	},
	'after a run whose job did not finish': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		await told(invoices(1), asJob({ timeout: 1 }));
		await service.standIn.advanceClock(700_000);
		return await told(invoices(1), asJob());
	},
	'after a run that stopped a job which cannot be looked at': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		await told(invoices(1), asJob({ timeout: 1 }));
		await service.standIn.queueFaults([{ kind: 'html502', times: 'always' }], 'list');
		await service.standIn.queueFaults([{ kind: 'html502', times: 'always' }], 'get');
		return await told(invoices(1), asJob());
	},
	'Return Earlier Result': async () => {
		const options = { processedBefore: 'reuse' };
		await told(invoices(2), inTurn(options));
		return await told(invoices(2), inTurn(options));
	},
	'another attempt after a lost response': async () => {
		const items = invoices(2);
		const more = { ...goOn, node: { retryOnFail: true }, executionId: 'one' };
		await faults(lost('0.pdf'));
		await told(items, inTurn(), more);
		return await told(items, inTurn(), more);
	},

	// Skip.
	'Skip: the first run': async () => await told(invoices(2), inTurn({ processedBefore: 'skip' })),
	'Skip: known, new and a copy': async () => {
		const options = inTurn({ processedBefore: 'skip' });
		await told(invoices(1), options);
		const items = invoices(2);
		return await told([...items, ...items.slice(1)], options);
	},
	'Skip: a response is lost': async () => {
		await faults(lost('0.pdf'));
		return await told(invoices(1), inTurn({ processedBefore: 'skip' }), goOn);
	},
	'Skip: the response of a submission is lost': async () => {
		await service.standIn.queueFaults(
			[{ kind: 'reset', afterWork: true, times: 'always' }],
			'submit',
		);
		return await told(invoices(1), asJob({ processedBefore: 'skip' }), goOn);
	},
	'Skip: after a lost response': async () => {
		const options = inTurn({ processedBefore: 'skip' });
		await faults(lost('1.pdf'));
		await told(invoices(2), options, goOn);
		return await told(invoices(2), options);
	},
	'Skip: a job did not finish': async () => {
		await service.standIn.configure({ jobRunMs: 600_000 });
		return await told(invoices(1), asJob({ timeout: 1, processedBefore: 'skip' }), goOn);
	},
	'Skip: an answer without fields': async () => {
		await faults({ kind: 'answer', data: { id: template, metadata: null } });
		return await told(invoices(1), inTurn({ processedBefore: 'skip' }), goOn);
	},
	'Record Only': async () => await told(invoices(2), inTurn({ processedBefore: 'record' })),
	'Skip: a workflow without an ID': async () =>
		await told(invoices(1), inTurn({ processedBefore: 'skip' }), { workflowId: null }),
	"Skip: n8n's history cannot be used": async () => {
		history.rows.set('workflow', JSON.stringify({ mode: 'latestDate', data: '' }));
		return await told(invoices(1), inTurn({ processedBefore: 'skip' }));
	},
	"Skip: n8n's history cannot be written at the end": async () => {
		let calls = 0;
		history.interrupt = () => {
			// The last call closes the entries.
			if (++calls > 2) throw new Error('database is locked');
		};
		return await told(invoices(1), inTurn({ processedBefore: 'skip' }));
	},
};

test.each(Object.entries(situations))('%s', async (_, run) => {
	expect(await run()).toMatchSnapshot();
});

test('a picture that cannot be fetched', async () => {
	const imageUrl = `${service.standIn.url}/none.png`;
	await faults({ kind: 'answer', data: { documents: [{ type: 'card', imageUrl }] } });
	const item = await itemWith('two-cards.jpg', '0.jpg');
	expect(await told([item], inTurn({}, { operation: 'crop' }), goOn)).toMatchSnapshot();
});
