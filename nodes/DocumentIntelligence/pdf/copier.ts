import { Budget, MAX_VALUES } from './bounds';
import { letOthersRun } from './eventLoop';
import {
	PDFArray,
	PDFContext,
	PDFDict,
	PDFInvalidObject,
	PDFName,
	PDFNull,
	type PDFObject,
	PDFRawStream,
	PDFRef,
} from './library';
import { type ContentIndex, Resources } from './resources';
import type { SourceFile } from './sourceFile';

/** Entries that lead from an object to the whole file, to files attached to it, and what editors keep for themselves. */
const NOT_COPIED = new Set([
	...['StructParent', 'StructParents', 'Metadata', 'PieceInfo', 'AF', 'DPart'],
]);

/** Objects of the whole file: a reference to one that is no page of the part is dropped. */
const OF_THE_FILE = new Set([
	...['Page', 'Pages', 'Catalog', 'Outlines', 'StructTreeRoot', 'StructElem', 'DPart', 'Thread'],
]);

const FIELD_TYPES = new Set(['Tx', 'Btn', 'Ch', 'Sig']);

/** Copies objects of a file into a part. */
export class Copier {
	readonly context = PDFContext.create();
	readonly resources: Resources;
	/** Layers that were copied. */
	readonly layers = new Set<PDFRef>();
	/** Where form fields are in the part. */
	readonly fields = new Map<PDFDict, { ref: PDFRef }>();
	/** Whether something that the pages use cannot be read: without it they would look different. */
	isDamaged = false;
	private readonly values = new Budget(MAX_VALUES);
	/** Where the objects of the file are in the part. */
	private readonly copied = new Map<PDFRef, PDFRef>();
	private readonly pending: Array<() => void> = [];

	/**
	 * @param nodes the pages of the file and the nodes of their tree
	 * @param allLayers all layers that the file lists
	 */
	constructor(
		private readonly file: SourceFile,
		index: ContentIndex,
		private readonly nodes: ReadonlySet<PDFObject>,
		private readonly allLayers: ReadonlySet<PDFObject>,
	) {
		this.resources = new Resources(file, index, this);
	}

	/** A place in the part. The same object may be asked for twice; references to it then lead to the first. */
	reserve(ref: PDFRef | undefined): PDFRef {
		const target = this.context.nextRef();
		if (ref !== undefined && !this.copied.has(ref)) this.copied.set(ref, target);
		return target;
	}

	/** Where an object is in the part, if it has a place. */
	placeOf(ref: PDFObject | undefined): PDFRef | undefined {
		return ref instanceof PDFRef ? this.copied.get(ref) : undefined;
	}

	later(work: () => void): void {
		this.pending.push(work);
	}

	async finishPending(): Promise<void> {
		for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
			next();
			await letOthersRun();
		}
	}

	setIn(dict: PDFDict, key: string, value: PDFObject): void {
		if (value !== PDFNull) dict.set(PDFName.of(key), value);
	}

	arrayOf(items: PDFObject[]): PDFArray {
		const array = PDFArray.withContext(this.context);
		for (const item of items) array.push(item);
		return array;
	}

	/** Copies a value; what it refers to is copied later. What is not to be copied or cannot be read becomes null. */
	copy(value: PDFObject | undefined): PDFObject {
		this.values.spend(1);
		if (value instanceof PDFRef) return this.copyReference(value);
		if (value instanceof PDFDict) return this.copyDict(value);
		if (value instanceof PDFArray) {
			this.values.spend(3);
			return this.arrayOf(value.asArray().map((item) => this.copy(item)));
		}
		return value === undefined || value instanceof PDFInvalidObject ? PDFNull : value;
	}

	private copyReference(ref: PDFRef): PDFObject {
		const known = this.copied.get(ref);
		if (known !== undefined) return known;
		const object = this.file.lookup(ref);
		if (object instanceof PDFInvalidObject) this.isDamaged = true;
		if (object === undefined || object === PDFNull || object instanceof PDFInvalidObject) {
			return PDFNull;
		}
		if (object instanceof PDFDict) {
			const type = this.file.nameAt(object, 'Type');
			if (this.nodes.has(object) || (type !== undefined && OF_THE_FILE.has(type))) return PDFNull;
			// Those of the part have their places already; this one would bring another page's along.
			if (this.isAnnotationOrField(object)) return this.fields.get(object)?.ref ?? PDFNull;
			if (type === 'OCG' || this.allLayers.has(object)) this.layers.add(ref);
		}
		const target = this.reserve(ref);
		this.later(() => {
			const copy = object instanceof PDFRawStream ? this.copyStream(object) : this.copy(object);
			this.context.assign(target, copy);
		});
		return target;
	}

	private isAnnotationOrField(dict: PDFDict): boolean {
		const has = (key: string) => this.file.at(dict, key) !== undefined;
		return (
			FIELD_TYPES.has(this.file.nameAt(dict, 'FT') ?? '') ||
			(has('Rect') && has('Subtype')) ||
			(has('T') && (has('Kids') || has('Parent')))
		);
	}

	/** Copies a dictionary, or of its entries only those in `keys`. */
	copyDict(dict: PDFDict, keys?: ReadonlySet<string>): PDFDict {
		this.values.spend(3);
		const copy = PDFDict.withContext(this.context);
		for (const [name, value] of dict.entries()) {
			const key = name.decodeText();
			if (NOT_COPIED.has(key) || key === 'Resources' || (keys && !keys.has(key))) continue;
			const copied = this.copy(value);
			if (copied !== PDFNull) copy.set(name, copied);
		}
		const own = keys ? undefined : this.file.at(dict, 'Resources');
		if (own instanceof PDFDict && this.file.nameAt(dict, 'Subtype') === 'Type3') {
			copy.set(PDFName.of('Resources'), this.resources.of(own));
			if (!this.resources.isDrawn(dict)) this.resources.draw(dict, own, own);
		}
		return copy;
	}

	private copyStream(stream: PDFRawStream): PDFRawStream {
		const copy = this.copyDict(stream.dict);
		copy.delete(PDFName.of('Length'));
		const own = this.file.at(stream.dict, 'Resources');
		if (own instanceof PDFDict && this.resources.isDrawing(stream)) {
			copy.set(PDFName.of('Resources'), this.resources.of(own));
			if (!this.resources.isDrawn(stream)) this.resources.draw(stream, own, own);
		}
		return PDFRawStream.of(copy, stream.contents);
	}
}
