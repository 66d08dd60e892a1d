import assert from 'node:assert/strict';
import { test } from 'node:test';

/** What a check needs is not on this machine. Counts as failed where everything has to be there. */
export class Missing extends Error {}

/** What a check needs cannot be expected anywhere, such as documents that are not part of this repository. */
export class Unavailable extends Error {}

/** Under continuous integration a check that did not run is one that nobody looked at. */
const failsWhenMissing =
	process.env.CI !== undefined && process.env.CI !== '' && process.env.CI !== 'false';

/** A part with all its checks. Whatever ends it early is a failure of its own, and the next part goes on. */
export async function part(name: string, work: () => Promise<void>): Promise<void> {
	await check(name, work);
}

/** @param work may return a few words on what it saw, and throws what it did not expect */
export async function check(name: string, work: () => Promise<string | void>): Promise<void> {
	// Node attaches a test that begins within another one to it.
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

/** By their JSON, so that what is undefined and what is absent are the same, and the order of keys counts. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
	const [seen, wanted] = [actual, expected].map(
		(value) => `${what}:\n${JSON.stringify(value, null, 1) ?? 'undefined'}`,
	);
	assert.equal(seen, wanted);
}
