import { type Budget, MB, Obstacle } from './budget';

/** One Latin-1 character for each byte. */
export class Name {
	constructor(readonly text: string) {}
}

export class Ref {
	constructor(
		readonly number: number,
		readonly generation: number,
	) {}
}

/** The source of a string, with its brackets, or of what is written as it is. */
export class Text {
	constructor(readonly source: string) {}
}

export type Value = null | boolean | number | Name | Ref | Text | Value[] | Dict;
export type Dict = Map<string, Value>;

export class Stream {
	constructor(
		readonly dict: Dict,
		readonly bytes: Uint8Array,
	) {}
}

export const dictOf = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries));

export const isDict = (value: unknown): value is Dict => value instanceof Map;

/** More than any object without stream data or any string has, in bytes; read without a pause. */
const [MAX_OBJECT_BYTES, MAX_STRING_BYTES] = [2 * MB, MB];

/** Deeper than any file nests; parsing is recursive. */
const MAX_DEPTH = 200;

const [LINE_FEED, CARRIAGE_RETURN, PERCENT, OPEN, CLOSE] = [10, 13, 37, 40, 41];
const [DOT, ZERO, GREATER, BACKSLASH] = [46, 48, 62, 92];
const [WHITE_SPACE, DELIMITER, DIGIT, SIGN] = [1, 2, 3, 4];
const BYTE_KINDS = new Uint8Array(256);
for (const byte of Buffer.from('\0\t\n\f\r ')) BYTE_KINDS[byte] = WHITE_SPACE;
for (const byte of Buffer.from('()<>[]{}/%')) BYTE_KINDS[byte] = DELIMITER;
for (const byte of Buffer.from('0123456789')) BYTE_KINDS[byte] = DIGIT;
for (const byte of Buffer.from('+-')) BYTE_KINDS[byte] = SIGN;

/** White space, a delimiter or the end of the data ends a name, a number or a keyword. */
export function endsToken(byte: number | undefined): boolean {
	return byte === undefined || BYTE_KINDS[byte] === WHITE_SPACE || BYTE_KINDS[byte] === DELIMITER;
}

export function unescaped(name: string): string {
	if (!name.includes('#')) return name;
	return name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) =>
		String.fromCharCode(parseInt(hex, 16)),
	);
}

/** Reads what is at one offset, and charges it to the budget. */
export class ObjectParser {
	at: number;
	private readonly bytes: Buffer;

	/** @param decipher is applied to strings */
	constructor(
		bytes: Buffer,
		private readonly budget: Budget,
		readonly start: number,
		private readonly decipher = (text: Text) => text,
	) {
		this.at = start;
		this.bytes = bytes.subarray(0, start + MAX_OBJECT_BYTES);
	}

	/** Moves past white space and comments, and past `word` if it comes next. */
	skip(word = ''): boolean {
		for (let inComment = false; this.at < this.bytes.length; this.at++) {
			const byte = this.bytes[this.at]!;
			if (byte === LINE_FEED || byte === CARRIAGE_RETURN) inComment = false;
			else if (byte === PERCENT) inComment = true;
			else if (!inComment && BYTE_KINDS[byte] !== WHITE_SPACE) break;
		}
		for (let index = 0; index < word.length; index++) {
			if (this.bytes[this.at + index] !== word.charCodeAt(index)) return false;
		}
		this.at += word.length;
		return true;
	}

	/** Without a sign, as in the structure of a file. */
	integer(): number | undefined {
		this.skip();
		const start = this.at;
		let value = 0;
		for (; ; this.at++) {
			const digit = (this.bytes[this.at] ?? 0) - ZERO;
			if (!(digit >= 0 && digit <= 9)) break;
			value = value * 10 + digit;
		}
		return this.at === start || this.at - start > 15 ? undefined : value;
	}

	/** Moves past the header of an object; undefined if there is none. */
	header(): Ref | undefined {
		const [number, generation] = [this.integer(), this.integer()];
		if (number === undefined || generation === undefined) return undefined;
		return this.skip('obj') ? new Ref(number, generation) : undefined;
	}

	value(): Value {
		try {
			return this.read(0);
		} finally {
			this.budget.spend(this.at - this.start);
		}
	}

	/** Moves to the data of a stream; false if the dictionary does not belong to one. */
	skipToData(): boolean {
		if (!this.skip('stream')) return false;
		const lineEnd = /^ ?(?:\r\n?|\n)/.exec(this.bytes.toString('latin1', this.at, this.at + 3));
		this.at += lineEnd?.[0].length ?? 0;
		return true;
	}

	private read(depth: number): Value {
		this.skip();
		this.budget.keep(1);
		if (depth > MAX_DEPTH) throw new Obstacle('damaged');
		const start = String.fromCharCode(this.bytes[this.at] ?? 0);
		if (start === '/') return new Name(this.name());
		if (start === '(') return this.string();
		if (start === '[') return this.array(depth);
		if (start === '<') return this.skip('<<') ? this.dict(depth) : this.hexString();
		if (this.skip('true')) return true;
		if (this.skip('false')) return false;
		return this.skip('null') ? null : this.numberOrReference();
	}

	private name(): string {
		const start = ++this.at;
		while (!endsToken(this.bytes[this.at])) this.at++;
		return unescaped(this.bytes.toString('latin1', start, this.at));
	}

	private numberOrReference(): number | Ref {
		const text = this.numberText();
		if (/^\d+$/.test(text)) return this.reference(Number(text)) ?? Number(text);
		const digits = text.replace(/[-+]/g, '');
		const value = digits === '.' ? 0 : Number(digits);
		if (text === '' || !Number.isFinite(value)) throw new Obstacle('damaged');
		return text.startsWith('-') ? -value : value;
	}

	/** With excess signs and signs inside the number, which readers skip. */
	private numberText(): string {
		const start = this.at;
		for (let hasDot = false; ; this.at++) {
			const byte = this.bytes[this.at] ?? 0;
			if (BYTE_KINDS[byte] === DIGIT || BYTE_KINDS[byte] === SIGN) continue;
			if (byte !== DOT || hasDot) break;
			hasDot = true;
		}
		return this.bytes.toString('latin1', start, this.at);
	}

	/** Moves past the rest of a reference to the object `number`; undefined if there is none. */
	private reference(number: number): Ref | undefined {
		const start = this.at;
		const generation = this.integer();
		if (generation !== undefined && this.skip('R')) return new Ref(number, generation);
		this.at = start;
		return undefined;
	}

	private string(): Text {
		const start = this.at;
		for (let open = 0; this.at < this.bytes.length; this.at++) {
			const byte = this.bytes[this.at];
			if (byte === BACKSLASH) this.at++;
			else if (byte === OPEN) open++;
			else if (byte === CLOSE && --open === 0) return this.textFrom(start, this.at + 1);
		}
		throw new Obstacle('damaged');
	}

	private hexString(): Text {
		const end = this.bytes.indexOf(GREATER, this.at);
		return this.textFrom(this.at, end < 0 ? Infinity : end + 1);
	}

	private textFrom(start: number, end: number): Text {
		this.at = Math.min(end, this.bytes.length);
		if (end - start > MAX_STRING_BYTES) throw new Obstacle('damaged');
		this.budget.keep((end - start) >> 6);
		return this.decipher(new Text(this.bytes.toString('latin1', start, end)));
	}

	private array(depth: number): Value[] {
		this.budget.keep(3);
		const array: Value[] = [];
		for (this.at++; !this.skip(']');) array.push(this.read(depth + 1));
		return array;
	}

	private dict(depth: number): Dict {
		this.budget.keep(3);
		const dict: Dict = new Map();
		while (!this.skip('>>')) {
			if (String.fromCharCode(this.bytes[this.at] ?? 0) !== '/') throw new Obstacle('damaged');
			const key = this.name();
			dict.set(key, this.read(depth + 1));
		}
		return dict;
	}
}

/** Where stream data and `endstream` end; if the length is wrong, the next `endstream` counts. */
export function endOfData(bytes: Buffer, start: number, length: unknown, budget: Budget) {
	if (typeof length === 'number' && Number.isInteger(length) && length >= 0) {
		const at = start + length;
		const closing = /^[\s\0]*endstream/.exec(bytes.toString('latin1', at, at + 30));
		if (closing !== null) return { at, after: at + closing[0].length };
	}
	const word = bytes.indexOf('endstream', start, 'latin1');
	budget.spend((word < 0 ? bytes.length : word) - start);
	if (word < 0) return undefined;
	const lineEnd = /\r?\n?$/.exec(bytes.toString('latin1', Math.max(start, word - 2), word));
	return { at: word - lineEnd![0].length, after: word + 'endstream'.length };
}
