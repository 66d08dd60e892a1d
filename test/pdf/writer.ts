import { deflateSync } from 'node:zlib';

import { PDFContext, PDFObject, PDFSecurity, type SecurityOptions } from '@cantoo/pdf-lib';

// Writes PDF files byte by byte, as the layouts and the damage that the tests need are on offer in no library. What
// is enciphered here is read by pdf.js too, so a mistake that the library makes both ways is seen.

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
export type Value = null | boolean | number | string | Name | Ref | PDFObject | Value[] | Dict;

export class Stream {
	constructor(
		readonly dict: Dict,
		readonly data: Buffer,
	) {}
}

export interface WriteOptions {
	/** `table`: a classic cross-reference table; `objectStreams`: compressed objects and a cross-reference stream. */
	layout?: 'table' | 'objectStreams';
	encryption?: SecurityOptions;
	/** Length of a stream as an object of its own, as scanners and converters write it. */
	indirectLengths?: boolean;
	/** Bytes before the header, which offsets do not count: junk that a mail gateway left. */
	junk?: string;
}

export const name = (text: string) => new Name(text);

type Encrypt = (bytes: Buffer) => Uint8Array;

function serialize(value: Value, encrypt: Encrypt | undefined): string {
	if (value === null) return 'null';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value === 'string') {
		const bytes = Buffer.from(value, 'latin1');
		return `<${Buffer.from(encrypt?.(bytes) ?? bytes).toString('hex')}>`;
	}
	if (value instanceof PDFObject) return String(value);
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
	private readonly chunks: Uint8Array[] = [];
	private length = 0;
	private readonly offsets = new Map<number, number>();
	private readonly packed = new Map<number, { stream: number; index: number }>();
	private readonly context = PDFContext.create();
	private readonly security: PDFSecurity | undefined;

	constructor(
		private readonly draft: Draft,
		private readonly options: WriteOptions,
	) {
		if (options.encryption)
			this.security = PDFSecurity.create(this.context, {
				...options.encryption,
				allowWeakCryptography: true,
			}).encrypt();
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
				this.writeObject(number, serialize(object, this.security?.getEncryptFn(number, 0)));
			} else {
				loose.push(number);
			}
		});
		for (let at = 0; at < loose.length; at += 10)
			this.writeObjectStream(next++, loose.slice(at, at + 10));
		const trailer: Dict = { Root: this.draft.root };
		const { Encrypt, ID } = this.context.trailerInfo;
		if (Encrypt && ID) {
			this.writeObject(next, String(this.context.lookup(Encrypt)));
			Object.assign(trailer, { Encrypt: new Ref(next++), ID });
		}
		const start = this.length;
		if (layout === 'table') this.writeTable(next, trailer);
		else this.writeCrossReferenceStream(next, trailer);
		this.push(`startxref\n${start}\n%%EOF\n`);
		return Buffer.concat([Buffer.from(this.options.junk ?? '', 'latin1'), ...this.chunks]);
	}

	private push(part: string | Uint8Array) {
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
		const encrypt = this.security?.getEncryptFn(number, 0);
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
