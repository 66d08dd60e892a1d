import { HttpError } from '../http/responses';
import { KEPT_MS } from './artifacts';

interface Kept {
	body: string;
	at: number;
	jobId: string;
}

/** Which job was submitted under which Idempotency-Key. */
export class Idempotency {
	private readonly byKey = new Map<string, Kept>();

	constructor(private readonly now: () => number) {}

	/** Creates a job once for a key of an account; a repeat with the same body gives the same job. */
	once(
		owner: string,
		key: string,
		body: string,
		create: () => string,
	): { jobId: string; replayed: boolean } {
		const name = `${owner}\n${key}`;
		const kept = this.byKey.get(name);
		if (kept && this.now() < kept.at + KEPT_MS) {
			const message = 'The Idempotency-Key was used with another body.';
			if (kept.body !== body) throw new HttpError(422, 'idempotency_key_conflict', message);
			return { jobId: kept.jobId, replayed: true };
		}
		const jobId = create();
		this.byKey.set(name, { body, at: this.now(), jobId });
		return { jobId, replayed: false };
	}

	clear() {
		this.byKey.clear();
	}
}
