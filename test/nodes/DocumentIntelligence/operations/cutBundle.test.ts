import { withBundle } from '../../../../nodes/DocumentIntelligence/operations/cutBundle';
import type { Content, FileContext } from '../../../../nodes/DocumentIntelligence/files/content';
import { MAX_BUNDLE_BYTES } from '../../../../nodes/DocumentIntelligence/pdf/openBundle';
import { corpus } from '../../../pdf/corpus';

/** Ends the waits that take seconds. */
const waits: Array<() => void> = [];
jest.mock('n8n-workflow', () => {
	const actual = jest.requireActual<typeof import('n8n-workflow')>('n8n-workflow');
	const sleep = async (milliseconds: number) =>
		milliseconds < 1000
			? await actual.sleep(milliseconds)
			: await new Promise<void>((resolve) => waits.push(resolve));
	return { ...actual, sleep };
});

function contextWith(signal?: AbortSignal): Pick<FileContext, 'getExecutionCancelSignal'> {
	return { getExecutionCancelSignal: () => signal };
}

function contentOf(bytes: Buffer, opened?: () => void): Content {
	return {
		bytes: bytes.length,
		open: async function* () {
			opened?.();
			await Promise.resolve();
			for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
		},
	};
}

const plain = corpus.plain!.file();

test('a file over the bound is not read at all', async () => {
	const content: Content = {
		bytes: MAX_BUNDLE_BYTES + 1,
		open: () => {
			throw new Error('It is read.');
		},
	};
	const work = jest.fn();
	expect(await withBundle(contextWith(), content, work)).toEqual({
		reason: 'it is larger than 200 MB',
	});
	expect(work).not.toHaveBeenCalled();
});

test('an encrypted file over its bound says so', async () => {
	const encrypted = corpus['opens without a password, RC4 128']!.file();
	const file = Buffer.concat([encrypted, Buffer.alloc(50 * 1024 * 1024, '\n')]);
	expect(await withBundle(contextWith(), contentOf(file), jest.fn())).toEqual({
		reason: 'it is encrypted and larger than 50 MB',
	});
});

test('one file is read and cut at a time, in the order of arrival', async () => {
	const events: string[] = [];
	await Promise.all(
		['a', 'b', 'c'].map(
			async (name) =>
				await withBundle(
					contextWith(),
					contentOf(plain, () => events.push(`read ${name}`)),
					async (bundle) => {
						for (const page of [1, 2]) {
							await bundle.cut([page]);
							events.push(`cut ${name}`);
						}
					},
				),
		),
	);
	expect(events).toEqual(
		['a', 'b', 'c'].flatMap((name) => [`read ${name}`, `cut ${name}`, `cut ${name}`]),
	);
});

test('one that takes long is overtaken, so that two are in memory at most', async () => {
	const begun: number[] = [];
	const finish: Array<() => void> = [];
	const all = [0, 1, 2].map(
		async (index) =>
			await withBundle(contextWith(), contentOf(plain), async () => {
				begun.push(index);
				await new Promise<void>((resolve) => (finish[index] = resolve));
			}),
	);
	const settle = async () => await new Promise((resolve) => setTimeout(resolve, 50));
	await settle();
	expect(begun).toEqual([0]);
	for (let round = 0; round < 2; round++) {
		waits.splice(0).forEach((end) => end());
		await settle();
		expect(begun).toEqual([0, 1]);
	}
	finish[0]!();
	await settle();
	expect(begun).toEqual([0, 1, 2]);
	finish.forEach((end) => end());
	expect(await Promise.all(all)).toEqual([undefined, undefined, undefined]);
});

test('one that fails leaves the turn to the next', async () => {
	const failing = withBundle(contextWith(), contentOf(plain), async () => {
		await Promise.reject(new Error('disk full'));
	});
	const next = withBundle(contextWith(), contentOf(plain), async () => {
		await Promise.resolve();
	});
	await expect(failing).rejects.toThrow('disk full');
	expect(await next).toBeUndefined();
});

describe('a stop while a step of the work never ends', () => {
	const stopped = { reason: 'the execution was stopped' };

	/** A file whose store does not answer; settles when the work is stopped. */
	async function hanging(stop: AbortController, counts: { steps: number }) {
		return await withBundle(contextWith(stop.signal), contentOf(plain), async () => {
			counts.steps += 1;
			await new Promise<void>(() => undefined);
		});
	}

	test('ends the wait of the execution, and the next file has its turn', async () => {
		const stop = new AbortController();
		const counts = { steps: 0 };
		const working = hanging(stop, counts);
		const opened = jest.fn();
		const waiting = withBundle(contextWith(stop.signal), contentOf(plain, opened), jest.fn());
		const others = jest.fn();
		const after = withBundle(contextWith(), contentOf(plain), async () => {
			others();
			await Promise.resolve();
		});
		while (counts.steps === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		expect(others).not.toHaveBeenCalled();
		stop.abort();
		expect(await Promise.all([working, waiting, after])).toEqual([stopped, stopped, undefined]);
		expect(others).toHaveBeenCalledTimes(1);
		expect(counts.steps).toBe(1);
		expect(opened).not.toHaveBeenCalled();
	});

	test('of an execution that only waits lets nobody past the one at work', async () => {
		let finish: () => void = () => undefined;
		const events: string[] = [];
		const working = withBundle(contextWith(), contentOf(plain), async () => {
			events.push('first begins');
			await new Promise<void>((resolve) => (finish = resolve));
			events.push('first ends');
		});
		const stop = new AbortController();
		const waiting = withBundle(contextWith(stop.signal), contentOf(plain), jest.fn());
		const after = withBundle(contextWith(), contentOf(plain), async () => {
			events.push('third');
			await Promise.resolve();
		});
		while (events.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		stop.abort();
		expect(await waiting).toEqual(stopped);
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(events).toEqual(['first begins']);
		finish();
		await Promise.all([working, after]);
		expect(events).toEqual(['first begins', 'first ends', 'third']);
	});
});

test('a stop ends the reading of a file', async () => {
	const stop = new AbortController();
	let chunks = 0;
	const content: Content = {
		bytes: 100_000_000,
		open: async function* () {
			for (;;) {
				chunks += 1;
				if (chunks === 3) stop.abort();
				await Promise.resolve();
				yield Buffer.from('%PDF-1.4');
			}
		},
	};
	expect(await withBundle(contextWith(stop.signal), content, jest.fn())).toEqual({
		reason: 'the execution was stopped',
	});
	await withBundle(contextWith(), contentOf(plain), jest.fn());
	expect(chunks).toBeLessThan(5);
});
