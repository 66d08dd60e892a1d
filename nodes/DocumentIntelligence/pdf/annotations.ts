import type { Copier } from './copier';
import { letOthersRun } from './eventLoop';
import {
	PDFArray,
	PDFDict,
	PDFHexString,
	PDFName,
	PDFNull,
	type PDFObject,
	PDFRawStream,
	PDFRef,
	PDFString,
} from './library';
import { namesIn } from './namesIn';
import type { NamedDestinations } from './pageTree';
import { entry, type SourceFile } from './sourceFile';

/** Entries of a field that its widget may have too. */
const OF_THE_FIELD = new Set([
	'FT',
	'T',
	'TU',
	'TM',
	'Ff',
	'V',
	'DV',
	'DA',
	'Q',
	'DS',
	'RV',
	'MaxLen',
	'Opt',
	'TI',
	'I',
]);

/** What a signature says of the whole file; in a part only its look is left. */
const OF_A_SIGNATURE = new Set(['V', 'DV', 'RV', 'Lock', 'SV']);

/** Entries of an annotation that speak of nothing but itself. */
const OF_THE_ANNOTATION = new Set([
	...['Type', 'Subtype', 'Rect', 'Contents', 'NM', 'M', 'F', 'AP', 'AS', 'Border', 'C', 'OC'],
	...['BM', 'ca', 'CA', 'Lang', 'CreationDate', 'RC', 'Subj', 'RT', 'IT', 'QuadPoints', 'H'],
	...['RD', 'BE', 'BS', 'LE', 'CL', 'L', 'IC', 'LL', 'LLE', 'LLO', 'Cap', 'CP', 'CO', 'Measure'],
	...[
		'Vertices',
		'InkList',
		'Name',
		'Sy',
		'Open',
		'RO',
		'OverlayText',
		'Repeat',
		'FS',
		'MK',
		'Sound',
	],
	...['FixedPrint', ...OF_THE_FIELD],
]);

const OF_THE_FORM = new Set(['NeedAppearances', 'DA', 'Q']);

/** A form field in the part, with those of its widgets and fields below that are in the part too. */
interface Field {
	ref: PDFRef;
	dict: PDFDict;
	kids: PDFArray;
}

/** The annotations of a part and the form that lists its fields. */
export class Annotations {
	private readonly fields = new Map<PDFDict, Field>();
	private readonly topFields = new Set<PDFRef>();
	/** Names in the default appearances of fields: the fonts that a reader needs to fill them in. */
	private readonly appearances: Buffer[] = [];

	/** @param pages the pages of the part */
	constructor(
		private readonly file: SourceFile,
		private readonly copier: Copier,
		private readonly destinations: NamedDestinations,
		private readonly pages: ReadonlySet<PDFRef>,
	) {}

	async of(page: PDFDict): Promise<PDFObject[]> {
		const listed = this.file.at(page, 'Annots');
		const annotations: PDFObject[] = [];
		for (const one of listed instanceof PDFArray ? listed.asArray() : []) {
			if (this.file.lookup(one) instanceof PDFDict) annotations.push(one);
			await letOthersRun();
		}
		return annotations;
	}

	/** The streams that show an annotation. */
	looksOf(annotation: PDFObject): PDFRawStream[] {
		const dict = this.file.lookup(annotation);
		const looks = dict instanceof PDFDict ? this.file.at(dict, 'AP') : undefined;
		if (!(looks instanceof PDFDict)) return [];
		return looks.values().flatMap((look) => {
			const object = this.file.lookup(look);
			const states = object instanceof PDFDict ? object.values() : [object];
			return states.flatMap((state) => {
				const stream = this.file.lookup(state);
				return stream instanceof PDFRawStream ? [stream] : [];
			});
		});
	}

	copy(annotation: PDFObject, page: PDFRef): PDFObject {
		const { copier, file } = this;
		const dict = file.lookup(annotation);
		if (!(dict instanceof PDFDict)) return PDFNull;
		const known = copier.placeOf(annotation);
		if (known !== undefined && copier.context.lookup(known) !== undefined) return known;
		const ref = known ?? copier.context.nextRef();
		const copy = copier.copyDict(dict, this.withoutSignature(dict, OF_THE_ANNOTATION));
		copier.context.assign(ref, copy);
		copy.set(PDFName.of('P'), page);
		const isWidget = file.nameAt(dict, 'Subtype') === 'Widget';
		// One of another page would bring that page's annotations along.
		for (const key of isWidget ? ['Popup', 'IRT'] : ['Popup', 'IRT', 'Parent']) {
			copier.setIn(copy, key, copier.placeOf(entry(dict, key)) ?? PDFNull);
		}
		copier.setIn(copy, 'Dest', this.destination(entry(dict, 'Dest')));
		copier.setIn(copy, 'A', this.action(entry(dict, 'A')));
		if (isWidget) this.attachToField(dict, copy, ref);
		return ref;
	}

	/** A destination by its page; null where that is not in the part. */
	private destination(value: PDFObject | undefined): PDFObject {
		const { file } = this;
		let target = file.lookup(value);
		if (
			target instanceof PDFName ||
			target instanceof PDFString ||
			target instanceof PDFHexString
		) {
			target = file.lookup(this.destinations.get(target));
		}
		if (target instanceof PDFDict) target = file.at(target, 'D');
		if (!(target instanceof PDFArray) || target.size() === 0) return PDFNull;
		const page = target.get(0);
		return page instanceof PDFRef && this.pages.has(page) ? this.copier.copy(target) : PDFNull;
	}

	/** Links stay. Other actions run something, or speak of fields, layers and threads of other pages. */
	private action(value: PDFObject | undefined): PDFObject {
		const action = this.file.lookup(value);
		if (!(action instanceof PDFDict)) return PDFNull;
		switch (this.file.nameAt(action, 'S')) {
			case 'GoTo': {
				const target = this.destination(entry(action, 'D'));
				return target === PDFNull ? PDFNull : this.copier.context.obj({ S: 'GoTo', D: target });
			}
			case 'URI':
				return this.copier.copyDict(action, new Set(['S', 'URI', 'IsMap']));
			case 'Named':
				return this.copier.copyDict(action, new Set(['S', 'N']));
			default:
				return PDFNull;
		}
	}

	/** Gives a widget the field it belongs to. The field of a single widget is often the widget itself. */
	private attachToField(source: PDFDict, copy: PDFDict, ref: PDFRef): void {
		let below = { dict: copy, ref };
		const seen = new Set([source]);
		this.noteAppearance(source);
		for (let dict = this.file.at(source, 'Parent'); ; dict = this.file.at(dict, 'Parent')) {
			if (!(dict instanceof PDFDict) || seen.has(dict)) break;
			seen.add(dict);
			const known = this.fields.get(dict);
			const field = known ?? this.copyField(dict);
			below.dict.set(PDFName.of('Parent'), field.ref);
			field.kids.push(below.ref);
			if (known !== undefined) return;
			below = field;
		}
		this.topFields.add(below.ref);
	}

	private copyField(source: PDFDict): Field {
		const dict = this.copier.copyDict(source, this.withoutSignature(source, OF_THE_FIELD));
		const kids = PDFArray.withContext(this.copier.context);
		dict.set(PDFName.of('Kids'), kids);
		this.noteAppearance(source);
		const field = { ref: this.copier.context.register(dict), dict, kids };
		this.fields.set(source, field);
		this.copier.fields.set(source, field);
		return field;
	}

	/** The keys to copy; the type of a field may stand above it. */
	private withoutSignature(field: PDFDict, keys: ReadonlySet<string>): ReadonlySet<string> {
		const seen = new Set<PDFObject>();
		for (let dict: PDFObject | undefined = field; dict instanceof PDFDict;) {
			if (seen.has(dict)) break;
			seen.add(dict);
			const type = this.file.nameAt(dict, 'FT');
			if (type === 'Sig') return new Set([...keys].filter((key) => !OF_A_SIGNATURE.has(key)));
			if (type !== undefined) break;
			dict = this.file.at(dict, 'Parent');
		}
		return keys;
	}

	private noteAppearance(dict: PDFDict): void {
		const appearance = this.file.at(dict, 'DA');
		if (appearance instanceof PDFString || appearance instanceof PDFHexString) {
			this.appearances.push(Buffer.from(appearance.asBytes()));
		}
	}

	/** The form of the part. */
	form(source: PDFObject | undefined): PDFObject {
		if (!(source instanceof PDFDict) || this.topFields.size === 0) return PDFNull;
		this.noteAppearance(source);
		const { copier } = this;
		const form = copier.copyDict(source, OF_THE_FORM);
		form.set(PDFName.of('Fields'), copier.arrayOf([...this.topFields]));
		const resources = this.file.at(source, 'DR');
		if (resources instanceof PDFDict) {
			form.set(PDFName.of('DR'), copier.resources.of(resources));
			for (const [kind, names] of namesIn(Buffer.concat(this.appearances))) {
				for (const name of names)
					copier.resources.find(kind, name, resources, resources, resources);
			}
		}
		return form;
	}
}
