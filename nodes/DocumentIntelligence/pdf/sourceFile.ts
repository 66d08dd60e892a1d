import { Budget, MAX_DECODED_BYTES_OF_FILE, MAX_SEARCHED_BYTES, MAX_VALUES } from './bounds';
import { CrossReference, findObjects, readTables, type Trailer } from './crossReference';
import { decode } from './decode';
import { letOthersRun } from './eventLoop';
import {
	CipherTransformFactory,
	PDFArray,
	PDFContext,
	PDFDict,
	PDFHexString,
	PDFInvalidObject,
	PDFName,
	PDFNull,
	PDFNumber,
	type PDFObject,
	PDFRawStream,
	PDFRef,
	PDFString,
} from './library';
import { attempt, DamagedObject, DamagedTable, Locked } from './failures';
import { ObjectParser } from './objectParser';
import { MB } from '../text/bytes';

/** How much of decoded object streams is kept, in bytes. */
const MAX_UNPACKED_BYTES = 64 * MB;

/** More references in a row than any file has from one object to another. */
const MAX_STEPS = 10;

interface Unpacked {
	bytes: Buffer;
	/** Number and offset of each member in turn. */
	index: Int32Array;
}

/** A file whose objects are read when they are asked for. Only what its tables name is in it. */
export class SourceFile {
	readonly context = PDFContext.create();
	readonly values = new Budget(MAX_VALUES);
	readonly searched = new Budget(MAX_SEARCHED_BYTES);
	readonly decoded = new Budget(MAX_DECODED_BYTES_OF_FILE);
	readonly objects = new CrossReference();
	readonly trailer: Trailer = {};
	cipher?: (ref: PDFRef) => (bytes: Uint8Array) => Uint8Array;
	/** Tables and trailers refer to objects that are not known yet. */
	private isReadingTables = true;
	private readonly loaded = new Map<PDFRef, PDFObject | undefined>();
	private readonly unpacked = new Map<number, Unpacked>();
	private unpackedBytes = 0;

	private constructor(readonly bytes: Buffer) {}

	/** The file as its tables say it is. Throws `DamagedTable`, `Locked` or `TooComplex`. */
	static async open(bytes: Buffer, origin: number): Promise<SourceFile> {
		const file = new SourceFile(bytes);
		await readTables(file, origin);
		file.unlock();
		return file;
	}

	/** The file as going through it shows it, as its tables are damaged. Throws `Locked` or `TooComplex`. */
	static async repair(bytes: Buffer): Promise<SourceFile> {
		const file = new SourceFile(bytes);
		await findObjects(file);
		const root = file.lookup(file.trailer.Root);
		if (!(root instanceof PDFDict) || file.at(root, 'Pages') === undefined) await file.findRoot();
		return file;
	}

	private async findRoot(): Promise<void> {
		for (let number = this.objects.size - 1; number > 0; number--) {
			const place = this.objects.get(number);
			if (place === undefined) continue;
			const ref = PDFRef.of(number, 'offset' in place ? place.generation : 0);
			const object = this.lookup(ref);
			if (object instanceof PDFDict && this.nameAt(object, 'Type') === 'Catalog') {
				this.trailer.Root = ref;
				return;
			}
			await letOthersRun();
		}
	}

	/** Called when the trailer is known. */
	unlock(): void {
		this.isReadingTables = false;
		const { Encrypt, ID } = this.trailer;
		const dict = this.lookup(Encrypt);
		if (Encrypt === undefined || dict === PDFNull) return;
		if (!(dict instanceof PDFDict)) throw new Locked();
		const ids = this.lookup(ID);
		const id = ids instanceof PDFArray && ids.size() > 0 ? this.lookup(ids.get(0)) : undefined;
		const bytes =
			id instanceof PDFString || id instanceof PDFHexString ? id.asBytes() : new Uint8Array(0);
		this.cipher = cipherOf(this.withoutReferences(dict), bytes);
		// They were read as they are.
		this.loaded.clear();
		if (Encrypt instanceof PDFRef) this.loaded.set(Encrypt, dict);
	}

	/** The library looks nothing up in the file. */
	private withoutReferences(dict: PDFDict, depth = 0): PDFDict {
		const copy = PDFDict.withContext(this.context);
		for (const [name, value] of dict.entries()) {
			const object = this.lookup(value);
			if (object === undefined || depth > MAX_STEPS) continue;
			copy.set(
				name,
				object instanceof PDFDict ? this.withoutReferences(object, depth + 1) : object,
			);
		}
		return copy;
	}

	has(number: number, generation: number): boolean {
		return this.isReadingTables || this.objects.has(number, generation);
	}

	numberAt(ref: PDFRef): number | undefined {
		const value = this.lookup(ref);
		return value instanceof PDFNumber ? value.asNumber() : undefined;
	}

	/** What a reference leads to, or the value itself. `undefined` where there is nothing. */
	lookup(value: PDFObject | undefined): PDFObject | undefined {
		let object = value;
		for (let step = 0; object instanceof PDFRef; step++) {
			if (step > MAX_STEPS) return undefined;
			object = this.load(object);
		}
		return object;
	}

	/** What an entry holds, a reference followed; `undefined` where there is nothing to read. */
	at(dict: PDFDict, key: string): PDFObject | undefined {
		const value = this.lookup(entry(dict, key));
		return value === PDFNull || value instanceof PDFInvalidObject ? undefined : value;
	}

	nameAt(dict: PDFDict, key: string): string | undefined {
		const value = this.at(dict, key);
		return value instanceof PDFName ? value.decodeText() : undefined;
	}

	private load(ref: PDFRef): PDFObject | undefined {
		if (this.isReadingTables) return undefined;
		if (this.loaded.has(ref)) return this.loaded.get(ref);
		// An object that needs itself finds nothing.
		this.loaded.set(ref, undefined);
		const object = this.read(ref);
		this.loaded.set(ref, object);
		return object;
	}

	private read(ref: PDFRef): PDFObject | undefined {
		const place = this.objects.get(ref.objectNumber);
		if (place === undefined) return undefined;
		const object = attempt(
			() =>
				'offset' in place
					? this.readAt(place.offset, ref)
					: this.readPacked(place.stream, place.index, ref),
			DamagedObject,
		);
		return object instanceof DamagedObject ? PDFInvalidObject.of(new Uint8Array(0)) : object;
	}

	private readAt(offset: number, ref: PDFRef): PDFObject {
		const parser = new ObjectParser(this.bytes, this, offset);
		const number = parser.integer();
		const generation = parser.integer();
		parser.skipWhiteSpace();
		if (number !== ref.objectNumber || generation === undefined || !parser.skipWord('obj')) {
			throw new DamagedTable();
		}
		return parser.value(ref);
	}

	private readPacked(stream: number, index: number, ref: PDFRef): PDFObject {
		const unpacked = this.unpack(stream);
		if (unpacked?.index[2 * index] !== ref.objectNumber) throw new DamagedTable();
		const parser = new ObjectParser(unpacked.bytes, this.ofPacked, unpacked.index[2 * index + 1]);
		// What is packed has no stream, and was deciphered with all of it.
		return parser.value();
	}

	private readonly ofPacked = {
		context: this.context,
		values: this.values,
		searched: this.searched,
		has: (number: number, generation: number) => this.has(number, generation),
		numberAt: () => undefined,
	};

	/** The numbers of the objects in an object stream. */
	membersOf(stream: number): Int32Array | undefined {
		return this.unpack(stream)?.index.filter((_, at) => at % 2 === 0);
	}

	private unpack(number: number): Unpacked | undefined {
		const known = this.unpacked.get(number);
		if (known !== undefined) return known;
		const place = this.objects.get(number);
		if (place === undefined || !('offset' in place)) return undefined;
		const stream = this.lookup(PDFRef.of(number, place.generation));
		if (!(stream instanceof PDFRawStream)) return undefined;
		const content = decode(stream, this);
		const [count, first] = [this.at(stream.dict, 'N'), this.at(stream.dict, 'First')];
		if (content === undefined || !(count instanceof PDFNumber) || !(first instanceof PDFNumber)) {
			return undefined;
		}
		const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
		const unpacked = { bytes, index: indexOf(bytes, count.asNumber(), first.asNumber(), this) };
		this.unpacked.set(number, unpacked);
		this.unpackedBytes += sizeOf(unpacked);
		for (const [oldest, old] of this.unpacked) {
			if (this.unpackedBytes <= MAX_UNPACKED_BYTES || oldest === number) break;
			this.unpacked.delete(oldest);
			this.unpackedBytes -= sizeOf(old);
		}
		return unpacked;
	}
}

const sizeOf = ({ bytes, index }: Unpacked) => bytes.length + index.byteLength;

function indexOf(bytes: Buffer, count: number, first: number, file: SourceFile): Int32Array {
	// Each member has two numbers, which take four bytes at least.
	const index = new Int32Array(2 * Math.max(0, Math.min(count, bytes.length >> 2)) || 0);
	const parser = new ObjectParser(bytes, file);
	for (let at = 0; at < index.length; at += 2) {
		const number = parser.integer();
		const offset = parser.integer();
		if (number === undefined || offset === undefined) return index.subarray(0, at);
		index[at] = number;
		index[at + 1] = first + offset;
	}
	return index;
}

/** What an entry holds, which may be a reference. */
export function entry(dict: PDFDict, key: string): PDFObject | undefined {
	let name = KEYS.get(key);
	if (name === undefined) KEYS.set(key, (name = PDFName.of(key)));
	return dict.get(name, true);
}

/** The keys that this folder asks for: the library takes each apart whenever it makes a name of it. */
const KEYS = new Map<string, PDFName>();

/** Deciphers with the empty password. */
function cipherOf(dict: PDFDict, id: Uint8Array) {
	const factory = factoryOf(dict, id);
	if (factory === undefined) throw new Locked();
	return ({ objectNumber, generationNumber }: PDFRef) => {
		const transform = factory.createCipherTransform(objectNumber, generationNumber);
		return (bytes: Uint8Array) => transform.decryptBytes(bytes);
	};
}

function factoryOf(dict: PDFDict, id: Uint8Array): CipherTransformFactory | undefined {
	try {
		return new CipherTransformFactory(dict, id, '');
	} catch {
		// It needs a password, or the library does not know the method; it throws errors of many kinds.
		return undefined;
	}
}
