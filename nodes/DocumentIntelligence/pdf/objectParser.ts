import type { Budget } from './bounds';
import { DamagedObject } from './failures';
import {
	PDFArray,
	PDFBool,
	type PDFContext,
	PDFDict,
	PDFHexString,
	PDFName,
	PDFNull,
	PDFNumber,
	type PDFObject,
	PDFRawStream,
	PDFRef,
	PDFString,
} from './library';

/** What an object needs to know of the file it is in. */
export interface ParserFile {
	readonly context: PDFContext;
	readonly values: Budget;
	readonly searched: Budget;
	/** Whether the file has this object: a reference to one that it has not is null (ISO 32000-1, 7.3.10). */
	has(number: number, generation: number): boolean;
	/** The number in an object of its own, where lengths of streams often are. */
	numberAt(ref: PDFRef): number | undefined;
	/** What deciphers the strings and the stream of an object. */
	cipher?: (ref: PDFRef) => (bytes: Uint8Array) => Uint8Array;
}

/** Deeper than any file nests; parsing is recursive. */
const MAX_DEPTH = 200;

/** Names longer than this are in no file: the limit is 127 (ISO 32000-1, annex C). */
const MAX_NAME_LENGTH = 1000;

const WHITE_SPACE = 1;
const DELIMITER = 2;
const KINDS = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) KINDS[byte] = WHITE_SPACE;
for (const byte of Buffer.from('()<>[]{}/%')) KINDS[byte] = DELIMITER;

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const code = (character: string) => character.charCodeAt(0);
const [OPEN, CLOSE, LESS, GREATER] = [code('('), code(')'), code('<'), code('>')];
const [OPEN_ARRAY, CLOSE_ARRAY, SLASH] = [code('['), code(']'), code('/')];
const [PERCENT, BACKSLASH, DOT] = [code('%'), code('\\'), code('.')];
const [PLUS, MINUS, ZERO, NINE, LETTER_R] = [code('+'), code('-'), code('0'), code('9'), code('R')];

/** White space or a delimiter, which end a name, a number and a keyword; the end of the data does so too. */
export function endsToken(byte: number | undefined): boolean {
	return byte === undefined || KINDS[byte] !== 0;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte <= NINE;

/**
 * Reads objects from bytes. Unlike the library's parser it knows the file: a stream is as long as the object says that
 * its length refers to, and what is kept in memory is counted.
 */
export class ObjectParser {
	constructor(
		private readonly bytes: Buffer,
		private readonly file: ParserFile,
		public at = 0,
	) {}

	skipWhiteSpace(): void {
		for (;;) {
			const byte = this.bytes[this.at];
			if (byte === PERCENT) {
				while (this.at < this.bytes.length && !this.isLineEnd(this.at)) this.at++;
			} else if (byte === undefined || KINDS[byte] !== WHITE_SPACE) {
				return;
			} else {
				this.at++;
			}
		}
	}

	private isLineEnd(at: number): boolean {
		return this.bytes[at] === LINE_FEED || this.bytes[at] === CARRIAGE_RETURN;
	}

	/** Moves past a word, if it is what comes next. */
	skipWord(word: string): boolean {
		for (let index = 0; index < word.length; index++) {
			if (this.bytes[this.at + index] !== word.charCodeAt(index)) return false;
		}
		this.at += word.length;
		return true;
	}

	/** A whole number without a sign, as the structure of a file has them. */
	integer(): number | undefined {
		this.skipWhiteSpace();
		const start = this.at;
		let value = 0;
		while (isDigit(this.bytes[this.at])) value = value * 10 + this.bytes[this.at++]! - ZERO;
		return this.at === start || this.at - start > 15 ? undefined : value;
	}

	/** The next value. `ref` deciphers strings and streams; throws `DamagedObject` or `TooComplex`. */
	value(ref?: PDFRef, depth = 0): PDFObject {
		this.skipWhiteSpace();
		this.file.values.spend(1);
		const byte = this.bytes[this.at];
		if (byte === undefined || depth > MAX_DEPTH) throw new DamagedObject();
		if (byte === SLASH) return this.name();
		if (isDigit(byte) || byte === MINUS || byte === PLUS || byte === DOT) {
			return this.numberOrReference();
		}
		if (byte === OPEN) return this.string(ref);
		if (byte === OPEN_ARRAY) return this.array(ref, depth);
		if (byte === LESS) {
			return this.bytes[this.at + 1] === LESS ? this.dictOrStream(ref, depth) : this.hexString(ref);
		}
		if (this.skipWord('true')) return PDFBool.True;
		if (this.skipWord('false')) return PDFBool.False;
		if (this.skipWord('null')) return PDFNull;
		throw new DamagedObject();
	}

	private name(): PDFName {
		const start = ++this.at;
		while (!endsToken(this.bytes[this.at])) this.at++;
		if (this.at - start > MAX_NAME_LENGTH) throw new DamagedObject();
		// The library reads escapes in capitals only.
		return PDFName.of(
			this.bytes
				.toString('latin1', start, this.at)
				.replace(/#[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase()),
		);
	}

	private numberOrReference(): PDFNumber | PDFRef | typeof PDFNull {
		const start = this.at;
		const value = this.number();
		if (!isDigit(this.bytes[start]) || !Number.isInteger(value)) return PDFNumber.of(value);
		const end = this.at;
		const generation = this.integer();
		this.skipWhiteSpace();
		if (generation === undefined || this.bytes[this.at] !== LETTER_R) {
			this.at = end;
			return PDFNumber.of(value);
		}
		this.at += 1;
		return this.file.has(value, generation) ? PDFRef.of(value, generation) : PDFNull;
	}

	/** Signs in excess and a minus inside are passed over, as readers do. */
	private number(): number {
		const start = this.at;
		const isNegative = this.bytes[start] === MINUS;
		while (this.bytes[this.at] === MINUS || this.bytes[this.at] === PLUS) this.at++;
		let digits = '';
		let hasDot = false;
		for (; this.at - start < 400; this.at++) {
			const byte = this.bytes[this.at];
			if (byte === DOT && !hasDot) {
				hasDot = true;
			} else if (!isDigit(byte)) {
				if (byte !== MINUS) break;
				continue;
			}
			digits += String.fromCharCode(byte!);
		}
		const value = Number(digits === '.' || digits === '' ? '0' : digits);
		if (!Number.isFinite(value)) throw new DamagedObject();
		return isNegative ? -value : value;
	}

	private string(ref: PDFRef | undefined): PDFString {
		const start = this.at + 1;
		let open = 0;
		for (; this.at < this.bytes.length; this.at++) {
			const byte = this.bytes[this.at];
			if (byte === BACKSLASH) this.at++;
			else if (byte === OPEN) open++;
			else if (byte === CLOSE && --open === 0) break;
		}
		if (this.at >= this.bytes.length) throw new DamagedObject();
		const text = PDFString.of(this.textFrom(start, this.at++));
		const decipher = ref && this.file.cipher?.(ref);
		return decipher === undefined
			? text
			: PDFString.of(
					Buffer.from(decipher(text.asBytes()))
						.toString('latin1')
						.replace(/[\\()\r]/g, escapeOf),
				);
	}

	private hexString(ref: PDFRef | undefined): PDFHexString {
		const start = this.at + 1;
		const end = this.bytes.indexOf(GREATER, start);
		if (end < 0) throw new DamagedObject();
		this.at = end + 1;
		const text = PDFHexString.of(this.textFrom(start, end));
		const decipher = ref && this.file.cipher?.(ref);
		return decipher === undefined
			? text
			: PDFHexString.of(Buffer.from(decipher(text.asBytes())).toString('hex'));
	}

	/** The bytes of a string, which count as much as they take. */
	private textFrom(start: number, end: number): string {
		this.file.values.spend((end - start) >> 6);
		return this.bytes.toString('latin1', start, end);
	}

	private array(ref: PDFRef | undefined, depth: number): PDFArray {
		this.file.values.spend(3);
		this.at += 1;
		const array = PDFArray.withContext(this.file.context);
		for (;;) {
			this.skipWhiteSpace();
			if (this.bytes[this.at] === CLOSE_ARRAY) break;
			array.push(this.value(ref, depth + 1));
		}
		this.at += 1;
		return array;
	}

	private dictOrStream(ref: PDFRef | undefined, depth: number): PDFDict | PDFRawStream {
		this.file.values.spend(3);
		this.at += 2;
		const dict = PDFDict.withContext(this.file.context);
		for (;;) {
			this.skipWhiteSpace();
			if (this.bytes[this.at] === GREATER && this.bytes[this.at + 1] === GREATER) break;
			if (this.bytes[this.at] !== SLASH) throw new DamagedObject();
			const key = this.name();
			dict.set(key, this.value(ref, depth + 1));
		}
		this.at += 2;
		const end = this.at;
		this.skipWhiteSpace();
		// Only an object of its own is a stream.
		if (depth === 0 && this.skipWord('stream')) return this.stream(dict, ref);
		this.at = end;
		return dict;
	}

	private stream(dict: PDFDict, ref: PDFRef | undefined): PDFRawStream {
		if (this.bytes[this.at] === 32 && this.isLineEnd(this.at + 1)) this.at += 1;
		if (this.bytes[this.at] === CARRIAGE_RETURN) this.at += 1;
		if (this.bytes[this.at] === LINE_FEED) this.at += 1;
		const start = this.at;
		const end = this.endOfStream(start, dict.get(PDFName.of('Length')));
		const contents = this.bytes.subarray(start, end);
		const decipher = ref && this.file.cipher?.(ref);
		const isEncrypted = decipher !== undefined && isEnciphered(dict);
		return PDFRawStream.of(dict, isEncrypted ? decipher(contents) : contents);
	}

	private endOfStream(start: number, given: PDFObject | undefined): number {
		const length =
			given instanceof PDFRef
				? this.file.numberAt(given)
				: given instanceof PDFNumber
					? given.asNumber()
					: undefined;
		if (length !== undefined && length >= 0 && start + length < this.bytes.length) {
			this.at = start + length;
			while (KINDS[this.bytes[this.at] ?? SLASH] === WHITE_SPACE) this.at++;
			if (this.skipWord('endstream')) return start + length;
		}
		const end = endOfStreamFrom(this.bytes, start, this.file.searched);
		if (end === undefined) throw new DamagedObject();
		this.at = end.after;
		return end.at;
	}
}

/** Cross-references are never encrypted, nor is what names the filter that leaves things as they are. */
function isEnciphered(dict: PDFDict): boolean {
	if (dict.get(PDFName.of('Type')) === PDFName.of('XRef')) return false;
	const filter = dict.get(PDFName.of('Filter'));
	const first = filter instanceof PDFArray && filter.size() > 0 ? filter.get(0) : filter;
	if (first !== PDFName.of('Crypt')) return true;
	const parameters = dict.get(PDFName.of('DecodeParms'));
	const own = parameters instanceof PDFArray ? parameters.get(0) : parameters;
	const name = own instanceof PDFDict ? own.get(PDFName.of('Name')) : undefined;
	return name !== undefined && name !== PDFName.of('Identity');
}

/**
 * Where a stream ends whose length is not known: before the first `endstream`, or, as a stream may hold another PDF,
 * before the one that closes it.
 */
export function endOfStreamFrom(
	bytes: Buffer,
	start: number,
	searched: Budget,
): { at: number; after: number } | undefined {
	let open = 1;
	for (let at = start; ;) {
		const found = bytes.indexOf('stream', at, 'latin1');
		searched.spend((found < 0 ? bytes.length : found) - at);
		if (found < 0) return undefined;
		at = found + 'stream'.length;
		open += bytes.toString('latin1', found - 3, found) === 'end' ? -1 : 1;
		if (open > 0) continue;
		let end = found - 3;
		if (bytes[end - 1] === LINE_FEED) end--;
		if (bytes[end - 1] === CARRIAGE_RETURN) end--;
		return { at: Math.max(start, end), after: at };
	}
}

function escapeOf(character: string): string {
	return character === '\r' ? '\\r' : `\\${character}`;
}
