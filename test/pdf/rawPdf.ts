import { deflateSync, inflateSync } from 'node:zlib';

// Files whose objects are written as they are to stand in them: what no writer makes, and what tests want to be wrong.

/** `length` is what stands for the length of a stream; the right number unless given. */
export type RawObject = string | { dict?: string; data: Buffer | string; length?: string };

export type RawObjects = Record<number, RawObject>;

export interface RawOptions {
	/** Objects after all others, which the table does not name. */
	stale?: Array<[number, RawObject]>;
	/** Objects that the table does not name, or names as free. */
	free?: number[];
	trailer?: string;
}

function written(number: number, object: RawObject): Buffer {
	const head = `${number} 0 obj\n`;
	if (typeof object === 'string') return Buffer.from(`${head}${object}\nendobj\n`, 'latin1');
	const data = typeof object.data === 'string' ? Buffer.from(object.data, 'latin1') : object.data;
	const dict = `<< ${object.dict ?? ''} /Length ${object.length ?? data.length} >>`;
	return Buffer.concat([
		Buffer.from(`${head}${dict}\nstream\n`, 'latin1'),
		data,
		Buffer.from('\nendstream\nendobj\n', 'latin1'),
	]);
}

/** Object 1 is the catalog. */
export function rawPdf(
	objects: RawObjects,
	{ stale = [], free = [], trailer = '' }: RawOptions = {},
) {
	const chunks: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
	let length = chunks[0]!.length;
	const offsets = new Map<number, number>();
	for (const [key, object] of Object.entries(objects)) {
		const chunk = written(Number(key), object);
		offsets.set(Number(key), length);
		chunks.push(chunk);
		length += chunk.length;
	}
	for (const [number, object] of stale) {
		const chunk = written(number, object);
		chunks.push(chunk);
		length += chunk.length;
	}
	const size = Math.max(...offsets.keys()) + 1;
	const rows = Array.from({ length: size }, (_, number) => {
		const offset = free.includes(number) ? undefined : offsets.get(number);
		return offset === undefined
			? '0000000000 65535 f \n'
			: `${String(offset).padStart(10, '0')} 00000 n \n`;
	});
	chunks.push(
		Buffer.from(
			`xref\n0 ${size}\n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
			'latin1',
		),
	);
	return Buffer.concat(chunks);
}

export function deflated(data: string | Buffer, dict = ''): RawObject {
	return { dict: `${dict} /Filter /FlateDecode`, data: deflateSync(data) };
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
