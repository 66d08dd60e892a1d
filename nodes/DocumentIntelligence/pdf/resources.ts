import { Budget, MAX_NAME_LOOKUPS } from './bounds';
import type { Copier } from './copier';
import { decode } from './decode';
import {
	PDFArray,
	PDFDict,
	type PDFName,
	PDFNull,
	type PDFObject,
	PDFRawStream,
	PDFRef,
} from './library';
import { ANY, type Names, namesIn } from './namesIn';
import type { SourceFile } from './sourceFile';

interface Entry {
	name: PDFName;
	value: PDFObject;
}

type Category = ReadonlyMap<string, Entry>;

/** What is read of the contents and the resources of a file, once for all of its parts. */
export class ContentIndex {
	private readonly names = new Map<PDFRawStream, Names | undefined>();
	private readonly categories = new Map<PDFDict, Category>();
	private readonly kinds = new Map<PDFDict, Map<string, Category | undefined>>();

	constructor(private readonly file: SourceFile) {}

	/** The names in a content, or `undefined` where no reader can read it. */
	namesOf(content: PDFRawStream): Names | undefined {
		if (this.names.has(content)) return this.names.get(content);
		const bytes = decode(content, this.file);
		const names = bytes && namesIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
		for (const kind of names?.values() ?? []) this.file.values.spend(kind.size);
		this.names.set(content, names);
		return names;
	}

	/** The entries of one kind by their names, one Latin-1 character for each byte. */
	categoryOf(resources: PDFDict, kind: string): Category | undefined {
		const known = this.kinds.get(resources) ?? new Map<string, Category | undefined>();
		this.kinds.set(resources, known);
		if (known.has(kind)) return known.get(kind);
		const dict = this.file.at(resources, kind);
		const category = dict instanceof PDFDict ? this.entriesOf(dict) : undefined;
		known.set(kind, category);
		return category;
	}

	private entriesOf(dict: PDFDict): Category {
		let category = this.categories.get(dict);
		if (category === undefined) {
			const entries = dict.entries();
			this.file.values.spend(entries.length);
			category = new Map(
				entries.map(([name, value]) => [name.decodeText(), { name, value }] as const),
			);
			this.categories.set(dict, category);
		}
		return category;
	}
}

interface Copy {
	ref: PDFRef;
	dict: PDFDict;
	categories: Map<string, PDFDict>;
}

/** Used by colors of the device without being named (ISO 32000-1, 8.6.5.6). */
const DEFAULT_COLOR_SPACES = ['DefaultGray', 'DefaultRGB', 'DefaultCMYK'];

const KINDS = ['ExtGState', 'ColorSpace', 'Pattern', 'Shading', 'XObject', 'Font', 'Properties'];

/**
 * The resources of a part. A dictionary of the file has one copy, which gets an entry when the first content that is
 * drawn uses it.
 */
export class Resources {
	private readonly copies = new Map<PDFDict, Copy>();
	/** What was drawn, by the resources of its page and by those around it. */
	private readonly drawn = new Map<PDFDict, Map<PDFDict, Set<PDFObject | Entry>>>();
	private readonly allDrawn = new Set<PDFObject>();
	private readonly lookups = new Budget(MAX_NAME_LOOKUPS);

	constructor(
		private readonly file: SourceFile,
		private readonly index: ContentIndex,
		private readonly copier: Copier,
	) {}

	/** Where the copy of a resource dictionary is. */
	of(resources: PDFDict): PDFRef {
		return this.copyOf(resources).ref;
	}

	private copyOf(resources: PDFDict): Copy {
		const known = this.copies.get(resources);
		if (known !== undefined) return known;
		const dict = PDFDict.withContext(this.copier.context);
		const copy = { ref: this.copier.context.register(dict), dict, categories: new Map() };
		this.copies.set(resources, copy);
		this.copier.setIn(dict, 'ProcSet', this.copier.copy(this.file.at(resources, 'ProcSet')));
		const colorSpaces = this.index.categoryOf(resources, 'ColorSpace');
		for (const name of DEFAULT_COLOR_SPACES) {
			const entry = colorSpaces?.get(name);
			if (entry !== undefined) this.use(resources, 'ColorSpace', entry);
		}
		return copy;
	}

	/** Has everything copied that a content of a page uses, which has no other resources than the page's. */
	drawPage(content: PDFRawStream, page: PDFDict): void {
		this.copier.later(() => this.drawContent(content, page, page, true));
	}

	/**
	 * Has everything copied that drawing an object uses.
	 *
	 * @param page the resources of the page it is on
	 * @param around those of what draws it, which count where it has none of its own
	 */
	draw(object: PDFObject | undefined, page: PDFDict, around: PDFDict): void {
		if (!(object instanceof PDFRawStream) && !(object instanceof PDFDict)) return;
		const drawn = this.drawnIn(page, around);
		if (drawn.has(object)) return;
		drawn.add(object);
		this.allDrawn.add(object);
		this.copier.later(() => {
			if (object instanceof PDFRawStream) {
				const own = this.file.at(object.dict, 'Resources');
				const hasOwn = own instanceof PDFDict;
				this.drawContent(object, page, hasOwn ? own : around, hasOwn);
			} else {
				this.drawWith(object, page, around);
			}
		});
	}

	private drawnIn(page: PDFDict, around: PDFDict): Set<PDFObject | Entry> {
		const ofPage = this.drawn.get(page) ?? new Map<PDFDict, Set<PDFObject | Entry>>();
		this.drawn.set(page, ofPage);
		let drawn = ofPage.get(around);
		if (drawn === undefined) ofPage.set(around, (drawn = new Set()));
		return drawn;
	}

	isDrawn(object: PDFObject): boolean {
		return this.allDrawn.has(object);
	}

	private drawContent(content: PDFRawStream, page: PDFDict, near: PDFDict, isOwn: boolean): void {
		const names = this.index.namesOf(content);
		if (names === undefined) {
			this.copier.isDamaged = true;
			return;
		}
		for (const [kind, ofKind] of names) {
			this.lookups.spend(ofKind.size);
			for (const name of ofKind) {
				const isFound = this.find(kind, name, near, page, near);
				// Without resources of its own it takes the page's, or, for some readers, those of what draws it. And some
				// readers look there for what its own do not have.
				if (near !== page && !(isFound && isOwn)) this.find(kind, name, page, page, near);
			}
		}
	}

	/** Uses an entry, and what it draws; whether there is one. */
	find(kind: string, name: string, resources: PDFDict, page: PDFDict, around: PDFDict): boolean {
		let isFound = false;
		const drawn = this.drawnIn(page, around);
		for (const category of kind === ANY ? KINDS : [kind]) {
			const entry = this.index.categoryOf(resources, category)?.get(name);
			if (entry === undefined) continue;
			isFound = true;
			if (resources === around) {
				if (drawn.has(entry)) continue;
				drawn.add(entry);
			}
			this.use(resources, category, entry);
			const object = this.file.lookup(entry.value);
			if (object instanceof PDFDict || (object instanceof PDFRawStream && this.isDrawing(object))) {
				if (category !== 'Properties') this.draw(object, page, around);
			}
		}
		return isFound;
	}

	private use(resources: PDFDict, kind: string, { name, value }: Entry): void {
		const { dict, categories } = this.copyOf(resources);
		let category = categories.get(kind);
		if (category === undefined) {
			category = PDFDict.withContext(this.copier.context);
			categories.set(kind, category);
			this.copier.setIn(dict, kind, category);
		}
		if (category.get(name, true) === undefined) {
			// Null at first: what is copied may lead back here.
			category.set(name, PDFNull);
			category.set(name, this.copier.copy(value));
		}
	}

	/** Whether a stream is content with resources, as forms and tiling patterns are. */
	isDrawing(stream: PDFRawStream): boolean {
		return (
			this.file.nameAt(stream.dict, 'Subtype') === 'Form' ||
			this.file.at(stream.dict, 'PatternType') !== undefined
		);
	}

	/** A drawn font, a graphics state or a pattern that has one. */
	private drawWith(dict: PDFDict, page: PDFDict, around: PDFDict): void {
		const { file } = this;
		const own = file.at(dict, 'Resources');
		const near = own instanceof PDFDict ? own : around;
		for (const glyph of glyphsOf(file, dict)) this.draw(glyph, page, near);
		const mask = file.at(dict, 'SMask');
		if (mask instanceof PDFDict) this.draw(file.at(mask, 'G'), page, around);
		const font = file.at(dict, 'Font');
		if (font instanceof PDFArray && font.size() > 0) {
			this.draw(file.lookup(font.get(0)), page, around);
		}
		const state = file.at(dict, 'ExtGState');
		if (state instanceof PDFDict) this.draw(state, page, around);
	}
}

function glyphsOf(file: SourceFile, font: PDFDict): PDFObject[] {
	if (file.nameAt(font, 'Subtype') !== 'Type3') return [];
	const glyphs = file.at(font, 'CharProcs');
	if (!(glyphs instanceof PDFDict)) return [];
	return glyphs.values().flatMap((glyph) => {
		const object = file.lookup(glyph);
		return object instanceof PDFRawStream ? [object] : [];
	});
}
