import { DocumentError, NotSent } from '../../../../../nodes/DocumentIntelligence/text/errors';
import { RunningJobs } from '../../../../../nodes/DocumentIntelligence/service/jobs/runningJobs';
import { Slots } from '../../../../../nodes/DocumentIntelligence/service/slots';
import { AVOIDED_WORDS } from '../../../service';
import { simulatedSession, type SimulatedAnswer } from '../simulatedSession';

const STORE = 'POST /api/v1/artifacts';
const SUBMIT = 'POST /api/v1/document-jobs';
const LIST = 'GET /api/v1/document-jobs';
const GET = 'GET /api/v1/document-jobs/j-1';
const FETCH = 'GET /api/v1/artifacts/content';

const DONE = {
	jobId: 'j-1',
	status: 'Succeeded',
	outputReference: 'artifact://result',
	creditsConsumed: 2,
};

const USUAL: Record<string, SimulatedAnswer> = {
	[STORE]: { status: 201, data: { reference: 'artifact://1' } },
	[SUBMIT]: {
		status: 202,
		data: { jobId: 'j-1', status: 'Queued' },
		headers: { 'retry-after': '3' },
	},
	[LIST]: { data: { jobs: [DONE] } },
	[GET]: { data: DONE },
	[FETCH]: { text: '{"Id":"r","Metadata":{"Total":1}}' },
};

/** Runs a job for which routes answer otherwise than usual: a list is used up one by one, then as usual. */
function running(other: Record<string, SimulatedAnswer[]> = {}) {
	const left = structuredClone(other);
	const simulated = simulatedSession(
		({ route }) => left[route]?.shift() ?? USUAL[route] ?? { status: 404 },
	);
	const { session, time, requests } = simulated;
	const request = {
		operation: 'Extraction',
		templateId: 't-1',
		subject: '"a.pdf"',
		file: new FormData(),
	};
	const jobs = new RunningJobs(new Slots(1));
	const answer = jobs.process(session, request, { timeoutSeconds: 60 });
	const routes = () => requests.map(({ route }) => route);
	return { ...simulated, routes, done: async () => await time.run(answer) };
}

async function failureOf(other: Record<string, SimulatedAnswer[]>): Promise<DocumentError> {
	return await failureIn(running(other).done());
}

async function failureIn(work: Promise<unknown>): Promise<DocumentError> {
	const thrown = await work.then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(thrown instanceof DocumentError)) throw new Error(`No DocumentError: ${String(thrown)}`);
	expect(`${thrown.message} ${thrown.description}`).not.toMatch(AVOIDED_WORDS);
	return thrown;
}

const times = (count: number, answer: SimulatedAnswer) =>
	Array.from({ length: count }, () => answer);

test('a job is stored, submitted, waited for and fetched', async () => {
	const { done, routes, requests } = running();
	expect(await done()).toEqual({
		data: { id: 'r', metadata: { Total: 1 } },
		stored: { Id: 'r', Metadata: { Total: 1 } },
		creditsConsumed: 2,
	});
	expect(routes()).toEqual([STORE, SUBMIT, LIST, FETCH]);
	expect(requests[1]?.options).toMatchObject({
		body: { operation: 'Extraction', inputReference: 'artifact://1', templateId: 't-1' },
		headers: { 'Idempotency-Key': expect.stringMatching(/^[\w.:-]{8,128}$/) as string },
	});
	expect(requests[2]?.at).toBeCloseTo(3, 0);
	expect(requests[3]?.options.qs).toEqual({ reference: 'artifact://result' });
});

test.each([[STORE], [SUBMIT], [FETCH]])(
	'%s is retried although its answer was lost',
	async (route) => {
		const { done, requests } = running({ [route]: times(5, { status: 502, text: '' }) });
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		const made = requests.filter((request) => request.route === route);
		expect(made).toHaveLength(6);
		const sent = made.map(({ options }) => JSON.stringify([options.body, options.headers]));
		expect(new Set(sent).size).toBe(1);
	},
);

test('an upload that is never answered is tried three times, each for the whole Timeout', async () => {
	const timeout = jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation(() => AbortSignal.abort(new Error('too late')));
	const simulated = simulatedSession(() => {
		throw new Error('aborted');
	});
	const { session, time, requests } = simulated;
	const settings = { timeoutSeconds: 300 };
	const jobs = new RunningJobs(new Slots(1));
	const file = new FormData();
	const stored = jobs.submit(
		session,
		{ operation: 'Extraction', subject: '"a.pdf"', file },
		settings,
	);
	const thrown = await failureIn(time.run(stored));
	expect(timeout.mock.calls).toEqual([[300_000], [300_000], [300_000]]);
	timeout.mockRestore();
	expect(requests).toHaveLength(3);
	expect(thrown.message).toBe('"a.pdf" was not answered within 300 seconds');
	expect(thrown.description).toMatch(/^Nothing was billed\. .* It was tried 3 times\.$/);
});

test('409, in progress: the submission is repeated, whether the service calls that retryable or not', async () => {
	const inProgress = { status: 409, code: 'idempotency_request_in_progress' };
	const { done, routes } = running({ [SUBMIT]: times(2, inProgress) });
	expect(await done()).toMatchObject({ creditsConsumed: 2 });
	expect(routes().filter((route) => route === SUBMIT)).toHaveLength(3);
});

test('a repeated submission that finds its job ended asks for it by its number', async () => {
	const { done, routes } = running({
		[SUBMIT]: [{ status: 202, data: { jobId: 'j-1', status: 'Succeeded', replayed: true } }],
	});
	expect(await done()).toMatchObject({ creditsConsumed: 2 });
	expect(routes()).toEqual([STORE, SUBMIT, GET, FETCH]);
});

test.each([
	[422, 'template_unknown', /cannot find the template for "a.pdf"/, /from the list/],
	[422, 'input_refused', /could not accept "a.pdf"/, /complete/],
	[410, 'artifact_expired', /no longer keeps "a.pdf"/, /Upload the file again/],
	[404, 'artifact_unknown', /cannot find "a.pdf"/, /7 days/],
	[403, 'environment.sandbox_route_unavailable', /may not be used for "a.pdf"/, /sandbox key/],
	[401, 'key_revoked', /rejected the API key/, /./],
])(
	'%s %s at the submission says what to do, and is sent once',
	async (status, code, message, advice) => {
		const thrown = await failureOf({ [SUBMIT]: times(99, { status, code }) });
		expect(thrown.message).toMatch(message);
		expect(thrown.description).toMatch(advice);
		expect(thrown.details).toMatchObject({ httpCode: status, code });
	},
);

test.each([
	[{ status: 'Cancelled' }, 'Job j-1 for "a.pdf" was cancelled'],
	[{ status: 'Failed', failureCode: 'template_unresolved' }, 'No template fits "a.pdf" (job j-1)'],
	[
		{ status: 'Failed', failureCode: 'unreadable' },
		'Job j-1 for "a.pdf" returned no result: unreadable',
	],
	[{ status: 'Failed' }, 'Job j-1 for "a.pdf" returned no result'],
])('a job that ends as %j', async (job, message) => {
	const jobs = [{ ...DONE, outputReference: null, ...job }];
	const thrown = await failureOf({ [LIST]: [{ data: { jobs } }] });
	expect(thrown.message).toBe(message);
	expect(thrown.details).toMatchObject({ jobId: 'j-1', creditsConsumed: 2 });
});

test('a list that does not say where the result is: the job is asked for it', async () => {
	const { done, routes } = running({
		[LIST]: [{ data: { jobs: [{ jobId: 'j-1', status: 'Succeeded' }] } }],
	});
	expect(await done()).toMatchObject({ creditsConsumed: 2 });
	expect(routes()).toEqual([STORE, SUBMIT, LIST, GET, FETCH]);
});

test('a job that has succeeded and has no result is billed, and is not to be run again', async () => {
	const jobs = [{ ...DONE, outputReference: null }];
	const thrown = await failureOf({
		[LIST]: times(9, { data: { jobs } }),
		[GET]: times(9, { data: jobs[0] }),
	});
	expect(thrown.message).toBe('Job j-1 for "a.pdf" has finished without a result');
	expect(thrown.description).toBe(
		'Cogneris billed 2 credits. Do not run the document again: its result may be there later. Cogneris keeps the result for 7 days: fetch it with the resource Job, operation Get Result, job ID j-1. If it stays away, quote the job ID to Cogneris support.',
	);
	expect(thrown.details).toMatchObject({ jobId: 'j-1', creditsConsumed: 2 });
});

test.each([
	['the list', { [LIST]: times(2, { data: { jobs: [{ ...DONE, outputReference: null }] } }) }],
	[
		'a repeated submission',
		{ [SUBMIT]: [{ status: 202, data: { jobId: 'j-1', status: 'Succeeded', replayed: true } }] },
	],
])('a result that is there a moment later is waited for (%s)', async (_, other) => {
	const { done } = running({
		...other,
		[GET]: times(2, { data: { ...DONE, outputReference: null } }),
	});
	expect(await done()).toMatchObject({ creditsConsumed: 2 });
});

test('a repeated submission that found its job ended may find it going on', async () => {
	const { done, routes } = running({
		[SUBMIT]: [{ status: 202, data: { jobId: 'j-1', status: 'Failed', replayed: true } }],
		[GET]: [{ data: { jobId: 'j-1', status: 'Processing' } }],
	});
	expect(await done()).toMatchObject({ creditsConsumed: 2 });
	expect(routes()).toEqual([STORE, SUBMIT, GET, LIST, FETCH]);
});

test.each([
	[{ headers: { 'retry-after': '7' } }, 7],
	[{ data: { jobId: 'j-1', status: 'Queued', retryAfterSeconds: 9 } }, 9],
	[{ headers: { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' } }, 2],
])('the first look is made when the submission suggests it (%j)', async (said, at) => {
	const { done, requests } = running({ [SUBMIT]: [{ ...USUAL[SUBMIT], headers: {}, ...said }] });
	await done();
	expect(requests[2]?.at).toBeCloseTo(at, 0);
});

const LOST = { status: 502, text: '' };
const GET_MANY = /^The job may have been created and billed: find it with .* Get Many/;

describe('What is said of billing', () => {
	test('a file that could not be stored costs nothing', async () => {
		const thrown = await failureOf({ [STORE]: times(99, LOST) });
		expect(thrown.message).toBe('The gateway could not reach the service for "a.pdf"');
		expect(thrown.description).toMatch(/^Nothing was billed\. .*tried 9 times/);
		expect(thrown).toMatchObject({ mayBeBilled: false });
	});

	test.each([
		['no answer', [], LOST],
		['an answer that is lost, then rejections for the rate', [LOST], { status: 429 }],
		['an answer that is lost, then a rejection', [LOST], { status: 403 }],
	])('%s to the submission: the job may exist', async (_, first, then) => {
		const thrown = await failureOf({ [SUBMIT]: [...first, ...times(999, then)] });
		expect(thrown.description).toMatch(GET_MANY);
		expect(thrown.description).not.toMatch(/not retried/);
		expect(thrown).toMatchObject({ mayBeBilled: true });
	});

	test.each([[{ status: 403 }], [{ status: 429 }], [{ status: 422, code: 'input_refused' }]])(
		'a submission that was rejected (%j) costs nothing',
		async (answer) => {
			const thrown = await failureOf({ [SUBMIT]: times(999, answer) });
			expect(thrown.description).not.toMatch(/billed|Get Many/);
			expect(thrown).toMatchObject({ mayBeBilled: false });
		},
	);

	test('a job that failed and was billed all the same', async () => {
		const jobs = [{ ...DONE, status: 'Failed', outputReference: null }];
		const thrown = await failureOf({ [LIST]: [{ data: { jobs } }] });
		expect(thrown.description).toMatch(/^Cogneris billed 2 credits\. /);
	});
});

describe('A run that ends', () => {
	/** Ends it while a route is being answered, which then does not answer. */
	async function endedAt(route: string, how: 'stop' | 'end', first: SimulatedAnswer[] = []) {
		const left = [...first];
		const simulated = simulatedSession(async ({ route: asked }) => {
			const next = asked === route ? left.shift() : undefined;
			if (asked !== route || next !== undefined) return next ?? USUAL[asked] ?? { status: 404 };
			if (how === 'stop') simulated.stop();
			else simulated.end(new NotSent());
			await simulated.time.sleep(1);
			throw new Error('aborted');
		});
		const { session, time, seconds } = simulated;
		const settings = { timeoutSeconds: 60 };
		const request = {
			operation: 'Extraction',
			subject: '"a.pdf"',
			file: new FormData(),
		};
		const jobs = new RunningJobs(new Slots(1));
		const thrown = await time
			.run(jobs.process(session, request, settings))
			.catch((reason: unknown) => reason);
		return { thrown, seconds: seconds() };
	}

	test('by a stop while the file is stored: nothing is billed', async () => {
		const { thrown, seconds } = await endedAt(STORE, 'stop');
		expect(thrown).not.toMatchObject({ mayBeBilled: true });
		expect(seconds).toBeLessThan(1);
	});

	test.each(['stop', 'end'] as const)(
		'by a %s while it is submitted: the job may exist',
		async (how) => {
			const { thrown, seconds } = await endedAt(SUBMIT, how);
			expect(thrown).toBeInstanceOf(DocumentError);
			expect(thrown).toMatchObject({
				description: expect.stringMatching(GET_MANY) as string,
				mayBeBilled: true,
			});
			expect(seconds).toBeLessThan(1);
		},
	);

	test('by a stop before a lost submission is repeated: the job may exist', async () => {
		const { thrown } = await endedAt(SUBMIT, 'stop', [LOST]);
		expect(thrown).toMatchObject({ description: expect.stringMatching(GET_MANY) as string });
	});

	test.each([
		['stop', 'The execution was stopped before the result of job j-1 for "a.pdf" was fetched'],
		['end', 'The result of job j-1 for "a.pdf" could not be fetched: The connection'],
	] as const)('by a %s while the result is fetched: its number is said', async (how, message) => {
		const { thrown } = await endedAt(FETCH, how);
		expect(thrown).toMatchObject({
			message: expect.stringContaining(message) as string,
			description: expect.stringContaining('Get Result, job ID j-1') as string,
			details: { jobId: 'j-1' },
			mayBeBilled: true,
		});
	});

	test('while it waits for its job, which is not called a stop', async () => {
		const { thrown } = await endedAt(LIST, 'end');
		expect(thrown).toMatchObject({
			message: 'The execution ended while job j-1 for "a.pdf" was running',
			details: { jobId: 'j-1' },
		});
	});
});

test('a quota is not waited for longer than for a direct document', async () => {
	const { done, routes } = running({
		[SUBMIT]: times(99, { status: 429, code: 'ADMISSION_QUOTA_EXCEEDED' }),
	});
	expect((await failureIn(done())).message).toMatch(/quota/);
	expect(routes().filter((route) => route === SUBMIT)).toHaveLength(4);
});

test('where the result is due, an envelope is read as one', async () => {
	const busy = { data: null, meta: { messages: ['Busy.'] }, hasErrors: true };
	const good = { data: { Metadata: { Total: 2 } }, meta: {}, hasErrors: false };
	const { done, routes } = running({
		[FETCH]: [busy, { ...good, data: null }, good].map((envelope) => ({
			text: JSON.stringify(envelope),
		})),
	});
	expect(await done()).toMatchObject({ data: { metadata: { Total: 2 } } });
	expect(routes().filter((route) => route === FETCH)).toHaveLength(3);
});

test('a result that is nested too deeply is not passed on', async () => {
	const text = `{"Metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
	const thrown = await failureOf({ [FETCH]: times(99, { text }) });
	expect(thrown.message).toBe(
		'The result of job j-1 for "a.pdf" is nested too deeply to be passed on',
	);
	expect(thrown.details).toMatchObject({ jobId: 'j-1', creditsConsumed: 2 });
});

test('a result that is kept no longer is not to be fetched later', async () => {
	const thrown = await failureOf({ [FETCH]: times(99, { status: 410 }) });
	expect(thrown.description).not.toContain('Get Result');
	expect(thrown.description).toContain('7 days');
});

const FETCH_LATER = 'Get Result, job ID j-1';

test.each<[SimulatedAnswer, RegExp, string]>([
	[{ status: 410, code: 'artifact_expired' }, /no longer keeps the result of job j-1/, '7 days'],
	[{ status: 404 }, /cannot find the result of job j-1/, '7 days'],
	[{ text: '<html>' }, /./, FETCH_LATER],
	[{ status: 502, text: '' }, /./, FETCH_LATER],
])(
	'a result that cannot be fetched (%j) names the job, and how to fetch it later unless it is gone',
	async (answer, reason, advice) => {
		const thrown = await failureOf({ [FETCH]: times(99, answer) });
		expect(thrown.message).toMatch(/^The result of job j-1 for "a.pdf" could not be fetched: /);
		expect(thrown.message).toMatch(reason);
		expect(thrown.description).toContain(advice);
		expect(thrown.description.includes(FETCH_LATER)).toBe(advice === FETCH_LATER);
		expect(thrown.details).toMatchObject({ jobId: 'j-1' });
	},
);

test('a result that is nested too deeply says so, and is not fetched again', async () => {
	const text = `${'{"a":'.repeat(250)}1${'}'.repeat(250)}`;
	const { done, routes } = running({ [FETCH]: [{ text }] });
	await expect(done()).rejects.toMatchObject({
		message: 'The result of job j-1 for "a.pdf" is nested too deeply to be passed on',
		details: { creditsConsumed: 2 },
	});
	expect(routes().filter((route) => route === FETCH)).toHaveLength(1);
});

test('an envelope that says that there is no result is none', async () => {
	const thrown = await failureOf({
		[FETCH]: [
			{ status: 200, text: '{"data":null,"hasErrors":true,"meta":{"httpStatusCode":410}}' },
		],
	});
	expect(thrown.message).toContain('no longer keeps the result of job j-1');
});
