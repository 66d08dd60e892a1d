import { sleep } from 'n8n-workflow';

export const MB = 1024 * 1024;

// A small file can take much memory or time. These bounds suit 1 GB of heap (docs/internals/pdf-library.md, Bounds).

/** Bytes read or written: a base, and so many for each byte of the file. */
const [WORK, WORK_PER_BYTE] = [128 * MB, 10];

/** Values in memory at a time; a dictionary or an array counts as four. */
const MAX_VALUES = 2_000_000;

/** How long cutting may block n8n, in milliseconds. */
const MAX_BLOCK_MS = 20;

/** 30 s, and 0.2 s for each megabyte, in slices of `MAX_BLOCK_MS`, whatever they are spent on. */
const [SLICES, SLICES_PER_MB] = [1500, 10];

/** `wrongTable`: an object is not where a table puts it, so the file is read without its tables. */
export type Reason = 'locked' | 'tooLargeEncrypted' | 'tooComplex' | 'damaged' | 'wrongTable';

export class Obstacle extends Error {
	constructor(readonly reason: Reason) {
		super(reason);
	}
}

/** Returns an obstacle with one of `reasons`, or with any if there are none; throws all else. */
export async function orObstacle<T>(
	work: () => Promise<T> | T,
	...reasons: Reason[]
): Promise<T | Obstacle> {
	return await Promise.resolve()
		.then(work)
		.catch((thrown: unknown) => {
			const isExpected =
				thrown instanceof Obstacle && (reasons.length === 0 || reasons.includes(thrown.reason));
			if (isExpected) return thrown;
			throw thrown;
		});
}

/** One for all files, because they block the same n8n. The monotonic clock, because the time of day may be set back. */
let sliceStart = 0;

/** Lets n8n run, so that what was done before, such as storing a document, is not charged to the next slice. */
export async function startSlice(): Promise<void> {
	// A verified package may use no other timer.
	await sleep(0);
	sliceStart = performance.now();
}

/** What a file or a part may take. When it is used up, all methods throw `tooComplex`. */
export class Budget {
	private work: number;
	private values = MAX_VALUES;
	private slices: number;

	constructor(bytes: number) {
		this.work = WORK + WORK_PER_BYTE * bytes;
		this.slices = SLICES + (SLICES_PER_MB * bytes) / MB;
	}

	/** Charges bytes read or written; slower work counts as the bytes that take as long. */
	spend(bytes: number): void {
		this.work -= bytes;
		if (this.work < 0) throw new Obstacle('tooComplex');
	}

	/** Charges values that stay in memory. */
	keep(values: number): void {
		this.values -= values;
		if (this.values < 0) throw new Obstacle('tooComplex');
	}

	/** Lets n8n run after each slice. Every loop calls it. */
	async yieldToN8n(): Promise<void> {
		if (performance.now() - sliceStart < MAX_BLOCK_MS) return;
		this.slices -= 1;
		if (this.slices < 0) throw new Obstacle('tooComplex');
		await startSlice();
	}
}
