import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What Cogneris does with a document that it is sent, or with a job. */
export type Fate =
	| 'answered'
	| 'noResult'
	/** Of a job that has succeeded; of a request, it is an answer. */
	| 'freeNoResult'
	| 'rejected'
	| 'lost'
	| 'billedFailure'
	| 'running';

/** What happened to a document of an account at Cogneris, in the order in which it did. */
export interface Happening {
	/** Of the credential. */
	key: string;
	/** The content of the file. */
	document: string;
	what:
		| 'answered'
		/** Billed, with a response in which there is nothing. */
		| 'noResult'
		| 'rejected'
		/** Billed, without a response. */
		| 'lost'
		/** Arrived; the response waits. */
		| 'held'
		/** Submitted as a job. */
		| 'submitted'
		/** The result of a job was fetched, or its end was seen. */
		| 'fetched'
		| 'jobFailed'
		| 'stored';
	/** Of an answer, a job or a stored file; each is unlike any other. */
	result: string;
	/** What the response says. */
	credits: number;
	/** Of which it is the submission, the end or the result. */
	jobId?: string;
}

export interface JobModel {
	id: string;
	key: string;
	document: string;
	fate: Fate;
	result: string;
	credits: number;
}

interface Held {
	happenings: Happening[];
	/** Continues with the response. */
	release: (fate: Fate) => void;
}

const OPERATIONS: Record<string, string> = {
	'/Document/extraction': 'extract',
	'/Document/classifier': 'classify',
	'/Document/crop': 'crop',
};

/** A model of the service, in this process. It does with a document what a test says, so that thousands of runs take minutes. */
export class ServiceModel {
	readonly happenings: Happening[] = [];
	readonly jobs = new Map<string, JobModel>();
	/** By document, for the requests to come; `answered` when there are none left. */
	fates = new Map<string, Fate[]>();
	/** Called before the response to each request that may be billed, and for each status check. */
	onArrival: (kind: 'document' | 'check') => 'hold' | 'respond' = () => 'respond';
	readonly held: Held[] = [];
	url = '';
	#active = 0;
	#count = 0;
	readonly #stored = new Map<string, string>();
	readonly #submissions = new Map<string, JobModel>();
	readonly #server = createServer((request, response) => {
		this.#active += 1;
		void this.#respond(request, response).finally(() => (this.#active -= 1));
	});

	async start(): Promise<void> {
		await once(this.#server.listen(0, '127.0.0.1'), 'listening');
		this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	stop(): void {
		this.#server.close();
		this.#server.closeAllConnections();
	}

	/** When all that was sent has arrived, and waits or has ended. */
	async settled(): Promise<void> {
		for (let turn = 0; turn < 3 || this.#active > this.held.length; turn++) await sleep(3);
	}

	reset(): void {
		this.happenings.length = 0;
		this.jobs.clear();
		this.fates.clear();
		this.held.length = 0;
		this.#stored.clear();
		this.#submissions.clear();
		this.onArrival = () => 'respond';
	}

	async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = Buffer.concat(chunks).toString('latin1');
		const { pathname, searchParams } = new URL(request.url ?? '', this.url);
		const key = (request.headers.authorization ?? '').replace('Bearer ', '');
		const [, , , kind = '', id = '', action] = pathname.split('/');
		if (pathname in OPERATIONS) return await this.#process(key, pathname, body, response);
		if (kind === 'artifacts' && request.method === 'POST') return this.#store(key, body, response);
		if (kind === 'artifacts') return this.#fetch(searchParams.get('reference') ?? '', response);
		if (kind !== 'document-jobs') return void response.writeHead(404).end();
		if (action === 'cancel') return succeed(response, { jobId: id, cancellationRequested: true });
		if (request.method === 'POST')
			return await this.#submit(key, body, String(request.headers['idempotency-key']), response);
		this.onArrival('check');
		const asked = [...this.jobs.values()].filter((job) => job.key === key);
		for (const job of asked) if (id === '' || job.id === id) this.#showEnd(job);
		const jobs = asked.map(describe);
		if (id === '') return succeed(response, { jobs, hasMore: false, limit: 100 });
		const job = this.jobs.get(id);
		if (job === undefined) return reject(response, 404);
		succeed(response, describe(job));
	}

	async #process(key: string, path: string, body: string, response: ServerResponse): Promise<void> {
		const operation = OPERATIONS[path] ?? '';
		const documents = documentsIn(body);
		const fates = documents.map(({ content }) => this.#nextFate(content));
		const common = isOneOf(fates, 'rejected') ?? isOneOf(fates, 'lost');
		const happenings = documents.map(({ content }, number): Happening => {
			const fate = common ?? fates[number] ?? 'answered';
			const isBilled = fate === 'answered' || fate === 'noResult' || fate === 'freeNoResult';
			const result = this.#newResult();
			const what = isOfJob(fate) ? 'answered' : fate;
			return { key, document: content, what, result, credits: isBilled ? 1 : 0 };
		});
		this.happenings.push(...happenings);
		const fate = await this.#holdIfAsked(happenings);
		if (fate !== undefined) for (const each of happenings) change(each, fate);
		// The client has gone.
		if (response.destroyed) for (const each of happenings) change(each, 'lost');
		const [first] = happenings;
		if (first?.what === 'rejected') return reject(response, 422);
		if (first?.what === 'lost') return void response.socket?.resetAndDestroy();
		const answered = happenings.map((happening, number) => ({
			...happening,
			name: documents[number]?.name ?? '',
		}));
		const credits = happenings.reduce((sum, each) => sum + each.credits, 0);
		succeed(response, dataOf[operation]?.(answered, this.url), credits);
	}

	#store(key: string, body: string, response: ServerResponse): void {
		const [{ content } = { content: '' }] = documentsIn(body);
		if (this.fates.get(content)?.[0] === 'rejected') {
			this.#nextFate(content);
			this.happenings.push(this.#happening(key, content, 'rejected'));
			return reject(response, 422);
		}
		const happening = this.#happening(key, content, 'stored');
		this.happenings.push(happening);
		this.#stored.set(happening.result, content);
		succeed(response, { reference: happening.result });
	}

	async #submit(
		key: string,
		body: string,
		idempotencyKey: string,
		response: ServerResponse,
	): Promise<void> {
		const { inputReference } = JSON.parse(body) as Record<string, string>;
		let job = this.#submissions.get(idempotencyKey);
		if (job === undefined) {
			const document = this.#stored.get(inputReference ?? '') ?? '';
			const id = `00000000-0000-4000-8000-${String(++this.#count).padStart(12, '0')}`;
			const fate = this.#nextFate(document);
			job = { id, key, document, fate, credits: 1, result: this.#newResult() };
			this.jobs.set(id, job);
			this.#submissions.set(idempotencyKey, job);
			const submitted = this.#happening(key, document, 'submitted');
			submitted.jobId = id;
			submitted.result = id;
			this.happenings.push(submitted);
			await this.#holdIfAsked([submitted]);
		}
		succeed(response, { jobId: job.id, status: 'Queued', retryAfterSeconds: 1 }, null, 202);
	}

	#fetch(reference: string, response: ServerResponse): void {
		const job = this.jobs.get(reference);
		if (job === undefined) return reject(response, 404);
		const { result, fate } = job;
		const what =
			fate === 'noResult' ? 'noResult' : fate === 'freeNoResult' ? 'jobFailed' : 'fetched';
		const fetched = this.#happening(job.key, job.document, what);
		const { creditsConsumed } = describe(job);
		this.happenings.push({ ...fetched, result, credits: creditsConsumed ?? 0, jobId: job.id });
		const stored = { Metadata: what === 'fetched' ? metadataOf(result) : null };
		response.setHeader('content-type', 'application/json').end(JSON.stringify(stored));
	}

	/** A job that failed is over when it was seen. */
	#showEnd(job: JobModel): void {
		if (describe(job).status !== 'Failed') return;
		const failed = this.#happening(job.key, job.document, 'jobFailed');
		const credits = job.fate === 'billedFailure' ? job.credits : 0;
		this.happenings.push({ ...failed, credits, jobId: job.id });
	}

	#happening(key: string, document: string, what: Happening['what']): Happening {
		return { key, document, what, result: this.#newResult(), credits: 0 };
	}

	async #holdIfAsked(happenings: Happening[]): Promise<Fate | undefined> {
		if (this.onArrival('document') !== 'hold') return undefined;
		const before = happenings.map((happening) => happening.what);
		for (const happening of happenings) if (happening.what !== 'submitted') happening.what = 'held';
		const fate = await new Promise<Fate>((release) => this.held.push({ happenings, release }));
		happenings.forEach((happening, number) => (happening.what = before[number] ?? 'answered'));
		return fate;
	}

	#nextFate(document: string): Fate {
		return this.fates.get(document)?.shift() ?? 'answered';
	}

	#newResult(): string {
		return `R${++this.#count}`;
	}
}

function change(happening: Happening, fate: Fate): void {
	if (fate !== 'answered' && fate !== 'lost' && fate !== 'rejected') return;
	happening.what = fate;
	happening.credits = fate === 'answered' ? 1 : 0;
}

function isOfJob(fate: Fate): fate is 'freeNoResult' | 'billedFailure' | 'running' {
	return fate === 'freeNoResult' || fate === 'billedFailure' || fate === 'running';
}

function isOneOf(fates: Fate[], fate: Fate): Fate | undefined {
	return fates.includes(fate) ? fate : undefined;
}

/** Of the files in a form. */
function documentsIn(body: string): Array<{ name: string; content: string }> {
	const files = body.matchAll(/filename="([^"]*)"[^]*?DOCUMENT:(\w+)/g);
	return [...files].map(([, name = '', content = '']) => ({ name, content }));
}

function describe({ id, fate, credits }: JobModel) {
	const isRunning = fate === 'running';
	const hasFailed = fate === 'rejected' || fate === 'billedFailure' || fate === 'lost';
	const isBilled = fate === 'answered' || fate === 'noResult' || fate === 'billedFailure';
	return {
		jobId: id,
		operation: 'Extraction',
		status: isRunning ? 'Processing' : hasFailed ? 'Failed' : 'Succeeded',
		outputReference: isRunning || hasFailed ? null : id,
		failureCode: hasFailed ? 'corrupt' : null,
		creditsConsumed: fate === 'freeNoResult' ? 0 : isBilled ? credits : null,
	};
}

type Answered = Happening & { name: string };

const metadataOf = (result: string) => ({ number: { value: result, confidence: 99 } });

const dataOf: Record<string, (answered: Answered[], url: string) => unknown> = {
	extract: ([first]) => ({
		id: first?.result,
		metadata: first?.what === 'noResult' ? null : metadataOf(first?.result ?? ''),
	}),
	classify: (answered) => ({
		results: answered
			.filter(({ what }) => what !== 'noResult')
			.map(({ name, result }) => ({ fileName: name, documentType: result, confidence: 99 })),
	}),
	crop: ([first]) =>
		first?.what === 'noResult' ? null : { documents: [{ type: first?.result, confidence: 99 }] },
};

function succeed(
	response: ServerResponse,
	data: unknown,
	creditsConsumed: number | null = null,
	status = 200,
): void {
	const meta = { httpStatusCode: status, messages: [], creditsConsumed };
	response
		.writeHead(status, { 'content-type': 'application/json' })
		.end(JSON.stringify({ data, meta, hasErrors: false }));
}

function reject(response: ServerResponse, status: number): void {
	const errors = [{ code: 'NO', message: 'Rejected.', retryable: false }];
	const meta = { httpStatusCode: status, messages: [], errors };
	response
		.writeHead(status, { 'content-type': 'application/json' })
		.end(JSON.stringify({ data: null, meta, hasErrors: true }));
}
