import { DocumentError } from '../../../../../nodes/DocumentIntelligence/text/errors';
import type { Answer } from '../../../../../nodes/DocumentIntelligence/service/envelope';
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

/** What becomes of a document by the usual answers. */
const ANSWER: Answer = {
	kind: 'data',
	data: { id: 'r', metadata: { Total: 1 } },
	asSent: { Id: 'r', Metadata: { Total: 1 } },
	jobId: 'j-1',
	creditsConsumed: 2,
};

const REQUEST = { operation: 'Extraction', templateId: 't-1', subject: '"a.pdf"' };

const MINUTE = { timeoutSeconds: 60 };

const LOST = { status: 502, text: '' };

const times = (count: number, answer: SimulatedAnswer) =>
	Array.from({ length: count }, () => answer);

/** Jobs over a service that answers like this. */
function jobsWith(answer: Parameters<typeof simulatedSession>[0], hasSeveral = false) {
	const simulated = simulatedSession(answer);
	const { session, requests } = simulated;
	return {
		...simulated,
		jobs: new RunningJobs(session, new Slots(1), session, hasSeveral),
		routes: () => requests.map(({ route }) => route),
	};
}

/** Processes a document; routes answer as listed, one by one, then as usual. */
async function outcomeOf(other: Record<string, SimulatedAnswer[]> = {}, timeoutSeconds = 60) {
	const left = structuredClone(other);
	const { jobs, time, requests, routes, seconds } = jobsWith(
		({ route }) => left[route]?.shift() ?? USUAL[route] ?? { status: 404 },
	);
	const work = time.run(jobs.process({ timeoutSeconds }, REQUEST, new FormData()));
	const end = await work.catch((thrown: unknown) => thrown);
	return {
		answer: end as Answer,
		failure: end as DocumentError & { result: string },
		requests,
		routes: routes(),
		seconds: seconds(),
		/** The requests to a route. */
		to: (route: string) => requests.filter((request) => request.route === route),
	};
}

test('a document is stored, submitted, waited for and fetched', async () => {
	const { answer, requests, routes } = await outcomeOf();
	expect(answer).toEqual(ANSWER);
	expect(routes).toEqual([STORE, SUBMIT, LIST, FETCH]);
	expect(requests[1]?.options).toMatchObject({
		body: { operation: 'Extraction', inputReference: 'artifact://1', templateId: 't-1' },
		headers: { 'Idempotency-Key': expect.stringMatching(/^[\w.:-]{8,128}$/) as string },
	});
	expect(requests[3]?.options.qs).toEqual({ reference: 'artifact://result' });
});

describe('Nothing is paid twice', () => {
	test.each([STORE, SUBMIT, FETCH])(
		'%s is repeated as it was, up to eight times',
		async (route) => {
			const { answer, to } = await outcomeOf({ [route]: times(8, LOST) });
			expect(answer).toEqual(ANSWER);
			const sent = to(route).map(({ options }) => JSON.stringify([options.body, options.headers]));
			expect(sent).toEqual(times(9, {}).map(() => sent[0]));
		},
	);

	test('a key that Cogneris no longer knows is replaced once, unless a job may have been started', async () => {
		const errors = [{ code: 'idempotency_replay_unavailable' }];
		const text = JSON.stringify({ code: 'conflict', retryable: true, errors });
		const unknown = { status: 409, text };
		const { answer, to } = await outcomeOf({ [SUBMIT]: [unknown] });
		expect(answer).toEqual(ANSWER);
		const keys = to(SUBMIT).map(({ options }) => options.headers?.['Idempotency-Key']);
		expect(new Set(keys).size).toBe(2);
		for (const answers of [times(99, unknown), [LOST, unknown]]) {
			const failed = await outcomeOf({ [SUBMIT]: answers });
			expect(failed.to(SUBMIT)).toHaveLength(2);
			expect(failed.failure.description).not.toMatch(/address/);
		}
	});

	test('a repeated submission that says how it ended is not believed: the job is looked for', async () => {
		for (const status of ['Succeeded', 'Failed']) {
			const replayed = { status: 202, data: { jobId: 'j-1', status, replayed: true } };
			expect((await outcomeOf({ [SUBMIT]: [replayed] })).answer).toEqual(ANSWER);
		}
	});
});

test('an answer about another job is asked for again, and without end gives no other result', async () => {
	const other = { data: { ...DONE, jobId: 'j-2', outputReference: 'artifact://other' } };
	const unlisted = times(99, { data: { jobs: [] } });
	const { answer, to } = await outcomeOf({ [LIST]: unlisted, [GET]: [other] });
	expect(answer).toEqual(ANSWER);
	expect(to(FETCH).map(({ options }) => options.qs)).toEqual([{ reference: 'artifact://result' }]);
	const { failure } = await outcomeOf({ [LIST]: unlisted, [GET]: times(99, other) });
	expect(failure).toMatchObject({ details: { jobId: 'j-1' } });
});

const NOT_RETURNED =
	'The result of job j-1 for "a.pdf" could not be fetched: Cogneris did not return it, although the job has succeeded';

const NOT_FETCHED = /^The result of job j-1 for "a.pdf" could not be fetched: /;

const STILL_MISSING =
	/^Execute again .* within 7 days .* Get Result and the job ID j-1\. If it is still missing then, contact Cogneris support with this ID\. The document may already be billed/;

describe('No paid result is given up', () => {
	const UNREADABLE = [null, { jobId: {} }, { jobId: 'x', status: {} }];

	test.each<[string, SimulatedAnswer, string[]]>([
		['500', { status: 500 }, [LIST, LIST, GET]],
		['nothing', LOST, [LIST, LIST, GET]],
		['half a list', { text: '{"data":{"jobs":[' }, [LIST, LIST, GET]],
		['no job that can be read', { data: { jobs: UNREADABLE } }, [LIST, LIST, GET]],
		['one among others', { data: { jobs: [...UNREADABLE, DONE] } }, [LIST]],
	])('a list that shows %s: the job is found, if need be by its ID', async (_, listed, looks) => {
		const { answer, routes } = await outcomeOf({ [LIST]: times(99, listed) });
		expect(answer).toEqual(ANSWER);
		expect(routes).toEqual([STORE, SUBMIT, ...looks, FETCH]);
	});

	test('a list that does not say where the result is, and a job that does not say it at first', async () => {
		const without = { ...DONE, outputReference: null, creditsConsumed: null };
		const listed = times(9, { data: { jobs: [without] } });
		const later = await outcomeOf({ [LIST]: listed, [GET]: times(2, { data: without }) });
		expect(later.answer).toEqual(ANSWER);
		const { failure } = await outcomeOf({ [LIST]: listed, [GET]: times(9, { data: without }) });
		expect(failure).toMatchObject({
			message: NOT_RETURNED,
			description: expect.stringMatching(STILL_MISSING) as string,
			// So that Skip skips the document.
			mayBeBilled: true,
		});
	});

	test.each([
		['application/json', ' {"Metadata":{"Tot'],
		['application/problem+json', ' {"Metadata":{"Tot'],
		// Too deep for n8n.
		['', `{"Metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
		// What a gateway sends in its place.
		['text/html', '<html>'],
		['text/plain', 'busy'],
	])(
		'a result of type %j that cannot be read is fetched again, then names its job: %.20s',
		async (type, text) => {
			const unreadable = { text, headers: { 'content-type': type } };
			expect((await outcomeOf({ [FETCH]: times(2, unreadable) })).answer).toEqual(ANSWER);
			const { failure } = await outcomeOf({ [FETCH]: times(99, unreadable) });
			expect(failure.message).toMatch(NOT_FETCHED);
			expect(failure.description).toContain('Get Result and the job ID j-1');
			expect(failure.details).toMatchObject({ jobId: 'j-1' });
		},
	);

	test('an envelope in its place is read as one', async () => {
		const good = { data: { Metadata: { Total: 2 } }, meta: {}, hasErrors: false };
		const envelopes = [
			{ data: null, meta: { messages: ['Busy.'] }, hasErrors: true },
			{ ...good, data: null },
			good,
		];
		const { answer, to } = await outcomeOf({
			[FETCH]: envelopes.map((envelope) => ({ text: JSON.stringify(envelope) })),
		});
		expect(answer).toMatchObject({ data: { metadata: { Total: 2 } } });
		expect(to(FETCH)).toHaveLength(3);
	});

	test('a file of another type is passed on as it is', async () => {
		const file = { text: '{"not":"read"}', headers: { 'content-type': 'application/pdf; x=1' } };
		const { answer } = await outcomeOf({ [FETCH]: [file] });
		const { jobId, creditsConsumed } = ANSWER;
		const bytes = Buffer.from('{"not":"read"}');
		const mimeType = 'application/pdf';
		expect(answer).toEqual({ kind: 'file', bytes, mimeType, jobId, creditsConsumed });
	});
});

describe('What is said', () => {
	test.each([
		[422, 'TEMPLATE_UNKNOWN', /cannot find the template for "a.pdf"/, /from the list/],
		[410, 'artifact_expired', /no longer keeps "a.pdf"/, /Upload the file again/],
		[403, 'environment.sandbox_route_unavailable', /does not allow the request/, /sandbox key/],
	])(
		'of a submission that is rejected (%s %s), which costs nothing',
		async (status, code, message, advice) => {
			const { failure, to } = await outcomeOf({ [SUBMIT]: times(99, { status, code }) });
			expect(failure.message).toMatch(message);
			expect(failure.description).toMatch(advice);
			expect(failure.description).not.toMatch(/billed|Get Many/);
			expect(failure).toMatchObject({ details: { httpCode: status, code }, mayBeBilled: false });
			expect(to(SUBMIT)).toHaveLength(1);
		},
	);

	test('of a file that could not be stored: nothing was processed', async () => {
		const { failure } = await outcomeOf({ [STORE]: times(99, LOST) });
		expect(failure.description).toMatch(/tried 9 times/);
		expect(failure.description).not.toMatch(/billed/);
		expect(failure).toMatchObject({ mayBeBilled: false });
	});

	test.each<[string, SimulatedAnswer]>([
		['no other answer', LOST],
		['rejections for the rate', { status: 429 }],
		['a quota', { status: 429, code: 'admission_quota_exceeded' }],
		['a rejection', { status: 409, code: 'idempotency_replay_unavailable' }],
	])('of a submission with a lost answer, then %s: the job may exist', async (_, then) => {
		const { failure } = await outcomeOf({ [SUBMIT]: [LOST, ...times(999, then)] });
		expect(failure.description).toMatch(
			/^Find the job with Job: Get Many .* The job may have been created and billed\.$/,
		);
		expect(failure.description).not.toMatch(/not retried|quota|Nothing was billed/);
		expect(failure).toMatchObject({ mayBeBilled: true });
	});

	test.each([
		[{ status: 'Cancelled' }, /^Job j-1 for "a.pdf" was canceled$/],
		[{ failureCode: 'template_unresolved' }, /^Job j-1 for "a.pdf" could not find the chosen temp/],
		[{ failureCode: 'unreadable' }, /^Job j-1 for "a.pdf" returned no result: unreadable$/],
		[{}, /^Job j-1 for "a.pdf" returned no result$/],
	])('of a job that ends as %j', async (job, message) => {
		const jobs = [{ ...DONE, status: 'Failed', outputReference: null, ...job }];
		const { failure } = await outcomeOf({ [LIST]: [{ data: { jobs } }] });
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(/ Cogneris billed 2 credits\.$/);
		expect(failure.details).toMatchObject({ jobId: 'j-1', creditsConsumed: 2 });
	});

	test.each(['Failed', 'Succeeded'])('of a job that was free: %s', async (status) => {
		const job = { ...DONE, status, outputReference: null, creditsConsumed: 0 };
		const listed = times(9, { data: { jobs: [job] } });
		const { failure } = await outcomeOf({ [LIST]: listed, [GET]: times(9, { data: job }) });
		expect(failure).toMatchObject({ mayBeBilled: false, details: { creditsConsumed: 0 } });
		expect(failure.description).not.toContain('billed');
	});

	const EXPIRED = '{"data":null,"hasErrors":true,"meta":{"httpStatusCode":410}}';

	test.each<[SimulatedAnswer, RegExp, string, number]>([
		[{ status: 410 }, /no longer keeps the result of job j-1/, 'gone', 1],
		[{ text: EXPIRED }, /no longer keeps/, 'gone', 1],
		[{ status: 401 }, /rejected the API key .* check that the key is complete/, 'kept', 1],
		[LOST, /./, 'kept', 9],
	])('of a result that cannot be fetched (%j)', async (answer, reason, result, requests) => {
		const { failure, to } = await outcomeOf({ [FETCH]: times(99, answer) });
		expect(failure).toMatchObject({ result, details: { jobId: 'j-1' } });
		expect(failure.message).toMatch(NOT_FETCHED);
		expect(`${failure.message} ${failure.description}`).toMatch(reason);
		expect(failure.description.includes('Get Result and the job ID j-1')).toBe(result === 'kept');
		expect(failure.description).toContain('7 days');
		expect(to(FETCH)).toHaveLength(requests);
	});
});

describe('A result that Cogneris does not return although the job has succeeded', () => {
	test.each<SimulatedAnswer>([
		{ status: 404 },
		{ status: 400 },
		// Of a server in between.
		{ status: 404, text: '<html>Not Found</html>' },
	])(
		'(%j) is asked for again with growing pauses until Timeout; it is not lost, and may be billed',
		async (answer) => {
			const later = await outcomeOf({ [FETCH]: times(3, answer) });
			expect(later.answer).toEqual(ANSWER);
			const [first = 0, ...more] = later.to(FETCH).map(({ at }) => at);
			expect(more.map((at) => Math.round(at - first))).toEqual([2, 5, 10]);
			const { failure, to, seconds } = await outcomeOf({ [FETCH]: times(99, answer) });
			expect(seconds).toBeGreaterThan(58);
			expect(seconds).toBeLessThan(65);
			expect(to(FETCH).length).toBeLessThan(12);
			expect(failure).toMatchObject({
				message: NOT_RETURNED,
				description: expect.stringMatching(STILL_MISSING) as string,
				result: 'kept',
				mayBeBilled: true,
				details: { jobId: 'j-1' },
			});
		},
	);

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
});

describe('Time limits and pauses', () => {
	afterEach(() => jest.restoreAllMocks());

	test('an upload that is never answered is tried three times, each for the whole Timeout', async () => {
		const timeout = jest
			.spyOn(AbortSignal, 'timeout')
			.mockImplementation(() => AbortSignal.abort(new Error('too late')));
		const { jobs, time } = jobsWith(() => {
			throw new Error('aborted');
		});
		const work = jobs.submit({ timeoutSeconds: 300 }, REQUEST, new FormData());
		expect(await thrownBy(time.run(work))).toMatchObject({
			message: 'No response for "a.pdf" arrived within 300 seconds',
			description: "For long documents, raise 'Timeout (Seconds)'. The node tried 3 times.",
		});
		expect(timeout.mock.calls).toEqual([[300_000], [300_000], [300_000]]);
	});

	test('the content of a file or a result may take as long as Timeout says', async () => {
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		await outcomeOf({}, 300);
		// The upload, the submission, the status check, and the result.
		expect(timeout.mock.calls.map(([ms]) => ms / 1000)).toEqual([300, 60, 15, 300]);
	});

	test.each([
		[{ 'retry-after': '7' }, 5, 7],
		[{}, 5, 5],
		[{ 'retry-after': 'soon' }, undefined, 2],
	])(
		'after headers %j and retryAfterSeconds %p, the first look comes after %i s',
		async (headers, retryAfterSeconds, at) => {
			const data = { jobId: 'j-1', status: 'Queued', retryAfterSeconds };
			const { to } = await outcomeOf({ [SUBMIT]: [{ status: 202, data, headers: headers }] });
			expect(to(LIST)[0]?.at).toBeCloseTo(at, 0);
		},
	);

	test('after a job was asked for by its ID, the next look heeds the Retry-After of that one', async () => {
		const running = {
			data: { jobId: 'j-1', status: 'Processing' },
			headers: { 'retry-after': '9' },
		};
		const { jobs, time, requests } = jobsWith(({ route }) =>
			route === GET ? running : USUAL[route]!,
		);
		const found = await jobs.find(MINUTE, 'j-1');
		await time.run(jobs.collect(MINUTE, found.job, { subject: undefined, ...found }));
		expect(requests.map(({ route, at }) => [route, Math.round(at)]).slice(0, 2)).toEqual([
			[GET, 0],
			[LIST, 9],
		]);
	});
});

test('of several jobs, those that one list does not show as ended are asked for by their IDs', async () => {
	const running = { jobId: 'j-2', status: 'Processing' };
	const { jobs, time, routes } = jobsWith(
		({ route }) => ({ data: route === LIST ? { jobs: [DONE, running] } : running }),
		true,
	);
	const finding = ['j-2', 'j-1'].map(async (jobId) => await jobs.find(MINUTE, jobId));
	expect(await time.run(Promise.all(finding))).toMatchObject([{ job: running }, { job: DONE }]);
	expect(routes()).toEqual([LIST, `${LIST}/j-2`]);
});

test('a submission in flight is not aborted by a stop, which does not wait: its job is asked to be canceled', async () => {
	const { jobs, time, stop, routes, seconds } = jobsWith(async ({ route }) => {
		if (route !== SUBMIT) return USUAL[route] ?? { status: 202, data: {} };
		void time.sleep(500).then(stop);
		await time.sleep(5000);
		return USUAL[SUBMIT]!;
	});
	const onDetached = jest.fn();
	const settings = { ...MINUTE, onDetached };
	const work = thrownBy(jobs.process(settings, REQUEST, { reference: 'artifact://1' }));
	// The other one waits for the slot of the first.
	const other = jobs.process(MINUTE, REQUEST, { reference: 'artifact://2' });
	expect(await time.run(thrownBy(other))).toMatchObject({ message: 'stopped' });
	expect(seconds()).toBeLessThan(2);
	expect(onDetached.mock.calls).toMatchObject([
		[
			{
				message: 'The execution was stopped while "a.pdf" was being processed',
				description: expect.stringMatching(/may still be processed and billed\.$/) as string,
			},
		],
	]);
	expect(await time.run(work)).toMatchObject({ jobId: 'j-1', result: 'kept' });
	expect(routes()).toEqual([SUBMIT, `${SUBMIT}/j-1/cancel`]);
});

/** Ends a run while a route is being answered, which then does not answer. */
async function endedAt(route: string, how: 'stop' | 'end', first: SimulatedAnswer[]) {
	const left = [...first];
	const { jobs, time, seconds, stop, end } = jobsWith(async ({ route: asked }) => {
		const next = asked === route ? left.shift() : undefined;
		if (asked !== route || next !== undefined) return next ?? USUAL[asked] ?? { status: 404 };
		if (how === 'stop') stop();
		else end(new Error('The run ended first'));
		await time.sleep(1);
		throw new Error('aborted');
	});
	const thrown = await thrownBy(time.run(jobs.process(MINUTE, REQUEST, new FormData())));
	expect(seconds()).toBeLessThan(route === STORE ? 1 : 10);
	return thrown as DocumentError;
}

const MAY_EXIST = /may have been created and billed|may still be processed and billed/;
const notFetched = (why: string) => new RegExp(`^${why}.* Get Result and the job ID j-1`);
const ENDED = 'before the result of job j-1 for "a.pdf" was fetched';

test.each<[string, 'stop' | 'end', SimulatedAnswer[], RegExp]>([
	[STORE, 'stop', [], /^The connection to Cogneris was lost before a response for "a.pdf"/],
	[SUBMIT, 'stop', [], MAY_EXIST],
	[SUBMIT, 'end', [], MAY_EXIST],
	[SUBMIT, 'stop', [LOST], MAY_EXIST],
	[LIST, 'stop', [], notFetched(`The execution was stopped ${ENDED}`)],
	[LIST, 'end', [], notFetched(`The execution ended ${ENDED}`)],
	[FETCH, 'stop', [], notFetched(`The execution was stopped ${ENDED}`)],
	[
		FETCH,
		'end',
		[],
		notFetched('The result of job j-1 for "a.pdf" could not be fetched: The conn'),
	],
])(
	'%s, a run that ends by a %s (%j): the job that may exist, or its ID, is said',
	async (route, how, first, said) => {
		const { message, description, mayBeBilled } = await endedAt(route, how, first);
		expect(`${message} ${description}`).toMatch(said);
		expect(mayBeBilled).toBe(route !== STORE);
	},
);
