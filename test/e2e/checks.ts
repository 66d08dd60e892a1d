import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Missing } from '../n8n/processes';

/** A check needs something that is not part of this repository, such as third-party documents. */
export class Unavailable extends Error {}

/** In CI, a skipped check counts as failed. */
const failsWhenMissing =
	process.env.CI !== undefined && process.env.CI !== '' && process.env.CI !== 'false';

/** A part with all its checks. An error outside a check counts as a failure, and the next part still runs. */
export async function part(name: string, work: () => Promise<void>): Promise<void> {
	await check(name, work);
}

/** Runs all work at the same time; the checks of each stay in their order. */
export async function together(name: string, work: Array<() => Promise<void>>): Promise<void> {
	await test(name, { concurrency: true }, async () => {
		await Promise.all(work.map(async (run) => await run()));
	});
}

/** @param work may return a summary of what it checked, and throws if a result is not as expected */
export async function check(
	name: string,
	work: () => Promise<string | undefined | void> | string | void,
): Promise<void> {
	// Node attaches a test that starts inside another test to that test.
	await test(name, async (context) => {
		try {
			const saw = await work();
			if (saw) context.diagnostic(`${name}: ${saw}`);
		} catch (error) {
			const mayBeSkipped =
				error instanceof Unavailable || (error instanceof Missing && !failsWhenMissing);
			if (!mayBeSkipped) throw error;
			context.skip(error.message);
		}
	});
}

export function expect(holds: boolean, otherwise: string): asserts holds {
	assert.ok(holds, otherwise);
}

/** Compares JSON, so undefined equals absent, and the order of keys matters. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
	const [seen, wanted] = [actual, expected].map(
		(value) => `${what}:\n${JSON.stringify(value, null, 1) ?? 'undefined'}`,
	);
	assert.equal(seen, wanted);
}
