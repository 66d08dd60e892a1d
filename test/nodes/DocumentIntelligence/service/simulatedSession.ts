import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Requester } from '../../../../nodes/DocumentIntelligence/service/client';
import { Limiter } from '../../../../nodes/DocumentIntelligence/service/limiter';
import type { Session } from '../../../../nodes/DocumentIntelligence/service/exchange';
import { SimulatedTime } from '../../clock';

/** What a simulated service answers with: an envelope with the data, or with what it has to say against it. */
export interface SimulatedAnswer {
	status?: number;
	data?: unknown;
	code?: string;
	/** In place of an envelope. */
	text?: string;
	headers?: Record<string, string>;
}

interface SimulatedRequest {
	/** Seconds since the start. */
	at: number;
	/** For example `GET /api/v1/document-jobs`. */
	route: string;
	options: IHttpRequestOptions;
}

const START = 30_000_000 * 60_000;

const NEVER = new AbortController().signal;

/** A session whose requests a function answers, over a limiter and a clock that others may share. */
export function sessionWith({
	answer,
	...own
}: Pick<Session, 'clock' | 'limiter'> &
	Partial<Session> & {
		answer: (options: IHttpRequestOptions) => SimulatedAnswer | Promise<SimulatedAnswer>;
	}): Session {
	const httpRequestWithAuthentication = async (_: string, options: IHttpRequestOptions) => {
		const { status = 200, data = null, code, text, headers = {} } = await answer(options);
		const errors = code === undefined ? [] : [{ code, message: code, retryable: false }];
		const envelope = { data, meta: { httpStatusCode: status, messages: [], errors } };
		const body = text ?? JSON.stringify({ ...envelope, hasErrors: status >= 300 });
		return { statusCode: status, headers, body: [Buffer.from(body)] };
	};
	return {
		requester: { helpers: { httpRequestWithAuthentication } } as unknown as Requester,
		account: {
			apiKey: 'xtkt_live_simulated',
			isSandbox: false,
			baseUrl: 'https://documents.example.com',
			requestsPerMinute: 50,
			concurrentRequests: 10,
		},
		turns: {},
		signal: NEVER,
		canceled: NEVER,
		traffic: { requests: 0, rejections: 0, retries: 0, waitedMs: 0 },
		...own,
	};
}

/** A session with a time of its own, which is simulated. */
export function simulatedSession(
	answer: (request: SimulatedRequest) => SimulatedAnswer | Promise<SimulatedAnswer>,
	requestsPerMinute = 50,
) {
	const time = new SimulatedTime(START);
	const clock = time.clock();
	const stopped = new AbortController();
	const ended = new AbortController();
	const requests: SimulatedRequest[] = [];
	/** Since the start. */
	const seconds = () => (time.now - START) / 1000;
	const session = sessionWith({
		clock,
		limiter: new Limiter(clock, requestsPerMinute),
		answer: async (options) => {
			const { pathname } = new URL(options.url);
			const request = { at: seconds(), route: `${options.method} ${pathname}`, options };
			requests.push(request);
			return await answer(request);
		},
		signal: AbortSignal.any([stopped.signal, ended.signal]),
		canceled: stopped.signal,
	});
	session.account.requestsPerMinute = requestsPerMinute;
	return {
		session,
		time,
		requests,
		seconds,
		/** As the user does. */
		stop: () => stopped.abort(new Error('stopped')),
		/** As another document does that fails, or whose key is rejected. */
		end: (reason: Error) => ended.abort(reason),
	};
}
