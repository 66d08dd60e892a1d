import { sleep } from 'n8n-workflow';

/** A megabyte, in bytes. */
export const MB = 1024 * 1024;

// A small file can stand for a large amount of memory or time. These bounds keep a process with 1 GB of heap alive, and
// make the time grow with the size of a file; docs/internals/pdf-library.md has the measurements.

/** The largest encrypted file that is cut, in bytes: deciphering takes a second for 8 MB. */
export const MAX_ENCRYPTED_BUNDLE_BYTES = 50 * MB;

/** The largest object number of a file (ISO 32000-1, annex C). */
export const MAX_OBJECT_NUMBER = 8_388_607;

export const MAX_PAGES = 100_000;

/** The largest content of one stream that is read, in bytes after decoding. */
export const MAX_DECODED_BYTES = 64 * MB;

/** How much is read or written, in bytes: so much, and so much for each byte of the file. */
const [WORK, WORK_PER_BYTE] = [128 * MB, 10];

/** Values that may be in memory at a time. A dictionary or an array counts as four. */
const MAX_VALUES = 2_000_000;

/** How long cutting may keep n8n from everything else, in milliseconds. */
const SLICE_MS = 20;

/** After so many slices a file is given up, whatever it spent them on: 30 s, and 0.2 s for each megabyte. */
const [SLICES, SLICES_PER_MB] = [1500, 10];

/**
 * Why reading or cutting a file ends: it needs a password, it is over a bound here, an object
 * breaks off, or a cross-reference table says what is not there, so that the file is to be read as if it had none.
 */
export class Obstacle extends Error {
	constructor(
		readonly reason: 'locked' | 'tooLargeEncrypted' | 'tooComplex' | 'damaged' | 'wrongTable',
	) {
		super(reason);
	}
}

/** What `work` returns, or the obstacle that it meets, if reasons are given one of these; all else is thrown on. */
export async function attempt<T>(
	work: () => Promise<T> | T,
	...reasons: Array<Obstacle['reason']>
): Promise<T | Obstacle> {
	let thrown: unknown;
	try {
		return await work();
	} catch (caught) {
		thrown = caught;
	}
	if (!(thrown instanceof Obstacle)) throw thrown;
	if (reasons.length > 0 && !reasons.includes(thrown.reason)) throw thrown;
	return thrown;
}

let sliceStart = 0;

/** What may be spent on a file, or on a part of one. When it is used up, all methods throw `tooComplex`. */
export class Budget {
	private work: number;
	private values = MAX_VALUES;
	private slices: number;

	/** @param bytes the size of the file */
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

	/**
	 * Lets n8n do what is waiting, if it has waited for a slice. Timers are not at hand in a verified package; the sleep
	 * of n8n is one.
	 */
	async rest(): Promise<void> {
		if (Date.now() - sliceStart < SLICE_MS) return;
		if (--this.slices < 0) throw new Obstacle('tooComplex');
		await sleep(0);
		sliceStart = Date.now();
	}
}
