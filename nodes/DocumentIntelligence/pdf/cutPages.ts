import { letOthersRun } from './eventLoop';
import {
	decodePDFRawStream,
	PDFArray,
	PDFContext,
	PDFDict,
	PDFDocument,
	PDFHexString,
	PDFInvalidObject,
	PDFName,
	PDFNull,
	type PDFObject,
	PDFParser,
	PDFRawStream,
	PDFRef,
	PDFStreamWriter,
	PDFString,
} from './library';
import { addNamesIn } from './namesIn';
import { type Bundle, MAX_ENCRYPTED_BUNDLE_BYTES, type NotCutReason } from './openBundle';

// The library reads and writes; what belongs to a page is decided here, as every library copies more than that: the
// whole of a shared resource dictionary, and through links, fields and threads other pages (docs/pdf-library.md).

const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'];

/** Entries of a page that speak of other pages or of the whole file. */
const NOT_OF_THE_PAGE = new Set(
	['Parent', 'Annots', 'B', 'Thumb', 'AA', 'AF', 'SeparationInfo', 'PresSteps'].concat(INHERITED),
);

/** Entries that lead from an object to the structure of the whole file, and what editors keep for themselves. */
const NOT_COPIED = new Set(['StructParent', 'StructParents', 'Metadata', 'PieceInfo']);

/** Objects of the whole file: a reference to one that is no page of the part is dropped. */
const OF_THE_FILE = new Set([
	...['Page', 'Pages', 'Catalog', 'Outlines', 'StructTreeRoot', 'StructElem'],
]);

interface SourcePage {
	ref: PDFRef | undefined;
	dict: PDFDict;
	inherited: Map<string, PDFObject>;
}

/** Reads a file that starts like a PDF. */
export async function readBundle(bytes: Buffer): Promise<Bundle | NotCutReason> {
	let source: PDFContext;
	try {
		source = await new BundleParser(bytes).parseDocument();
		if (source.lookup(source.trailerInfo.Encrypt) !== undefined) {
			if (bytes.length > MAX_ENCRYPTED_BUNDLE_BYTES) return 'tooLarge';
			const options = { password: '', parseSpeed: OBJECTS_PER_SLICE, updateMetadata: false };
			source = (await PDFDocument.load(bytes, options)).context;
		}
	} catch {
		// The library throws errors of many kinds; only what they are about is of use here.
		return bytes.includes('/Encrypt') ? 'locked' : 'damaged';
	}
	if (isStillEncrypted(source)) return 'locked';
	const pages = pagesOf(source);
	if (pages === undefined || pages.length === 0) return 'damaged';
	const names = new NamedDestinations(source);
	return {
		pageCount: pages.length,
		async cut(numbers) {
			const chosen = numbers.flatMap((number) => pages[number - 1] ?? []);
			return chosen.length === 0 ? 'noPages' : await new Part(source, names).write(chosen);
		},
	};
}

/** After each the library may let others run (see eventLoop.ts): one page of a scan is one object. */
const OBJECTS_PER_SLICE = 1;

/** Reads a stream whose length stands elsewhere without looking at every byte of it, which takes ten times as long. */
class BundleParser extends PDFParser {
	constructor(private readonly file: Buffer) {
		super(file, OBJECTS_PER_SLICE);
	}

	protected override findEndOfStreamFallback(start: {
		line: number;
		column: number;
		offset: number;
	}) {
		const from = this.bytes.offset();
		const end = this.file.indexOf('endstream', from);
		// A stream that holds another PDF has streams inside; the library tells them apart.
		if (end < 0 || this.file.subarray(from, end).includes('stream')) {
			return super.findEndOfStreamFallback(start);
		}
		this.bytes.moveTo(end + 'endstream'.length);
		const lineFeed = this.file[end - 1] === 10 ? 1 : 0;
		const carriageReturn = this.file[end - 1 - lineFeed] === 13 ? 1 : 0;
		return Math.max(from, end - lineFeed - carriageReturn);
	}
}

/** Whether the trailer that says how to decipher the file is lost, or what it points at: the pages would be noise. */
function isStillEncrypted(source: PDFContext): boolean {
	if (source.isDecrypted) return false;
	const { Encrypt } = source.trailerInfo;
	if (Encrypt !== undefined) return !(source.lookup(Encrypt) instanceof PDFDict);
	return source
		.enumerateIndirectObjects()
		.some(
			([, object]) =>
				object instanceof PDFDict &&
				nameAt(object, 'Filter') === 'Standard' &&
				['O', 'U', 'P'].every((key) => at(object, key) !== undefined),
		);
}

/** The pages in order, or `undefined` where one cannot be read: the numbers of all after it would be wrong. */
function pagesOf(source: PDFContext): SourcePage[] | undefined {
	const catalog = source.lookup(source.trailerInfo.Root);
	if (!(catalog instanceof PDFDict)) return undefined;
	const pages: SourcePage[] = [];
	const seen = new Set<PDFDict>();
	const pending = [{ node: entry(catalog, 'Pages'), above: new Map<string, PDFObject>() }];
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		const { node, above } = next;
		const dict = source.lookup(node);
		if (!(dict instanceof PDFDict)) return undefined;
		const inherited = new Map(above);
		for (const key of INHERITED) {
			const value = entry(dict, key);
			if (value !== undefined && at(dict, key) !== undefined) inherited.set(key, value);
		}
		const kids = at(dict, 'Kids');
		if (kids instanceof PDFArray) {
			if (seen.has(dict)) return undefined;
			seen.add(dict);
			for (const kid of kids.asArray().reverse()) pending.push({ node: kid, above: inherited });
		} else if (nameAt(dict, 'Type') !== 'Pages') {
			pages.push({ ref: node instanceof PDFRef ? node : undefined, dict, inherited });
		}
	}
	return pages;
}

/** What an entry holds, a reference followed; `undefined` where there is nothing to read. */
function at(dict: PDFDict, key: string): PDFObject | undefined {
	const value = dict.context.lookup(entry(dict, key));
	return value === PDFNull || value instanceof PDFInvalidObject ? undefined : value;
}

/** What an entry holds, which may be a reference. */
function entry(dict: PDFDict, key: string): PDFObject | undefined {
	return dict.get(PDFName.of(key), true);
}

function nameAt(dict: PDFDict, key: string): string | undefined {
	const value = at(dict, key);
	return value instanceof PDFName ? value.decodeText() : undefined;
}

function isAnnotationOrField(dict: PDFDict): boolean {
	const has = (key: string) => at(dict, key) !== undefined;
	return (
		has('FT') || (has('Rect') && has('Subtype')) || (has('T') && (has('Kids') || has('Parent')))
	);
}

/** The dictionary of a dictionary or a stream. */
function dictOf(object: PDFObject | undefined): PDFDict | undefined {
	return object instanceof PDFRawStream
		? object.dict
		: object instanceof PDFDict
			? object
			: undefined;
}

/** Where the names of a file point to, read when the first one is asked for. */
class NamedDestinations {
	private targets: Map<string, PDFObject> | undefined;

	constructor(private readonly source: PDFContext) {}

	get(name: PDFName | PDFString | PDFHexString): PDFObject | undefined {
		this.targets ??= this.read();
		return this.targets.get(name.decodeText());
	}

	private read(): Map<string, PDFObject> {
		const targets = new Map<string, PDFObject>();
		const catalog = this.source.lookup(this.source.trailerInfo.Root);
		if (!(catalog instanceof PDFDict)) return targets;
		const old = at(catalog, 'Dests');
		if (old instanceof PDFDict) {
			for (const [name, target] of old.entries()) targets.set(name.decodeText(), target);
		}
		const names = at(catalog, 'Names');
		const seen = new Set<PDFObject>();
		const pending = [names instanceof PDFDict ? at(names, 'Dests') : undefined];
		while (pending.length > 0) {
			const node = pending.pop();
			if (!(node instanceof PDFDict) || seen.has(node)) continue;
			seen.add(node);
			const kids = at(node, 'Kids');
			if (kids instanceof PDFArray) {
				for (const kid of kids.asArray()) pending.push(this.source.lookup(kid));
			}
			const pairs = at(node, 'Names');
			if (!(pairs instanceof PDFArray)) continue;
			for (let index = 0; index + 1 < pairs.size(); index += 2) {
				const name = this.source.lookup(pairs.get(index));
				if (name instanceof PDFString || name instanceof PDFHexString) {
					targets.set(name.decodeText(), pairs.get(index + 1));
				}
			}
		}
		return targets;
	}
}

/** A form field in the part, with those of its widgets and fields below that are in the part too. */
interface Field {
	ref: PDFRef;
	dict: PDFDict;
	kids: PDFArray;
}

/** One PDF made of pages of another. */
class Part {
	private readonly context = PDFContext.create();
	/** Where the objects of the source are in the part. */
	private readonly copied = new Map<PDFRef, PDFRef>();
	private readonly pending: Array<() => void> = [];
	private readonly pages = new Set<PDFRef>();
	private readonly layers = new Set<PDFRef>();
	private readonly fields = new Map<PDFDict, Field>();
	private readonly topFields = new Set<PDFRef>();
	/** Names in the default appearances of fields: the fonts that a reader needs to fill them in. */
	private readonly namesInAppearances = new Set<string>();
	/** Whether something that the pages use cannot be read: without it they would look different. */
	private isDamaged = false;

	constructor(
		private readonly source: PDFContext,
		private readonly destinations: NamedDestinations,
	) {}

	async write(pages: SourcePage[]): Promise<Buffer | 'damaged'> {
		const tree = this.context.nextRef();
		const refs = pages.map(({ ref }) => this.reserve(ref, this.pages));
		// Reserved before anything is copied, so that what refers to one of them finds it.
		for (const { dict } of pages) {
			for (const annotation of this.annotationsOf(dict)) {
				if (annotation instanceof PDFRef) this.reserve(annotation);
			}
		}
		for (const [index, page] of pages.entries()) {
			const ref = refs[index] ?? this.context.nextRef();
			this.context.assign(ref, this.copyPage(page, ref, tree));
			await this.copyPending();
		}
		const entries = { Type: 'Pages', Kids: refs, Count: refs.length };
		this.context.assign(tree, this.context.obj(entries));
		const catalog = this.context.obj({ Type: 'Catalog', Pages: tree });
		const source = this.source.lookup(this.source.trailerInfo.Root);
		if (source instanceof PDFDict) {
			this.set(catalog, 'Lang', this.copy(entry(source, 'Lang')));
			this.set(catalog, 'AcroForm', this.form(at(source, 'AcroForm')));
			this.set(catalog, 'OCProperties', this.layersOf(at(source, 'OCProperties')));
		}
		await this.copyPending();
		if (this.isDamaged) return 'damaged';
		this.context.trailerInfo.Root = this.context.register(catalog);
		const bytes = await PDFStreamWriter.forContext(this.context, 1).serializeToBuffer();
		return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	}

	/** A place in the part. The same page may be asked for twice; references to it then lead to the first. */
	private reserve(ref: PDFRef | undefined, also?: Set<PDFRef>): PDFRef {
		const target = this.context.nextRef();
		if (ref !== undefined && !this.copied.has(ref)) {
			this.copied.set(ref, target);
			also?.add(ref);
		}
		return target;
	}

	private async copyPending(): Promise<void> {
		for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
			next();
			await letOthersRun();
		}
	}

	private set(dict: PDFDict, key: string, value: PDFObject): void {
		if (value !== PDFNull) dict.set(PDFName.of(key), value);
	}

	private copyPage({ dict, inherited }: SourcePage, ref: PDFRef, tree: PDFRef): PDFDict {
		const page = this.copyDict(dict, NOT_OF_THE_PAGE);
		for (const [key, value] of inherited) {
			if (key !== 'Resources') this.set(page, key, this.copy(value));
		}
		const resources = this.source.lookup(inherited.get('Resources'));
		const annotations = this.annotationsOf(dict);
		if (resources instanceof PDFDict) {
			const looks = annotations.map((annotation) => this.source.lookup(annotation));
			const used = this.namesUsed(resources, [...this.streamsIn(at(dict, 'Contents')), ...looks]);
			this.set(page, 'Resources', this.copyResources(resources, used));
		} else {
			this.set(page, 'Resources', PDFDict.withContext(this.context));
		}
		const copies = annotations.map((annotation) => this.copyAnnotation(annotation, ref));
		if (copies.length > 0) this.set(page, 'Annots', this.arrayOf(copies));
		page.set(PDFName.of('Type'), PDFName.of('Page'));
		page.set(PDFName.of('Parent'), tree);
		return page;
	}

	private arrayOf(items: PDFObject[]): PDFArray {
		const array = PDFArray.withContext(this.context);
		for (const item of items) array.push(item);
		return array;
	}

	// Copying

	/** Copies a value; what it refers to is copied later. What is not to be copied or cannot be read becomes null. */
	private copy(value: PDFObject | undefined): PDFObject {
		if (value instanceof PDFRef) return this.copyReference(value);
		if (value instanceof PDFDict) return this.copyDict(value);
		if (value instanceof PDFArray) {
			return this.arrayOf(value.asArray().map((item) => this.copy(item)));
		}
		return value === undefined || value instanceof PDFInvalidObject ? PDFNull : value;
	}

	private copyReference(ref: PDFRef): PDFObject {
		const known = this.copied.get(ref);
		if (known !== undefined) return known;
		const object = this.source.lookup(ref);
		if (object instanceof PDFInvalidObject) this.isDamaged = true;
		if (object === undefined || object === PDFNull || object instanceof PDFInvalidObject) {
			return PDFNull;
		}
		if (object instanceof PDFDict) {
			const type = nameAt(object, 'Type');
			if (type !== undefined && OF_THE_FILE.has(type)) return PDFNull;
			// Those of the part have their places already; this one would bring another page's along.
			if (isAnnotationOrField(object)) return this.fields.get(object)?.ref ?? PDFNull;
			if (type === 'OCG') this.layers.add(ref);
		}
		const target = this.reserve(ref);
		this.pending.push(() => {
			const copy = object instanceof PDFRawStream ? this.copyStream(object) : this.copy(object);
			this.context.assign(target, copy);
		});
		return target;
	}

	private copyDict(dict: PDFDict, without?: ReadonlySet<string>): PDFDict {
		const copy = PDFDict.withContext(this.context);
		const resources = this.resourcesOfItsOwn(dict);
		for (const [name, value] of dict.entries()) {
			const key = name.decodeText();
			if (NOT_COPIED.has(key) || without?.has(key)) continue;
			if (key === 'Resources' && resources !== undefined) continue;
			const copied = this.copy(value);
			if (copied !== PDFNull) copy.set(name, copied);
		}
		if (resources !== undefined) this.set(copy, 'Resources', resources);
		return copy;
	}

	private copyStream(stream: PDFRawStream): PDFRawStream {
		const copy = this.copyDict(stream.dict, new Set(['Length', 'Resources']));
		const resources = at(stream.dict, 'Resources');
		if (resources instanceof PDFDict) {
			const used = this.namesUsed(resources, [stream]);
			this.set(copy, 'Resources', this.copyResources(resources, used));
		}
		return PDFRawStream.of(copy, stream.contents);
	}

	// Resources

	/** Those of a Type 3 font, which draws its glyphs with them. */
	private resourcesOfItsOwn(dict: PDFDict): PDFDict | undefined {
		const resources = at(dict, 'Resources');
		if (nameAt(dict, 'Subtype') !== 'Type3' || !(resources instanceof PDFDict)) return undefined;
		return this.copyResources(resources, this.namesUsed(resources, this.glyphsOf(dict)));
	}

	private glyphsOf(font: PDFDict): PDFObject[] {
		const glyphs = at(font, 'CharProcs');
		if (!(glyphs instanceof PDFDict)) return [];
		return glyphs.values().flatMap((glyph) => this.source.lookup(glyph) ?? []);
	}

	/** The entries of a resource dictionary that are used; all of them where `used` is not known. */
	private copyResources(resources: PDFDict, used: ReadonlySet<string> | undefined): PDFDict {
		const copy = PDFDict.withContext(this.context);
		for (const [category, value] of resources.entries()) {
			const entries = this.source.lookup(value);
			if (!(entries instanceof PDFDict)) {
				const copied = this.copy(value);
				if (copied !== PDFNull) copy.set(category, copied);
				continue;
			}
			const kept = PDFDict.withContext(this.context);
			for (const [name, entry] of entries.entries()) {
				// Default color spaces are used without being named.
				const isUsed =
					used === undefined ||
					used.has(name.decodeText()) ||
					name.decodeText().startsWith('Default');
				const copied = isUsed ? this.copy(entry) : PDFNull;
				if (copied !== PDFNull) kept.set(name, copied);
			}
			if (kept.values().length > 0) copy.set(category, kept);
		}
		return copy;
	}

	/**
	 * The names that drawing with these resources may use, or `undefined` where a stream cannot be read. Forms, glyphs
	 * and masks without resources of their own draw with those of who shows them.
	 */
	private namesUsed(
		resources: PDFDict,
		drawn: Array<PDFObject | undefined>,
	): ReadonlySet<string> | undefined {
		const names = new Set<string>();
		const seen = new Set<PDFObject>();
		const pending = [...drawn];
		for (;;) {
			while (pending.length > 0) {
				const object = pending.pop();
				if (object === undefined || seen.has(object)) continue;
				seen.add(object);
				if (object instanceof PDFRawStream) {
					const content = decoded(object);
					if (content === undefined) return undefined;
					addNamesIn(content, names);
				} else if (object instanceof PDFDict) {
					pending.push(...this.drawnBy(object));
				}
			}
			for (const category of resources.values()) {
				const entries = this.source.lookup(category);
				if (!(entries instanceof PDFDict)) continue;
				for (const [name, value] of entries.entries()) {
					const object = names.has(name.decodeText()) ? this.source.lookup(value) : undefined;
					if (object !== undefined && !seen.has(object) && this.borrows(object)) {
						pending.push(object);
					}
				}
			}
			if (pending.length === 0) return names;
		}
	}

	/** Whether an object is drawn with the resources of who shows it. */
	private borrows(object: PDFObject): boolean {
		const dict = dictOf(object);
		if (dict === undefined || at(dict, 'Resources') instanceof PDFDict) return false;
		if (object instanceof PDFRawStream) return nameAt(dict, 'Subtype') === 'Form';
		return nameAt(dict, 'Subtype') === 'Type3' || at(dict, 'SMask') instanceof PDFDict;
	}

	/** The streams that a font, a graphics state or an annotation draws without resources of their own. */
	private drawnBy(dict: PDFDict): PDFObject[] {
		const mask = at(dict, 'SMask');
		const looks = at(dict, 'AP');
		const forms = [
			...(mask instanceof PDFDict ? [at(mask, 'G')] : []),
			...(looks instanceof PDFDict ? looks.values().flatMap((look) => this.streamsIn(look)) : []),
		];
		const borrowing = forms.flatMap((form) =>
			form !== undefined && this.borrows(form) ? [form] : [],
		);
		return [...this.glyphsOf(dict), ...borrowing];
	}

	/** The streams of a stream, an array or a dictionary of streams. */
	private streamsIn(value: PDFObject | undefined): PDFObject[] {
		const object = this.source.lookup(value);
		if (object instanceof PDFRawStream) return [object];
		const items =
			object instanceof PDFArray
				? object.asArray()
				: object instanceof PDFDict
					? object.values()
					: [];
		return items.flatMap((item) => {
			const stream = this.source.lookup(item);
			return stream instanceof PDFRawStream ? [stream] : [];
		});
	}

	// Annotations and form fields

	private annotationsOf(page: PDFDict): PDFObject[] {
		const annotations = at(page, 'Annots');
		if (!(annotations instanceof PDFArray)) return [];
		return annotations.asArray().filter((one) => this.source.lookup(one) instanceof PDFDict);
	}

	private copyAnnotation(annotation: PDFObject, page: PDFRef): PDFObject {
		const dict = this.source.lookup(annotation);
		if (!(dict instanceof PDFDict)) return PDFNull;
		const known = annotation instanceof PDFRef ? this.copied.get(annotation) : undefined;
		if (known !== undefined && this.context.lookup(known) !== undefined) return known;
		const ref = known ?? this.context.nextRef();
		const copy = this.copyDict(dict, new Set(['P', 'Parent', 'Popup', 'IRT', 'Dest', 'A']));
		this.context.assign(ref, copy);
		copy.set(PDFName.of('P'), page);
		for (const key of ['Popup', 'IRT']) {
			const other = entry(dict, key);
			// One of another page would bring that page's annotations along.
			if (other instanceof PDFRef) this.set(copy, key, this.copied.get(other) ?? PDFNull);
		}
		this.set(copy, 'Dest', this.destination(entry(dict, 'Dest')));
		this.set(copy, 'A', this.action(entry(dict, 'A')));
		if (nameAt(dict, 'Subtype') === 'Widget') {
			this.attachToField(dict, copy, ref);
		} else {
			const parent = entry(dict, 'Parent');
			if (parent instanceof PDFRef) this.set(copy, 'Parent', this.copied.get(parent) ?? PDFNull);
		}
		return ref;
	}

	/** A destination by its page; null where that is not in the part. */
	private destination(value: PDFObject | undefined): PDFObject {
		let target = this.source.lookup(value);
		if (
			target instanceof PDFName ||
			target instanceof PDFString ||
			target instanceof PDFHexString
		) {
			target = this.source.lookup(this.destinations.get(target));
		}
		if (target instanceof PDFDict) target = at(target, 'D');
		if (!(target instanceof PDFArray) || target.size() === 0) return PDFNull;
		const page = target.get(0);
		return page instanceof PDFRef && this.pages.has(page) ? this.copy(target) : PDFNull;
	}

	private action(value: PDFObject | undefined): PDFObject {
		const action = this.source.lookup(value);
		if (!(action instanceof PDFDict) || nameAt(action, 'S') !== 'GoTo') return this.copy(value);
		const target = this.destination(entry(action, 'D'));
		return target === PDFNull ? PDFNull : this.context.obj({ S: 'GoTo', D: target });
	}

	/** Gives a widget the field it belongs to. The field of a single widget is often the widget itself. */
	private attachToField(source: PDFDict, copy: PDFDict, ref: PDFRef): void {
		let below = { dict: copy, ref };
		const seen = new Set([source]);
		this.noteAppearance(source);
		for (let dict = at(source, 'Parent'); ; dict = at(dict, 'Parent')) {
			if (!(dict instanceof PDFDict) || seen.has(dict)) break;
			seen.add(dict);
			const known = this.fields.get(dict);
			const field = known ?? this.copyField(dict);
			below.dict.set(PDFName.of('Parent'), field.ref);
			field.kids.push(below.ref);
			if (known !== undefined) return;
			below = field;
		}
		dropSignature(copy);
		this.topFields.add(below.ref);
	}

	private copyField(source: PDFDict): Field {
		const dict = this.copyDict(source, new Set(['Parent', 'Kids', 'P']));
		const kids = PDFArray.withContext(this.context);
		dict.set(PDFName.of('Kids'), kids);
		dropSignature(dict);
		this.noteAppearance(source);
		const field = { ref: this.context.register(dict), dict, kids };
		this.fields.set(source, field);
		return field;
	}

	private noteAppearance(dict: PDFDict): void {
		const appearance = at(dict, 'DA');
		if (appearance instanceof PDFString || appearance instanceof PDFHexString) {
			addNamesIn(appearance.asBytes(), this.namesInAppearances);
		}
	}

	private form(source: PDFObject | undefined): PDFObject {
		if (!(source instanceof PDFDict) || this.topFields.size === 0) return PDFNull;
		this.noteAppearance(source);
		const form = this.copyDict(source, new Set(['Fields', 'DR', 'XFA', 'SigFlags', 'CO']));
		form.set(PDFName.of('Fields'), this.arrayOf([...this.topFields]));
		const resources = at(source, 'DR');
		if (resources instanceof PDFDict) {
			this.set(form, 'DR', this.copyResources(resources, this.namesInAppearances));
		}
		return form;
	}

	// Layers

	private layersOf(source: PDFObject | undefined): PDFObject {
		if (!(source instanceof PDFDict) || this.layers.size === 0) return PDFNull;
		const groups = [...this.layers].flatMap((layer) => this.copied.get(layer) ?? []);
		const properties = this.context.obj({ OCGs: groups });
		const configuration = at(source, 'D');
		this.set(properties, 'D', this.copyForLayers(configuration) ?? this.context.obj({}));
		return properties;
	}

	/** Copies a configuration of layers without those that are not in the part. */
	private copyForLayers(value: PDFObject | undefined, depth = 0): PDFObject | undefined {
		const known = value instanceof PDFRef && this.layers.has(value) && this.copied.get(value);
		if (known) return known;
		const object = this.source.lookup(value);
		if (object instanceof PDFArray) {
			if (depth > MAX_DEPTH_OF_LAYERS) return undefined;
			return this.arrayOf(
				object.asArray().flatMap((item) => this.copyForLayers(item, depth + 1) ?? []),
			);
		}
		if (!(object instanceof PDFDict)) {
			return object === PDFNull || object instanceof PDFInvalidObject ? undefined : object;
		}
		if (nameAt(object, 'Type') === 'OCG' || depth > MAX_DEPTH_OF_LAYERS) return undefined;
		const copy = PDFDict.withContext(this.context);
		for (const [name, item] of object.entries()) {
			const copied = this.copyForLayers(item, depth + 1);
			if (copied !== undefined) copy.set(name, copied);
		}
		return copy;
	}
}

/** Deeper than any list of layers a reader shows; a list that contains itself ends. */
const MAX_DEPTH_OF_LAYERS = 20;

/** A signature is about the bytes of the whole file; in a part only its look is left. */
function dropSignature(field: PDFDict): void {
	if (nameAt(field, 'FT') === 'Sig') {
		for (const key of ['V', 'Lock', 'SV']) field.delete(PDFName.of(key));
	}
}

/** The content of a stream, or `undefined` where it cannot be read. */
function decoded(stream: PDFRawStream): Uint8Array | undefined {
	try {
		return decodePDFRawStream(stream).decode();
	} catch {
		// Damaged, or of a filter that no content has: what it uses is not known then.
		return undefined;
	}
}
