import { attempt } from './failures';

/** What a compressed stream holds, as far as it can be read. */
export interface Inflated {
	bytes: Uint8Array;
	/** `cut`: the data end early or are damaged; `limit`: there is more than was asked for. */
	end: 'whole' | 'cut' | 'limit';
}

const MAX_BITS = 15;
const FAST_BITS = 10;
const LENGTH_BASE = [
	3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59,
].concat([67, 83, 99, 115, 131, 163, 195, 227, 258]);
const LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3].concat([
	4, 4, 4, 4, 5, 5, 5, 5, 0,
]);
const DISTANCE_BASE = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385].concat([
	513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
]);
const DISTANCE_EXTRA = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7].concat([
	8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
]);
const ORDER_OF_CODE_LENGTHS = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** Ends the reading; what was read until then stays. */
class EndOfData extends Error {}

/**
 * Reads zlib data (RFC 1950 and 1951) up to a limit in bytes. The library's own reader has no limit and gives nothing
 * of a stream that ends early, of which PDF readers show what there is.
 */
export function inflate(data: Uint8Array, limit: number): Inflated {
	const reader = new Inflater(data, limit);
	return reader.read();
}

/** A Huffman code: short words through a table, long ones bit by bit, so that many small blocks cost little. */
class Code {
	readonly counts = new Uint16Array(MAX_BITS + 1);
	readonly symbols: Uint16Array;
	readonly fast = new Uint16Array(1 << FAST_BITS);

	constructor(lengths: Uint8Array) {
		this.symbols = new Uint16Array(lengths.length);
		for (const bits of lengths) this.counts[bits]! += 1;
		this.counts[0] = 0;
		const offsets = new Uint16Array(MAX_BITS + 2);
		const next = new Uint16Array(MAX_BITS + 2);
		for (let bits = 1; bits <= MAX_BITS; bits++) {
			offsets[bits + 1] = offsets[bits]! + this.counts[bits]!;
			next[bits + 1] = (next[bits]! + this.counts[bits]!) << 1;
		}
		for (let symbol = 0; symbol < lengths.length; symbol++) {
			const bits = lengths[symbol]!;
			if (bits === 0) continue;
			this.symbols[offsets[bits]!++] = symbol;
			const word = next[bits]!++;
			if (bits > FAST_BITS) continue;
			let reversed = 0;
			for (let bit = 0; bit < bits; bit++) reversed |= ((word >> bit) & 1) << (bits - 1 - bit);
			for (let at = reversed; at < 1 << FAST_BITS; at += 1 << bits) {
				this.fast[at] = (symbol << 4) | bits;
			}
		}
	}
}

const FIXED_LENGTHS = Uint8Array.from({ length: 288 }, (_, symbol) =>
	symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
);
const FIXED = {
	literals: new Code(FIXED_LENGTHS),
	distances: new Code(new Uint8Array(30).fill(5)),
};

class Inflater {
	private at = 0;
	private bits = 0;
	private bitCount = 0;
	private out: Uint8Array;
	private length = 0;

	constructor(
		private readonly data: Uint8Array,
		private readonly limit: number,
	) {
		this.out = new Uint8Array(Math.min(limit, Math.max(1024, data.length * 4)));
	}

	read(): Inflated {
		const end = attempt(() => this.readBlocks(), EndOfData);
		return {
			bytes: this.out.subarray(0, this.length),
			end: end instanceof EndOfData ? 'cut' : end,
		};
	}

	private readBlocks(): Inflated['end'] {
		const [method = 0, flags = 0] = this.data;
		if ((method & 0x0f) !== 8 || ((method << 8) | flags) % 31 !== 0) return 'cut';
		this.at = 2;
		for (let isLast = false; !isLast;) {
			isLast = this.take(1) === 1;
			const type = this.take(2);
			if (type === 3) return 'cut';
			const isInLimit = type === 0 ? this.copyStored() : this.expand(this.codes(type));
			if (!isInLimit) return 'limit';
		}
		return 'whole';
	}

	private fill(count: number): void {
		while (this.bitCount < count && this.at < this.data.length) {
			this.bits |= this.data[this.at++]! << this.bitCount;
			this.bitCount += 8;
		}
	}

	private take(count: number): number {
		this.fill(count);
		if (this.bitCount < count) throw new EndOfData();
		const value = this.bits & ((1 << count) - 1);
		this.bits >>>= count;
		this.bitCount -= count;
		return value;
	}

	private symbol({ fast, counts, symbols }: Code): number {
		this.fill(MAX_BITS);
		const found = fast[this.bits & ((1 << FAST_BITS) - 1)]!;
		const size = found & 15;
		if (size > 0 && size <= this.bitCount) {
			this.bits >>>= size;
			this.bitCount -= size;
			return found >> 4;
		}
		let word = 0;
		let first = 0;
		let index = 0;
		for (let bits = 1; bits <= MAX_BITS && bits <= this.bitCount; bits++) {
			word |= (this.bits >> (bits - 1)) & 1;
			const count = counts[bits]!;
			if (word - count < first) {
				this.bits >>>= bits;
				this.bitCount -= bits;
				return symbols[index + (word - first)]!;
			}
			index += count;
			first = (first + count) << 1;
			word <<= 1;
		}
		throw new EndOfData();
	}

	private codes(type: number): { literals: Code; distances: Code } {
		if (type === 1) return FIXED;
		const literals = this.take(5) + 257;
		const distances = this.take(5) + 1;
		const count = this.take(4) + 4;
		const codeLengths = new Uint8Array(19);
		for (const symbol of ORDER_OF_CODE_LENGTHS.slice(0, count)) codeLengths[symbol] = this.take(3);
		const code = new Code(codeLengths);
		const lengths = new Uint8Array(literals + distances);
		for (let at = 0; at < lengths.length;) {
			const symbol = this.symbol(code);
			if (symbol < 16) {
				lengths[at++] = symbol;
				continue;
			}
			if (symbol === 16 && at === 0) throw new EndOfData();
			const value = symbol === 16 ? lengths[at - 1]! : 0;
			const times =
				symbol === 16 ? 3 + this.take(2) : symbol === 17 ? 3 + this.take(3) : 11 + this.take(7);
			if (at + times > lengths.length) throw new EndOfData();
			lengths.fill(value, at, (at += times));
		}
		return {
			literals: new Code(lengths.subarray(0, literals)),
			distances: new Code(lengths.subarray(literals)),
		};
	}

	private expand({ literals, distances }: { literals: Code; distances: Code }): boolean {
		for (;;) {
			const symbol = this.symbol(literals);
			if (symbol === 256) return true;
			if (symbol < 256) {
				if (!this.reserve(1)) return false;
				this.out[this.length++] = symbol;
				continue;
			}
			if (symbol > 285) throw new EndOfData();
			const length = LENGTH_BASE[symbol - 257]! + this.take(LENGTH_EXTRA[symbol - 257]!);
			const far = this.symbol(distances);
			if (far > 29) throw new EndOfData();
			const distance = DISTANCE_BASE[far]! + this.take(DISTANCE_EXTRA[far]!);
			if (distance > this.length) throw new EndOfData();
			if (!this.reserve(length)) return false;
			const { out } = this;
			let to = this.length;
			for (let from = to - distance, end = to + length; to < end;) out[to++] = out[from++]!;
			this.length = to;
		}
	}

	private copyStored(): boolean {
		// Whole bytes that were taken for bits go back.
		this.at -= this.bitCount >> 3;
		this.bits = this.bitCount = 0;
		const length = this.take(16);
		if (this.take(16) !== (length ^ 0xffff)) throw new EndOfData();
		const part = this.data.subarray(this.at, this.at + length);
		if (!this.reserve(part.length)) return false;
		this.out.set(part, this.length);
		this.length += part.length;
		this.at += part.length;
		if (part.length < length) throw new EndOfData();
		return true;
	}

	/** Makes room for more output; `false` where it would be over the limit. */
	private reserve(more: number): boolean {
		const needed = this.length + more;
		if (needed <= this.out.length) return true;
		if (needed > this.limit) return false;
		const larger = new Uint8Array(Math.min(this.limit, Math.max(needed, this.out.length * 2)));
		larger.set(this.out);
		this.out = larger;
		return true;
	}
}
