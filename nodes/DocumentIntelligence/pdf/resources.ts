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

type Category = ReadonlyMap<string, { name: PDFName; value: PDFObject }>;

/** What is read of the contents and the resources of a file, once for all of its parts. */
export class ContentIndex {
	private readonly names = new Map<PDFRawStream, Names | undefined>();
	private readonly categories = new Map<PDFDict, Category>();

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
		const dict = this.file.at(resources, kind);
		if (!(dict instanceof PDFDict)) return undefined;
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

const KINDS = [
	...['ExtGState', 'ColorSpace', 'Pattern', 'Shading', 'XObject', 'Font', 'Properties'],
];

/**
 * The resources of a part. A dictionary of the file has one copy, which gets an entry when the first content that is
 * drawn uses it.
 */
export class Resources {
	private readonly copies = new Map<PDFDict, Copy>();
	private readonly drawn = new Map<PDFObject, Set<string>>();
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
		for (const name of DEFAULT_COLOR_SPACES) this.use(resources, 'ColorSpace', name);
		return copy;
	}

	/**
	 * Has everything copied that drawing an object uses.
	 *
	 * @param page the resources of the page it is on
	 * @param around those of what draws it, which count where it has none of its own
	 */
	draw(object: PDFObject | undefined, page: PDFDict, around: PDFDict): void {
		if (!(object instanceof PDFRawStream) && !(object instanceof PDFDict)) return;
		let contexts = this.drawn.get(object);
		if (contexts === undefined) this.drawn.set(object, (contexts = new Set()));
		const context = `${this.of(page).objectNumber} ${this.of(around).objectNumber}`;
		if (contexts.has(context)) return;
		contexts.add(context);
		this.copier.later(() => {
			if (object instanceof PDFRawStream) this.drawContent(object, page, around);
			else this.drawWith(object, page, around);
		});
	}

	isDrawn(object: PDFObject): boolean {
		return this.drawn.has(object);
	}

	private drawContent(content: PDFRawStream, page: PDFDict, around: PDFDict): void {
		const names = this.index.namesOf(content);
		if (names === undefined) {
			this.copier.isDamaged = true;
			return;
		}
		const own = this.file.at(content.dict, 'Resources');
		const near = own instanceof PDFDict ? own : around;
		for (const [kind, ofKind] of names) {
			this.lookups.spend(ofKind.size);
			for (const name of ofKind) {
				const isFound = this.find(kind, name, near, page, near);
				// Without resources of its own it takes the page's, or, for some readers, those of what draws it. And some
				// readers look there for what its own do not have.
				if (near !== page && !(isFound && own instanceof PDFDict)) {
					this.find(kind, name, page, page, near);
				}
			}
		}
	}

	/** Uses an entry, and what it draws; whether there is one. */
	find(kind: string, name: string, resources: PDFDict, page: PDFDict, around: PDFDict): boolean {
		let isFound = false;
		for (const category of kind === ANY ? KINDS : [kind]) {
			const value = this.use(resources, category, name);
			if (value === undefined) continue;
			isFound = true;
			const object = this.file.lookup(value);
			if (object instanceof PDFDict || (object instanceof PDFRawStream && this.isDrawing(object))) {
				if (category !== 'Properties') this.draw(object, page, around);
			}
		}
		return isFound;
	}

	private use(resources: PDFDict, kind: string, name: string): PDFObject | undefined {
		const found = this.index.categoryOf(resources, kind)?.get(name);
		if (found === undefined) return undefined;
		const { dict, categories } = this.copyOf(resources);
		let category = categories.get(kind);
		if (category === undefined) {
			category = PDFDict.withContext(this.copier.context);
			categories.set(kind, category);
			this.copier.setIn(dict, kind, category);
		}
		if (category.get(found.name, true) === undefined) {
			// Null at first: what is copied may lead back here.
			category.set(found.name, PDFNull);
			category.set(found.name, this.copier.copy(found.value));
		}
		return found.value;
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
