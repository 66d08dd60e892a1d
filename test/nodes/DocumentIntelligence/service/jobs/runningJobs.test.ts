import { DocumentError } from '../../../../../nodes/DocumentIntelligence/text/errors';
import { readJob } from '../../../../../nodes/DocumentIntelligence/service/jobs/job';
import { RunningJobs } from '../../../../../nodes/DocumentIntelligence/service/jobs/runningJobs';
import { Slots } from '../../../../../nodes/DocumentIntelligence/waiting/waiting';
import { thrownBy } from '../../../service';
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

const REQUEST = { operation: 'Extraction', templateId: 't-1', subject: '"a.pdf"' };

const LOST = { status: 502, text: '' };

/** Of a server in between. */
const LOST_PAGE = { status: 404, text: '<html>Not Found</html>' };

const NOT_RETURNED =
	'The result of job j-1 for "a.pdf" could not be fetched: Cogneris did not return it, although the job has succeeded';

const STILL_MISSING =
	/^Execute again .* within 7 days .* Get Result and the job ID j-1\. If it is still missing then, contact Cogneris support with this ID\. The document may already be billed/;

const times = (count: number, answer: SimulatedAnswer) =>
	Array.from({ length: count }, () => answer);

/** Jobs over a service that answers like this. */
function jobsWith(answer: Parameters<typeof simulatedSession>[0]) {
	const simulated = simulatedSession(answer);
	const routes = () => simulated.requests.map(({ route }) => route);
	const { session } = simulated;
	return { ...simulated, routes, jobs: new RunningJobs(session, new Slots(1), session, false) };
}

const MINUTE = { timeoutSeconds: 60 };

/** Processes a document; routes answer as listed, one by one, then as usual. */
function running(other: Record<string, SimulatedAnswer[]> = {}, timeoutSeconds = 60) {
	const left = structuredClone(other);
	const simulated = jobsWith(
		({ route }) => left[route]?.shift() ?? USUAL[route] ?? { status: 404 },
	);
	const answer = simulated.jobs.process({ timeoutSeconds }, REQUEST, new FormData());
	return { ...simulated, done: async () => await simulated.time.run(answer) };
}

async function failureIn(work: Promise<unknown>): Promise<DocumentError> {
	const thrown = await thrownBy(work);
	if (!(thrown instanceof DocumentError)) throw new Error(`No DocumentError: ${String(thrown)}`);
	return thrown;
}

const failureOf = async (other: Record<string, SimulatedAnswer[]>) =>
	await failureIn(running(other).done());

test('a document is stored, submitted, waited for and fetched', async () => {
	const { done, requests, routes } = running();
	expect(await done()).toEqual({
		kind: 'data',
		data: { id: 'r', metadata: { Total: 1 } },
		asSent: { Id: 'r', Metadata: { Total: 1 } },
		jobId: 'j-1',
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

describe('Nothing is paid twice', () => {
	test.each([STORE, SUBMIT, FETCH])(
		'%s is repeated as it was, up to eight times',
		async (route) => {
			const { done, requests } = running({ [route]: times(8, LOST) });
			expect(await done()).toMatchObject({ creditsConsumed: 2 });
			const made = requests.filter((request) => request.route === route);
			expect(made).toHaveLength(9);
			const sent = made.map(({ options }) => JSON.stringify([options.body, options.headers]));
			expect(new Set(sent).size).toBe(1);
		},
	);

	test('an upload that is never answered is tried three times, each for the whole Timeout', async () => {
		const timeout = jest
			.spyOn(AbortSignal, 'timeout')
			.mockImplementation(() => AbortSignal.abort(new Error('too late')));
		const { jobs, time } = jobsWith(() => {
			throw new Error('aborted');
		});
		const work = jobs.submit({ timeoutSeconds: 300 }, REQUEST, new FormData());
		const thrown = await failureIn(time.run(work));
		expect(timeout.mock.calls).toEqual([[300_000], [300_000], [300_000]]);
		timeout.mockRestore();
		expect(thrown.message).toBe('No response for "a.pdf" arrived within 300 seconds');
		expect(thrown.description).toBe(
			"For long documents, raise 'Timeout (Seconds)'. The node tried 3 times.",
		);
	});

	test('a key that Cogneris no longer knows is replaced once, unless a job may have been started', async () => {
		const unknown = {
			status: 409,
			text: JSON.stringify({
				code: 'conflict',
				retryable: true,
				errors: [{ code: 'idempotency_replay_unavailable' }],
			}),
		};
		const { done, requests } = running({ [SUBMIT]: [unknown] });
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		const keys = requests.flatMap(({ route, options }) =>
			route === SUBMIT ? [options.headers?.['Idempotency-Key']] : [],
		);
		expect(new Set(keys).size).toBe(2);
		for (const answers of [times(99, unknown), [LOST, unknown]]) {
			const { done: fails, routes } = running({ [SUBMIT]: [...answers] });
			const thrown = await failureIn(fails());
			expect(routes().filter((route) => route === SUBMIT)).toHaveLength(2);
			expect(thrown.description).not.toMatch(/address/);
		}
	});

	test.each(['Succeeded', 'Failed'])(
		'a repeated submission that says %s does not say how: the job is looked for',
		async (status) => {
			const { done } = running({
				[SUBMIT]: [{ status: 202, data: { jobId: 'j-1', status, replayed: true } }],
			});
			expect(await done()).toMatchObject({ creditsConsumed: 2 });
		},
	);
});

describe('A result belongs to its job', () => {
	const other = { data: { ...DONE, jobId: 'j-2', outputReference: 'artifact://other' } };

	test('an answer about another job is asked for again', async () => {
		const { done, requests } = running({
			[LIST]: times(9, { data: { jobs: [] } }),
			[GET]: [other],
		});
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		const fetched = requests.filter(({ route }) => route === FETCH);
		expect(fetched.map(({ options }) => options.qs)).toEqual([{ reference: 'artifact://result' }]);
	});

	test('without end: the job is not given the result of the other', async () => {
		const thrown = await failureOf({ [LIST]: times(99, LOST), [GET]: times(99, other) });
		expect(thrown).toMatchObject({ details: { jobId: 'j-1' } });
	});
});

describe('No paid result is given up', () => {
	let deep: unknown = 1;
	for (let level = 0; level < 300; level++) deep = [deep];

	test.each<[string, SimulatedAnswer]>([
		['500', { status: 500 }],
		['nothing', LOST],
		['half a list', { text: '{"data":{"jobs":[' }],
		['no job of ours', { data: { jobs: [null, { jobId: 7 }] } }],
	])('a list that is %s for good: the job is asked for by its ID', async (_, answer) => {
		const { done, routes } = running({ [LIST]: times(99, answer) });
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		expect(routes()).toEqual([STORE, SUBMIT, LIST, LIST, GET, FETCH]);
	});

	test('one job that cannot be read hides no other', async () => {
		const jobs = [null, { jobId: {} }, { jobId: 'x', status: {} }, DONE];
		const { done, routes } = running({ [LIST]: [{ data: { jobs } }] });
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		expect(routes()).toEqual([STORE, SUBMIT, LIST, FETCH]);
	});

	test('a list that does not say where the result is, and a job that does not say it at first', async () => {
		const without = { ...DONE, outputReference: null, creditsConsumed: null };
		const { done } = running({
			[LIST]: times(9, { data: { jobs: [without] } }),
			[GET]: times(2, { data: without }),
		});
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		const thrown = await failureOf({
			[LIST]: times(9, { data: { jobs: [without] } }),
			[GET]: times(9, { data: without }),
		});
		expect(thrown.message).toBe(NOT_RETURNED);
		expect(thrown.description).toMatch(STILL_MISSING);
		// So that Skip skips the document.
		expect(thrown).toMatchObject({ mayBeBilled: true });
	});

	test.each(['application/json', 'application/problem+json', ''])(
		'a result of type %j that is cut off is fetched again, then names its job',
		async (type) => {
			const cutOff = { text: ' {"Metadata":{"Tot', headers: { 'content-type': type } };
			const { done } = running({ [FETCH]: times(2, cutOff) });
			expect(await done()).toMatchObject({ data: { metadata: { Total: 1 } } });
			const thrown = await failureOf({ [FETCH]: times(99, cutOff) });
			expect(thrown.message).toMatch(/^The result of job j-1 for "a.pdf" could not be fetched: /);
			expect(thrown.description).toContain('Get Result and the job ID j-1');
		},
	);

	test('an envelope in its place is read as one', async () => {
		const good = { data: { Metadata: { Total: 2 } }, meta: {}, hasErrors: false };
		const { done, routes } = running({
			[FETCH]: [
				{ data: null, meta: { messages: ['Busy.'] }, hasErrors: true },
				{ ...good, data: null },
				good,
			].map((envelope) => ({ text: JSON.stringify(envelope) })),
		});
		expect(await done()).toMatchObject({ data: { metadata: { Total: 2 } } });
		expect(routes().filter((route) => route === FETCH)).toHaveLength(3);
	});

	test('a result that is nested too deeply for n8n names its job', async () => {
		const text = `{"Metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
		expect(await failureOf({ [FETCH]: times(99, { text }) })).toMatchObject({
			message: expect.stringMatching(/^The result of job j-1 for "a.pdf" could not be/) as string,
			details: { jobId: 'j-1' },
		});
	});
});

describe('What is said', () => {
	test.each([
		[422, 'TEMPLATE_UNKNOWN', /cannot find the template for "a.pdf"/, /from the list/],
		[410, 'artifact_expired', /no longer keeps "a.pdf"/, /Upload the file again/],
		[
			403,
			'environment.sandbox_route_unavailable',
			/does not allow the request for "a.pdf"/,
			/sandbox key/,
		],
	])(
		'of a submission that is rejected (%s %s), which costs nothing',
		async (status, code, message, advice) => {
			const { done, routes } = running({ [SUBMIT]: times(99, { status, code }) });
			const thrown = await failureIn(done());
			expect(thrown.message).toMatch(message);
			expect(thrown.description).toMatch(advice);
			expect(thrown.description).not.toMatch(/billed|Get Many/);
			expect(thrown).toMatchObject({ details: { httpCode: status, code }, mayBeBilled: false });
			expect(routes().filter((route) => route === SUBMIT)).toHaveLength(1);
		},
	);

	test('of a file that could not be stored: nothing was processed', async () => {
		const thrown = await failureOf({ [STORE]: times(99, LOST) });
		expect(thrown.description).toMatch(/tried 9 times/);
		expect(thrown.description).not.toMatch(/billed/);
		expect(thrown).toMatchObject({ mayBeBilled: false });
	});

	test('of a file that may have been stored, and then could not be sent', async () => {
		let stored = 0;
		const { jobs, time } = jobsWith(() => {
			stored += 1;
			if (stored === 1) return LOST;
			throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
		});
		const work = jobs.submit(MINUTE, REQUEST, new FormData());
		expect((await failureIn(time.run(work))).message).not.toMatch(/was not sent/);
	});

	test.each<[string, SimulatedAnswer[], SimulatedAnswer]>([
		['no answer', [], LOST],
		['a lost answer, then rejections for the rate', [LOST], { status: 429 }],
		['a lost answer, then a quota', [LOST], { status: 429, code: 'admission_quota_exceeded' }],
		[
			'a lost answer, then a rejection',
			[LOST],
			{ status: 409, code: 'idempotency_replay_unavailable' },
		],
	])('of a submission with %s: the job may exist', async (_, first, then) => {
		const thrown = await failureOf({ [SUBMIT]: [...first, ...times(999, then)] });
		expect(thrown.description).toMatch(
			/^Find the job with Job: Get Many .* The job may have been created and billed\.$/,
		);
		expect(thrown.description).not.toMatch(/not retried|quota|Nothing was billed/);
		expect(thrown).toMatchObject({ mayBeBilled: true });
	});

	test.each([
		[{ status: 'Cancelled' }, /^Job j-1 for "a.pdf" was canceled$/],
		[
			{ failureCode: 'template_unresolved' },
			/^Job j-1 for "a.pdf" could not find the chosen template/,
		],
		[{ failureCode: 'unreadable' }, /^Job j-1 for "a.pdf" returned no result: unreadable$/],
		[{}, /^Job j-1 for "a.pdf" returned no result$/],
		[{ failureCode: `xtkt_live_secret ${'x'.repeat(5_000_000)}` }, /xtkt_live_… x{400,500}…$/],
	])('of a job that ends as %#', async (job, message) => {
		const jobs = [{ ...DONE, status: 'Failed', outputReference: null, ...job }];
		const thrown = await failureOf({ [LIST]: [{ data: { jobs } }] });
		expect(thrown.message).toMatch(message);
		expect(thrown.description).toMatch(/ Cogneris billed 2 credits\.$/);
		expect(thrown.details).toMatchObject({ jobId: 'j-1', creditsConsumed: 2 });
		expect(JSON.stringify(thrown.details).length).toBeLessThan(1000);
	});

	test('of a job that was free', async () => {
		for (const status of ['Failed', 'Succeeded']) {
			const job = { ...DONE, status, outputReference: null, creditsConsumed: 0 };
			const list = times(9, { data: { jobs: [job] } });
			const thrown = await failureOf({ [LIST]: list, [GET]: times(9, { data: job }) });
			expect(thrown).toMatchObject({ mayBeBilled: false, details: { creditsConsumed: 0 } });
			expect(thrown.description).not.toContain('billed');
		}
	});

	test.each<[SimulatedAnswer, RegExp, boolean]>([
		[{ status: 410 }, /no longer keeps the result of job j-1/, false],
		[
			{ text: '{"data":null,"hasErrors":true,"meta":{"httpStatusCode":410}}' },
			/no longer keeps/,
			false,
		],
		[LOST, /./, true],
	])('of a result that cannot be fetched (%j)', async (answer, reason, isKept) => {
		const thrown = await failureOf({ [FETCH]: times(99, answer) });
		expect(thrown.message).toMatch(/^The result of job j-1 for "a.pdf" could not be fetched: /);
		expect(thrown.message).toMatch(reason);
		expect(thrown.description.includes('Get Result and the job ID j-1')).toBe(isKept);
		expect(thrown.description).toContain('7 days');
		expect(thrown.details).toMatchObject({ jobId: 'j-1' });
	});
});

describe('A result that Cogneris does not return although the job has succeeded', () => {
	const NOT_FOUND: SimulatedAnswer[] = [{ status: 404 }, { status: 400 }, LOST_PAGE];

	test.each(NOT_FOUND)(
		'(%j) is asked for again with the pauses of a status check',
		async (answer) => {
			const { done, requests, routes } = running({ [FETCH]: times(3, answer) });
			expect(await done()).toMatchObject({ data: { metadata: { Total: 1 } } });
			expect(routes()).toEqual([STORE, SUBMIT, LIST, FETCH, FETCH, FETCH, FETCH]);
			const [first = 0, ...more] = requests.flatMap(({ route, at }) =>
				route === FETCH ? [at] : [],
			);
			expect(more.map((at) => Math.round(at - first))).toEqual([2, 5, 10]);
		},
	);

	test.each(NOT_FOUND)('(%j) until Timeout is not lost, and may be billed', async (answer) => {
		const { done, routes, seconds } = running({ [FETCH]: times(99, answer) });
		const thrown = await failureIn(done());
		expect(seconds()).toBeGreaterThan(58);
		expect(seconds()).toBeLessThan(65);
		expect(routes().filter((route) => route === FETCH).length).toBeLessThan(12);
		expect(thrown.message).toBe(NOT_RETURNED);
		expect(thrown.description).toMatch(STILL_MISSING);
		expect(thrown).toMatchObject({ result: 'kept', mayBeBilled: true, details: { jobId: 'j-1' } });
	});

	test('holds up no other document, and is not waited for after a stop', async () => {
		const { jobs, time, stop, requests, seconds } = jobsWith(({ route, options }) => {
			const { reference } = (options.qs ?? {}) as { reference?: string };
			if (route !== FETCH) return { data: { jobs: [] } };
			return reference === 'artifact://result' ? { status: 404 } : { text: '{"Id":"r"}' };
		});
		const collect = async (outputReference: string) => {
			const job = readJob({ ...DONE, outputReference })!;
			return await jobs.collect(MINUTE, job, { subject: undefined });
		};
		const missing = thrownBy(collect('artifact://result'));
		expect(await time.run(collect('artifact://other'))).toMatchObject({ data: { id: 'r' } });
		expect(seconds()).toBeLessThan(1);
		stop();
		expect(await time.run(missing)).toMatchObject({
			message: 'The execution was stopped before the result of job j-1 was fetched',
			result: 'kept',
		});
		expect([seconds() < 2, requests.length]).toEqual([true, 2]);
	});

	test('but no longer keeps is gone at once', async () => {
		const { done, routes } = running({ [FETCH]: times(99, { status: 410 }) });
		expect(await failureIn(done())).toMatchObject({ result: 'gone' });
		expect(routes().filter((route) => route === FETCH)).toHaveLength(1);
	});
});

test('the content of a file or a result may take as long as Timeout says', async () => {
	const timeout = jest.spyOn(AbortSignal, 'timeout');
	const { done } = running({}, 300);
	await done();
	const seconds = timeout.mock.calls.map(([ms]) => ms / 1000);
	timeout.mockRestore();
	// The upload, the submission, the status check, and the result.
	expect(seconds).toEqual([300, 60, 15, 300]);
});

test.each([
	[{ 'retry-after': '7' }, 5, 7],
	[{}, 5, 5],
	[{ 'retry-after': 'soon' }, undefined, 2],
])(
	'after headers %j and retryAfterSeconds %p, the first look comes after %i s',
	async (headers, own, at) => {
		const data = { jobId: 'j-1', status: 'Queued', retryAfterSeconds: own };
		const { done, requests } = running({
			[SUBMIT]: [{ status: 202, data, headers: headers }],
		});
		await done();
		expect(requests.find(({ route }) => route === LIST)?.at).toBeCloseTo(at, 0);
	},
);

test('after a job was asked for by its ID, the next look heeds the Retry-After of that one', async () => {
	const { jobs, time, requests } = jobsWith(({ route }) =>
		route === GET
			? { data: { jobId: 'j-1', status: 'Processing' }, headers: { 'retry-after': '9' } }
			: (USUAL[route] ?? { status: 404 }),
	);
	const found = await jobs.find(MINUTE, 'j-1');
	await time.run(jobs.collect(MINUTE, found.job, { subject: undefined, ...found }));
	expect(requests.map(({ route, at }) => [route, Math.round(at)]).slice(0, 2)).toEqual([
		[GET, 0],
		[LIST, 9],
	]);
});

describe('A result that is a file', () => {
	test.each(['image/png', 'application/pdf', 'application/zip'])(
		'of type %s is fetched once and passed on',
		async (type) => {
			const file = { text: '{"not":"read"}', headers: { 'content-type': `${type}; x=1` } };
			const { done, routes } = running({ [FETCH]: [file] });
			expect(await done()).toEqual({
				kind: 'file',
				bytes: Buffer.from('{"not":"read"}'),
				mimeType: type,
				jobId: 'j-1',
				creditsConsumed: 2,
			});
			expect(routes().filter((route) => route === FETCH)).toHaveLength(1);
		},
	);

	test.each([
		['text/html', '<html>'],
		['text/plain', 'busy'],
		['', 'busy'],
	])('is never what a gateway sends in its place as %j', async (type, text) => {
		const page = { text, headers: { 'content-type': type } };
		expect(await running({ [FETCH]: [page] }).done()).toMatchObject({ data: { id: 'r' } });
	});
});

test('a submission in flight is not aborted by a stop, which does not wait: its job is asked to be canceled', async () => {
	const { jobs, time, stop, routes, seconds } = jobsWith(async ({ route }) => {
		if (route !== SUBMIT) return USUAL[route] ?? { status: 202, data: {} };
		void time.sleep(500).then(stop);
		await time.sleep(5000);
		return USUAL[SUBMIT]!;
	});
	const inFlight = new AbortController();
	const settings = { ...MINUTE, inFlight };
	const work = thrownBy(jobs.process(settings, REQUEST, { reference: 'artifact://1' }));
	// The other one waits for the slot of the first.
	const other = jobs.process(MINUTE, REQUEST, { reference: 'artifact://2' });
	expect(await time.run(thrownBy(other))).toMatchObject({ message: 'stopped' });
	expect(seconds()).toBeLessThan(2);
	expect(inFlight.signal.reason).toMatchObject({
		message: 'The execution was stopped while "a.pdf" was being processed',
		description: expect.stringMatching(/may still be processed and billed\.$/) as string,
	});
	expect(await time.run(work)).toMatchObject({ jobId: 'j-1', result: 'kept' });
	expect(routes()).toEqual([SUBMIT, `${SUBMIT}/j-1/cancel`]);
});

describe('A run that ends', () => {
	/** Ends it while a route is being answered, which then does not answer. */
	async function endedAt(route: string, how: 'stop' | 'end', first: SimulatedAnswer[] = []) {
		const left = [...first];
		const { jobs, time, seconds, stop, end } = jobsWith(async ({ route: asked }) => {
			const next = asked === route ? left.shift() : undefined;
			if (asked !== route || next !== undefined) return next ?? USUAL[asked] ?? { status: 404 };
			if (how === 'stop') stop();
			else end(new Error('The run ended first'));
			await time.sleep(1);
			throw new Error('aborted');
		});
		const work = time.run(jobs.process(MINUTE, REQUEST, new FormData()));
		const thrown = await work.catch((reason: unknown) => reason);
		expect(seconds()).toBeLessThan(how === 'stop' && route === STORE ? 1 : 10);
		return thrown;
	}

	test('while the file is stored: nothing is billed', async () => {
		expect(await endedAt(STORE, 'stop')).not.toMatchObject({ mayBeBilled: true });
	});

	test.each<['stop' | 'end', SimulatedAnswer[]]>([
		['stop', []],
		['end', []],
		['stop', [LOST]],
	])('by a %s while it is submitted (%j): the job may exist', async (how, first) => {
		expect(await endedAt(SUBMIT, how, first)).toMatchObject({
			description: expect.stringMatching(
				/may have been created and billed|may still be processed and billed/,
			) as string,
			mayBeBilled: true,
		});
	});

	test.each([
		[
			FETCH,
			'stop',
			'The execution was stopped before the result of job j-1 for "a.pdf" was fetched',
		],
		[FETCH, 'end', 'The result of job j-1 for "a.pdf" could not be fetched: The connection'],
		[
			LIST,
			'stop',
			'The execution was stopped before the result of job j-1 for "a.pdf" was fetched',
		],
		[LIST, 'end', 'The execution ended before the result of job j-1 for "a.pdf" was fetched'],
	] as const)('%s, by a %s: the ID of the job is said', async (route, how, message) => {
		expect(await endedAt(route, how)).toMatchObject({
			message: expect.stringContaining(message) as string,
			description: expect.stringContaining('Get Result and the job ID j-1') as string,
			details: { jobId: 'j-1' },
		});
	});
});
