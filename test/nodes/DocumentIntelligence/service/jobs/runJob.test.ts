import { DocumentError } from '../../../../../nodes/DocumentIntelligence/errors';
import { JobWatch } from '../../../../../nodes/DocumentIntelligence/service/jobs/jobWatch';
import {
	jobCallSettings,
	runJob,
} from '../../../../../nodes/DocumentIntelligence/service/jobs/runJob';
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
function running(other: Record<string, SimulatedAnswer[]> = {}, maxRetries = 0) {
	const left = structuredClone(other);
	const simulated = simulatedSession(
		({ route }) => left[route]?.shift() ?? USUAL[route] ?? { status: 404 },
	);
	const { session, time, requests } = simulated;
	const policy = { maxRetries, onRateLimit: 'wait' as const };
	const settings = jobCallSettings({ timeoutSeconds: 60, policy });
	const watch = new JobWatch(session, settings);
	const uploads: string[] = [];
	const request = {
		operation: 'Extraction',
		templateId: 't-1',
		subject: '"a.pdf"',
		file: new FormData(),
		timeoutSeconds: 60,
	};
	const answer = runJob(session, watch, request, settings, async (work) => {
		uploads.push('begin');
		const result = await work();
		uploads.push(`end after ${requests.length}`);
		return result;
	});
	const routes = () => requests.map(({ route }) => route);
	return { ...simulated, uploads, routes, done: async () => await time.run(answer) };
}

async function failureOf(other: Record<string, SimulatedAnswer[]>): Promise<DocumentError> {
	const { done } = running(other);
	const thrown = await done().then(
		() => undefined,
		(reason: unknown) => reason,
	);
	if (!(thrown instanceof DocumentError)) throw new Error(`No DocumentError: ${String(thrown)}`);
	expect(`${thrown.message} ${thrown.description}`).not.toMatch(AVOIDED_WORDS);
	return thrown;
}

const times = (count: number, answer: SimulatedAnswer) =>
	Array.from({ length: count }, () => answer);

test('a job is stored, submitted, waited for and fetched; only the first two hold an upload slot', async () => {
	const { done, routes, uploads, requests } = running();
	expect(await done()).toEqual({
		data: { id: 'r', metadata: { Total: 1 } },
		stored: { Id: 'r', Metadata: { Total: 1 } },
		creditsConsumed: 2,
	});
	expect(routes()).toEqual([STORE, SUBMIT, LIST, FETCH]);
	expect(uploads).toEqual(['begin', 'end after 2']);
	expect(requests[1]?.options).toMatchObject({
		body: { operation: 'Extraction', inputReference: 'artifact://1', templateId: 't-1' },
		headers: { 'Idempotency-Key': expect.stringMatching(/^[\w.:-]{8,128}$/) as string },
	});
	expect(requests[2]?.at).toBeCloseTo(3, 0);
	expect(requests[3]?.options.qs).toEqual({ reference: 'artifact://result' });
});

test.each([[STORE], [SUBMIT], [FETCH]])(
	'%s is retried although its answer was lost, also with Max Retries at 0',
	async (route) => {
		const { done, requests } = running({ [route]: times(5, { status: 502, text: '' }) });
		expect(await done()).toMatchObject({ creditsConsumed: 2 });
		const made = requests.filter((request) => request.route === route);
		expect(made).toHaveLength(6);
		const sent = made.map(({ options }) => JSON.stringify([options.body, options.headers]));
		expect(new Set(sent).size).toBe(1);
	},
);

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
	[409, 'idempotency_replay_unavailable', /"a.pdf" was submitted as a job/, /Get Many/],
	[422, 'idempotency_key_conflict', /took the job of "a.pdf" for another one/, /Get Many/],
	[422, 'template_unknown', /does not know the template for "a.pdf"/, /from the list/],
	[422, 'template_not_applicable', /takes no template, so "a.pdf"/, /use Extract/],
	[422, 'input_refused', /could not accept "a.pdf"/, /complete/],
	[410, 'artifact_expired', /no longer keeps "a.pdf"/, /Upload the file again/],
	[404, 'artifact_unknown', /does not know "a.pdf"/, /7 days/],
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
		'Job j-1 for "a.pdf" gave no result: unreadable',
	],
	[{ status: 'Failed' }, 'Job j-1 for "a.pdf" gave no result'],
	[{ status: 'Succeeded' }, 'Job j-1 for "a.pdf" gave no result'],
])('a job that ends as %j', async (job, message) => {
	const jobs = [{ ...DONE, outputReference: null, ...job }];
	const thrown = await failureOf({ [LIST]: [{ data: { jobs } }] });
	expect(thrown.message).toBe(message);
	expect(thrown.details).toMatchObject({ jobId: 'j-1', creditsConsumed: 2 });
});

const FETCH_LATER = 'Get Result, job ID j-1';

test.each<[SimulatedAnswer, RegExp, string]>([
	[{ status: 410, code: 'artifact_expired' }, /no longer keeps the result of job j-1/, '7 days'],
	[{ status: 404 }, /does not know the result of job j-1/, '7 days'],
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
		message: 'The result for "a.pdf" is nested too deeply to be passed on',
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

test('storing a file is never billed, and the message does not say that it may be', async () => {
	const thrown = await failureOf({ [STORE]: times(99, { status: 502, text: '' }) });
	expect(thrown.message).toBe('The gateway could not reach the service for "a.pdf"');
	expect(thrown.description).toMatch(/^Nothing is billed for this request: .*It was tried 9 times/);
	expect(thrown).toMatchObject({ mayBeBilled: false });
});
