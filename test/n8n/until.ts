import { setTimeout as wait } from 'node:timers/promises';

/** Waits until it holds, and asks less often the longer it takes. */
export async function until(
	holds: () => Promise<boolean> | boolean,
	seconds: number,
	otherwise: string,
): Promise<void> {
	const startedAt = Date.now();
	for (let pause = 20; !(await holds()); pause = Math.min(pause * 1.5, 500)) {
		if (Date.now() - startedAt >= seconds * 1000)
			throw new Error(`${otherwise} within ${seconds} s`);
		await wait(pause);
	}
}
