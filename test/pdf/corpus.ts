import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { EncryptionAlgorithm } from '@cantoo/pdf-lib';

import {
	appendUpdate,
	Draft,
	name,
	type Dict,
	Ref,
	Stream,
	type Value,
	type WriteOptions,
} from './writer';

// The files that cutting is tried on. Every page says which one it is, so that a reader can tell whether it got the right ones.

export const textOfPage = (page: number) => `This is page ${page}`;

/** Bytes that no filter makes smaller, the same in every run. */
export function noise(length: number, seed: string): Buffer {
	const blocks: Buffer[] = [];
	for (let have = 0; have < length; have += 32)
		blocks.push(createHash('sha256').update(`${seed} ${have}`).digest());
	return Buffer.concat(blocks).subarray(0, length);
}

interface Bundle {
	draft: Draft;
	pages: Ref[];
	tree: Ref;
	catalog: Dict;
}

interface BundleOptions {
	pages?: number;
	/** More content of a page, after its text. */
	content?: (page: number) => string;
	/** Entries of a page beside its content. */
	page?: (page: number, draft: Draft, ref: Ref) => Dict;
	/** Entries of the page tree's root, inherited by all pages. */
	inherited?: (draft: Draft, font: Ref) => Dict;
	/** Resources beside the font; `undefined` when the pages inherit theirs. */
	resources?: ((page: number, draft: Draft) => Dict) | null;
}

function makeBundle({
	pages: count = 6,
	content,
	page,
	inherited,
	resources = () => ({}),
}: BundleOptions = {}): Bundle {
	const draft = new Draft();
	const font = draft.add({
		Type: name('Font'),
		Subtype: name('Type1'),
		BaseFont: name('Helvetica'),
		Encoding: name('WinAnsiEncoding'),
	});
	const tree = draft.add(null);
	const pages = Array.from({ length: count }, () => draft.add(null));
	pages.forEach((ref, index) => {
		const number = index + 1;
		const text = `BT /F1 24 Tf 72 700 Td (${textOfPage(number)}) Tj ET ${content?.(number) ?? ''}`;
		draft.set(ref, {
			Type: name('Page'),
			Parent: tree,
			MediaBox: [0, 0, 595, 842],
			Contents: draft.addDeflated({}, text),
			...(resources && { Resources: withFont(font, resources(number, draft)) }),
			...page?.(number, draft, ref),
		});
	});
	draft.set(tree, { Type: name('Pages'), Kids: pages, Count: count, ...inherited?.(draft, font) });
	const catalog: Dict = { Type: name('Catalog'), Pages: tree };
	draft.root = draft.add(catalog);
	return { draft, pages, tree, catalog };
}

function withFont(font: Ref, { Font, ...others }: Dict): Dict {
	return { Font: { F1: font, ...(Font as Dict | undefined) }, ...others };
}

const write = (options: BundleOptions, how?: WriteOptions) => makeBundle(options).draft.write(how);

function grayImage(draft: Draft, width: number, height: number, seed: string): Ref {
	const dict = {
		Type: name('XObject'),
		Subtype: name('Image'),
		Width: width,
		Height: height,
		ColorSpace: name('DeviceGray'),
		BitsPerComponent: 8,
	};
	return draft.add(new Stream(dict, noise(width * height, seed)));
}

/** Two pages to a node, the nodes in nodes; size and rotation come from above. */
function nestedTree(): Buffer {
	const { draft, pages, tree } = makeBundle({ pages: 8 });
	const nodes = [0, 2, 4, 6].map((at) => {
		const kids = pages.slice(at, at + 2);
		const node = draft.add(null);
		for (const kid of kids) {
			const page: Dict = { ...(draft.objects[kid.number - 1] as Dict), Parent: node };
			delete page.MediaBox;
			draft.set(kid, page);
		}
		draft.set(node, {
			Type: name('Pages'),
			Parent: tree,
			Kids: kids,
			Count: 2,
			Rotate: at === 4 ? 90 : 0,
		});
		return node;
	});
	draft.set(tree, { Type: name('Pages'), Kids: nodes, Count: 8, MediaBox: [0, 0, 500, 800] });
	return draft.write();
}

function updated(): Buffer {
	const { draft, pages, tree } = makeBundle();
	const file = draft.write();
	const second = draft.objects[Number(pages[1]?.number) - 1] as Dict;
	// The second page is turned, the last one is gone.
	const once = appendUpdate(file, draft.root, [[pages[1]!, { ...second, Rotate: 90 }]]);
	return appendUpdate(once, draft.root, [
		[tree, { Type: name('Pages'), Kids: pages.slice(0, 5), Count: 5 }],
	]);
}

function drawing(draft: Draft, content: string, dict: Dict = {}): Ref {
	const form = { Type: name('XObject'), Subtype: name('Form'), BBox: [0, 0, 200, 50], ...dict };
	return draft.add(new Stream(form, Buffer.from(content)));
}

/** A text and a box on pages 1 and 2, and a field that is on pages 1 and 3. */
function form(): Buffer {
	const { draft, pages, catalog } = makeBundle({ pages: 4 });
	const font = draft.add({ Type: name('Font'), Subtype: name('Type1'), BaseFont: name('Courier') });
	const text = (shown: string) =>
		drawing(draft, `/Tx BMC q BT /Helv 12 Tf 2 4 Td (${shown}) Tj ET Q EMC`, {
			Resources: { Font: { Helv: font } },
		});
	const widget = (page: number, entries: Dict): Ref => {
		const [Type, Subtype, P] = [name('Annot'), name('Widget'), pages[page - 1]!];
		const ref = draft.add({ Type, Subtype, Rect: [72, 600, 272, 620], F: 4, P, ...entries });
		const dict = draft.objects[P.number - 1] as Dict;
		draft.set(P, { ...dict, Annots: [...((dict.Annots as Value[] | undefined) ?? []), ref] });
		return ref;
	};
	const states = { Yes: drawing(draft, '0 0 20 20 re f'), Off: drawing(draft, '0 0 20 20 re S') };
	const number = draft.add(null);
	const places = [1, 3].map((page) => widget(page, { Parent: number, AP: { N: text('4711') } }));
	draft.set(number, { FT: name('Tx'), T: 'number', V: '4711', Kids: places });
	catalog.AcroForm = {
		Fields: [
			widget(1, { FT: name('Tx'), T: 'customer', V: 'Acme', AP: { N: text('Acme') } }),
			widget(2, { FT: name('Btn'), T: 'paid', V: name('Yes'), AS: name('Yes'), AP: { N: states } }),
			number,
		],
		DR: { Font: { Helv: font } },
		DA: '/Helv 0 Tf 0 g',
	};
	return draft.write();
}

/** Notes and links on each page; outlines, names and a structure that lead to all. */
function linked(): Buffer {
	const { draft, pages, catalog } = makeBundle();
	const target = (page: number): Value[] => [pages[page - 1]!, name('XYZ'), 0, 800, 0];
	const outlines = draft.add(null);
	const chapters = pages.map((ref, index) => {
		const annotation = (subtype: string, entries: Dict) =>
			draft.add({ Type: name('Annot'), Subtype: name(subtype), P: ref, ...entries });
		const popup = draft.add(null);
		const note = annotation('Square', {
			Rect: [300, 500, 350, 550],
			Contents: `Note on page ${index + 1}`,
			Popup: popup,
			AP: { N: drawing(draft, '1 0 0 rg 0 0 50 50 re f') },
		});
		draft.set(popup, { Subtype: name('Popup'), Rect: [350, 500, 450, 550], Parent: note, P: ref });
		const Rect = [72, 500, 172, 520];
		const links = [
			annotation('Link', { Rect, Dest: target(((index + 1) % 6) + 1) }),
			annotation('Link', { Rect, A: { S: name('URI'), URI: 'https://example.com/' } }),
		];
		draft.set(ref, {
			...(draft.objects[ref.number - 1] as Dict),
			Annots: draft.add([...links, note, popup]),
			StructParents: index,
		});
		return draft.add({ Title: `Chapter ${index + 1}`, Parent: outlines, Dest: target(index + 1) });
	});
	const [First, Last] = [chapters[0]!, chapters[5]!];
	draft.set(outlines, { Type: name('Outlines'), First, Last, Count: 6 });
	catalog.Outlines = outlines;
	catalog.Names = { Dests: { Names: ['chapter 4', { D: target(4) }] } };
	catalog.OpenAction = { S: name('GoTo'), D: target(6) };
	const structure = draft.add(null);
	const elements = pages.map((ref) =>
		draft.add({ Type: name('StructElem'), S: name('P'), P: structure, Pg: ref, K: 0 }),
	);
	draft.set(structure, { Type: name('StructTreeRoot'), K: elements });
	catalog.StructTreeRoot = structure;
	return draft.write();
}

/** One layer that is shown, one that is hidden, one of another page. */
function layers(): Buffer {
	const groups: Ref[] = [];
	const group = (draft: Draft, index: number) =>
		(groups[index] ??= draft.add({
			Type: name('OCG'),
			Name: ['Shown', 'Hidden', 'Of page 3'][index]!,
		}));
	const bundle = makeBundle({
		pages: 3,
		content: (page) =>
			page < 3
				? '/OC /L1 BDC 10 10 50 50 re f EMC /OC /L2 BDC 70 10 50 50 re f EMC'
				: '/OC /L3 BDC 10 10 50 50 re f EMC',
		resources: (page, draft): Dict => ({
			Properties: page < 3 ? { L1: group(draft, 0), L2: group(draft, 1) } : { L3: group(draft, 2) },
		}),
	});
	bundle.catalog.OCProperties = {
		OCGs: groups,
		D: { Order: groups, ON: [groups[0]!], OFF: [groups[1]!] },
	};
	return bundle.draft.write();
}

const FONT_FILE = join(
	dirname(require.resolve('pdfjs-dist/package.json')),
	'standard_fonts',
	'LiberationSans-Regular.ttf',
);

/** One resource dictionary for all pages: an embedded font for all, an image and a form for each page. */
export function sharedResources(): Buffer {
	const { draft } = makeBundle({
		pages: 20,
		content: (page) =>
			`BT /Big 12 Tf 72 650 Td (Embedded) Tj ET q 200 0 0 200 72 300 cm /Im${page} Do Q q /Fm${page} Do Q /Gs1 gs`,
		resources: null,
		inherited: (draft, font) => {
			const descriptor = draft.add({
				Type: name('FontDescriptor'),
				FontName: name('LiberationSans'),
				Flags: 32,
				FontBBox: [-543, -303, 1301, 979],
				ItalicAngle: 0,
				Ascent: 905,
				Descent: -211,
				CapHeight: 729,
				StemV: 80,
				FontFile2: draft.addDeflated({}, readFileSync(FONT_FILE)),
			});
			const big = draft.add({
				Type: name('Font'),
				Subtype: name('TrueType'),
				BaseFont: name('LiberationSans'),
				Encoding: name('WinAnsiEncoding'),
				FirstChar: 32,
				LastChar: 126,
				Widths: Array.from({ length: 95 }, () => 600),
				FontDescriptor: descriptor,
			});
			const unused = draft.add({
				Type: name('Font'),
				Subtype: name('Type1'),
				BaseFont: name('Courier'),
			});
			const images: Dict = {};
			for (let page = 1; page <= 20; page++) {
				images[`Im${page}`] = grayImage(draft, 300, 200, `image ${page}`);
				// A form without resources of its own takes the page's.
				const inner = page === 1 ? `q 10 0 0 10 0 0 cm /Im20 Do Q` : '0 0 10 10 re f';
				images[`Fm${page}`] = draft.addDeflated(
					{ Type: name('XObject'), Subtype: name('Form'), BBox: [0, 0, 20, 20] },
					inner,
				);
			}
			const resources = draft.add({
				Font: draft.add({ F1: font, Big: big, Unused: unused }),
				XObject: draft.add(images),
				ExtGState: {
					Gs1: { Type: name('ExtGState'), CA: 0.5 },
					Gs2: { Type: name('ExtGState'), SMask: { S: name('Alpha'), G: images.Fm3 as Ref } },
				},
				ProcSet: [name('PDF'), name('Text'), name('ImageB')],
			});
			return { Resources: resources };
		},
	});
	return draft.write();
}

/** A font whose glyphs are drawings, which use the resources of the page, and a mask that does. */
function drawnGlyphs(): Buffer {
	return write({
		pages: 3,
		content: () => 'BT /T3 40 Tf 72 500 Td (A) Tj ET /Masked gs 72 300 100 100 re f',
		resources: (page, draft) => {
			const glyph = draft.add(
				new Stream({}, Buffer.from('1 0 d0 q 0.5 0 0 0.5 0 0 cm /InGlyph Do Q')),
			);
			const mask = {
				Type: name('XObject'),
				Subtype: name('Form'),
				BBox: [0, 0, 600, 900],
				Group: { S: name('Transparency'), CS: name('DeviceGray') },
			};
			const font = draft.add({
				Type: name('Font'),
				Subtype: name('Type3'),
				FontBBox: [0, 0, 1, 1],
				FontMatrix: [1, 0, 0, 1, 0, 0],
				CharProcs: { A: glyph },
				Encoding: { Type: name('Encoding'), Differences: [65, name('A')] },
				FirstChar: 65,
				LastChar: 65,
				Widths: [1],
			});
			return {
				Font: { T3: font },
				XObject: {
					InGlyph: grayImage(draft, 20, 20, `in a glyph ${page}`),
					InMask: grayImage(draft, 20, 20, `in a mask ${page}`),
				},
				ExtGState: {
					Masked: {
						SMask: {
							S: name('Luminosity'),
							G: draft.addDeflated(mask, 'q 100 0 0 100 72 300 cm /InMask Do Q'),
						},
					},
				},
			};
		},
	});
}

/** A scan whose pages all show a strip of one large image. */
export function oneImage(): Buffer {
	let image: Ref | undefined;
	return write({
		pages: 10,
		content: (page) => `q 595 0 0 8420 0 ${-842 * (10 - page)} cm /Scan Do Q`,
		resources: (_page, draft) => ({
			XObject: { Scan: (image ??= grayImage(draft, 1000, 1000, 'scan')) },
		}),
	});
}

/** A scan: one image for each page. */
export function scan(pages: number, bytesPerPage: number, how?: WriteOptions): Buffer {
	const width = 1000;
	return write(
		{
			pages,
			content: () => 'q 595 0 0 842 0 0 cm /Scan Do Q',
			resources: (page, draft) => ({
				XObject: {
					Scan: grayImage(draft, width, Math.round(bytesPerPage / width), `scan ${page}`),
				},
			}),
		},
		how,
	);
}

const rotated: BundleOptions = {
	pages: 5,
	page: (page) => ({ Rotate: [0, 90, 180, 270, -90][page - 1]! }),
};
const cropped: BundleOptions = {
	page: (page) => ({
		CropBox: [10 * page, 20, 500, 700],
		TrimBox: [12 * page, 25, 490, 690],
		UserUnit: page === 2 ? 2 : 1,
	}),
};

function spoil(file: Buffer, pattern: RegExp, replacement: string): Buffer {
	return Buffer.from(file.toString('latin1').replace(pattern, replacement), 'latin1');
}

function protectedBy(
	algorithm: EncryptionAlgorithm,
	userPassword: string,
	layout?: WriteOptions['layout'],
	indirectLengths?: boolean,
): Buffer {
	return scanWithForm().write({
		layout,
		indirectLengths,
		encryption: { algorithm, userPassword, ownerPassword: 'owner' },
	});
}

/** Strings and streams to decipher: a form field, an image, a link. */
function scanWithForm(): Draft {
	return makeBundle({
		content: () => 'q 100 0 0 100 72 300 cm /Im Do Q',
		resources: (page, draft) => ({
			XObject: { Im: grayImage(draft, 100, 100, `encrypted ${page}`) },
		}),
		page: (page, draft) => ({
			Annots: [
				draft.add({
					Type: name('Annot'),
					Subtype: name('Link'),
					Rect: [72, 500, 172, 520],
					A: { S: name('URI'), URI: `https://example.com/${page}` },
				}),
			],
		}),
	}).draft;
}

export type Ending = 'cut' | 'locked' | 'damaged' | 'notPdf';

export interface Case {
	file: () => Buffer;
	ending: Ending;
	/** Pages that can be read; only with `cut`. */
	pages?: number;
}

const cut = (pages: number, file: () => Buffer): Case => ({ file, ending: 'cut', pages });
const not = (ending: Ending, file: () => Buffer): Case => ({ file, ending });

export const corpus: Record<string, Case> = {
	plain: cut(6, () => write({})),
	'object streams': cut(6, () => write({}, { layout: 'objectStreams' })),
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
	'glyphs and masks that draw with the resources of the page': cut(3, drawnGlyphs),
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
		spoil(write({}, { layout: 'objectStreams' }), /startxref[\s\S]*$/, ''),
	),
	'junk before the header': cut(6, () =>
		write({}, { junk: 'Content-Type: application/pdf\r\n\r\n' }),
	),
	'junk after the end': cut(6, () => Buffer.concat([write({}), Buffer.alloc(3000, 'x\n')])),
	'wrong lengths of streams': cut(6, () => spoil(write({}), /\/Length \d+/g, '/Length 7')),
	'opens without a password, RC4 40': cut(6, () => protectedBy('RC4-40', '')),
	'opens without a password, RC4 128': cut(6, () => protectedBy('RC4-128', '')),
	'opens without a password, AES 128': cut(6, () => protectedBy('AES-128', '')),
	'opens without a password, AES 256': cut(6, () => protectedBy('AES-256', '')),
	'opens without a password, AES 256, object streams': cut(6, () =>
		protectedBy('AES-256', '', 'objectStreams'),
	),
	'opens without a password, AES 128, lengths in objects of their own': cut(6, () =>
		protectedBy('AES-128', '', undefined, true),
	),
	'password, RC4 40': not('locked', () => protectedBy('RC4-40', 'secret')),
	'password, RC4 128': not('locked', () => protectedBy('RC4-128', 'secret')),
	'password, AES 128': not('locked', () => protectedBy('AES-128', 'secret')),
	'password, AES 256': not('locked', () => protectedBy('AES-256', 'secret')),
	'password, AES 256, object streams': not('locked', () =>
		protectedBy('AES-256', 'secret', 'objectStreams'),
	),
	'password, no table': not('locked', () =>
		spoil(protectedBy('AES-128', 'secret'), /xref\n0 \d+\n[\s\S]*?(?=trailer)/, ''),
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
