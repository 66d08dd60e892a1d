import { orObstacle, type Budget, MB, Obstacle } from './budget';
import type { CrossReference, ObjectLocation } from './crossReference';
import * as library from './library';
import { type Dict, endOfData, isDict, Name, ObjectParser } from './objects';
import { Ref, Stream, Text, type Value } from './objects';
import { COST_OF_LIBRARY, decode, hasCryptFilter, readOut } from './streams';
import { serialize } from './writePdf';

/** More references in a row than any file has. */
const MAX_STEPS = 10;

/** Longer than any index, in bytes; it is read without a pause. */
const MAX_INDEX_BYTES = 2 * MB;

/** More than any dictionary of an encryption has: the library keeps the names in it for as long as n8n runs. */
const MAX_ENCRYPTION_BYTES = 10_000;

interface Unpacked {
	bytes: Buffer;
	/** Number and offset of each member in turn. */
	index: number[];
}

/** Reads objects on demand. Objects that the tables do not list do not exist. */
export class SourceFile {
	/** Set if the file is encrypted. */
	cipher?: library.CipherTransformFactory;
	/** What was read, or why it cannot be. */
	private readonly loaded = new Map<number, Value | Stream | Obstacle | undefined>();
	private readonly unpacked = new Map<number, Unpacked>();

	private constructor(
		readonly bytes: Buffer,
		readonly budget: Budget,
		private readonly objects: CrossReference,
	) {}

	/** Throws `wrongTable`, `damaged`, `locked` or `tooComplex`. */
	static async open(objects: CrossReference): Promise<SourceFile> {
		const file = new SourceFile(objects.bytes, objects.budget, objects);
		await file.unlock();
		for (const { number, offset } of objects.streams) {
			// Not of a stream that a later copy replaces.
			if (objects.locations.get(number)?.at === offset) await file.addMembers(number, offset);
		}
		if ((await file.at(await file.catalog(), 'Pages')) === undefined) await file.findRoot();
		return file;
	}

	private async addMembers(stream: number, offset: number): Promise<void> {
		const { index } = await this.unpack(stream);
		for (let at = 0; 2 * at < index.length; at++) {
			const location = this.objects.locations.get(index[2 * at]!);
			// Streams are in file order, so an object packed elsewhere is older.
			const isOlder =
				location === undefined || location.stream !== undefined || location.at < offset;
			if (isOlder) this.objects.set(index[2 * at]!, { stream, at, generation: 0 });
		}
	}

	/** Searches all objects for what the trailer would refer to. */
	private async findRoot(): Promise<void> {
		for (const [number, location] of this.objects.locations) {
			const ref = new Ref(number, location?.generation ?? 0);
			const object = await orObstacle(async () => await this.lookup(ref), 'damaged');
			if (!isDict(object)) continue;
			if ((await this.nameAt(object, 'Type')) === 'Catalog') this.objects.trailer.set('Root', ref);
			// Undeciphered pages would be noise.
			const isEncryption = ['O', 'U', 'P'].every((key) => object.has(key));
			if (isEncryption && !this.cipher) throw new Obstacle('locked');
		}
	}

	/** Empty if there is none. */
	async catalog(): Promise<Dict> {
		return (await this.dictAt(this.objects.trailer, 'Root')) ?? new Map<string, Value>();
	}

	/** Resolves references; undefined if there is nothing. Throws `damaged` for what exists but cannot be read. */
	readonly lookup = async (value: Value | undefined): Promise<Value | Stream | undefined> => {
		let object: Value | Stream | undefined = value;
		for (let step = 0; object instanceof Ref; step++)
			object = step < MAX_STEPS ? await this.load(object) : undefined;
		return object ?? undefined;
	};

	async at(dict: Dict, key: string): Promise<Value | Stream | undefined> {
		return await this.lookup(dict.get(key));
	}

	async dictAt(dict: Dict, key: string): Promise<Dict | undefined> {
		const value = await this.at(dict, key);
		return isDict(value) ? value : undefined;
	}

	async listAt(dict: Dict, key: string): Promise<Value[]> {
		const value = await this.at(dict, key);
		return Array.isArray(value) ? value : [];
	}

	async nameAt(dict: Dict, key: string): Promise<string | undefined> {
		const value = await this.at(dict, key);
		return value instanceof Name ? value.text : undefined;
	}

	private async load(ref: Ref): Promise<Value | Stream | undefined> {
		const { number, generation } = ref;
		const location = this.objects.locations.get(number);
		// A reference to a missing object is null (ISO 32000-1, 7.3.10).
		if (location?.generation !== generation) return undefined;
		if (!this.loaded.has(number)) {
			// So that a circular reference resolves to undefined.
			this.loaded.set(number, undefined);
			await this.budget.yieldToN8n();
			this.loaded.set(number, await orObstacle(async () => await this.read(ref, location)));
		}
		const object = this.loaded.get(number);
		if (object instanceof Obstacle) throw object;
		return object;
	}

	private async read(ref: Ref, { stream, at }: ObjectLocation): Promise<Value | Stream> {
		if (stream === undefined) return await this.readAt(at, ref);
		const unpacked = await this.unpack(stream);
		if (unpacked.index[2 * at] !== ref.number) throw new Obstacle('wrongTable');
		// A packed object is no stream, and was deciphered with its object stream.
		return new ObjectParser(unpacked.bytes, this.budget, unpacked.index[2 * at + 1]!).value();
	}

	private async readAt(offset: number, { number, generation }: Ref): Promise<Value | Stream> {
		const cipher = this.cipher?.createCipherTransform(number, generation);
		const parser = new ObjectParser(this.bytes, this.budget, offset, (text) => {
			if (cipher === undefined) return text;
			this.budget.spend(COST_OF_LIBRARY * text.source.length);
			return new Text(`<${Buffer.from(cipher.decryptBytes(bytesOf(text))).toString('hex')}>`);
		});
		if (parser.header()?.number !== number) throw new Obstacle('wrongTable');
		const dict = parser.value();
		if (!isDict(dict) || !parser.skipToData()) return dict;
		const length = await orObstacle(async () => await this.at(dict, 'Length'), 'damaged');
		const end = endOfData(this.bytes, parser.at, length, this.budget);
		if (end === undefined) throw new Obstacle('damaged');
		const data = this.bytes.subarray(parser.at, end.at);
		if (cipher === undefined) return new Stream(dict, data);
		if (await hasCryptFilter(dict, this.lookup)) throw new Obstacle('damaged');
		const raw = library.PDFRawStream.of(library.PDFContext.create().obj({}), data, cipher);
		return new Stream(dict, await readOut(raw, this.budget));
	}

	private async unpack(number: number): Promise<Unpacked> {
		const known = this.unpacked.get(number);
		if (known !== undefined) return known;
		const { generation = 0 } = this.objects.locations.get(number) ?? {};
		const stream = await this.lookup(new Ref(number, generation));
		if (!(stream instanceof Stream)) throw new Obstacle('wrongTable');
		const bytes = await decode(stream, this.lookup, this.budget);
		const [count, first] = [await this.at(stream.dict, 'N'), await this.at(stream.dict, 'First')];
		if (typeof count !== 'number' || typeof first !== 'number') throw new Obstacle('damaged');
		if (first > MAX_INDEX_BYTES) throw new Obstacle('tooComplex');
		// Both stay in memory, so they are charged as values.
		this.budget.keep((bytes.length >> 7) + (first >> 3));
		const numbers = bytes.toString('latin1', 0, first).match(/\d+/g) ?? [];
		const index = numbers.slice(0, 2 * count).map((text, at) => Number(text) + first * (at % 2));
		const unpacked = { bytes, index };
		this.unpacked.set(number, unpacked);
		return unpacked;
	}

	/** Prepares to decipher an encrypted file with the empty password. */
	private async unlock(): Promise<void> {
		const { trailer } = this.objects;
		const encryption = await this.at(trailer, 'Encrypt');
		if (!isDict(encryption)) return;
		const id = await this.lookup((await this.listAt(trailer, 'ID'))[0]);
		// Objects read so far were not deciphered.
		this.loaded.clear();
		if (serialize(encryption).length > MAX_ENCRYPTION_BYTES) throw new Obstacle('locked');
		try {
			const dict = library.PDFContext.create().obj(literalOf(encryption) as Record<string, never>);
			const bytes = id instanceof Text ? bytesOf(id) : new Uint8Array(0);
			const cipher = new library.CipherTransformFactory(dict, bytes, '');
			// A method without its filters fails only here.
			cipher.createCipherTransform(1, 0);
			this.cipher = cipher;
		} catch {
			// It needs a password, or the method is unknown; the library throws errors of many kinds.
		}
		if (this.cipher === undefined) throw new Obstacle('locked');
	}
}

/** A value in the library's form, without references. */
function literalOf(value: Value): unknown {
	if (isDict(value))
		return Object.fromEntries([...value].map(([key, entry]) => [key, literalOf(entry)]));
	if (value instanceof Name) return value.text;
	if (value instanceof Text) return stringOf(value);
	return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

const stringOf = ({ source }: Text) =>
	(source.startsWith('<') ? library.PDFHexString : library.PDFString).of(source.slice(1, -1));

const bytesOf = (text: Text): Uint8Array => stringOf(text).asBytes();
