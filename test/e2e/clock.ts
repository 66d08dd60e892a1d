import { setTimeout as wait } from 'node:timers/promises';

/** Waits for the next minute unless the clock is between these seconds, because rate limit windows begin on the minute. */
export async function untilSecond(from: number, to: number): Promise<void> {
	while (new Date().getSeconds() < from || new Date().getSeconds() >= to) await wait(200);
}

/** Waits until the minute after this time has begun. */
export async function untilMinuteAfter(time: number): Promise<void> {
	await wait(Math.max(0, (Math.floor(time / 60_000) + 1) * 60_000 - Date.now()));
}
