import { MB } from '../text/bytes';
import { TooComplex } from './failures';

// A small file can stand for a large amount of memory or time. These bounds keep a process with 1 GB of heap alive;
// docs/pdf-library.md has the measurements.

/** Values of one file that may be in memory at a time, and values of one part. A dictionary or an array counts as four. */
export const MAX_VALUES = 2_000_000;

/** The largest object number of a file (ISO 32000-1, annex C). */
export const MAX_OBJECT_NUMBER = 8_388_607;

export const MAX_PAGES = 100_000;

/** The largest content of one stream that is read, in bytes after decoding. */
export const MAX_DECODED_BYTES = 64 * MB;

/** The content of all streams of a file that are read, in bytes after decoding. */
export const MAX_DECODED_BYTES_OF_FILE = 2048 * MB;

/** How many bytes are searched for the ends of streams whose length is wrong. */
export const MAX_SEARCHED_BYTES = 2048 * MB;

/** How many times a name in a content may be looked up while one part is made. */
export const MAX_NAME_LOOKUPS = 20_000_000;

/** Counts something up to a bound. */
export class Budget {
	private spent = 0;

	constructor(private readonly limit: number) {}

	/** Throws `TooComplex` when more is spent than there was. */
	spend(amount: number): void {
		this.spent += amount;
		if (this.spent > this.limit) throw new TooComplex();
	}
}
