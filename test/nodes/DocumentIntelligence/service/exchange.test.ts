import type { IDataObject } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { storeFile, useBinaryMode } from '../../../n8n-core/runNode';
import { MB, invoiceItems, pdfOfSize, storedSample } from '../../samples';
import { sendWithRetries } from '../../../../nodes/DocumentIntelligence/service/exchange';
import { readAnswer } from '../../../../nodes/DocumentIntelligence/service/envelope';
import { instantLimiters } from '../../instantLimiters';
import { simulatedSession, type SimulatedAnswer } from './simulatedSession';
import { failureOf, thrownBy, useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

async function runOnce(options: IDataObject = {}, more = {}) {
	const item = { json: {}, binary: { data: await storedSample('invoice-us.pdf') } };
	return await service.run({ operation: 'extract', options }, [item], {
		onError: 'continueRegularOutput',
		limiters: instantLimiters().limiters,
		...more,
	});
}

test('what passes leaves a result and one hint, with the whole file each time', async () => {
	await service.standIn.queueFaults([{ kind: 'retryable503', times: 2 }]);
	const { items, hints } = await runOnce();
	expect(items).toMatchObject([{ json: { fileName: 'invoice-us.pdf' }, pairedItem: { item: 0 } }]);
	expect(hints).toHaveLength(1);
	const files = await service.files();
	expect(files).toHaveLength(3);
	expect(new Set(files.map(({ sha256 }) => sha256)).size).toBe(1);
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
		const { limiters, elapsedMs } = instantLimiters();
		const items = await invoiceItems(40);
		const { items: outputs } = await service.run({ operation: 'extract' }, items, {
			onError: 'continueRegularOutput',
			limiters,
		});
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
		expect(elapsedMs()).toBeLessThanOrEqual(13 * MINUTE * 1000);
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

test('the ten minutes of rejections begin anew after an attempt that was not rejected', async () => {
	const rejected = Array.from({ length: 8 }, (): SimulatedAnswer => ({ status: 429 }));
	const unavailable = { status: 503, text: '{"code":"busy","title":"Busy","retryable":true}' };
	const { sent, time, seconds } = exchanging({ a: [...rejected, unavailable, ...rejected] });
	expect(await time.run(sent('a'))).toEqual({ data: {} });
	expect(seconds()).toBeGreaterThan(11 * 60);
});

describe('A connection that fails', () => {
	/**
	 * Fails in the last step before the request, so that n8n wraps what it throws as it wraps what a socket throws.
	 * Which code an upload ends with is chance: one that is broken off on loopback is EPIPE now and then, and ECONNRESET
	 * most of the time. And no test shall ask a real name server.
	 */
	function failing(error: Error) {
		const credential = new DocumentIntelligenceApi();
		const tried = { times: 0 };
		const authenticate = () => {
			tried.times += 1;
			throw error;
		};
		Object.assign(credential, { authenticate });
		return { tried, types: { node: new DocumentIntelligence(), credential } };
	}

	const cutOff = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
	const blocked = Object.assign(new Error('Blocked'), { name: 'SsrfBlockedIpError' });

	test.each<[string, Error, number, RegExp, RegExp]>([
		[
			'EPIPE',
			cutOff,
			4,
			/while .* was being sent$/,
			/was not processed\. .* 4 times\. Code: EPIPE\.$/,
		],
		['what n8n did not let out', blocked, 1, /^n8n's SSRF protection.* not sent$/, /N8N_SSRF_/],
	])('with %s is told as that, and not billed', async (_, error, times, message, description) => {
		const { tried, types } = failing(error);
		const { items } = await runOnce({}, { types });
		expect(tried.times).toBe(times);
		const failure = failureOf(items[0]);
		expect(failure.message).toMatch(message);
		expect(failure.description).toMatch(description);
		expect(failure.description).not.toMatch(/billed/);
		expect(await service.calls()).toEqual([]);
	});

	test('under a large upload, in whichever way: as many documents are processed as there are results', async () => {
		const binary = { data: await storeFile(pdfOfSize(10 * MB), 'large.pdf', 'application/pdf') };
		const counts: Array<{ results: number; processed: number }> = [];
		// The first often leaves a result in the end, the second hardly ever.
		for (const fault of [
			{ kind: 'rateLimit', retryAfterSeconds: 1 },
			{ kind: 'refuse' },
		] as const) {
			await service.standIn.reset();
			await service.standIn.configure({ earlyAnswer: 'close' });
			await service.standIn.queueFaults([{ ...fault, times: 2 }]);
			const { items } = await service.run({ operation: 'extract' }, [{ json: {}, binary }], {
				onError: 'continueRegularOutput',
				limiters: instantLimiters().limiters,
			});
			counts.push({
				results: items.filter(({ json }) => json.error === undefined).length,
				processed: (await service.calls()).filter(({ parts }) => parts.length > 0).length,
			});
		}
		expect(counts.map(({ processed }) => processed)).toEqual(counts.map(({ results }) => results));
	});
});
