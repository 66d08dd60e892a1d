import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultKind } from '../faults/faults';
import type { Step } from '../http/route';
import { presentedKey } from '../access/keys';

export type RecordedPart =
	| { name: string; fileName: string; contentType: string; bytes: number; sha256: string }
	| { name: string; value: string };

/** What one request looked like from the service's side. */
export type RecordedRequest = ReturnType<typeof newRow>;

function newRow(
	/** Counts from 1 in order of arrival. */
	sequence: number,
	/** `image` is the download of a cropped image, `unknown` an address the service does not have. */
	kind: 'api' | 'image' | 'unknown',
	{ pathname: path, search }: URL,
	request: IncomingMessage,
) {
	const { authorization, ...headers } = request.headers;
	const key = presentedKey(authorization);
	const contentLength = headers['content-length'];
	return {
		sequence,
		kind,
		/** What it was for; null where `kind` is not `api`. */
		step: null as Step | null,
		method: request.method ?? '',
		path,
		/** What follows the question mark. */
		query: search.slice(1),
		key: key.class,
		/** Tells the valid keys apart without a record holding a whole key. */
		keyEnding: key.value.slice(-4),
		/** All headers except Authorization. */
		headers: headers as Record<string, string | string[] | undefined>,
		parts: [] as RecordedPart[],
		/** The body of a JSON request. */
		body: null as string | null,
		idempotencyKey: headers['idempotency-key']?.toString() ?? null,
		/** The job that was submitted or asked for, or whose result was; also where the response did not reach the client. */
		jobId: null as string | null,
		/** A repeated submission that got the job of the first. */
		replayed: false,
		contentLength: contentLength === undefined ? null : Number(contentLength),
		receivedBytes: 0,
		/** Null when no answer was begun. */
		status: null as number | null,
		/** Turned away by the rate limit or the quota. */
		refused: false,
		fault: null as FaultKind | null,
		startedAt: Date.now(),
		endedAt: null as number | null,
		/** The client went away before the whole answer was sent. */
		aborted: false,
	};
}

export class Records {
	private readonly rows: RecordedRequest[] = [];
	private readonly inFlight = new Set<RecordedRequest>();
	private readonly unanswered = new Set<ServerResponse>();
	/** A connection the service itself breaks is not the client's going away. */
	readonly cutByService = new WeakSet<ServerResponse>();
	maxConcurrent = 0;

	begin(
		kind: RecordedRequest['kind'],
		address: URL,
		request: IncomingMessage,
		response: ServerResponse,
	): RecordedRequest {
		const row = newRow(this.rows.length + 1, kind, address, request);
		this.rows.push(row);
		countBody(request, row);
		if (kind === 'api') this.inFlight.add(row);
		this.maxConcurrent = Math.max(this.maxConcurrent, this.inFlight.size);
		this.unanswered.add(response);
		response.once('close', () => {
			this.unanswered.delete(response);
			row.endedAt = Date.now();
			row.status = response.headersSent ? response.statusCode : null;
			row.aborted = !response.writableFinished && !this.cutByService.has(response);
			this.inFlight.delete(row);
		});
		return row;
	}

	all(): RecordedRequest[] {
		return this.rows;
	}

	/** Requests under way end: one that hangs would keep its client from ending. */
	end() {
		for (const response of this.unanswered) response.destroy();
	}
}

/** Listens in on `push`: a `data` listener would set the body flowing before anybody reads it. */
function countBody(request: IncomingMessage, row: RecordedRequest) {
	const push = request.push.bind(request);
	request.push = (chunk: unknown, encoding?: BufferEncoding) => {
		if (Buffer.isBuffer(chunk)) row.receivedBytes += chunk.length;
		return push(chunk, encoding);
	};
}
