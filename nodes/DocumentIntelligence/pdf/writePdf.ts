import { letOthersRun } from './eventLoop';
import {
	type PDFContext,
	type PDFObject,
	PDFObjectStream,
	PDFRawStream,
	type PDFRef,
} from './library';

/** What is not a stream is compressed together with so many others. */
const OBJECTS_PER_STREAM = 100;

const HEADER = '%PDF-1.7\n%\x81\x81\x81\x81\n';

/**
 * Writes a PDF with a cross-reference stream. The library's writer looks through all objects for each one it enters
 * there, which takes a minute for 100,000.
 */
export async function writePdf(context: PDFContext, root: PDFRef): Promise<Buffer> {
	const objects = context.enumerateIndirectObjects();
	const loose = objects.filter(([, object]) => !(object instanceof PDFRawStream));
	const written: Array<[number, PDFObject]> = objects.flatMap(([ref, object]) =>
		object instanceof PDFRawStream ? [[ref.objectNumber, object]] : [],
	);
	let number = context.largestObjectNumber;
	const rows = Buffer.alloc((number + Math.ceil(loose.length / OBJECTS_PER_STREAM) + 2) * WIDTH);
	for (let at = 0; at < loose.length; at += OBJECTS_PER_STREAM) {
		const members = loose.slice(at, at + OBJECTS_PER_STREAM);
		number += 1;
		for (const [index, [ref]] of members.entries())
			setRow(rows, ref.objectNumber, 2, number, index);
		written.push([number, PDFObjectStream.withContextAndObjects(context, members)]);
	}
	let length = HEADER.length;
	const heads: string[] = [];
	for (const [own, object] of written) {
		const head = `${own} 0 obj\n`;
		heads.push(head);
		setRow(rows, own, 1, length, 0);
		// A stream is compressed when it is measured.
		length += head.length + object.sizeInBytes() + END.length;
		await letOthersRun();
	}
	const own = number + 1;
	setRow(rows, own, 1, length, 0);
	const table = context.flateStream(rows, {
		Type: 'XRef',
		Size: own + 1,
		W: [1, 4, 2],
		Root: root,
	});
	const head = `${own} 0 obj\n`;
	const end = `${END}startxref\n${length}\n%%EOF\n`;
	const file = Buffer.allocUnsafe(length + head.length + table.sizeInBytes() + end.length);
	let at = file.write(HEADER, 'latin1');
	for (const [index, [, object]] of written.entries()) {
		at += file.write(heads[index]!, at, 'latin1');
		at += object.copyBytesInto(file, at);
		at += file.write(END, at, 'latin1');
		await letOthersRun();
	}
	at += file.write(head, at, 'latin1');
	at += table.copyBytesInto(file, at);
	file.write(end, at, 'latin1');
	return file;
}

const END = '\nendobj\n';

/** A byte for the kind, four for the place, two for the index. */
const WIDTH = 7;

function setRow(rows: Buffer, number: number, kind: number, place: number, index: number): void {
	rows.writeUInt8(kind, number * WIDTH);
	rows.writeUInt32BE(place, number * WIDTH + 1);
	rows.writeUInt16BE(index, number * WIDTH + 5);
}
