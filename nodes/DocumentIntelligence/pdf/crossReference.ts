import type { Budget } from './budget';
import { type Dict, ObjectParser } from './objects';

/** An offset in the file, or an index in the object stream with this number. */
export interface ObjectLocation {
	stream?: number;
	at: number;
	generation: number;
}

/** Where the objects of a file are, and what its trailer refers to. */
export class CrossReference {
	/** Undefined for a free object. */
	readonly locations = new Map<number, ObjectLocation | undefined>();
	readonly trailer: Dict = new Map();
	/** Object streams that a scan of the file finds, in its order: the last one counts. */
	readonly streams: Array<{ number: number; offset: number }> = [];

	constructor(
		readonly bytes: Buffer,
		readonly budget: Budget,
	) {}

	parserAt(offset: number): ObjectParser {
		return new ObjectParser(this.bytes, this.budget, offset);
	}

	set(number: number, location: ObjectLocation | undefined): void {
		this.budget.keep(1);
		this.locations.set(number, location);
	}

	/** An entry of a newer table takes precedence. */
	add(number: number, location: ObjectLocation | undefined): void {
		if (!this.locations.has(number)) this.set(number, location);
	}

	/** An entry of a newer trailer takes precedence. */
	addTrailer(dict: Dict): void {
		for (const key of ['Root', 'Encrypt', 'ID']) {
			const value = this.trailer.get(key) ?? dict.get(key);
			if (value !== undefined) this.trailer.set(key, value);
		}
	}
}
