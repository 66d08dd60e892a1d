import { setTimeout as wait } from 'node:timers/promises';

export async function until(
	holds: () => Promise<boolean> | boolean,
	seconds: number,
	otherwise: string,
): Promise<void> {
	for (const startedAt = Date.now(); !(await holds()); await wait(50)) {
		if (Date.now() - startedAt >= seconds * 1000)
			throw new Error(`${otherwise} within ${seconds} s`);
	}
}
