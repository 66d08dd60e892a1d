import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
	quotaRefusal,
	Refusal,
	refusalAnswer,
	send,
	successEnvelope,
	type Answer,
} from './answers';
import { FaultQueue } from './faultQueue';
import { actsBeforeUpload, commit, type Fault } from './faults';
import type { SignedImages } from './images';
import { presentedKey } from './keys';
import { checkForm, operations, type Operation } from './operations';
import { seededRandom } from './random';
import { RateWindow } from './rateWindow';
import type { RecordedRequest, Records } from './records';
import type { Settings } from './settings';
import { discardForm, receiveForm, type UploadedForm } from './upload';

/** No body of any route may be larger than the largest file plus room for the form around it. */
const mostBodyBytes = 500 * 1024 * 1024 + 1024 * 1024;

interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	path: string;
	record: RecordedRequest;
}

/** The service proper: what happens to a request between its arrival and its answer. */
export class Api {
	readonly faults = new FaultQueue();
	private readonly window = new RateWindow();
	private acceptedRequests = 0;
	private random: () => number;

	constructor(
		private readonly settings: () => Settings,
		private readonly records: Records,
		private readonly images: SignedImages,
		private readonly folder: string,
	) {
		this.random = seededRandom(settings().seed);
	}

	now = (): number => Date.now() + this.settings().clockSkewMs;

	startAgain() {
		this.faults.clear();
		this.window.clear();
		this.acceptedRequests = 0;
		this.reseed();
	}

	reseed() {
		this.random = seededRandom(this.settings().seed);
	}

	async handle(path: string, request: IncomingMessage, response: ServerResponse) {
		const settings = this.settings();
		const operation = operations.find((candidate) => candidate.path === path);
		const record = this.records.begin(
			operation ? 'api' : 'unknown',
			path,
			request,
			response,
			settings.rawBodyPrefixBytes,
		);
		response.setHeader('date', new Date(this.now()).toUTCString());

		let form: UploadedForm | undefined;
		try {
			if (!operation) throw new Refusal(404, 'NOT_FOUND', `There is nothing at ${path}.`);

			const fault = this.faults.onArrival(settings, this.random);
			if (fault && actsBeforeUpload(fault)) {
				this.leaveUpload(request, response);
				return await this.meet(fault, { request, response, path, record }, noUpload, notRead);
			}

			this.admit(request, record);
			form = await receiveForm(request, this.folder, operation.maxFileBytes, record.parts);
			await this.takeTime();
			await this.answer(operation, form, fault, { request, response, path, record });
		} catch (error) {
			if (!request.complete) this.leaveUpload(request, response);
			send(response, this.failureAnswer(error, path));
		} finally {
			if (form) await discardForm(form);
		}
	}

	/** Everything that is decided before a byte of the upload is read. */
	private admit(request: IncomingMessage, record: RecordedRequest) {
		const settings = this.settings();
		if (request.method !== 'POST') {
			throw new Refusal(405, 'METHOD_NOT_ALLOWED', `${request.method} is not possible here.`, {
				headers: { allow: 'POST' },
			});
		}
		const key = presentedKey(request.headers.authorization);
		if (key.class === 'none') throw new Refusal(401, 'API_KEY_MISSING', 'An API key is required.');
		if (key.class === 'unknown')
			throw new Refusal(401, 'API_KEY_INVALID', 'The API key is not valid.');
		if (key.class === 'revoked')
			throw new Refusal(401, 'API_KEY_REVOKED', 'The API key has been revoked.');
		if (key.class === 'sandbox')
			throw new Refusal(
				403,
				'SANDBOX_KEY_NOT_ALLOWED',
				'A sandbox key cannot be used for documents.',
			);
		if (key.class === 'unsubscribed')
			throw new Refusal(
				403,
				'SUBSCRIPTION_REQUIRED',
				'No active subscription covers this operation.',
			);

		const admission = this.window.admit(key.value, this.now(), settings);
		if (!admission.admitted) {
			record.refused = true;
			const headers: Record<string, string> = settings.retryAfter
				? { 'retry-after': String(Math.ceil(admission.resetsInMs / 1000)) }
				: {};
			throw new Refusal(429, 'RATE_LIMIT_EXCEEDED', 'The rate limit of this API key is used up.', {
				retryable: true,
				headers,
			});
		}
		if (settings.quota !== null && this.acceptedRequests >= settings.quota) {
			record.refused = true;
			throw quotaRefusal();
		}
		if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
			throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body has to be multipart/form-data.');
		}
		if (Number(request.headers['content-length'] ?? 0) > mostBodyBytes) {
			throw new Refusal(
				413,
				'REQUEST_TOO_LARGE',
				'The request is larger than any the service takes.',
			);
		}
		this.acceptedRequests += 1;
	}

	private async answer(
		operation: Operation,
		form: UploadedForm,
		fault: Fault | null,
		exchange: Exchange,
	) {
		const rightAnswer = async (): Promise<Answer> => {
			try {
				checkForm(operation, form);
				const { data, creditsConsumed, messages } = await operation.run(
					form,
					this.images,
					this.settings(),
				);
				return successEnvelope(data, creditsConsumed, messages);
			} catch (error) {
				return this.failureAnswer(error, exchange.path);
			}
		};
		const actual = fault ?? this.faults.afterUpload(form.files.map(({ fileName }) => fileName));
		if (!actual) return send(exchange.response, await rightAnswer());
		await this.meet(actual, exchange, form, rightAnswer);
	}

	private async meet(
		fault: Fault,
		{ request, response, path, record }: Exchange,
		form: UploadedForm,
		rightAnswer: () => Promise<Answer>,
	) {
		record.fault = fault.kind;
		record.refused = fault.kind === 'rateLimit' || fault.kind === 'quotaExceeded';
		await commit(fault, {
			response,
			path,
			rightAnswer,
			firstFile: async () => {
				const file = form.files[0];
				return file ? await readFile(file.path) : Buffer.alloc(0);
			},
			secondsUntilReset: () => {
				const { windowMs } = this.settings();
				return Math.ceil((windowMs - (this.now() % windowMs)) / 1000);
			},
			cut: (how) => {
				this.records.cutByService.add(response);
				if (how === 'reset') request.socket.resetAndDestroy();
				else request.socket.destroy();
			},
		});
	}

	private failureAnswer(error: unknown, path: string): Answer {
		if (error instanceof Refusal) return refusalAnswer(error, path);
		console.error(error);
		return refusalAnswer(
			new Refusal(500, 'INTERNAL_ERROR', 'An unexpected condition was met.'),
			path,
		);
	}

	/** An answer given before the upload was read: either the rest is read and forgotten, or the connection ends with the answer. */
	private leaveUpload(request: IncomingMessage, response: ServerResponse) {
		if (this.settings().earlyAnswer === 'close') {
			if (!response.headersSent) response.setHeader('connection', 'close');
			response.once('finish', () => request.socket.destroy());
		} else {
			request.resume();
		}
	}

	private async takeTime() {
		const { latencyMs } = this.settings();
		const [least, most] = typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
		if (most > 0) await sleep(least + this.random() * (most - least));
	}
}

const noUpload: UploadedForm = { files: [], texts: [] };

function notRead(): Promise<Answer> {
	throw new Error('A fault that acts before the upload is read has no right answer to use.');
}
