import { sleep } from 'n8n-workflow';

/** An interface, so that tests of minutes take milliseconds. */
export interface Clock {
	/** Milliseconds since the epoch; never goes back. */
	now: () => number;
	/** A signal may end it early, by a rejection. */
	sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Waits that nothing can end early are cut into pieces of this length, because a user may stop a run. */
const SLICE_MS = 200;

/** Waits until then or until the signal is aborted, and never rejects. */
export async function pauseFor(
	ms: number,
	{ clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
	const end = clock.now() + ms;
	while (clock.now() < end && !signal.aborted)
		await clock.sleep(Math.min(end - clock.now(), SLICE_MS));
}

/** Not Date.now: when a computer's clock is set, requests would start too late or too early. */
export const systemClock: Clock = {
	now: () => performance.timeOrigin + performance.now(),
	sleep,
};

/** Unlike a sleep, this keeps no process alive. */
export function wakeAfter(ms: number, call: () => void): void {
	AbortSignal.timeout(Math.ceil(ms)).addEventListener('abort', call, { once: true });
}

/** The result, or the signal's reason thrown as soon as it is aborted. A later rejection of the result is ignored. */
export async function unlessAborted<Result>(
	result: Promise<Result>,
	signal: AbortSignal,
): Promise<Result> {
	const own = copyOf(signal);
	return await new Promise((resolve, reject) => {
		const forget = onAbort(own, () => reject(own.reason as Error));
		void result.then(resolve, reject).finally(forget);
	});
}

/** For one listener of many: Node.js warns of many on one signal. */
export function copyOf(signal: AbortSignal): AbortSignal {
	return AbortSignal.any([signal]);
}

/**
 * Acts once the signal is aborted, at once if it is.
 * @returns what forgets the action, because a signal may live much longer than what waits for it
 */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
	if (signal.aborted) act();
	signal.addEventListener('abort', act, { once: true });
	return () => signal.removeEventListener('abort', act);
}

/** Limits how many pieces of work run at a time; the others wait in order. */
export class Slots {
	readonly #waiting: Array<() => void> = [];

	constructor(private free: number) {}

	async use<Result>(work: () => Promise<Result>): Promise<Result> {
		if (this.free > 0) this.free -= 1;
		else await new Promise<void>((resolve) => this.#waiting.push(resolve));
		try {
			return await work();
		} finally {
			const next = this.#waiting.shift();
			if (next === undefined) this.free += 1;
			else next();
		}
	}

	/** The results in the order of the entries. */
	async map<Entry, Result>(
		entries: Entry[],
		work: (entry: Entry) => Promise<Result>,
	): Promise<Result[]> {
		return await Promise.all(
			entries.map(async (entry) => await this.use(async () => await work(entry))),
		);
	}
}

/** Locks by name. Whoever enters with several names waits for all who entered before with one of them, so none wait for each other. */
export class Locks {
	readonly #last = new Map<string, Promise<unknown>>();

	/** @returns what to wait for, and how to let the next ones in */
	enter(names: string[]): { earlier: Promise<unknown>; leave: () => void } {
		const earlier = Promise.all(names.flatMap((name) => this.#last.get(name) ?? []));
		let leave: () => void = () => undefined;
		const turn = new Promise<void>((resolve) => (leave = resolve));
		const end = Promise.all([earlier, turn]);
		for (const name of names) this.#last.set(name, end);
		void end.then(() => {
			for (const name of names) if (this.#last.get(name) === end) this.#last.delete(name);
		});
		return { earlier, leave };
	}
}

/** n8n loads the package once in a process, so all executions share this. */
export const processLocks = new Locks();
