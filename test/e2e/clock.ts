import { setTimeout as wait } from 'node:timers/promises';

import type { RecordedRequest } from '../stand-in/startStandIn';

/** Waits for the next minute unless the clock is between these seconds, because rate limit windows begin on the minute. */
export async function untilSecond(from: number, to: number): Promise<void> {
	while (new Date().getSeconds() < from || new Date().getSeconds() >= to) await wait(200);
}

/** The requests that began in each minute of the service's clock. */
export function startsByMinute(requests: RecordedRequest[]): number[] {
	const counts = new Map<number, number>();
	for (const { startedAt } of requests) {
		const minute = Math.floor(startedAt / 60_000);
		counts.set(minute, (counts.get(minute) ?? 0) + 1);
	}
	return [...counts.entries()].sort(([a], [b]) => a - b).map(([, count]) => count);
}
