import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { presentedKey, type KeyClass, type PresentedKey } from '../access/keys';
import { violationsIn } from '../contract/checkAnswer';
import { checkRequest } from '../contract/checkRequest';
import { actsBeforeUpload, applyFault, creditsBilledBy, type Fault } from '../faults/faults';
import { directCharge } from '../state/charges';
import type { RecordedRequest } from '../state/records';
import type { Service } from '../state/service';
import { discardForm, readForm, type UploadedForm } from './form';
import {
	errorResponse,
	HttpError,
	problemDocument,
	rateLimitError,
	sandboxError,
	send,
	type ServiceResponse,
} from './responses';
import { routeOf, type Call, type Route, type Step } from './route';

interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	path: string;
	step: Step;
	record: RecordedRequest;
}

/** What happens to an API request between its arrival and its response. */
export class RequestHandler {
	constructor(
		private readonly service: Service,
		private readonly routes: Route[],
	) {}

	async handle(address: URL, request: IncomingMessage, response: ServerResponse) {
		const { service } = this;
		const { pathname: path } = address;
		const found = routeOf(this.routes, request.method, path);
		const step = found?.route.step;
		const record = service.records.begin(step ? 'api' : 'unknown', address, request, response);
		response.setHeader('date', new Date(service.now()).toUTCString());

		let form = noUpload;
		try {
			if (!found || !step) throw new HttpError(404, 'NOT_FOUND', `There is nothing at ${path}.`);
			record.step = step;
			const exchange = { request, response, path, step, record };

			const fault = service.faults.onArrival(step, service.settings, service.random);
			if (fault && actsBeforeUpload(fault)) {
				this.skipUpload(request, response);
				return await this.failWith(fault, exchange, noUpload, notRead);
			}

			const { route, params } = found;
			const key = this.admit(route, request, record);
			let body = '';
			if (route.body === 'json') body = record.body = await text(request);
			else if (route.body === undefined) request.resume();
			else form = await readForm(request, service.folder, route.body.keptFileBytes, record.parts);
			await this.delay();
			const call: Call = {
				key: key.value,
				sandbox: key.class === 'sandbox',
				params,
				query: address.searchParams,
				idempotencyKey: record.idempotencyKey,
				form,
				text: body,
				record,
			};
			record.jobId = route.jobId?.(call) ?? null;
			await this.respond(route, call, fault, exchange);
		} catch (error) {
			if (!request.complete) this.skipUpload(request, response);
			send(response, this.checked(this.responseTo(error, path), step, record));
		} finally {
			await discardForm(form);
		}
	}

	/** Everything that is decided before a byte of the body is read. */
	private admit(route: Route, request: IncomingMessage, record: RecordedRequest): PresentedKey {
		const { service } = this;
		const { settings } = service;
		const key = presentedKey(request.headers.authorization);
		const invalid = INVALID_KEYS[key.class];
		if (invalid) throw new HttpError(401, ...invalid);
		if (key.class === 'sandbox' && !route.sandbox) throw sandboxError();
		if (key.class === 'unsubscribed')
			throw route.path === '/Document/extraction'
				? new HttpError(403, 'SUBSCRIPTION_REQUIRED', 'No subscription covers this operation.')
				: new HttpError(403, 'request_not_allowed', 'This API key may not make this request.');

		const admission = service.rateWindow.admit(key.value, service.now(), settings);
		if (!admission.admitted) {
			record.refused = true;
			const seconds = String(Math.ceil(admission.resetsInMs / 1000));
			throw rateLimitError(settings.retryAfter ? { 'retry-after': seconds } : {});
		}
		checkContentType(route, request.headers['content-type'] ?? '');
		return key;
	}

	private async respond(
		route: Route,
		call: Call,
		faultOnArrival: Fault | null,
		exchange: Exchange,
	) {
		let served: Promise<ServiceResponse> | undefined;
		const respond = async (): Promise<ServiceResponse> => {
			checkRequest(route, call);
			return await route.respond(call);
		};
		const serve = async () => {
			const answer = await respond().catch((error) => this.responseTo(error, exchange.path));
			return this.checked(answer, route.step, call.record);
		};
		const correctResponse = async () => await (served ??= serve());
		const fault =
			faultOnArrival ??
			this.service.faults.byName(
				route.step,
				[route.fileNames?.(call) ?? [], call.record.jobId ?? []].flat(),
			);
		if (!fault) return send(exchange.response, await correctResponse());
		await this.failWith(fault, exchange, call.form, correctResponse);
	}

	private async failWith(
		fault: Fault,
		exchange: Exchange,
		form: UploadedForm,
		correctResponse: () => Promise<ServiceResponse>,
	) {
		const { request, response, path, step, record } = exchange;
		record.fault = fault.kind;
		record.refused = fault.kind === 'rateLimit' || fault.kind === 'quotaExceeded';
		const credits = creditsBilledBy(fault);
		if (credits > 0 && step === 'process' && !fault.afterWork)
			this.service.charges.push(directCharge(this.service.now(), credits, form, record));
		await applyFault(fault, {
			response,
			path,
			wait: async (ms) => await this.service.wait(ms),
			correctResponse,
			firstFile: async () => {
				const [file] = form.files;
				return file ? await readFile(file.path) : Buffer.alloc(0);
			},
			secondsUntilReset: () => {
				const { windowMs } = this.service.settings;
				return Math.ceil((windowMs - (this.service.now() % windowMs)) / 1000);
			},
			cut: (how) => {
				this.service.records.cutByService.add(response);
				if (how === 'reset') request.socket.resetAndDestroy();
				else request.socket.destroy();
			},
		});
	}

	private responseTo(error: unknown, path: string): ServiceResponse {
		if (error instanceof HttpError) return errorResponse(error, path);
		console.error(error);
		return problemDocument(500, 'INTERNAL_ERROR', 'An unexpected condition was met.', path);
	}

	/** An answer of the stand-in itself that breaks the contract never leaves. */
	private checked(
		answer: ServiceResponse,
		step: Step | undefined,
		record: RecordedRequest,
	): ServiceResponse {
		if (answer.offContract) return answer;
		const { path, sequence } = record;
		const reasons = violationsIn(step, path, answer);
		if (reasons.length === 0) return answer;
		this.service.violations.push({ sequence, path, reasons });
		return problemDocument(500, 'STAND_IN_BROKE_CONTRACT', reasons.join('; '), path);
	}

	/** For a response before the upload was read: either the rest is read and dropped, or the connection ends with the response. */
	private skipUpload(request: IncomingMessage, response: ServerResponse) {
		if (this.service.settings.earlyAnswer === 'close') {
			if (!response.headersSent) response.setHeader('connection', 'close');
			response.once('finish', () => request.socket.destroy());
		} else {
			request.resume();
		}
	}

	private async delay() {
		const ms = this.service.draw(this.service.settings.latencyMs);
		if (ms > 0) await this.service.wait(ms);
	}
}

const INVALID_KEYS: Partial<Record<KeyClass, [code: string, message: string]>> = {
	none: ['API_KEY_MISSING', 'An API key is required.'],
	unknown: ['API_KEY_INVALID', 'The API key is not valid.'],
	revoked: ['API_KEY_REVOKED', 'The API key has been revoked.'],
};

function checkContentType({ body }: Route, contentType: string) {
	const expected = body === 'json' ? 'application/json' : 'multipart/form-data';
	if (body !== undefined && !contentType.toLowerCase().startsWith(expected))
		throw new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', `The body has to be ${expected}.`);
}

const noUpload: UploadedForm = { files: [], texts: [] };

function notRead(): Promise<ServiceResponse> {
	throw new Error('A fault that acts before the upload is read has no correct response to use.');
}
