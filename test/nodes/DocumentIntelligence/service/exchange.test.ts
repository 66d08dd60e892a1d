import type { IHttpRequestOptions } from 'n8n-workflow';

import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import { sendWithRetries } from '../../../../nodes/DocumentIntelligence/service/exchange';
import type { RequestError } from '../../../../nodes/DocumentIntelligence/service/requestError';
import { failedItemJson } from '../../../../nodes/DocumentIntelligence/text/errors';
import { fastLimiters } from '../../clock';
import { invoiceItems, itemOf, MB, pdfOfSize } from '../../samples';
import { failureOf, goOn, thrownBy, useService } from '../../service';
import { simulatedSession, type SimulatedAnswer } from './simulatedSession';

const service = useService();

const times = (count: number, answer: SimulatedAnswer) =>
	Array.from({ length: count }, () => answer);

/** Requests by their path; each path answers as listed, then with data. */
function exchanging(answers: Record<string, SimulatedAnswer[]>, requestsPerMinute?: number) {
	const simulated = simulatedSession(
		({ route }) => answers[nameIn(route)]?.shift() ?? { data: {} },
		requestsPerMinute,
	);
	const { session, time, requests } = simulated;
	const sent = async (name: string, execution = session) => {
		const document = { subject: `"${name}"`, processes: 'document' } as const;
		const request = { method: 'GET', path: `/${name}`, timeoutSeconds: 60, ...document } as const;
		return await sendWithRetries(execution, request, readAnswer);
	};
	const failureOfA = async () => (await time.run(thrownBy(sent('a')))) as RequestError;
	return {
		...simulated,
		sent,
		failureOfA,
		routes: () => requests.map(({ route }) => nameIn(route)),
	};
}

const nameIn = (route: string) => route.split('/').at(-1) ?? '';

const MINUTE = 60;

const UNAVAILABLE = { status: 503, text: '{"code":"busy","title":"Busy","retryable":true}' };

describe('A rate limit that does not end', () => {
	test.each(['0', '86400'])(
		'Retry-After: %s for ever: given up after ten minutes, in few requests',
		async (retryAfter) => {
			const rejection = { status: 429, headers: { 'retry-after': retryAfter } };
			const { failureOfA, requests, seconds } = exchanging({ a: times(99, rejection) });
			expect(await failureOfA()).toMatchObject({
				message: 'The rate limit of the API key is reached, so "a" was not processed',
				description: expect.stringMatching(
					/^Cogneris has rejected requests with this key for 10 minutes\..* The node tried \d+ times\./,
				) as string,
				details: { httpCode: 429 },
			});
			expect(seconds()).toBeGreaterThanOrEqual(10 * MINUTE);
			expect(seconds()).toBeLessThanOrEqual(12 * MINUTE);
			expect(requests.length).toBeLessThanOrEqual(18);
		},
	);

	test('ends a run of many documents with the first that is given up', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 60, times: 2000 }]);
		const more = { ...goOn, limiters: fastLimiters() };
		const { items } = await service.run({ operation: 'extract' }, await invoiceItems(40), more);
		expect(failureOf(items[39]).message).toBe(
			'The rate limit of the API key is reached, so the request for "39.pdf" was not sent',
		);
		expect((await service.calls()).length).toBeLessThanOrEqual(30);
	});
});

describe('The document quota', () => {
	const exhausted = { status: 429, code: 'ADMISSION_QUOTA_EXCEEDED' };

	test('is waited for with growing pauses, for up to two minutes', async () => {
		const { failureOfA, requests, seconds } = exchanging({ a: times(99, exhausted) });
		expect(await failureOfA()).toMatchObject({
			message: 'The document quota of the account is exhausted, so "a" was not processed',
			description: expect.not.stringMatching(/plan|upgrade|billed/) as string,
			retryKind: 'quota',
			details: { httpCode: 429 },
		});
		expect(requests.map(({ at }) => Math.round(at))).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 120]);
		expect(seconds()).toBeCloseTo(120, 0);
	});

	test('does not hold up other runs with the key, as a rate limit does', async () => {
		const waits: number[] = [];
		for (const answer of [exhausted, { status: 429 }]) {
			const { sent, time, session, seconds } = exchanging({ a: [answer] });
			const first = sent('a');
			await time.run(time.sleep(300));
			await time.run(sent('b', { ...session }));
			waits.push(seconds());
			await time.run(first);
		}
		expect(waits[0]).toBeLessThan(1);
		expect(waits[1]).toBeGreaterThan(20);
	});
});

test('a request that the rate limit has rejected goes before others that wait', async () => {
	const { sent, time, routes } = exchanging({ rejected: [{ status: 429 }] }, 1);
	const sending = ['rejected', 'b', 'c'].map(async (name) => await sent(name));
	await time.run(Promise.all(sending));
	expect(routes()).toEqual(['rejected', 'rejected', 'b', 'c']);
});

test('a stop ends the pause before a retry, and nothing more is sent', async () => {
	const headers = { 'retry-after': '50' };
	const { sent, time, requests, seconds, stop } = exchanging({ a: [{ ...UNAVAILABLE, headers }] });
	const sending = thrownBy(sent('a'));
	await time.run(time.sleep(5000));
	stop();
	expect(await time.run(sending)).toMatchObject({ message: 'stopped' });
	expect(seconds()).toBeLessThan(6);
	expect(requests).toHaveLength(1);
});

test.each([
	['nothing', 5],
	['document', 50],
] as const)(
	'stopped after 5 s, a request in flight that processes %s ends after %i s',
	async (processes, ends) => {
		const { session, time, seconds, stop } = simulatedSession(async () => {
			await time.sleep(50_000);
			return { data: {} };
		});
		const request = { method: 'GET', path: '/a', timeoutSeconds: 60, subject: 'a' } as const;
		const sending = sendWithRetries(session, { ...request, processes }, readAnswer);
		void time.sleep(5000).then(stop);
		await time.run(sending.catch(() => undefined));
		expect(seconds()).toBeCloseTo(ends, 0);
	},
);

test('the ten minutes of rejections begin anew after an attempt that was not rejected', async () => {
	const rejected = times(8, { status: 429 });
	const { sent, time, seconds } = exchanging({ a: [...rejected, UNAVAILABLE, ...rejected] });
	expect(await time.run(sent('a'))).toEqual({ kind: 'data', data: {} });
	expect(seconds()).toBeGreaterThan(11 * 60);
});

test('of a document that may be billed, earlier attempts are not counted', async () => {
	const { failureOfA, requests } = exchanging({ a: [UNAVAILABLE, { status: 504 }] });
	const thrown = await failureOfA();
	expect(requests).toHaveLength(2);
	expect(thrown).toMatchObject({ mayBeBilled: true });
	expect(failedItemJson(thrown).error.description).not.toMatch(/tried/);
});

describe('A connection that fails', () => {
	const failing = (error: object) => {
		const simulated = exchanging({});
		const attempts: IHttpRequestOptions[] = [];
		const httpRequestWithAuthentication = async (_: string, options: IHttpRequestOptions) => {
			attempts.push(options);
			return await Promise.reject(Object.assign(new Error(), error));
		};
		Object.assign(simulated.session.requester.helpers, { httpRequestWithAuthentication });
		return { ...simulated, attempts };
	};

	test.each<[object, number, RegExp, RegExp]>([
		[{ code: 'EPIPE' }, 4, /closed while .* "a" was being sent$/, /Code: EPIPE\.$/],
		[{ message: 'connect ETIMEDOUT 192.0.2.1' }, 4, /cannot be reached.* not sent$/, /^Check /],
		[{ name: 'SsrfBlockedIpError' }, 1, /^n8n's SSRF protection blocked .* not sent$/, /N8N_SSRF_/],
		[
			{ message: 'read ETIMEDOUT', code: 'ETIMEDOUT' },
			1,
			/was lost before a response for .*"a" arrived$/,
			/may already be billed, and processing it again/,
		],
	])(
		'with %j is tried %i times: what may have arrived is sent once',
		async (error, times, message, description) => {
			const { failureOfA, attempts } = failing(error);
			const thrown = await failureOfA();
			const told = failedItemJson(thrown).error.description as string;
			expect(thrown.message).toMatch(message);
			expect(told).toMatch(description);
			expect(told.includes('billed')).toBe(thrown.message.includes('lost'));
			expect(told.includes(' tried 4 times.')).toBe(times === 4);
			expect(attempts).toHaveLength(times);
			// An answer may take as long as the Timeout option allows: n8n's own limit of silence is off.
			expect(attempts[0]).toMatchObject({ timeout: 0 });
		},
	);

	test('under a large upload, in whichever way: as many documents are processed as there are results', async () => {
		const item = await itemOf(pdfOfSize(10 * MB), 'large.pdf');
		const counts: Array<{ results: number; processed: number }> = [];
		// The first often leaves a result in the end, the second hardly ever.
		for (const fault of [
			{ kind: 'rateLimit', retryAfterSeconds: 1 },
			{ kind: 'refuse' },
		] as const) {
			await service.standIn.reset();
			await service.standIn.configure({ earlyAnswer: 'close' });
			await service.standIn.queueFaults([{ ...fault, times: 2 }]);
			const more = { ...goOn, limiters: fastLimiters() };
			const { items } = await service.run({ operation: 'extract' }, [item], more);
			counts.push({
				results: items.filter(({ json }) => json.error === undefined).length,
				processed: (await service.calls()).filter(({ parts }) => parts.length > 0).length,
			});
		}
		expect(counts.map(({ processed }) => processed)).toEqual(counts.map(({ results }) => results));
	});
});
