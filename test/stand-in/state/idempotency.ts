import { HttpError } from '../http/responses';
import { KEPT_MS } from './artifacts';

interface Kept {
	body: string;
	at: number;
	/** Null while the first request with the key is being served. */
	jobId: string | null;
}

/** Which job was submitted under which Idempotency-Key. */
export class Idempotency {
	private readonly byKey = new Map<string, Kept>();

	constructor(
		private readonly now: () => number,
		private readonly replayUnavailable: () => boolean,
	) {}

	/** Creates a job once for a key of an account; a repeat with the same body gives the same job. */
	async once(
		owner: string,
		key: string,
		body: string,
		create: () => Promise<string>,
	): Promise<{ jobId: string; replayed: boolean }> {
		if (!/^[A-Za-z0-9._:-]{8,128}$/.test(key))
			throw new HttpError(
				400,
				'idempotency_key_invalid',
				'The Idempotency-Key has to have 8 to 128 characters of A-Z a-z 0-9 . _ : -',
			);
		const name = `${owner}\n${key}`;
		const kept = this.byKey.get(name);
		if (kept && this.now() < kept.at + KEPT_MS)
			return { jobId: this.replay(kept, body), replayed: true };

		const entry: Kept = { body, at: this.now(), jobId: null };
		this.byKey.set(name, entry);
		try {
			entry.jobId = await create();
			return { jobId: entry.jobId, replayed: false };
		} catch (error) {
			this.byKey.delete(name);
			throw error;
		}
	}

	clear() {
		this.byKey.clear();
	}

	private replay({ body, jobId }: Kept, repeated: string): string {
		if (body !== repeated)
			throw new HttpError(
				422,
				'idempotency_key_conflict',
				'The Idempotency-Key was used with another body.',
			);
		if (jobId === null)
			throw new HttpError(
				409,
				'idempotency_request_in_progress',
				'A request with this Idempotency-Key is in progress.',
				{ retryable: true },
			);
		if (this.replayUnavailable())
			throw new HttpError(
				409,
				'idempotency_replay_unavailable',
				'The first response to this Idempotency-Key is no longer available.',
			);
		return jobId;
	}
}
