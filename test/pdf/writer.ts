import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';

// Writes PDF files byte by byte, independent of every library under test: the layouts, the encryptions and the damage
// that the tests need are not all on offer in one library.

export class Name {
	constructor(readonly name: string) {}
}

export class Ref {
	constructor(readonly number: number) {}
}

export interface Dict {
	[key: string]: Value;
}

/** A text is a PDF string of its Latin-1 bytes. */
export type Value = null | boolean | number | string | Name | Ref | Value[] | Dict;

export class Stream {
	constructor(
		readonly dict: Dict,
		readonly data: Buffer,
	) {}
}

export type Encryption = 'rc4-40' | 'rc4-128' | 'aes-128' | 'aes-256';

export interface WriteOptions {
	/** `table`: a classic cross-reference table; `objectStreams`: compressed objects and a cross-reference stream. */
	layout?: 'table' | 'objectStreams';
	encryption?: { method: Encryption; userPassword: string; ownerPassword: string };
	/** Length of a stream as an object of its own, as scanners and converters write it. */
	indirectLengths?: boolean;
	/** Bytes before the header, which offsets do not count: junk that a mail gateway left. */
	junk?: string;
}

export const name = (text: string) => new Name(text);

type Encrypt = (bytes: Buffer) => Buffer;

function serialize(value: Value, encrypt: Encrypt | undefined): string {
	if (value === null) return 'null';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value === 'string') {
		const bytes = Buffer.from(value, 'latin1');
		return `<${(encrypt?.(bytes) ?? bytes).toString('hex')}>`;
	}
	if (value instanceof Name) return `/${value.name}`;
	if (value instanceof Ref) return `${value.number} 0 R`;
	if (Array.isArray(value)) return `[${value.map((item) => serialize(item, encrypt)).join(' ')}]`;
	const entries = Object.entries(value).map(([key, item]) => `/${key} ${serialize(item, encrypt)}`);
	return `<< ${entries.join(' ')} >>`;
}

/** The objects of a file before they are written. */
export class Draft {
	readonly objects: Array<Value | Stream> = [];
	root = new Ref(0);

	add(object: Value | Stream): Ref {
		this.objects.push(object);
		return new Ref(this.objects.length);
	}

	set(ref: Ref, object: Value | Stream) {
		this.objects[ref.number - 1] = object;
	}

	/** A stream, deflated. */
	addDeflated(dict: Dict, data: Buffer | string): Ref {
		return this.add(new Stream({ ...dict, Filter: name('FlateDecode') }, deflateSync(data)));
	}

	write(options: WriteOptions = {}): Buffer {
		return new Output(this, options).file();
	}
}

class Output {
	private readonly chunks: Buffer[] = [];
	private length = 0;
	private readonly offsets = new Map<number, number>();
	private readonly packed = new Map<number, { stream: number; index: number }>();
	private readonly protection: Protection | undefined;
	private readonly id = randomBytes(16);

	constructor(
		private readonly draft: Draft,
		private readonly options: WriteOptions,
	) {
		if (options.encryption) this.protection = new Protection(options.encryption, this.id);
	}

	file(): Buffer {
		const { layout = 'table', indirectLengths = false } = this.options;
		this.push('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n');
		let next = this.draft.objects.length + 1;
		const loose: number[] = [];
		this.draft.objects.forEach((object, index) => {
			const number = index + 1;
			if (object instanceof Stream) {
				const length = indirectLengths ? next++ : undefined;
				this.writeStream(number, object, length);
				if (length !== undefined) this.writeObject(length, String(this.sizeOf(number, object)));
			} else if (layout === 'table') {
				this.writeObject(number, serialize(object, this.protection?.of(number)));
			} else {
				loose.push(number);
			}
		});
		for (let at = 0; at < loose.length; at += 100)
			this.writeObjectStream(next++, loose.slice(at, at + 100));
		const trailer: Dict = {
			Root: this.draft.root,
			ID: [this.id.toString('latin1'), this.id.toString('latin1')],
		};
		if (this.protection) {
			this.writeObject(next, serialize(this.protection.dict(), undefined));
			trailer.Encrypt = new Ref(next++);
		}
		const start = this.length;
		if (layout === 'table') this.writeTable(next, trailer);
		else this.writeCrossReferenceStream(next, trailer);
		this.push(`startxref\n${start}\n%%EOF\n`);
		return Buffer.concat([Buffer.from(this.options.junk ?? '', 'latin1'), ...this.chunks]);
	}

	private push(part: string | Buffer) {
		const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
		this.chunks.push(bytes);
		this.length += bytes.length;
	}

	private writeObject(number: number, text: string) {
		this.offsets.set(number, this.length);
		this.push(`${number} 0 obj\n${text}\nendobj\n`);
	}

	private readonly sizes = new Map<number, number>();

	private sizeOf(number: number, stream: Stream): number {
		return this.sizes.get(number) ?? stream.data.length;
	}

	private writeStream(number: number, stream: Stream, length: number | undefined) {
		const encrypt = this.protection?.of(number);
		const data = encrypt?.(stream.data) ?? stream.data;
		this.sizes.set(number, data.length);
		this.offsets.set(number, this.length);
		const dict = { ...stream.dict, Length: length === undefined ? data.length : new Ref(length) };
		this.push(`${number} 0 obj\n${serialize(dict, encrypt)}\nstream\n`);
		this.push(data);
		this.push('\nendstream\nendobj\n');
	}

	private writeObjectStream(number: number, members: number[]) {
		let body = '';
		const heads = members.map((member, index) => {
			const head = `${member} ${body.length}`;
			// Strings inside an object stream are encrypted with the stream only.
			body += `${serialize(this.draft.objects[member - 1] as Value, undefined)} `;
			this.packed.set(member, { stream: number, index });
			return head;
		});
		const head = `${heads.join(' ')} `;
		const dict = {
			Type: name('ObjStm'),
			N: members.length,
			First: head.length,
			Filter: name('FlateDecode'),
		};
		this.writeStream(
			number,
			new Stream(dict, deflateSync(Buffer.from(head + body, 'latin1'))),
			undefined,
		);
	}

	private writeTable(size: number, trailer: Dict) {
		const rows = Array.from(
			{ length: size - 1 },
			(_, index) => `${String(this.offsets.get(index + 1)).padStart(10, '0')} 00000 n \n`,
		);
		this.push(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`);
		this.push(`trailer\n${serialize({ ...trailer, Size: size }, undefined)}\n`);
	}

	private writeCrossReferenceStream(number: number, trailer: Dict) {
		const own = this.length;
		const rows = Buffer.alloc((number + 1) * 7);
		for (let entry = 1; entry <= number; entry++) {
			const packed = this.packed.get(entry);
			rows.writeUInt8(packed ? 2 : 1, entry * 7);
			rows.writeUInt32BE(
				packed ? packed.stream : entry === number ? own : Number(this.offsets.get(entry)),
				entry * 7 + 1,
			);
			rows.writeUInt16BE(packed ? packed.index : 0, entry * 7 + 5);
		}
		const data = deflateSync(rows);
		const dict = {
			...trailer,
			Type: name('XRef'),
			Size: number + 1,
			W: [1, 4, 2],
			Filter: name('FlateDecode'),
			Length: data.length,
		};
		this.push(`${number} 0 obj\n${serialize(dict, undefined)}\nstream\n`);
		this.push(data);
		this.push('\nendstream\nendobj\n');
	}
}

/** Appends changed objects and a table that points back, as an editor does that saves incrementally. */
export function appendUpdate(file: Buffer, root: Ref, changed: Array<[Ref, Value]>): Buffer {
	const previous = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(
		file.subarray(-100).toString('latin1'),
	)?.[1];
	let body = '';
	const rows = changed.map(([ref, value]) => {
		const row = `${ref.number} 1\n${String(file.length + body.length).padStart(10, '0')} 00000 n \n`;
		body += `${ref.number} 0 obj\n${serialize(value, undefined)}\nendobj\n`;
		return row;
	});
	const trailer = serialize(
		{
			Root: root,
			Size: Math.max(...changed.map(([ref]) => ref.number)) + 1,
			Prev: Number(previous),
		},
		undefined,
	);
	const start = file.length + body.length;
	return Buffer.concat([
		file,
		Buffer.from(
			`${body}xref\n${rows.join('')}trailer\n${trailer}\nstartxref\n${start}\n%%EOF\n`,
			'latin1',
		),
	]);
}

const PADDING = Buffer.from(
	'28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
	'hex',
);
const PERMISSIONS = -3904;

const md5 = (...parts: Buffer[]) => createHash('md5').update(Buffer.concat(parts)).digest();
const padded = (password: string) =>
	Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);

function rc4(key: Buffer, data: Buffer): Buffer {
	const state = Array.from({ length: 256 }, (_, index) => index);
	const at = (index: number) => Number(state[index & 255]);
	for (let i = 0, j = 0; i < 256; i++) {
		j = (j + at(i) + Number(key[i % key.length])) & 255;
		[state[i], state[j]] = [at(j), at(i)];
	}
	let i = 0;
	let j = 0;
	return Buffer.from(
		data.map((byte) => {
			i = (i + 1) & 255;
			j = (j + at(i)) & 255;
			[state[i], state[j]] = [at(j), at(i)];
			return byte ^ at(at(i) + at(j));
		}),
	);
}

function aes(key: Buffer, data: Buffer): Buffer {
	const iv = randomBytes(16);
	const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, iv);
	return Buffer.concat([iv, cipher.update(data), cipher.final()]);
}

function aesUnpadded(algorithm: string, key: Buffer, iv: Buffer | null, data: Buffer): Buffer {
	const cipher = createCipheriv(algorithm, key, iv);
	cipher.setAutoPadding(false);
	return Buffer.concat([cipher.update(data), cipher.final()]);
}

/** The hash of revision 6 (ISO 32000-2, algorithm 2.B). */
function hash2b(password: Buffer, salt: Buffer, user: Buffer): Buffer {
	let key = createHash('sha256')
		.update(Buffer.concat([password, salt, user]))
		.digest();
	for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
		const block = Buffer.concat([password, key, user]);
		const repeated = Buffer.concat(Array.from({ length: 64 }, () => block));
		const encrypted = aesUnpadded(
			'aes-128-cbc',
			key.subarray(0, 16),
			key.subarray(16, 32),
			repeated,
		);
		const remainder = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
		key = createHash(['sha256', 'sha384', 'sha512'][remainder]!).update(encrypted).digest();
		last = Number(encrypted.at(-1));
	}
	return key.subarray(0, 32);
}

/** The standard security handler, writing side. */
class Protection {
	private readonly key: Buffer;
	private readonly entries: Dict;

	constructor(
		private readonly options: NonNullable<WriteOptions['encryption']>,
		id: Buffer,
	) {
		const { method, userPassword, ownerPassword } = options;
		if (method === 'aes-256') {
			this.key = randomBytes(32);
			this.entries = this.modern(Buffer.from(userPassword), Buffer.from(ownerPassword));
			return;
		}
		const length = method === 'rc4-40' ? 5 : 16;
		const rounds = method === 'rc4-40' ? 0 : 50;
		const again = (start: Buffer) => {
			let digest = start;
			for (let round = 0; round < rounds; round++) digest = md5(digest.subarray(0, length));
			return digest.subarray(0, length);
		};
		const twentyTimes = (key: Buffer, data: Buffer) => {
			let result = rc4(key, data);
			for (let round = 1; rounds > 0 && round < 20; round++)
				result = rc4(Buffer.from(key.map((byte) => byte ^ round)), result);
			return result;
		};
		const owner = twentyTimes(again(md5(padded(ownerPassword))), padded(userPassword));
		const permissions = Buffer.alloc(4);
		permissions.writeInt32LE(PERMISSIONS);
		this.key = again(md5(padded(userPassword), owner, permissions, id));
		const user =
			rounds > 0
				? Buffer.concat([twentyTimes(this.key, md5(PADDING, id)), Buffer.alloc(16)])
				: rc4(this.key, PADDING);
		this.entries = { O: owner.toString('latin1'), U: user.toString('latin1') };
	}

	private modern(user: Buffer, owner: Buffer): Dict {
		const none = Buffer.alloc(0);
		const wrap = (password: Buffer, extra: Buffer) => {
			const [validation, wrapping] = [randomBytes(8), randomBytes(8)];
			const check = Buffer.concat([hash2b(password, validation, extra), validation, wrapping]);
			return [
				check,
				aesUnpadded('aes-256-cbc', hash2b(password, wrapping, extra), Buffer.alloc(16), this.key),
			] as const;
		};
		const [U, UE] = wrap(user, none);
		const [O, OE] = wrap(owner, U);
		const perms = Buffer.alloc(16, 0xff);
		perms.writeInt32LE(PERMISSIONS);
		perms.write('Tadb', 8, 'latin1');
		const Perms = aesUnpadded('aes-256-ecb', this.key, null, perms);
		return Object.fromEntries(
			Object.entries({ U, UE, O, OE, Perms }).map(([key, bytes]) => [
				key,
				bytes.toString('latin1'),
			]),
		);
	}

	dict(): Dict {
		const common = { Filter: name('Standard'), P: PERMISSIONS, ...this.entries };
		const filters = (method: string, length: number) => ({
			CF: { StdCF: { CFM: name(method), AuthEvent: name('DocOpen'), Length: length } },
			StmF: name('StdCF'),
			StrF: name('StdCF'),
		});
		switch (this.options.method) {
			case 'rc4-40':
				return { ...common, V: 1, R: 2 };
			case 'rc4-128':
				return { ...common, V: 2, R: 3, Length: 128 };
			case 'aes-128':
				return { ...common, V: 4, R: 4, Length: 128, ...filters('AESV2', 16) };
			case 'aes-256':
				return { ...common, V: 5, R: 6, Length: 256, ...filters('AESV3', 32) };
		}
	}

	/** What encrypts the strings and the stream of the object of this number. */
	of(number: number): Encrypt {
		const { method } = this.options;
		if (method === 'aes-256') return (bytes) => aes(this.key, bytes);
		const salt = Buffer.from([number & 255, (number >> 8) & 255, (number >> 16) & 255, 0, 0]);
		const suffix = method === 'aes-128' ? Buffer.from('sAlT') : Buffer.alloc(0);
		const key = md5(this.key, salt, suffix).subarray(0, Math.min(16, this.key.length + 5));
		return method === 'aes-128' ? (bytes) => aes(key, bytes) : (bytes) => rc4(key, bytes);
	}
}
