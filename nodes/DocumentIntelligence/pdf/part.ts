import { Budget, Obstacle } from './budget';
import { type Highlight, markPage, shownPage } from './marking/highlights';
import { type Dict, dictOf, isDict, Name, Ref, Stream, Text, type Value } from './objects';
import type { SourceFile } from './sourceFile';
import { decode, type ResourceName, resourceNames } from './streams';
import { writePdf } from './writePdf';

export interface SourcePage {
	dict: Dict;
	inherited: ReadonlyMap<string, Value>;
}

/** Entries of a page that refer to nothing else; inherited entries are copied as well. */
const OF_A_PAGE = new Set([
	...['BleedBox', 'TrimBox', 'ArtBox', 'BoxColorInfo', 'Contents', 'Group', 'Tabs', 'UserUnit'],
	...['Dur', 'Trans', 'VP'],
]);

/** Entries of an annotation that define its look. */
const OF_A_LOOK = ['Type', 'Subtype', 'Rect', 'F', 'AP', 'AS', 'OC', 'BM', 'ca', 'CA'];

/** Entries of an annotation that refer to nothing else. */
const OF_AN_ANNOTATION = new Set([
	...[...OF_A_LOOK, 'Contents', 'NM', 'M', 'Border', 'C', 'Lang', 'CreationDate', 'T', 'RC'],
	...['Subj', 'RT', 'IT', 'QuadPoints', 'H', 'RD', 'BE', 'BS', 'LE', 'CL', 'L', 'IC', 'LL', 'LLE'],
	...['LLO', 'Cap', 'CP', 'CO', 'Measure', 'Vertices', 'InkList', 'Name', 'Sy', 'Open', 'RO'],
	...['OverlayText', 'Repeat', 'FS', 'MK', 'Sound', 'FixedPrint', 'DA', 'DS', 'Q'],
]);

/** A form field keeps only its look; its other entries belong to the form. */
const OF_A_FIELD = new Set(OF_A_LOOK);

/** Entries of a form field whose look readers make from its value; some may be inherited from fields above it. */
const OF_A_VALUE = ['FT', 'V', 'Ff', 'DA', 'Q', 'MaxLen', 'Opt', 'MK', 'BS', 'Border', 'DS', 'RV'];

/** Flags of an annotation that is not shown. */
const HIDDEN = 2 | 32;

/** More levels than any form has. */
const MAX_FIELD_DEPTH = 50;

/** Entries of dictionaries with a type and of streams that lead to the whole file, to attached files or to private data of editors. */
const NOT_COPIED = new Set([
	...['StructParent', 'StructParents', 'Metadata', 'PieceInfo', 'AF', 'DPart', 'Resources'],
]);

/** Objects of the whole file: references to them are dropped. */
const OF_THE_FILE = new Set([
	...['Page', 'Pages', 'Catalog', 'Outlines', 'StructTreeRoot', 'StructElem', 'DPart', 'Thread'],
]);

/** Used by device colors without being named (ISO 32000-1, 8.6.5.6). */
const DEFAULT_COLOR_SPACES = ['DefaultGray', 'DefaultRGB', 'DefaultCMYK'].map(
	(name): ResourceName => ({ kinds: ['ColorSpace'], name }),
);

/** Cost of searching a name in the resources, in bytes. */
const COST_OF_LOOKUP = 3;

/** A file whose pages are known. */
export interface OpenedFile {
	file: SourceFile;
	pages: SourcePage[];
	/** All pages and nodes of the page tree: references to them are dropped. */
	nodes: ReadonlySet<unknown>;
	/** Names in the contents of pages and forms, read once for all parts. */
	names: Map<Stream, ResourceName[]>;
}

/** A PDF of some pages, with what belongs to them (docs/internals/pdf-library.md). */
export class Part {
	private readonly file: SourceFile;
	/** For what a part has in memory; reading is charged to the file's budget. */
	private readonly budget = new Budget(0);
	private readonly objects: Array<Value | Stream> = [];
	/** By object number in the file. */
	private readonly copied = new Map<number, Ref>();
	private readonly pending: Array<() => Promise<void>> = [];
	/** Copies of resource dictionaries; an entry is added when the first content uses it. */
	private readonly resources = new Map<Dict, Ref>();
	/** What was drawn with the resources of the current page, by the resources around it. */
	private readonly drawn = new Map<Dict, Set<Dict | Stream>>();
	private pageResources: Dict = new Map();
	private form: Dict = new Map();
	/** Fields on the pages that remain fields. */
	private readonly fields: Ref[] = [];
	private streamBytes = 0;

	constructor(private readonly opened: OpenedFile) {
		this.file = opened.file;
	}

	/** Throws `damaged` if something on the pages cannot be read, `wrongTable` or `tooComplex`. */
	async make(pages: SourcePage[], highlights: Highlight[] = []): Promise<Uint8Array[]> {
		const catalog = await this.file.catalog();
		const layers = await this.file.dictAt(catalog, 'OCProperties');
		this.form = (await this.file.dictAt(catalog, 'AcroForm')) ?? this.form;
		const kids: Value[] = [];
		const tree = this.add(dictOf({ Type: new Name('Pages'), Kids: kids, Count: pages.length }));
		for (const [index, page] of pages.entries()) {
			const ofPage = highlights.filter((highlight) => highlight.page === index + 1);
			kids.push(await this.copyPage(page, tree, ofPage));
		}
		const root = dictOf({ Type: new Name('Catalog'), Pages: tree });
		root.set('Lang', await this.copy(catalog.get('Lang')));
		if (this.fields.length > 0) root.set('AcroForm', await this.copyForm());
		const first = kids[Math.min(...highlights.map(({ page }) => page)) - 1];
		if (first !== undefined) root.set('OpenAction', [first, new Name('Fit')]);
		if (layers) root.set('OCProperties', await this.copyLayers(layers));
		await this.finishPending();
		return await writePdf(this.objects, this.add(root), this.budget);
	}

	private add(object: Value | Stream): Ref {
		return new Ref(this.objects.push(object), 0);
	}

	private async finishPending(): Promise<void> {
		for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
			await next();
			await this.file.budget.yieldToN8n();
		}
	}

	private async copyPage(
		{ dict, inherited }: SourcePage,
		tree: Ref,
		highlights: Highlight[],
	): Promise<Ref> {
		const { file } = this;
		const resources = await file.lookup(inherited.get('Resources'));
		// A form may use other resources on another page.
		if (resources !== this.pageResources) this.drawn.clear();
		const pageResources = isDict(resources) ? resources : new Map<string, Value>();
		this.pageResources = pageResources;
		const page = await this.copyEntries(dict, (key) => OF_A_PAGE.has(key));
		for (const [key, value] of inherited) {
			if (key !== 'Resources') page.set(key, await this.copy(value));
		}
		page.set('Resources', this.copyResources(pageResources));
		const contents = await file.at(dict, 'Contents');
		for (const content of Array.isArray(contents) ? contents : [dict.get('Contents')]) {
			const stream = await file.lookup(content);
			if (stream instanceof Stream)
				this.pending.push(async () => await this.drawContent(stream, pageResources, pageResources));
		}
		const annotations = await this.copyAnnotations(await file.listAt(dict, 'Annots'));
		if (highlights.length > 0) annotations.push(...(await this.mark(page, inherited, highlights)));
		if (annotations.length > 0) page.set('Annots', annotations);
		page.set('Type', new Name('Page')).set('Parent', tree);
		await this.finishPending();
		return this.add(page);
	}

	private async copyAnnotations(listed: Value[]): Promise<Ref[]> {
		const annotations: Ref[] = [];
		for (const value of listed) {
			await this.file.budget.yieldToN8n();
			const annotation = await this.file.lookup(value);
			const type = isDict(annotation) && (await this.file.nameAt(annotation, 'Subtype'));
			// It opens the note of another annotation, which has the text as well.
			if (!isDict(annotation) || type === 'Popup') continue;
			const isField = type === 'Widget';
			if (isField && (await this.isDrawnFromValue(annotation))) {
				annotations.push(await this.copyField(annotation));
				continue;
			}
			const keys = isField ? OF_A_FIELD : OF_AN_ANNOTATION;
			const copy = await this.copyEntries(annotation, (key) => keys.has(key));
			if (isField) copy.set('Subtype', new Name('Stamp'));
			annotations.push(this.add(copy));
		}
		return annotations;
	}

	/** Whether readers draw the value of a field: it has no look, or its form says that looks are out of date. */
	private async isDrawnFromValue(field: Dict): Promise<boolean> {
		const { file } = this;
		const value = await file.lookup(await this.inherited(field, 'V'));
		const type = await file.lookup(await this.inherited(field, 'FT'));
		const flags = await file.at(field, 'F');
		const isHidden = typeof flags === 'number' && (flags & HIDDEN) !== 0;
		if (isHidden || (value ?? null) === null) return false;
		if (!(type instanceof Name) || type.text === 'Sig') return false;
		const looks = await file.dictAt(field, 'AP');
		const hasLook = ((await file.lookup(looks?.get('N'))) ?? null) !== null;
		if (!hasLook) return true;
		// The states of a button are looks of their own.
		return type.text !== 'Btn' && (await file.at(this.form, 'NeedAppearances')) === true;
	}

	/** An entry of a field or of the fields above it. */
	private async inherited(field: Dict, key: string): Promise<Value | undefined> {
		let node: Dict | undefined = field;
		for (let depth = 0; node !== undefined && depth < MAX_FIELD_DEPTH; depth++) {
			const value: Value | undefined = node.get(key);
			if (value !== undefined) return value;
			node = await this.file.dictAt(node, 'Parent');
		}
		return undefined;
	}

	/** A field of its own, without the name that it has in the file. */
	private async copyField(field: Dict): Promise<Ref> {
		const copy = await this.copyEntries(field, (key) => OF_A_FIELD.has(key));
		for (const key of OF_A_VALUE) {
			const value = await this.copy(await this.inherited(field, key));
			if (value !== null) copy.set(key, value);
		}
		const look = (await this.inherited(field, 'DA')) ?? this.form.get('DA');
		await this.drawText(await this.file.lookup(look));
		const ref = this.add(copy);
		copy.set('T', new Text(`(${this.fields.push(ref)})`));
		return ref;
	}

	/** Copies what the default look of a field uses: it is content with the resources of the form. */
	private async drawText(look: unknown): Promise<void> {
		const resources = await this.file.dictAt(this.form, 'DR');
		if (!(look instanceof Text) || resources === undefined) return;
		const content = new Stream(new Map(), Buffer.from(look.source.slice(1, -1), 'latin1'));
		await this.drawContent(content, resources, resources);
	}

	private async copyForm(): Promise<Dict> {
		const kept = ['NeedAppearances', 'DA', 'Q'];
		const copy = await this.copyEntries(this.form, (key) => kept.includes(key));
		const resources = await this.file.dictAt(this.form, 'DR');
		if (resources !== undefined) copy.set('DR', this.copyResources(resources));
		return copy.set('Fields', this.fields);
	}

	private async mark(page: Dict, inherited: SourcePage['inherited'], highlights: Highlight[]) {
		// As much memory as a highlight takes.
		this.budget.keep(100 * highlights.length);
		const shown = await shownPage(async (key) => {
			const value = await this.file.lookup(inherited.get(key));
			if (!Array.isArray(value)) return value;
			const entries: Array<Value | Stream | undefined> = [];
			for (const entry of value.slice(0, 4)) entries.push(await this.file.lookup(entry));
			return entries;
		});
		return markPage(page, shown, highlights, (object) => this.add(object));
	}

	/** What a reference leads to is copied later; null if it is not copied or does not exist. */
	private async copy(value: Value | undefined): Promise<Value> {
		this.budget.keep(1);
		if (value instanceof Ref) return await this.copyReference(value);
		if (isDict(value)) return await this.copyObject(value);
		if (!Array.isArray(value)) return value ?? null;
		this.budget.keep(3);
		const copy: Value[] = [];
		for (const item of value) copy.push(await this.copy(item));
		return copy;
	}

	private async copyReference(ref: Ref): Promise<Value> {
		const known = this.copied.get(ref.number);
		if (known !== undefined) return known;
		await this.file.budget.yieldToN8n();
		const object = await this.file.lookup(ref);
		if (object === undefined) return null;
		if (isDict(object) && (await this.isOfTheFile(object))) return null;
		const target = this.add(null);
		this.copied.set(ref.number, target);
		this.pending.push(async () => {
			const copy = object instanceof Stream ? this.copyStream(object) : this.copy(object);
			this.objects[target.number - 1] = await copy;
		});
		return target;
	}

	/** Includes annotations and fields, which would bring others along. */
	private async isOfTheFile(dict: Dict): Promise<boolean> {
		const type = (await this.file.nameAt(dict, 'Type')) ?? '';
		if (this.opened.nodes.has(dict) || OF_THE_FILE.has(type)) return true;
		const isAnnotation = dict.has('Rect') && (await this.file.nameAt(dict, 'Subtype'));
		return Boolean(isAnnotation || (await this.file.nameAt(dict, 'FT')));
	}

	private async copyEntries(dict: Dict, isCopied: (key: string) => boolean): Promise<Dict> {
		this.budget.keep(3);
		const copy: Dict = new Map();
		for (const [key, value] of dict) {
			const copied = isCopied(key) ? await this.copy(value) : null;
			if (copied !== null) copy.set(key, copied);
		}
		return copy;
	}

	/** Copies a dictionary or that of a stream, and what it draws. */
	private async copyObject(object: Dict | Stream): Promise<Dict> {
		const dict = object instanceof Stream ? object.dict : object;
		const draws = await this.isDrawing(dict);
		const type =
			(await this.file.nameAt(dict, 'Type')) ?? (await this.file.nameAt(dict, 'Subtype'));
		// Any other dictionary may be a map of names, such as the states of a checkbox or the glyphs of a font.
		const isTyped = draws || object instanceof Stream || type !== undefined;
		const copy = await this.copyEntries(dict, (key) => !isTyped || !NOT_COPIED.has(key));
		if (!draws) return copy;
		const resources = await this.file.dictAt(dict, 'Resources');
		if (resources !== undefined) copy.set('Resources', this.copyResources(resources));
		this.draw(object, this.pageResources);
		return copy;
	}

	private async copyStream(stream: Stream): Promise<Stream> {
		this.streamBytes += stream.bytes.length;
		// Streams may overlap, so that a small file would fill the memory.
		if (this.streamBytes > this.file.bytes.length) throw new Obstacle('tooComplex');
		return new Stream(await this.copyObject(stream), stream.bytes);
	}

	/** Forms, patterns and drawn fonts are drawn with resources. */
	private async isDrawing(dict: Dict): Promise<boolean> {
		const type = await this.file.nameAt(dict, 'Subtype');
		return type === 'Form' || type === 'Type3' || dict.has('PatternType');
	}

	/** At first an empty dictionary: the contents add what they use. */
	private copyResources(resources: Dict): Ref {
		const copy = this.resources.get(resources) ?? this.add(new Map());
		this.resources.set(resources, copy);
		return copy;
	}

	private async copyEntry(resources: Dict, kind: string, name: string, value: Value) {
		const copy = this.copyResources(resources);
		const dict = this.objects[copy.number - 1] as Dict;
		const entries = (dict.get(kind) ?? new Map<string, Value>()) as Dict;
		dict.set(kind, entries);
		if (entries.has(name)) return;
		entries.set(name, await this.copy(value));
	}

	/** Copies all that an object draws with; `around` applies if it has no resources itself. */
	private draw(object: Stream | Dict, around: Dict): void {
		const drawn = this.drawn.get(around) ?? new Set();
		this.drawn.set(around, drawn);
		if (drawn.has(object)) return;
		drawn.add(object);
		this.pending.push(async () => {
			const dict = object instanceof Stream ? object.dict : object;
			const inner = await this.file.dictAt(dict, 'Resources');
			if (object instanceof Stream) await this.drawContent(object, inner, around);
			else await this.drawDict(object, inner ?? around);
		});
	}

	/** For a drawn font, a graphics state, or a pattern with one. */
	private async drawDict(dict: Dict, resources: Dict): Promise<void> {
		const glyphs = await this.file.dictAt(dict, 'CharProcs');
		const mask = await this.file.dictAt(dict, 'SMask');
		const [font] = await this.file.listAt(dict, 'Font');
		const values = [...(glyphs?.values() ?? []), mask?.get('G'), font, dict.get('ExtGState')];
		for (const value of values) {
			const object = await this.file.lookup(value);
			if (object instanceof Stream || isDict(object)) this.draw(object, resources);
		}
	}

	/** @param inner resources of the content itself; if it has none, those `around` it apply */
	private async drawContent(content: Stream, inner: Dict | undefined, around: Dict): Promise<void> {
		const resources = inner ?? around;
		for (const resource of [...DEFAULT_COLOR_SPACES, ...(await this.namesIn(content))]) {
			await this.file.budget.yieldToN8n();
			const isFound = await this.use(resource, resources, resources);
			// Some readers also search the page's resources, if the content has none itself or a name is missing.
			if (resources !== this.pageResources && !(isFound && inner))
				await this.use(resource, this.pageResources, resources);
		}
	}

	private async namesIn(content: Stream): Promise<ResourceName[]> {
		const { file, names } = this.opened;
		const known = names.get(content);
		if (known !== undefined) return known;
		const bytes = await decode(content, file.lookup, file.budget);
		const used = await resourceNames(bytes, file.budget);
		names.set(content, used);
		return used;
	}

	/** Copies an entry of `resources` and what it draws, for which `around` applies; false if there is none. */
	private async use(
		{ kinds, name }: ResourceName,
		resources: Dict,
		around: Dict,
	): Promise<boolean> {
		let isFound = false;
		for (const kind of kinds) {
			this.budget.spend(COST_OF_LOOKUP);
			const value = (await this.file.dictAt(resources, kind))?.get(name);
			if (value === undefined) continue;
			isFound = true;
			await this.copyEntry(resources, kind, name, value);
			if (kind === 'Properties') continue;
			const object = await this.file.lookup(value);
			const draws = object instanceof Stream && (await this.isDrawing(object.dict));
			if (isDict(object) || draws) this.draw(object, around);
		}
		return isFound;
	}

	/** Keeps layers shown or hidden, without those that the part does not have. */
	private async copyLayers(properties: Dict): Promise<Dict> {
		const original = (await this.file.dictAt(properties, 'D')) ?? new Map<string, Value>();
		const isCopied = (key: string) => key === 'BaseState' || key === 'Intent';
		const shown = await this.copyEntries(original, isCopied);
		for (const key of ['ON', 'OFF']) shown.set(key, await this.copiesOf(original, key));
		const all = await this.copiesOf(properties, 'OCGs');
		return dictOf({ OCGs: all, D: shown.set('Order', all) });
	}

	/** Of the objects in a list, those that were copied. */
	private async copiesOf(dict: Dict, key: string): Promise<Ref[]> {
		const listed = await this.file.listAt(dict, key);
		const copyOf = (item: Value) =>
			item instanceof Ref ? this.copied.get(item.number) : undefined;
		return listed.flatMap((item) => copyOf(item) ?? []);
	}
}
