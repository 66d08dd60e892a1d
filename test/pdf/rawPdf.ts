import { deflateSync, inflateSync } from 'node:zlib';

import { PDFContext, PDFSecurity, type SecurityOptions } from '@cantoo/pdf-lib';

// Files whose objects are written as they are to stand in them: the layouts and the damage that the tests need are on
// offer in no library. What is enciphered here is read by pdf.js too, so a mistake that the library makes both ways is seen.

/** `length` is what stands for the length of a stream; the right number unless given. */
export type RawObject = string | { dict?: string; data: Buffer | string; length?: string };

export type RawObjects = Record<number, RawObject>;

export interface RawOptions {
	/** Objects after all others, which the table does not name. */
	stale?: Array<[number, RawObject]>;
	/** Objects that the table does not name, or names as free. */
	free?: number[];
	trailer?: string;
	/** Packs all but streams, with a cross-reference stream in place of the table. */
	objectStreams?: boolean;
	/** The strings of packed or enciphered objects have no brackets inside. */
	encryption?: SecurityOptions;
	/** Length of a stream as an object of its own, as scanners and converters write it. */
	indirectLengths?: boolean;
}

type Encrypt = (bytes: Buffer) => Uint8Array;

const latin1 = (text: string) => Buffer.from(text, 'latin1');

function written(number: number, object: RawObject, encrypt?: Encrypt, length?: string): Buffer {
	const enciphered = (text: string) =>
		text.replace(/\((.*?)\)/g, (string, bytes: string) =>
			encrypt ? `<${Buffer.from(encrypt(latin1(bytes))).toString('hex')}>` : string,
		);
	const head = `${number} 0 obj\n`;
	if (typeof object === 'string') return latin1(`${head}${enciphered(object)}\nendobj\n`);
	const plain = typeof object.data === 'string' ? latin1(object.data) : object.data;
	const data = encrypt?.(plain) ?? plain;
	const dict = `<< ${enciphered(object.dict ?? '')} /Length ${length ?? object.length ?? data.length} >>`;
	return Buffer.concat([latin1(`${head}${dict}\nstream\n`), data, latin1('\nendstream\nendobj\n')]);
}

/** Object 1 is the catalog. */
export function rawPdf(objects: RawObjects, options: RawOptions = {}): Buffer {
	const { stale = [], free = [], trailer = '', objectStreams, indirectLengths } = options;
	const chunks: Buffer[] = [latin1('%PDF-1.7\n')];
	let length = chunks[0]!.length;
	let next = Math.max(...Object.keys(objects).map(Number)) + 1;
	const offsets = new Map<number, number>();
	const packed = new Map<number, { stream: number; index: number }>();
	const push = (chunk: Buffer) => {
		chunks.push(chunk);
		length += chunk.length;
	};
	const { security, entries } = securityOf(options.encryption);
	const add = (number: number, object: RawObject) => {
		const encrypt = security?.getEncryptFn(number, 0);
		const lengthNumber = indirectLengths && typeof object !== 'string' ? next++ : undefined;
		const reference = lengthNumber === undefined ? undefined : `${lengthNumber} 0 R`;
		const chunk = written(number, object, encrypt, reference);
		offsets.set(number, length);
		push(chunk);
		if (lengthNumber !== undefined) add(lengthNumber, dataLength(chunk));
	};
	const all = Object.entries(objects).map(([key, object]) => [Number(key), object] as const);
	const loose = all.filter(([, object]) => objectStreams && typeof object === 'string');
	for (const [number, object] of all.filter((one) => !loose.includes(one))) add(number, object);
	for (let at = 0; at < loose.length; at += 10) {
		const members = loose.slice(at, at + 10);
		members.forEach(([number], index) => packed.set(number, { stream: next, index }));
		add(next++, objectStream(members));
	}
	for (const [number, object] of stale) push(written(number, object));
	let encrypted = '';
	if (entries !== undefined) {
		encrypted = `/Encrypt ${next} 0 R /ID ${entries.id}`;
		offsets.set(next, length);
		push(written(next++, entries.encrypt));
	}
	const dict = `/Size ${objectStreams ? next + 1 : next} /Root 1 0 R ${encrypted} ${trailer}`;
	const start = length;
	if (objectStreams) {
		offsets.set(next, start);
		const data = Array.from({ length: next + 1 }, (_, number) => {
			const { stream = offsets.get(number) ?? 0, index = 0 } = packed.get(number) ?? {};
			const row = Buffer.from([packed.has(number) ? 2 : 1, 0, 0, 0, 0, 0, index]);
			row.writeUInt32BE(stream, 1);
			return row;
		});
		push(written(next, deflated(Buffer.concat(data), `/Type /XRef /W [1 4 2] ${dict}`)));
	} else {
		const rows = Array.from({ length: next }, (_, number) => {
			const offset = free.includes(number) ? undefined : offsets.get(number);
			return offset === undefined ? '0000000000 65535 f \n' : rowOf(offset);
		});
		push(latin1(`xref\n0 ${next}\n${rows.join('')}trailer\n<< ${dict} >>\n`));
	}
	push(latin1(`startxref\n${start}\n%%EOF\n`));
	return Buffer.concat(chunks);
}

const rowOf = (offset: number) => `${String(offset).padStart(10, '0')} 00000 n \n`;

function securityOf(options?: SecurityOptions) {
	if (options === undefined) return {};
	const context = PDFContext.create();
	const security = PDFSecurity.create(context, {
		...options,
		allowWeakCryptography: true,
	}).encrypt();
	const { Encrypt, ID } = context.trailerInfo;
	return { security, entries: { encrypt: String(context.lookup(Encrypt)), id: String(ID) } };
}

function dataLength(stream: Buffer): string {
	return String(
		stream.length - stream.indexOf('stream\n') - 'stream\n\nendstream\nendobj\n'.length,
	);
}

function objectStream(members: ReadonlyArray<readonly [number, RawObject]>): RawObject {
	let body = '';
	const heads = members.map(([number, object]) => {
		const head = `${number} ${body.length} `;
		body += `${object as string} `;
		return head;
	});
	const head = heads.join('');
	return deflated(head + body, `/Type /ObjStm /N ${members.length} /First ${head.length}`);
}

/** Appends changed objects and a table that points back, as an editor does that saves incrementally. */
export function appendUpdate(file: Buffer, changed: Record<number, string>): Buffer {
	const [, previous] = /startxref\s+(\d+)\s+%%EOF\s*$/.exec(file.toString('latin1')) ?? [];
	let body = '';
	const rows = Object.entries(changed).map(([number, object]) => {
		const row = `${number} 1\n${rowOf(file.length + body.length)}`;
		body += `${number} 0 obj\n${object}\nendobj\n`;
		return row;
	});
	const trailer = `<< /Root 1 0 R /Size ${Math.max(...Object.keys(changed).map(Number)) + 1} /Prev ${previous} >>`;
	const end = `xref\n${rows.join('')}trailer\n${trailer}\nstartxref\n${file.length + body.length}\n%%EOF\n`;
	return Buffer.concat([file, latin1(body + end)]);
}

export function deflated(data: string | Buffer, dict = ''): RawObject {
	const bytes = typeof data === 'string' ? latin1(data) : data;
	return { dict: `${dict} /Filter /FlateDecode`, data: deflateSync(bytes) };
}
/** A form that shows a text. */
export function form(text: string, dict = ''): RawObject {
	return { dict: `/Type /XObject /Subtype /Form /BBox [0 0 600 800] ${dict}`, data: shows(text) };
}

export const shows = (text: string) => `BT /F1 12 Tf 72 700 Td (${text}) Tj ET`;

export interface TwoPages {
	/** More entries of the pages, of the catalog and of the node above the pages. */
	first?: string;
	second?: string;
	catalog?: string;
	/** Resources besides the font F1, of both pages. */
	resources?: string;
	/** Contents, as text or as objects. */
	content?: string | RawObject;
	secondContent?: string;
	more?: RawObjects;
}

/** Page 1 (object 3, content 6) shows PUBLIC, page 2 (object 4, content 7) SECRET. */
export function twoPages({
	first = '',
	second = '',
	catalog = '',
	resources = '',
	content = '',
	secondContent = '',
	more = {},
}: TwoPages = {}): RawObjects {
	return {
		1: `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
		2: `<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /Resources << /Font << /F1 5 0 R >> ${resources} >> >>`,
		3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R ${first} >>`,
		4: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 7 0 R ${second} >>`,
		5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
		6: typeof content === 'string' ? { data: `${shows('PUBLIC')} ${content}` } : content,
		7: { data: `${shows('SECRET')} ${secondContent}` },
		...more,
	};
}

/** All bytes of a file, streams that are deflated as text. */
export function everythingIn(file: Buffer): string {
	const text = file.toString('latin1');
	return text.replace(/stream\n([\s\S]*?)\nendstream/g, (whole, data: string) => {
		try {
			return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
		} catch {
			return whole;
		}
	});
}

/** The file is read by going through it. */
export function withoutTable(file: Buffer): Buffer {
	return Buffer.from(file.toString('latin1').replace('xref\n0', 'xxxx\n0'), 'latin1');
}
