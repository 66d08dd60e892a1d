import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedStandIn, type JobDescription, type Settings, type StandIn } from './startStandIn';

/** A response as tests of the service look at it. */
export interface Seen {
	status: number;
	headers: Response['headers'];
	/** The parsed body of an envelope or a problem document; empty for any other. */
	json: Record<string, unknown>;
	/** Of the envelope. */
	data: Record<string, unknown>;
	/** Of the first error of the envelope, or of the problem document. */
	code: string | undefined;
	bytes: Buffer;
}

/** A stand-in for the tests of a file, and plain HTTP requests to it with a key of the running test. */
class ServiceUnderTest {
	standIn!: StandIn;
	key = '';

	async send(method: string, path: string, init: RequestInit = {}): Promise<Seen> {
		const headers = new Headers(init.headers);
		headers.set('authorization', `Bearer ${this.key}`);
		const response = await fetch(`${this.standIn.url}${path}`, { ...init, method, headers });
		const bytes = Buffer.from(await response.arrayBuffer());
		const isJson = (response.headers.get('content-type') ?? '').includes('json');
		const json = (isJson ? JSON.parse(bytes.toString()) : {}) as Record<string, unknown>;
		const { errors } = (json.meta ?? {}) as { errors?: Array<{ code: string }> };
		return {
			status: response.status,
			headers: response.headers,
			json,
			data: (json.data ?? {}) as Record<string, unknown>,
			code: errors?.[0]?.code ?? (json.code as string | undefined),
			bytes,
		};
	}

	/** Sends with the key of another account. */
	async asOther<T>(requests: () => Promise<T>): Promise<T> {
		const { key } = this;
		this.key += '-other';
		const seen = await requests();
		this.key = key;
		return seen;
	}

	/** With a form whose one file is a sample, under its own name or another. */
	async upload(path: string, sample: string, as = sample, field = 'file'): Promise<Seen> {
		return await this.uploadAll(path, [[field, sample, as]]);
	}

	async uploadAll(
		path: string,
		files: Array<[field: string, sample: string, as?: string]>,
	): Promise<Seen> {
		const body = new FormData();
		for (const [field, sample, as = sample] of files)
			body.append(field, new Blob([new Uint8Array(sampleDocument(sample))]), as);
		return await this.send('POST', path, { body });
	}

	async store(sample = 'invoice-us.pdf', as = sample): Promise<string> {
		const stored = await this.upload('/api/v1/artifacts', sample, as);
		expect(stored.status).toBe(201);
		return stored.data.reference as string;
	}

	/** @param submission of an Extraction, unless it says so */
	async submit(submission: object, idempotencyKey?: string): Promise<Seen> {
		const body = JSON.stringify({ operation: 'Extraction', ...submission });
		return await this.submitText(body, idempotencyKey);
	}

	async submitText(body: string, idempotencyKey?: string): Promise<Seen> {
		const headers = new Headers({ 'content-type': 'application/json' });
		if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
		return await this.send('POST', '/api/v1/document-jobs', { body, headers });
	}

	/** Stores a sample and submits a job for it. */
	async start(operation = 'Extraction', sample = 'invoice-us.pdf', as = sample): Promise<string> {
		const inputReference = await this.store(sample, as);
		const submitted = await this.submit({ operation, inputReference });
		expect(submitted.status).toBe(202);
		return submitted.data.jobId as string;
	}

	async job(jobId: string): Promise<JobDescription> {
		return (await this.send('GET', `/api/v1/document-jobs/${jobId}`))
			.data as unknown as JobDescription;
	}

	async jobs(limit = 100): Promise<JobDescription[]> {
		return (await this.send('GET', `/api/v1/document-jobs?limit=${limit}`)).data
			.jobs as JobDescription[];
	}

	async fetchFile(reference: string | null): Promise<Seen> {
		const query = new URLSearchParams({ reference: reference ?? '' }).toString();
		return await this.send('GET', `/api/v1/artifacts/content?${query}`);
	}

	/** The stored result of a job that has finished. */
	async result(jobId: string): Promise<Record<string, unknown>> {
		return (await this.fetchFile((await this.job(jobId)).outputReference)).json;
	}
}

export function useStandIn(settings: Partial<Settings> = {}): ServiceUnderTest {
	const service = new ServiceUnderTest();
	beforeAll(async () => {
		service.standIn = await sharedStandIn({ requestsPerWindow: 1000, ...settings });
	});
	beforeEach(async () => {
		await service.standIn.reset();
		service.key = `xtkt_live_valid_${randomUUID()}`;
	});
	afterEach(async () => {
		expect(await service.standIn.violations()).toEqual([]);
	});
	afterAll(async () => await service.standIn.stop());
	return service;
}

export const samplePath = (name: string) =>
	join(__dirname, '..', '..', 'examples', 'documents', name);

export const sampleDocument = (name: string) => readFileSync(samplePath(name));

export const DAY_MS = 24 * 60 * 60_000;
