import { setTimeout as sleep } from 'node:timers/promises';

import { Limiters } from '../../nodes/DocumentIntelligence/service/limiter';
import type { Clock } from '../../nodes/DocumentIntelligence/waiting/waiting';

/** Of the service, and so what the windows of a stand-in take on a clock that is this much faster. */
const WINDOW_MS = 60_000;

export function fastWindowMs(speed: number): number {
	return WINDOW_MS / speed;
}

/**
 * Limiters of a process of its own beside a stand-in. Pauses and windows pass so much faster on its clock, which leaves
 * time to requests in flight; without a speed, every wait is over at once.
 */
export function fastLimiters(speed = Infinity) {
	const began = performance.now();
	let skippedMs = 0;
	const elapsedMs = () =>
		skippedMs + (speed === Infinity ? 0 : (performance.now() - began) * speed);
	const pass = (ms: number) => void (skippedMs += ms);
	const clock: Clock = {
		now: () => performance.timeOrigin + began + elapsedMs(),
		sleep: async (ms, signal) => {
			if (speed === Infinity) pass(ms);
			// As n8n's sleep: what is turned off keeps no worker of jest from ending.
			else await sleep(ms / speed, undefined, { signal });
		},
	};
	return Object.assign(new Limiters(clock, WINDOW_MS), {
		elapsedMs,
		/** Moves the clock on, as when days pass between two polls. */
		pass,
	});
}

/** Looks again and again, in real time, until it holds; a test that waits for ever fails by its own time limit. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
	while (!(await holds())) await sleep(10);
}

/** Minutes of waiting in milliseconds: time jumps to whatever happens next. */
export class SimulatedTime {
	#now: number;

	/** What is to happen, by time; what was planned first happens first. */
	#plans: Array<{ at: number; happen: () => void }> = [];

	constructor(start: number) {
		this.#now = start;
	}

	get now(): number {
		return this.#now;
	}

	async sleep(ms: number): Promise<void> {
		await new Promise<void>((resolve) => this.#plan(this.#now + Math.max(0, ms), resolve));
	}

	/** As a process sees it whose clock is wrong. */
	clock(wrongBy = 0): Clock {
		return { now: () => this.#now + wrongBy, sleep: async (ms) => await this.sleep(ms) };
	}

	/** Runs until the work is done. Throws where nothing more will happen, so that a lost waiter is noticed. */
	async run<T>(work: Promise<T>): Promise<T> {
		let done = false;
		const watched = work.finally(() => {
			done = true;
		});
		watched.catch(() => undefined);
		for (;;) {
			// Lets everybody act who was woken.
			await new Promise<void>((go) => process.nextTick(go));
			if (done) return await watched;
			const next = this.#plans.shift();
			if (next === undefined) throw new Error('Everybody waits, and nothing will happen any more.');
			this.#now = next.at;
			next.happen();
		}
	}

	#plan(at: number, happen: () => void): void {
		const place = this.#plans.findLastIndex((plan) => plan.at <= at) + 1;
		this.#plans.splice(place, 0, { at, happen });
	}
}

/** The same numbers for the same seed, from 0 to 1. */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
