import { sleep } from 'n8n-workflow';

export const MB = 1024 * 1024;

// A small file can stand for a large amount of memory or time. These bounds keep a process with 1 GB of heap alive, and
// make the time grow with the size of a file; docs/internals/pdf-library.md has the measurements.

/** How much is read or written, in bytes: so much, and so much for each byte of the file. */
const [WORK, WORK_PER_BYTE] = [128 * MB, 10];

/** Values that may be in memory at a time. A dictionary or an array counts as four. */
const MAX_VALUES = 2_000_000;

/** How long cutting may keep n8n from everything else, in milliseconds. */
const SLICE_MS = 20;

/** After so many slices a file is given up, whatever it spent them on: 30 s, and 0.2 s for each megabyte. */
const [SLICES, SLICES_PER_MB] = [1500, 10];

/** Why reading ends. `wrongTable`: what a table says is not there, so the file is to be read as if it had none. */
export type Reason = 'locked' | 'tooLargeEncrypted' | 'tooComplex' | 'damaged' | 'wrongTable';

export class Obstacle extends Error {
	constructor(readonly reason: Reason) {
		super(reason);
	}
}

/** What `work` returns, or the obstacle that it meets, if reasons are given one of these; all else is thrown on. */
export async function attempt<T>(
	work: () => Promise<T> | T,
	...reasons: Reason[]
): Promise<T | Obstacle> {
	let thrown: unknown;
	try {
		return await work();
	} catch (caught) {
		thrown = caught;
	}
	const isExpected =
		thrown instanceof Obstacle && (reasons.length === 0 || reasons.includes(thrown.reason));
	if (isExpected) return thrown as Obstacle;
	throw thrown;
}

let sliceStart = 0;

/** What may be spent on a file, or on a part of one. When it is used up, all methods throw `tooComplex`. */
export class Budget {
	private work: number;
	private values = MAX_VALUES;
	private slices: number;

	constructor(bytes: number) {
		this.work = WORK + WORK_PER_BYTE * bytes;
		this.slices = SLICES + (SLICES_PER_MB * bytes) / MB;
	}

	/** Charges bytes that are read or written; what takes longer counts as the bytes that take as long. */
	spend(bytes: number): void {
		this.work -= bytes;
		if (this.work < 0) throw new Obstacle('tooComplex');
	}

	/** Charges values that stay in memory. */
	keep(values: number): void {
		this.values -= values;
		if (this.values < 0) throw new Obstacle('tooComplex');
	}

	/** Lets n8n do what is waiting, if it has waited for a slice. A verified package has no timers but this sleep. */
	async rest(): Promise<void> {
		if (Date.now() - sliceStart < SLICE_MS) return;
		if (--this.slices < 0) throw new Obstacle('tooComplex');
		await sleep(0);
		sliceStart = Date.now();
	}
}
