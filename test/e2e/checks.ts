import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Missing } from '../n8n/processes';

/** A check needs something that is not part of this repository, such as third-party documents. */
export class Unavailable extends Error {}

/** In CI, a skipped check counts as failed. */
const failsWhenMissing = !['', 'false'].includes(process.env.CI ?? '');

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
