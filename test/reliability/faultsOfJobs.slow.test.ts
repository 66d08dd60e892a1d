import type { IDataObject } from 'n8n-workflow';

import { storeFile, useBinaryMode } from '../n8n-core/runNode';
import { fastLimiters, fastWindowMs } from '../nodes/clock';
import { failureOf, type TestedService, useService } from '../nodes/service';
import { numberedInvoice } from '../nodes/samples';
import { startStandIn } from '../stand-in/startStandIn';
import type { Fault, FaultKind, Step } from '../stand-in/startStandIn';
import { FAULTS, NEVER_ANSWERED } from './faultKinds';
import { expectOnPage, grouped, namesOf, tableOf } from './docsTable';

// Generates the tables in docs/internals/reliability-of-jobs.md. After a change of behavior:
// UPDATE_DOCS=1 npx jest --config test/jest.slow.config.js test/reliability/faultsOfJobs

/** Speed of the clock in most runs, because nine attempts take a minute and a half in real time. */
const SPEED = 500;

/**
 * For megabytes in nine attempts: on a faster clock, a busy machine would not read them before the timeout. For a quota:
 * two waits of two minutes nearly take the whole timeout.
 */
const SPEEDS: Partial<Record<FaultKind, number>> = { hugeBody: 20, quotaExceeded: 50 };

const FAST = { jobRunMs: 5, windowMs: fastWindowMs(SPEED), requestsPerWindow: 100_000 };

const service = useService(FAST);

/** For faults that only a timeout ends, which takes real time; its jobs finish at once. */
const slowService = useService(
	{
		...FAST,
		jobRunMs: 0,
		jobRules: [{ match: '', result: { Metadata: { fields: { invoiceNumber: 'INV-slow' } } } }],
	},
	// Of its own: the other one is reset meanwhile.
	startStandIn,
);

beforeAll(async () => await useBinaryMode('filesystem'));

const STEPS = ['store', 'submit', 'list', 'fetch'] as const satisfies Step[];

type JobStep = (typeof STEPS)[number];

/** Timeout of a request in seconds, and a clock that is slow enough for the job to end within it. */
interface Patience {
	timeout: number;
	speed: number;
}

const PATIENCE: Record<JobStep, { passing: Patience; lasting: Patience }> = {
	store: { passing: { timeout: 6, speed: 1 }, lasting: { timeout: 3, speed: 5 } },
	submit: { passing: { timeout: 6, speed: 1 }, lasting: { timeout: 3, speed: 5 } },
	// A status check gets a share of them.
	list: { passing: { timeout: 24, speed: 1 }, lasting: { timeout: 12, speed: 1 } },
	fetch: { passing: { timeout: 6, speed: 1 }, lasting: { timeout: 6, speed: 1 } },
};

/** Slower than any of these timeouts, even on a busy machine. */
const SLOW_FAULTS: Partial<Record<FaultKind, Fault>> = {
	late: { kind: 'late', ms: 30_000 },
	slowBody: { kind: 'slowBody', everyMs: 2000 },
};

/** For single faults: long enough in real time for a busy machine. */
const LONG_TIMEOUT = 20_000;

/** Too slow in nine attempts; `hugeBody` is read up to the same limit. */
const READ_AS_HUGE: readonly FaultKind[] = ['gzipBomb', 'endlessBody'];

/** They change the envelope of a direct result, which no step of a job returns. */
const OF_DIRECT_RESULTS: readonly FaultKind[] = ['qualityBlock', 'qualityWarn', 'reorderedResults'];

const KINDS = (Object.keys(FAULTS) as FaultKind[]).filter(
	(kind) => !OF_DIRECT_RESULTS.includes(kind),
);

interface Seen {
	requests: number;
	/** Undefined for a result. */
	message?: string;
	description: string;
	jobId?: unknown;
	charges: number;
}

let runs = 0;

/** One invoice as a job, through a service that fails at a step in this way. */
async function meet(
	tested: TestedService,
	step: JobStep,
	fault: Fault,
	options: IDataObject = {},
	speed = SPEED,
): Promise<Seen> {
	const { standIn, credential } = tested;
	const number = String(++runs).padStart(4, '0');
	const name = `invoice-${number}.pdf`;
	const apiKey = `${credential.apiKey}-${number}`;
	const isSlow = NEVER_ANSWERED.includes(fault.kind);
	// Slow faults run at the same time, each for its own file.
	if (!isSlow) await standIn.reset();
	await standIn.queueFaults([isSlow ? { ...fault, match: name } : fault], step);
	const invoiceNumber = isSlow ? 'INV-slow' : `INV-${number}`;
	const data = await storeFile(numberedInvoice(invoiceNumber), name, 'application/pdf');
	const { items } = await tested.run(
		{ operation: 'extract', options: { processing: 'job', ...options } },
		[{ json: {}, binary: { data } }],
		{
			credential: { ...credential, apiKey },
			onError: 'continueRegularOutput',
			limiters: fastLimiters(speed),
		},
	);
	const ofRun = ({ keyEnding }: { keyEnding: string }) => apiKey.endsWith(keyEnding);
	const calls = (await standIn.requests()).filter(ofRun);
	const charges = (await standIn.charges()).filter(ofRun).length;
	const keys = new Set(calls.flatMap(({ idempotencyKey }) => idempotencyKey ?? []));
	expect([step, fault.kind, keys.size <= 1, charges <= 1]).toEqual([step, fault.kind, true, true]);
	const requests = calls.filter((call) => call.step === step).length;
	expect(items).toHaveLength(1);
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
	if (items[0]?.json.error === undefined) {
		// A result that is an image is passed on as such.
		const fields = items[0]?.binary === undefined ? { fields: { invoiceNumber } } : {};
		expect(items[0]?.json).toMatchObject({ fileName: name, ...fields });
		return { requests, description: '', charges };
	}
	const { message, description, details } = failureOf(items[0]);
	expect(`${message} ${description}`).not.toMatch(/not retried/);
	expect(message).toContain(`"${name}"`);
	const { jobId } = details;
	// How often a request is tried before its time is over depends on the speed of the machine.
	const worded = (text: string) =>
		(typeof jobId === 'string' ? text.replaceAll(jobId, '‹ID›') : text)
			.replaceAll(name, 'invoice.pdf')
			.replace(/tried \d+ times/, 'tried several times');
	return {
		requests,
		message: worded(message),
		description: worded(description),
		jobId,
		charges,
	};
}

interface Row {
	kind: FaultKind;
	step: JobStep;
	once: Seen;
	/** A single fault after the work: only the response is lost. */
	served: Seen;
	always?: Seen;
}

async function rowOf(kind: FaultKind, step: JobStep): Promise<Row> {
	const fault = SLOW_FAULTS[kind] ?? FAULTS[kind];
	const isSlow = NEVER_ANSWERED.includes(kind);
	const { passing, lasting } = PATIENCE[step];
	const ways: Array<Partial<Fault>> = [{}, { afterWork: true }];
	if (!READ_AS_HUGE.includes(kind)) ways.push({ times: 5000 });
	const seen: Array<Promise<Seen>> = [];
	for (const way of ways) {
		const met = { ...fault, ...way };
		const options = way.times === undefined ? { timeout: LONG_TIMEOUT } : {};
		const { timeout, speed } = way.times === undefined ? passing : lasting;
		seen.push(
			isSlow
				? meet(slowService, step, met, { timeout }, speed)
				: Promise.resolve(await meet(service, step, met, options, SPEEDS[kind])),
		);
	}
	const [once, served, always] = await Promise.all(seen);
	return { kind, step, once: once!, served: served!, always };
}

/** The outcome of a document, as a cell of the first table. */
function outcomeOf({ once, served, always }: Row): string {
	if (once.message !== undefined || served.message !== undefined)
		return `failed item${once.jobId === undefined ? '' : ' with the job ID'}`;
	return always !== undefined && always.message === undefined
		? 'result, also if permanent'
		: 'result';
}

/** The sentences about billing and about fetching the result, or the whole description if there are none. */
function adviceOf({ description }: Seen): string {
	const [own = ''] = description.split(' Cogneris says: ');
	const sentences = own
		.split(/(?<=\.) (?=[A-Z])/)
		.filter((sentence) => !/^(It was tried|When you contact support)/.test(sentence));
	const decisive = sentences.filter((sentence) => /billed|retried|Get Result/.test(sentence));
	return (decisive.length > 0 ? decisive : sentences).join(' ');
}

const TITLES: Record<JobStep, string> = {
	store: 'store the file',
	submit: 'submit the job',
	list: 'check the status',
	fetch: 'fetch the result',
};

test('docs/internals/reliability-of-jobs.md shows the outcome of every fault at each step of a job', async () => {
	const slow = KINDS.filter((kind) => NEVER_ANSWERED.includes(kind));
	const atOnce = Promise.all(
		STEPS.flatMap((step) => slow.map(async (kind) => await rowOf(kind, step))),
	);
	const rows: Row[] = [];
	for (const kind of KINDS.filter((other) => !slow.includes(other)))
		for (const step of STEPS) rows.push(await rowOf(kind, step));
	rows.push(...(await atOnce));

	// A single fault loses no result, unless Cogneris rejects a request for good. A file is stored without an idempotency key.
	const failedOnce = rows.filter(({ once, served }) => once.message ?? served.message);
	const isForGood = ({ kind, step }: Row) =>
		(step !== 'list' && ['charged422', 'redirect'].includes(kind)) ||
		(step === 'store' && ['charged503', 'contradictory503'].includes(kind));
	expect(failedOnce.filter((row) => !isForGood(row))).toEqual([]);
	expect(failedOnce).toHaveLength(rows.filter(isForGood).length);

	const met = (kind: FaultKind, step: JobStep) =>
		rows.find((row) => row.kind === kind && row.step === step);
	const first = tableOf(
		['Single fault', ...STEPS.map((step) => TITLES[step])],
		grouped(
			KINDS.map((kind) => ({
				kind,
				cells: STEPS.map((step) => {
					const row = met(kind, step);
					return row === undefined ? '' : outcomeOf(row);
				}),
			})),
		),
	);

	const failures = new Map<string, { cells: string[]; kinds: FaultKind[] }>();
	for (const { kind, step, always, once } of rows) {
		const failure = always ?? once;
		if (failure.message === undefined) continue;
		// As soon as there is a job, the message has its ID.
		if (step === 'list' || step === 'fetch')
			expect([kind, step, failure.jobId]).toEqual([kind, step, expect.any(String)]);
		expect([kind, step, failure.description]).not.toEqual([kind, step, '']);
		const advice = adviceOf(failure);
		const key = [step, advice].join('\n');
		const group = failures.get(key) ?? { cells: [TITLES[step], advice], kinds: [] };
		failures.set(key, { ...group, kinds: [...group.kinds, kind] });
	}
	const inOrder = [...failures.values()].sort(
		({ cells: [one = ''] }, { cells: [other = ''] }) =>
			Object.values(TITLES).indexOf(one) - Object.values(TITLES).indexOf(other),
	);
	const second = tableOf(
		['Step', 'Permanent fault', 'Message about billing, and what to do'],
		inOrder.map(({ cells: [step = '', ...words], kinds }) => [
			step,
			namesOf(kinds.toSorted((one, other) => KINDS.indexOf(one) - KINDS.indexOf(other))),
			...words,
		]),
	);

	expectOnPage('faultsOfJobs', `${first}\n\n${second}`);
}, 240_000);
