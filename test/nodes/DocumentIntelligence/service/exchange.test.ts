import type { IHttpRequestOptions } from 'n8n-workflow';

import { invoiceItems, itemOf, itemsWith, MB, pdfOfSize } from '../../samples';
import { sendWithRetries } from '../../../../nodes/DocumentIntelligence/service/exchange';
import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import { fastLimiters } from '../../clock';
import { failureOf, goOn, thrownBy, useService } from '../../service';
import { simulatedSession, type SimulatedAnswer } from './simulatedSession';
import {
	failedItemJson,
	type DocumentError,
} from '../../../../nodes/DocumentIntelligence/text/errors';

const service = useService();

test('what passes leaves a result and one hint, with the whole file each time', async () => {
	await service.standIn.queueFaults([{ kind: 'retryable503', times: 2 }]);
	const files = await itemsWith('invoice-us.pdf');
	const { items, hints } = await service.run({ operation: 'extract' }, files);
	expect(items).toMatchObject([{ json: { fileName: 'invoice-us.pdf' }, pairedItem: { item: 0 } }]);
	expect(hints).toHaveLength(1);
	const sent = await service.files();
	expect(sent).toHaveLength(3);
	expect(new Set(sent.map(({ sha256 }) => sha256)).size).toBe(1);
});

/** Requests by their path; each path answers as listed, then with data. */
function exchanging(answers: Record<string, SimulatedAnswer[]>, requestsPerMinute?: number) {
	const simulated = simulatedSession(
		({ route }) => answers[route.split('/').at(-1) ?? '']?.shift() ?? { data: {} },
		requestsPerMinute,
	);
	const sent = async (name: string, execution = simulated.session) =>
		await sendWithRetries(
			execution,
			{
				method: 'GET',
				path: `/${name}`,
				timeoutSeconds: 60,
				subject: `"${name}"`,
				processes: 'document',
			},
			readAnswer,
		);
	return { ...simulated, sent };
}

const MINUTE = 60;

const UNAVAILABLE = { status: 503, text: '{"code":"busy","title":"Busy","retryable":true}' };

describe('A rate limit that does not end', () => {
	test.each(['0', '86400'])(
		'Retry-After: %s for ever: given up after ten minutes, in few requests',
		async (seconds) => {
			const rejection = { status: 429, headers: { 'retry-after': seconds } };
			const { sent, time, requests, ...simulated } = exchanging({
				a: Array<SimulatedAnswer>(99).fill(rejection),
			});
			expect(await time.run(thrownBy(sent('a')))).toMatchObject({
				message: 'The rate limit of the API key is reached, so "a" was not processed',
				description: expect.stringMatching(
					/^Cogneris has rejected requests with this key for 10 minutes\..* The node tried \d+ times\./,
				) as string,
				details: { httpCode: 429 },
			});
			expect(simulated.seconds()).toBeGreaterThanOrEqual(10 * MINUTE);
			expect(simulated.seconds()).toBeLessThanOrEqual(12 * MINUTE);
			expect(requests.length).toBeLessThanOrEqual(18);
		},
	);

	test('ends a run of many documents with the first that is given up', async () => {
		await service.standIn.queueFaults([{ kind: 'rateLimit', retryAfterSeconds: 60, times: 2000 }]);
		const limiters = fastLimiters();
		const items = await invoiceItems(40);
		const more = { ...goOn, limiters };
		const { items: outputs } = await service.run({ operation: 'extract' }, items, more);
		expect(outputs.map((item) => failureOf(item).details.fileName)).toEqual(
			items.map((_, number) => `${number}.pdf`),
		);
		const { message, description } = failureOf(outputs[39]);
		expect(message).toBe(
			'The rate limit of the API key is reached, so the request for "39.pdf" was not sent',
		);
		expect(description).toMatch(
			/^Cogneris has rejected requests with this key for 10 minutes\. Process the document again later/,
		);
		expect(limiters.elapsedMs()).toBeLessThanOrEqual(13 * MINUTE * 1000);
		expect((await service.calls()).length).toBeLessThanOrEqual(30);
	});
});

describe('The document quota', () => {
	const exhausted = { status: 429, code: 'ADMISSION_QUOTA_EXCEEDED' };

	test('is waited for with growing pauses, for up to two minutes', async () => {
		const { sent, time, requests, seconds } = exchanging({
			a: Array<SimulatedAnswer>(99).fill(exhausted),
		});
		const thrown = await time.run(thrownBy(sent('a')));
		expect(thrown).toMatchObject({
			message: 'The document quota of the account is exhausted, so "a" was not processed',
			retryKind: 'quota',
			details: { httpCode: 429 },
		});
		expect(`${String(thrown)} ${(thrown as { description: string }).description}`).not.toMatch(
			/plan|upgrade|billed/,
		);
		expect(seconds()).toBeCloseTo(120, 0);
		const pauses = requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0));
		expect(pauses.slice(0, 5)).toEqual(pauses.slice(0, 5).sort((one, other) => one - other));
		expect(requests).toHaveLength(9);
	});

	test('is not waited for longer than a minute at once', async () => {
		const headers = { 'retry-after': '61' };
		const { sent, time, requests } = exchanging({ a: [{ ...exhausted, headers }] });
		await time.run(sent('a').catch(() => undefined));
		expect(requests).toHaveLength(1);
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
	const { sent, time, session, requests } = exchanging({ rejected: [{ status: 429 }] }, 1);
	const rejected = sent('rejected');
	await time.run(time.sleep(100));
	const others = ['b', 'c'].map(async (name) => await sent(name, { ...session }));
	await time.run(Promise.all([rejected, ...others]));
	expect(requests.map(({ route }) => route.split('/').at(-1))).toEqual([
		'rejected',
		'rejected',
		'b',
		'c',
	]);
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

test('the ten minutes of rejections begin anew after an attempt that was not rejected', async () => {
	const rejected = Array.from({ length: 8 }, (): SimulatedAnswer => ({ status: 429 }));
	const { sent, time, seconds } = exchanging({ a: [...rejected, UNAVAILABLE, ...rejected] });
	expect(await time.run(sent('a'))).toEqual({ kind: 'data', data: {} });
	expect(seconds()).toBeGreaterThan(11 * 60);
});

test('of a document that may be billed, earlier attempts are not counted', async () => {
	const { sent, time, requests } = exchanging({ a: [UNAVAILABLE, { status: 504 }] });
	const thrown = (await time.run(thrownBy(sent('a')))) as DocumentError;
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
			const { sent, time, attempts } = failing(error);
			const thrown = (await time.run(thrownBy(sent('a')))) as DocumentError;
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
