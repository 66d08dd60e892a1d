import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { useStoredHistory, type StoredHistory } from '../../../n8n-core/history';
import type { NodeRun } from '../../../n8n-core/runNode';
import { distinctInvoices, itemsWith, itemWith } from '../../samples';
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

type Fault = NonNullable<Parameters<typeof service.standIn.queueFaults>[0][number]>;

/** A run, by what differs from one over one invoice that stops at a failure. */
interface Situation {
	/** The documents, by number. */
	files?: number[];
	/** How requests are answered, those for documents and the other steps; null as usual. */
	faults?: Array<Fault | null>;
	steps?: Partial<Record<'submit' | 'get' | 'list' | 'fetch', Fault | Array<Fault | null>>>;
	jobs?: Parameters<typeof service.standIn.configure>[0];
	parameters?: IDataObject;
	options?: IDataObject;
	more?: Partial<NodeRun>;
	/** Waits take no time, but for timeouts. */
	isFast?: boolean;
	/** The user stops it when so many requests have arrived. */
	stopAfter?: number;
	prepare?: () => unknown;
}

async function told(situation: Situation): Promise<string> {
	const {
		files: numbers = [0],
		faults = [],
		steps = {},
		jobs,
		more,
		isFast,
		stopAfter,
	} = situation;
	await situation.prepare?.();
	if (jobs) await service.standIn.configure(jobs);
	await service.standIn.queueFaults(faults);
	for (const [step, list] of Object.entries(steps))
		await service.standIn.queueFaults([list].flat(), step as keyof typeof steps);
	// One after the other, so that those before the last are answered when it fails.
	const options = { concurrency: 1, ...situation.options };
	const stop = new AbortController();
	const running = service.run(
		{ operation: 'extract', ...situation.parameters, options },
		numbers.map((number) => files[number]!),
		{ ...more, ...(isFast && { limiters: fastLimiters() }), signal: stop.signal },
	);
	const text = textOf(running);
	if (stopAfter !== undefined) {
		await until(async () => (await service.calls()).length >= stopAfter);
		await sleep(150);
		stop.abort();
	}
	return await text;
}

/** What a run gave users to read, with its IDs and addresses replaced. */
async function textOf(running: ReturnType<typeof service.run>): Promise<string> {
	const lines = await running.then(
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

const rejected = (match: string): Fault => ({ kind: 'envelopeError', status: 422, match });

/** Served and billed, without a response. */
const lost = (match?: string): Fault => ({ kind: 'reset', afterWork: true, match });

const gateway: Fault = { kind: 'html502', times: 'always' };

const template = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

const submit = { resource: 'job', operation: 'submit' };
const lostSubmission: Situation['steps'] = { submit: { ...lost(), times: 'always' } };

const asJob = { processing: 'job' };
const notInTime = { ...asJob, timeout: 20 };
const longJob = { jobRunMs: 600_000 };
const jobRules = (...rules: IDataObject[]) => ({
	jobRules: rules.map((rule) => ({ match: '.pdf', ...rule })),
});

const skip = { processedBefore: 'skip' };
const withoutId = { workflowId: null };
const attempt = { ...goOn, node: { retryOnFail: true }, executionId: 'one' };

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
	['a response without data', { kind: 'answer', data: null }],
	['a response without fields', { kind: 'answer', data: { id: template, metadata: null } }],
	['too low quality', { kind: 'qualityBlock' }],
];

/** Jobs under On Error: Continue. */
const JOBS: Array<[string, Situation]> = [
	['a job failed', { jobs: jobRules({ failureCode: 'input_unreadable' }) }],
	['a job failed and can be retried', { jobs: jobRules({ failureCode: 'busy', retryable: true }) }],
	['a job did not finish', { jobs: longJob, options: { timeout: 20 } }],
	['a job has no usable result', { jobs: jobRules({ result: { Metadata: null }, credits: 2 }) }],
	['the result of a job is gone', { steps: { fetch: { kind: 'problem', status: 410 } } }],
	[
		'the result of a job is not returned until the timeout',
		{
			steps: { fetch: { kind: 'problem', status: 404, times: 'always' } },
			options: { timeout: 5 },
		},
	],
	['the result of a job could not be fetched', { steps: { fetch: gateway } }],
	[
		'a job failed and was billed',
		{
			steps: {
				submit: ofJob({ status: 'Queued' }),
				get: ofJob({ status: 'Failed', failureCode: 'corrupt', creditsConsumed: 2 }),
			},
		},
	],
];

function ofJob(job: IDataObject): Fault {
	const data = { jobId: template, operation: 'Extraction', ...job };
	return { kind: 'answer', data, creditsConsumed: null };
}

/** Of several runs, what the last one says. */
const situations: Record<string, Situation | Situation[]> = {
	...Object.fromEntries(
		ANSWERS.map(([name, fault]) => {
			// A timeout takes real time, a wait takes none.
			const isHanging = fault.kind === 'hang';
			const options = { timeout: isHanging ? 1 : 60 };
			return [name, { faults: [fault], options, isFast: !isHanging, more: goOn }];
		}),
	),
	...Object.fromEntries(
		JOBS.map(([name, { options, ...job }]) => [
			name,
			{ ...job, options: { ...asJob, timeout: 300, ...options }, more: goOn },
		]),
	),

	// The failure ends a run whose other documents have results.
	'stop: results with credits are kept': { files: [0, 1, 2], faults: [rejected('2.pdf')] },
	'stop: a result without credits is kept': {
		files: [0, 1],
		faults: [
			{ kind: 'answer', data: { documentType: 'A', metadata: [] }, creditsConsumed: null },
			rejected('1.pdf'),
		],
	},
	'stop: results are kept, and no file is to blame': { files: [0, 1], faults: [lost('1.pdf')] },
	'stop: results are kept, and the key is rejected': {
		files: [0, 1],
		faults: [null, { kind: 'problem', status: 401 }],
	},
	'stop: one result is kept and one response is lost': {
		files: [0, 1, 2],
		faults: [
			{ kind: 'late', ms: 300, match: '0.pdf' },
			{ kind: 'hang', match: '1.pdf' },
			rejected('2.pdf'),
		],
		options: { concurrency: 3, timeout: 3 },
	},
	'stop: jobs are kept': {
		files: [0, 1, 2],
		jobs: jobRules({ match: '2.pdf', failureCode: 'input_unreadable' }, { runMs: 600_000 }),
		options: { ...asJob, concurrency: 5 },
	},
	'stop: a workflow without an ID, results': {
		files: [0, 1, 2],
		faults: [rejected('2.pdf')],
		more: withoutId,
	},
	'stop: a workflow without an ID, jobs': {
		files: [0, 1],
		jobs: jobRules({ match: '1.pdf', failureCode: 'input_unreadable' }, { runMs: 600_000 }),
		options: { ...asJob, concurrency: 5 },
		more: withoutId,
	},
	'continue: a request of several files is rejected because of one': {
		files: [0, 1, 2, 3],
		faults: [{ ...rejected('1.pdf'), times: 'always' }],
		parameters: { operation: 'classify' },
		options: { filesPerRequest: 4 },
		more: goOn,
	},
	'stop: Job: Submit, after one was submitted': {
		files: [0, 1],
		steps: { submit: [null, rejected('1.pdf')] },
		parameters: submit,
	},
	'stop: Stored File: Upload, after one was stored': {
		files: [0, 1],
		faults: [null, { kind: 'envelopeError', status: 422 }],
		parameters: { resource: 'storedFile', operation: 'upload' },
	},
	'stop: Job: Submit, the response lost': { steps: lostSubmission, parameters: submit },

	'stopped by the user: one answered, one in flight': {
		files: [0, 1, 2],
		faults: [null, { kind: 'hang' }],
		stopAfter: 2,
	},
	'stopped by the user: a job': { jobs: longJob, options: asJob, stopAfter: 2 },

	'after a failed run': [{ files: [0, 1, 2], faults: [rejected('2.pdf')] }, { files: [0, 1] }],
	'after a run whose job did not finish': [
		{ jobs: longJob, options: notInTime },
		{
			prepare: async () => await service.standIn.advanceClock(700_000),
			options: { ...asJob, timeout: 3600 },
		},
	],
	'after a run that stopped a job which cannot be looked at': [
		{ jobs: longJob, options: notInTime },
		{ steps: { list: gateway, get: gateway }, options: asJob },
	],
	'Return Earlier Result': [1, 2].map(() => ({
		files: [0, 1],
		options: { processedBefore: 'reuse' },
	})),
	'another attempt after a lost response': [
		{ files: [0, 1], faults: [lost('0.pdf')], more: attempt },
		{ files: [0, 1], more: attempt },
	],

	'Skip: the first run': { files: [0, 1], options: skip },
	'Skip: known, new and a copy': [{ options: skip }, { files: [0, 1, 1], options: skip }],
	'Skip: a response is lost': { faults: [lost('0.pdf')], options: skip, more: goOn },
	'Skip: the response of a submission is lost': {
		steps: lostSubmission,
		options: { ...asJob, ...skip },
		more: goOn,
	},
	'Skip: after a lost response': [
		{ files: [0, 1], faults: [lost('1.pdf')], options: skip, more: goOn },
		{ files: [0, 1], options: skip },
	],
	'Skip: a job did not finish': { jobs: longJob, options: { ...notInTime, ...skip }, more: goOn },
	'Skip: an answer without fields': {
		faults: [{ kind: 'answer', data: { id: template, metadata: null } }],
		options: skip,
		more: goOn,
	},
	'Record Only': { files: [0, 1], options: { processedBefore: 'record' } },
	'Record Only, once more': [1, 2].map(() => ({ options: { processedBefore: 'record' } })),
	'Skip: after Record Only': [{ options: { processedBefore: 'record' } }, { options: skip }],
	'Skip: a workflow without an ID': { options: skip, more: withoutId },
	"Skip: n8n's history cannot be used": {
		prepare: () => history.rows.set('workflow', JSON.stringify({ mode: 'latestDate', data: '' })),
		options: skip,
	},
	"Skip: n8n's history cannot be written at the end": {
		prepare: () => {
			let calls = 0;
			history.interrupt = () => {
				// The last call closes the entries.
				if (++calls > 2) throw new Error('database is locked');
			};
		},
		options: skip,
	},
};

test.each(Object.entries(situations))('%s', async (_, situation) => {
	const runs = [situation].flat();
	for (const earlier of runs.slice(0, -1)) await told(earlier);
	expect(await told(runs.at(-1)!)).toMatchSnapshot();
});

test.each([true, false])(
	'stop: a kept result has links to images, which are downloaded: %s',
	async (downloadImages) => {
		files = await itemsWith('two-cards.jpg', 'receipt.jpg');
		const faults = [rejected('receipt.jpg')];
		const parameters = { operation: 'crop' };
		const options = { downloadImages };
		expect(await told({ files: [0, 1], faults, parameters, options })).toMatchSnapshot();
	},
);

test('a picture that cannot be fetched', async () => {
	const imageUrl = `${service.standIn.url}/none.png`;
	files = [await itemWith('two-cards.jpg', '0.jpg')];
	const faults: Fault[] = [{ kind: 'answer', data: { documents: [{ type: 'card', imageUrl }] } }];
	expect(await told({ faults, parameters: { operation: 'crop' }, more: goOn })).toMatchSnapshot();
});
