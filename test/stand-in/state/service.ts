import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { RateWindow } from '../access/rateWindow';
import { FaultQueue } from '../faults/faultQueue';
import { seededRandom } from '../faults/random';
import type { Duration, Settings } from '../settings';
import { Artifacts } from './artifacts';
import type { Charge } from './charges';
import { Jobs } from './jobs';
import { JobViews } from './jobViews';
import { Records } from './records';
import { SignedImages } from './signedImages';

export interface Violation {
	/** Of the request. */
	sequence: number;
	path: string;
	reasons: string[];
}

/** Everything a running service holds. */
export class Service {
	readonly records = new Records();
	readonly charges: Charge[] = [];
	/** Answers of the stand-in that break the contract. */
	readonly violations: Violation[] = [];
	readonly faults = new FaultQueue();
	readonly rateWindow = new RateWindow();
	readonly images: SignedImages;
	readonly artifacts: Artifacts;
	readonly jobs: Jobs;
	readonly jobViews = new JobViews();
	/** The jobs that were submitted with an Idempotency-Key, by account and key. */
	readonly submitted = new Map<string, { body: string; at: number; jobId: string }>();
	random: () => number;
	/** How far the clock has been advanced, beside the setting `clockSkewMs`. */
	private advancedMs = 0;
	private waits = new AbortController();

	/** Set once another service has taken its place. */
	isOver = false;

	/**
	 * @param folder takes uploads and stored files
	 * @param origin the address that links are made with
	 * @param reset has another service take its place, as it was at the start
	 */
	constructor(
		public settings: Settings,
		readonly folder: string,
		origin: () => string,
		readonly reset: () => Promise<void>,
	) {
		this.random = seededRandom(settings.seed);
		this.images = new SignedImages(origin, this.now, () => this.settings.imageLifetimeMs);
		this.artifacts = new Artifacts(folder, this.now, () => this.settings.unreadableReference);
		this.jobs = new Jobs(this.now, this.charges);
	}

	now = (): number => Date.now() + this.settings.clockSkewMs + this.advancedMs;

	advanceClock(ms: number) {
		this.advancedMs += ms;
	}

	/** Waits so long, or until {@link answerNow}. */
	async wait(ms: number): Promise<void> {
		await sleep(ms, undefined, { signal: this.waits.signal }).catch(() => undefined);
	}

	/** Ends the waiting of all answers that are late. */
	answerNow() {
		this.waits.abort();
		this.waits = new AbortController();
	}

	/** A duration, drawn from its range if it has one. */
	draw(duration: Duration): number {
		if (typeof duration === 'number') return duration;
		const [min, max] = duration;
		return max > 0 ? min + this.random() * (max - min) : 0;
	}

	configure(changes: Partial<Settings>) {
		this.settings = { ...this.settings, ...changes };
		this.random = seededRandom(this.settings.seed);
	}

	/** Requests under way end, and files are removed; what one of these still writes goes when the server ends. */
	async end() {
		this.isOver = true;
		this.records.end();
		await rm(this.folder, { recursive: true, force: true }).catch(() => undefined);
	}
}
