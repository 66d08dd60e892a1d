import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { presentedKey } from '../access/keys';
import { actsBeforeUpload, applyFault, type Fault } from '../faults/faults';
import type { RecordedRequest } from '../state/records';
import type { Service } from '../state/service';
import { discardForm, readForm, type UploadedForm } from './form';
import { errorResponse, HttpError, quotaError, send, type ServiceResponse } from './responses';
import type { Route } from './route';

/** No body of any route may be larger than the largest file plus room for the form around it. */
const maxBodyBytes = 500 * 1024 * 1024 + 1024 * 1024;

interface Exchange {
	request: IncomingMessage;
	response: ServerResponse;
	path: string;
	record: RecordedRequest;
}

/** What happens to an API request between its arrival and its response. */
export class RequestHandler {
	constructor(
		private readonly service: Service,
		private readonly routes: Route[],
	) {}

	async handle({ pathname: path }: URL, request: IncomingMessage, response: ServerResponse) {
		const { service } = this;
		const route = this.routes.find((candidate) => candidate.path === path);
		const record = service.records.begin(
			route ? 'api' : 'unknown',
			path,
			request,
			response,
			service.settings.rawBodyPrefixBytes,
		);
		response.setHeader('date', new Date(service.now()).toUTCString());
		const exchange = { request, response, path, record };

		let form: UploadedForm | undefined;
		try {
			if (!route) throw new HttpError(404, 'NOT_FOUND', `There is nothing at ${path}.`);

			const fault = service.faults.onArrival(service.settings, service.random);
			if (fault && actsBeforeUpload(fault)) {
				this.skipUpload(request, response);
				return await this.failWith(fault, exchange, noUpload, notRead);
			}

			this.admit(route, request, record);
			form = await readForm(request, service.folder, route.maxFileBytes, record.parts);
			await this.delay();
			await this.respond(route, form, fault, exchange);
		} catch (error) {
			if (!request.complete) this.skipUpload(request, response);
			send(response, responseTo(error, path));
		} finally {
			if (form) await discardForm(form);
		}
	}

	/** Everything that is decided before a byte of the body is read. */
	private admit(route: Route, request: IncomingMessage, record: RecordedRequest) {
		const { service } = this;
		const { settings } = service;
		if (request.method !== route.method) {
			throw new HttpError(405, 'METHOD_NOT_ALLOWED', `${request.method} is not possible here.`, {
				headers: { allow: route.method },
			});
		}
		const key = presentedKey(request.headers.authorization);
		if (key.class === 'none')
			throw new HttpError(401, 'API_KEY_MISSING', 'An API key is required.');
		if (key.class === 'unknown')
			throw new HttpError(401, 'API_KEY_INVALID', 'The API key is not valid.');
		if (key.class === 'revoked')
			throw new HttpError(401, 'API_KEY_REVOKED', 'The API key has been revoked.');
		if (key.class === 'sandbox')
			throw new HttpError(
				403,
				'SANDBOX_KEY_NOT_ALLOWED',
				'A sandbox key cannot be used for documents.',
			);
		if (key.class === 'unsubscribed')
			throw new HttpError(
				403,
				'SUBSCRIPTION_REQUIRED',
				'No active subscription covers this operation.',
			);

		const admission = service.rateWindow.admit(key.value, service.now(), settings);
		if (!admission.admitted) {
			record.refused = true;
			const headers: Record<string, string> = settings.retryAfter
				? { 'retry-after': String(Math.ceil(admission.resetsInMs / 1000)) }
				: {};
			throw new HttpError(
				429,
				'RATE_LIMIT_EXCEEDED',
				'The rate limit of this API key is used up.',
				{
					retryable: true,
					headers,
				},
			);
		}
		if (settings.quota !== null && service.acceptedRequests >= settings.quota) {
			record.refused = true;
			throw quotaError();
		}
		if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
			throw new HttpError(415, 'UNSUPPORTED_MEDIA_TYPE', 'The body has to be multipart/form-data.');
		}
		if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
			throw new HttpError(
				413,
				'REQUEST_TOO_LARGE',
				'The request is larger than any the service takes.',
			);
		}
		service.acceptedRequests += 1;
	}

	private async respond(
		route: Route,
		form: UploadedForm,
		faultOnArrival: Fault | null,
		exchange: Exchange,
	) {
		const correctResponse = async (): Promise<ServiceResponse> => {
			try {
				return await route.respond({ form, record: exchange.record });
			} catch (error) {
				return responseTo(error, exchange.path);
			}
		};
		const fault =
			faultOnArrival ?? this.service.faults.afterUpload(form.files.map(({ fileName }) => fileName));
		if (!fault) return send(exchange.response, await correctResponse());
		await this.failWith(fault, exchange, form, correctResponse);
	}

	private async failWith(
		fault: Fault,
		{ request, response, path, record }: Exchange,
		form: UploadedForm,
		correctResponse: () => Promise<ServiceResponse>,
	) {
		record.fault = fault.kind;
		record.refused = fault.kind === 'rateLimit' || fault.kind === 'quotaExceeded';
		await applyFault(fault, {
			response,
			path,
			correctResponse,
			firstFile: async () => {
				const file = form.files[0];
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
		const { latencyMs } = this.service.settings;
		const [min, max] = typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
		if (max > 0) await sleep(min + this.service.random() * (max - min));
	}
}

function responseTo(error: unknown, path: string): ServiceResponse {
	if (error instanceof HttpError) return errorResponse(error, path);
	console.error(error);
	return errorResponse(
		new HttpError(500, 'INTERNAL_ERROR', 'An unexpected condition was met.'),
		path,
	);
}

const noUpload: UploadedForm = { files: [], texts: [] };

function notRead(): Promise<ServiceResponse> {
	throw new Error('A fault that acts before the upload is read has no correct response to use.');
}
