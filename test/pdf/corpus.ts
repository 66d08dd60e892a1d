import { createCipheriv, createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { EncryptionAlgorithm } from '@cantoo/pdf-lib';

import {
	appendUpdate,
	deflated,
	rawPdf,
	type RawObject,
	type RawObjects,
	type RawOptions,
} from './rawPdf';

// The files that cutting is tried on. Every page says which one it is, so that a reader can tell whether it got the right ones.

export const textOfPage = (page: number) => `This is page ${page}`;

/** Bytes that no filter makes smaller, the same in every run. */
export function noise(length: number, seed: string): Buffer {
	const key = createHash('sha256').update(seed).digest();
	return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** The objects of a file before they are written. References are text, such as `5 0 R`. */
class Draft {
	readonly objects: RawObjects = {};

	add(object: RawObject = ''): string {
		const number = Object.keys(this.objects).length + 1;
		this.objects[number] = object;
		return `${number} 0 R`;
	}

	set(reference: string, object: string) {
		this.objects[parseInt(reference)] = object;
	}

	get(reference: string): string {
		return this.objects[parseInt(reference)] as string;
	}

	/** Adds entries to a dictionary. */
	extend(reference: string, entries: string) {
		this.set(reference, this.get(reference).replace(/ >>$/, ` ${entries} >>`));
	}
}

const [CATALOG, TREE] = ['1 0 R', '2 0 R'];

interface BundleOptions {
	pages?: number;
	/** More content of a page, after its text. */
	content?: (page: number) => string;
	/** Entries of a page beside its content. */
	page?: (page: number, draft: Draft) => string;
	/** Entries of the page tree's root, inherited by all pages. */
	inherited?: (draft: Draft, font: string) => string;
	/** Resources beside the font; null when the pages inherit theirs. */
	resources?: ((page: number, draft: Draft) => string) | null;
}

function makeBundle(options: BundleOptions = {}): { draft: Draft; pages: string[] } {
	const { pages: count = 6, content, page, inherited, resources = () => '' } = options;
	const draft = new Draft();
	draft.add(`<< /Type /Catalog /Pages ${TREE} >>`);
	draft.add();
	const pages = Array.from({ length: count }, () => draft.add());
	const font = draft.add(
		'<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
	);
	pages.forEach((reference, index) => {
		const number = index + 1;
		const text = `BT /F1 24 Tf 72 700 Td (${textOfPage(number)}) Tj ET ${content?.(number) ?? ''}`;
		const own = `/Font << /F1 ${font} >>`;
		const entries = [
			`/Type /Page /Parent ${TREE} /MediaBox [0 0 595 842] /Contents ${draft.add(deflated(text))}`,
			resources && `/Resources << ${own} ${resources(number, draft)} >>`,
			page?.(number, draft),
		];
		draft.set(reference, `<< ${entries.join(' ')} >>`);
	});
	const kids = `/Type /Pages /Kids [${pages.join(' ')}] /Count ${count}`;
	draft.set(TREE, `<< ${kids} ${inherited?.(draft, font) ?? ''} >>`);
	return { draft, pages };
}

const write = (options: BundleOptions, how?: RawOptions) =>
	rawPdf(makeBundle(options).draft.objects, how);

function grayImage(draft: Draft, width: number, height: number, seed: string): string {
	const dict = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
	return draft.add({ dict, data: noise(width * height, seed) });
}

/** Two pages to a node, the nodes in nodes; size and rotation come from above. */
function nestedTree(): Buffer {
	const { draft, pages } = makeBundle({ pages: 8 });
	const nodes = [0, 2, 4, 6].map((at) => {
		const kids = pages.slice(at, at + 2);
		const node = draft.add(
			`<< /Type /Pages /Parent ${TREE} /Kids [${kids.join(' ')}] /Count 2 /Rotate ${at === 4 ? 90 : 0} >>`,
		);
		for (const kid of kids) {
			const page = draft.get(kid).replace(/\/MediaBox \[.*?\]/, '');
			draft.set(kid, page.replace(TREE, node));
		}
		return node;
	});
	draft.set(TREE, `<< /Type /Pages /Kids [${nodes.join(' ')}] /Count 8 /MediaBox [0 0 500 800] >>`);
	return rawPdf(draft.objects);
}

function updated(): Buffer {
	const { draft, pages } = makeBundle();
	const file = rawPdf(draft.objects);
	// The second page is turned, the last one is gone.
	draft.extend(pages[1]!, '/Rotate 90');
	const once = appendUpdate(file, { [parseInt(pages[1]!)]: draft.get(pages[1]!) });
	const kids = pages.slice(0, 5).join(' ');
	return appendUpdate(once, {
		[parseInt(TREE)]: `<< /Type /Pages /Kids [${kids}] /Count 5 >>`,
	});
}

function drawing(draft: Draft, data: string, entries = ''): string {
	return draft.add({
		dict: `/Type /XObject /Subtype /Form /BBox [0 0 200 50] ${entries}`,
		data,
	});
}

/** A text and a box on pages 1 and 2, and a field that is on pages 1 and 3. */
function form(): Buffer {
	const { draft, pages } = makeBundle({ pages: 4 });
	const font = draft.add('<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>');
	const text = (shown: string) =>
		drawing(
			draft,
			`/Tx BMC q BT /Helv 12 Tf 2 4 Td (${shown}) Tj ET Q EMC`,
			`/Resources << /Font << /Helv ${font} >> >>`,
		);
	const widget = (page: number, entries: string) =>
		draft.add(
			`<< /Type /Annot /Subtype /Widget /Rect [72 600 272 620] /F 4 /P ${pages[page - 1]} ${entries} >>`,
		);
	const states = `<< /Yes ${drawing(draft, '0 0 20 20 re f')} /Off ${drawing(draft, '0 0 20 20 re S')} >>`;
	const number = draft.add();
	const places = [1, 3].map((page) =>
		widget(page, `/Parent ${number} /AP << /N ${text('4711')} >>`),
	);
	draft.set(number, `<< /FT /Tx /T (number) /V (4711) /Kids [${places.join(' ')}] >>`);
	const customer = widget(1, `/FT /Tx /T (customer) /V (Acme) /AP << /N ${text('Acme')} >>`);
	const paid = widget(2, `/FT /Btn /T (paid) /V /Yes /AS /Yes /AP << /N ${states} >>`);
	draft.extend(pages[0]!, `/Annots [${places[0]} ${customer}]`);
	draft.extend(pages[1]!, `/Annots [${paid}]`);
	draft.extend(pages[2]!, `/Annots [${places[1]}]`);
	draft.extend(
		CATALOG,
		`/AcroForm << /Fields [${customer} ${paid} ${number}] /DR << /Font << /Helv ${font} >> >> /DA (/Helv 0 Tf 0 g) >>`,
	);
	return rawPdf(draft.objects);
}

/** Notes and links on each page; outlines, names and a structure that lead to all. */
function linked(): Buffer {
	const { draft, pages } = makeBundle();
	const target = (page: number) => `[${pages[page - 1]} /XYZ 0 800 0]`;
	const outlines = draft.add();
	const chapters = pages.map((reference, index) => {
		const annotation = (entries: string) =>
			draft.add(`<< /Type /Annot /P ${reference} ${entries} >>`);
		const popup = draft.add();
		const look = drawing(draft, '1 0 0 rg 0 0 50 50 re f');
		const note = annotation(
			`/Subtype /Square /Rect [300 500 350 550] /Contents (Note on page ${index + 1}) /Popup ${popup} /AP << /N ${look} >>`,
		);
		draft.set(
			popup,
			`<< /Subtype /Popup /Rect [350 500 450 550] /Parent ${note} /P ${reference} >>`,
		);
		const link = '/Subtype /Link /Rect [72 500 172 520]';
		const links = [
			annotation(`${link} /Dest ${target(((index + 1) % 6) + 1)}`),
			annotation(`${link} /A << /S /URI /URI (https://example.com/) >>`),
		];
		const list = draft.add(`[${links.join(' ')} ${note} ${popup}]`);
		draft.extend(reference, `/Annots ${list} /StructParents ${index}`);
		return draft.add(
			`<< /Title (Chapter ${index + 1}) /Parent ${outlines} /Dest ${target(index + 1)} >>`,
		);
	});
	draft.set(outlines, `<< /Type /Outlines /First ${chapters[0]} /Last ${chapters[5]} /Count 6 >>`);
	const structure = draft.add();
	const elements = pages.map((reference) =>
		draft.add(`<< /Type /StructElem /S /P /P ${structure} /Pg ${reference} /K 0 >>`),
	);
	draft.set(structure, `<< /Type /StructTreeRoot /K [${elements.join(' ')}] >>`);
	const names = `/Names << /Dests << /Names [(chapter 4) << /D ${target(4)} >>] >> >>`;
	draft.extend(
		CATALOG,
		`/Outlines ${outlines} ${names} /OpenAction << /S /GoTo /D ${target(6)} >> /StructTreeRoot ${structure}`,
	);
	return rawPdf(draft.objects);
}

/** One layer that is shown, one that is hidden, one of another page. */
function layers(): Buffer {
	const groups: string[] = [];
	const { draft } = makeBundle({
		pages: 3,
		content: (page) =>
			page < 3
				? '/OC /L1 BDC 10 10 50 50 re f EMC /OC /L2 BDC 70 10 50 50 re f EMC'
				: '/OC /L3 BDC 10 10 50 50 re f EMC',
		resources: (page, draft) => {
			for (const label of groups.length === 0 ? ['Shown', 'Hidden', 'Of page 3'] : [])
				groups.push(draft.add(`<< /Type /OCG /Name (${label}) >>`));
			const [shown, hidden, other] = groups;
			return `/Properties << ${page < 3 ? `/L1 ${shown} /L2 ${hidden}` : `/L3 ${other}`} >>`;
		},
	});
	const all = groups.join(' ');
	draft.extend(
		CATALOG,
		`/OCProperties << /OCGs [${all}] /D << /Order [${all}] /ON [${groups[0]}] /OFF [${groups[1]}] >> >>`,
	);
	return rawPdf(draft.objects);
}

const FONT_FILE = join(
	dirname(require.resolve('pdfjs-dist/package.json')),
	'standard_fonts',
	'LiberationSans-Regular.ttf',
);

/** One resource dictionary for all pages: an embedded font for all, an image and a form for each page. */
function sharedResources(): Buffer {
	return write({
		pages: 20,
		content: (page) =>
			`BT /Big 12 Tf 72 650 Td (Embedded) Tj ET q 200 0 0 200 72 300 cm /Im${page} Do Q q /Fm${page} Do Q /Gs1 gs`,
		resources: null,
		inherited: (draft, font) => {
			const file = draft.add(deflated(readFileSync(FONT_FILE)));
			const descriptor = draft.add(
				`<< /Type /FontDescriptor /FontName /LiberationSans /Flags 32 /FontBBox [-543 -303 1301 979] /ItalicAngle 0 /Ascent 905 /Descent -211 /CapHeight 729 /StemV 80 /FontFile2 ${file} >>`,
			);
			const widths = Array.from({ length: 95 }, () => 600).join(' ');
			const big = draft.add(
				`<< /Type /Font /Subtype /TrueType /BaseFont /LiberationSans /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 126 /Widths [${widths}] /FontDescriptor ${descriptor} >>`,
			);
			const unused = draft.add('<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>');
			const forms: string[] = [];
			const images = Array.from({ length: 20 }, (_, index) => {
				const page = index + 1;
				// A form without resources of its own takes the page's.
				const inner = page === 1 ? 'q 10 0 0 10 0 0 cm /Im20 Do Q' : '0 0 10 10 re f';
				forms.push(draft.add(deflated(inner, '/Type /XObject /Subtype /Form /BBox [0 0 20 20]')));
				const image = grayImage(draft, 300, 200, `image ${page}`);
				return `/Im${page} ${image} /Fm${page} ${forms[index]}`;
			});
			const fonts = draft.add(`<< /F1 ${font} /Big ${big} /Unused ${unused} >>`);
			const states = `/Gs1 << /Type /ExtGState /CA 0.5 >> /Gs2 << /Type /ExtGState /SMask << /S /Alpha /G ${forms[2]} >> >>`;
			const resources = draft.add(
				`<< /Font ${fonts} /XObject ${draft.add(`<< ${images.join(' ')} >>`)} /ExtGState << ${states} >> /ProcSet [/PDF /Text /ImageB] >>`,
			);
			return `/Resources ${resources}`;
		},
	});
}

/** A scan whose pages all show a strip of one large image. */
function oneImage(): Buffer {
	let image: string | undefined;
	return write({
		pages: 10,
		content: (page) => `q 595 0 0 8420 0 ${-842 * (10 - page)} cm /Scan Do Q`,
		resources: (_page, draft) =>
			`/XObject << /Scan ${(image ??= grayImage(draft, 1000, 1000, 'scan'))} >>`,
	});
}

/** A scan: one image for each page. */
export function scan(pages: number, bytesPerPage: number): Buffer {
	const height = Math.round(bytesPerPage / 1000);
	return write({
		pages,
		content: () => 'q 595 0 0 842 0 0 cm /Scan Do Q',
		resources: (page, draft) =>
			`/XObject << /Scan ${grayImage(draft, 1000, height, `scan ${page}`)} >>`,
	});
}

const rotated: BundleOptions = {
	pages: 5,
	page: (page) => `/Rotate ${[0, 90, 180, 270, -90][page - 1]}`,
};
const cropped: BundleOptions = {
	page: (page) =>
		`/CropBox [${10 * page} 20 500 700] /TrimBox [${12 * page} 25 490 690] /UserUnit ${page === 2 ? 2 : 1}`,
};

/** The pattern names its place: enciphered bytes are others each time, and now and then hold three letters. */
function spoil(file: Buffer, pattern: RegExp, replacement: string): Buffer {
	return Buffer.from(file.toString('latin1').replace(pattern, replacement), 'latin1');
}

/** Strings and streams to decipher: an image, a link. */
function protectedBy(
	algorithm: EncryptionAlgorithm,
	userPassword: string,
	how?: RawOptions,
): Buffer {
	const withImageAndLink: BundleOptions = {
		content: () => 'q 100 0 0 100 72 300 cm /Im Do Q',
		resources: (page, draft) =>
			`/XObject << /Im ${grayImage(draft, 100, 100, `encrypted ${page}`)} >>`,
		page: (page, draft) => {
			const action = `/A << /S /URI /URI (https://example.com/${page}) >>`;
			const link = `<< /Type /Annot /Subtype /Link /Rect [72 500 172 520] ${action} >>`;
			return `/Annots [${draft.add(link)}]`;
		},
	};
	const encryption = { algorithm, userPassword, ownerPassword: 'owner' };
	return write(withImageAndLink, { ...how, encryption });
}

type Ending = 'cut' | 'locked' | 'damaged' | 'notPdf';

interface Case {
	file: () => Buffer;
	ending: Ending;
	/** Pages that can be read; only with `cut`. */
	pages?: number;
}

const cut = (pages: number, file: () => Buffer): Case => ({ file, ending: 'cut', pages });
const not = (ending: Ending, file: () => Buffer): Case => ({ file, ending });

export const corpus: Record<string, Case> = {
	plain: cut(6, () => write({})),
	'object streams': cut(6, () => write({}, { objectStreams: true })),
	'nested page tree': cut(8, nestedTree),
	'incremental updates': cut(5, updated),
	'lengths in objects of their own': cut(6, () => write({}, { indirectLengths: true })),
	'1,000 pages': cut(1000, () => write({ pages: 1000 })),
	'rotated pages': cut(5, () => write(rotated)),
	'crop boxes': cut(6, () => write(cropped)),
	'form fields': cut(4, form),
	'links, outlines and names': cut(6, linked),
	layers: cut(3, layers),
	'shared resources': cut(20, sharedResources),
	'one image over all pages': cut(10, oneImage),
	'one image for each page': cut(10, () => scan(10, 200_000)),
	'table of offsets damaged': cut(6, () =>
		spoil(write({}), /(\d{10}) 00000 n/g, '0000000012 00000 n'),
	),
	'start of the table unknown': cut(6, () =>
		spoil(write({}), /startxref\n\d+/, 'startxref\n99999999'),
	),
	'no table at all': cut(6, () => spoil(write({}), /xref\n0 [\s\S]*$/, '')),
	'no table at all, object streams': cut(6, () =>
		spoil(write({}, { objectStreams: true }), /startxref[\s\S]*$/, ''),
	),
	'junk before the header': cut(6, () =>
		Buffer.concat([Buffer.from('Content-Type: application/pdf\r\n\r\n'), write({})]),
	),
	'junk after the end': cut(6, () => Buffer.concat([write({}), Buffer.alloc(3000, 'x\n')])),
	'wrong lengths of streams': cut(6, () => spoil(write({}), /\/Length \d+/g, '/Length 7')),
	'opens without a password, RC4 40': cut(6, () => protectedBy('RC4-40', '')),
	'opens without a password, RC4 128': cut(6, () => protectedBy('RC4-128', '')),
	'opens without a password, AES 128': cut(6, () => protectedBy('AES-128', '')),
	'opens without a password, AES 256': cut(6, () => protectedBy('AES-256', '')),
	'opens without a password, AES 256, object streams': cut(6, () =>
		protectedBy('AES-256', '', { objectStreams: true }),
	),
	'opens without a password, AES 128, lengths in objects of their own': cut(6, () =>
		protectedBy('AES-128', '', { indirectLengths: true }),
	),
	'password, RC4 40': not('locked', () => protectedBy('RC4-40', 'secret')),
	'password, RC4 128': not('locked', () => protectedBy('RC4-128', 'secret')),
	'password, AES 128': not('locked', () => protectedBy('AES-128', 'secret')),
	'password, AES 256': not('locked', () => protectedBy('AES-256', 'secret')),
	'password, AES 256, object streams': not('locked', () =>
		protectedBy('AES-256', 'secret', { objectStreams: true }),
	),
	'password, no table': not('locked', () =>
		spoil(protectedBy('AES-128', 'secret'), /xref\n0 \d+\n[\s\S]*?(?=trailer)/, ''),
	),
	'encryption without its filters': not('locked', () =>
		spoil(protectedBy('AES-128', ''), /\/CF(?= <<\n\/StdCF)/, '/XF'),
	),
	'no pages': not('damaged', () => write({ pages: 0 })),
	'only a header': not('damaged', () => Buffer.from('%PDF-1.7\n')),
	'cut off before its pages': not('damaged', () => write({}).subarray(0, 120)),
	'noise after the header': not('damaged', () =>
		Buffer.concat([Buffer.from('%PDF-1.4\n'), noise(50_000, 'nonsense')]),
	),
	'a tree of pages that is its own parent': not('damaged', () =>
		spoil(write({}), /\/Kids \[[^\]]*\]/, '/Kids [2 0 R 2 0 R]'),
	),
	'a catalog without pages': not('damaged', () =>
		spoil(write({}), /\/Pages 2 0 R/, '/Pagez 2 0 R'),
	),
	empty: not('notPdf', () => Buffer.alloc(0)),
	text: not('notPdf', () => Buffer.from('Dear all, please find attached the invoices.')),
	noise: not('notPdf', () => noise(50_000, 'noise')),
	'a picture': not('notPdf', () =>
		Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), noise(1000, 'picture')]),
	),
};
