import { MAX_PAGES } from './bounds';
import { letOthersRun } from './eventLoop';
import { TooComplex } from './failures';
import {
	PDFArray,
	PDFDict,
	PDFHexString,
	PDFName,
	type PDFObject,
	PDFRef,
	PDFString,
} from './library';
import { entry, type SourceFile } from './sourceFile';

/** Entries that a page has from the nodes above it where it has none of its own. */
const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'];

export interface SourcePage {
	ref: PDFRef | undefined;
	dict: PDFDict;
	inherited: ReadonlyMap<string, PDFObject>;
}

export interface PageTree {
	pages: SourcePage[];
	/** All pages and nodes: a reference to one from anywhere but a page of the part is dropped. */
	nodes: ReadonlySet<PDFObject>;
}

/** The pages in order, or `undefined` where one cannot be read: the numbers of all after it would be wrong. */
export async function readPageTree(file: SourceFile): Promise<PageTree | undefined> {
	const catalog = file.lookup(file.trailer.Root);
	if (!(catalog instanceof PDFDict)) return undefined;
	const pages: SourcePage[] = [];
	const nodes = new Set<PDFObject>();
	const branches = new Set<PDFDict>();
	const top: SourcePage['inherited'] = new Map();
	const pending = [{ node: entry(catalog, 'Pages'), above: top }];
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		await letOthersRun();
		const { node, above } = next;
		const dict = file.lookup(node);
		if (!(dict instanceof PDFDict)) return undefined;
		nodes.add(dict);
		const inherited = withOwn(file, dict, above);
		const kids = file.at(dict, 'Kids');
		if (kids instanceof PDFArray) {
			if (branches.has(dict)) return undefined;
			branches.add(dict);
			if (kids.size() + pending.length + pages.length > MAX_PAGES) throw new TooComplex();
			for (const kid of kids.asArray().reverse()) pending.push({ node: kid, above: inherited });
		} else if (file.nameAt(dict, 'Type') !== 'Pages') {
			pages.push({ ref: node instanceof PDFRef ? node : undefined, dict, inherited });
		}
	}
	return pages.length === 0 ? undefined : { pages, nodes };
}

function withOwn(file: SourceFile, dict: PDFDict, above: SourcePage['inherited']) {
	let inherited: Map<string, PDFObject> | undefined;
	for (const key of INHERITED) {
		const value = entry(dict, key);
		if (value === undefined || file.at(dict, key) === undefined) continue;
		inherited ??= new Map(above);
		inherited.set(key, value);
	}
	return inherited ?? above;
}

/** Where the names of a file point to, read when the first one is asked for. */
export class NamedDestinations {
	private targets: Map<string, PDFObject> | undefined;

	constructor(private readonly file: SourceFile) {}

	get(name: PDFName | PDFString | PDFHexString): PDFObject | undefined {
		this.targets ??= this.read();
		return this.targets.get(name.decodeText());
	}

	private read(): Map<string, PDFObject> {
		const targets = new Map<string, PDFObject>();
		const { file } = this;
		const catalog = file.lookup(file.trailer.Root);
		if (!(catalog instanceof PDFDict)) return targets;
		const old = file.at(catalog, 'Dests');
		if (old instanceof PDFDict) {
			for (const [name, target] of old.entries()) targets.set(name.decodeText(), target);
		}
		const names = file.at(catalog, 'Names');
		const seen = new Set<PDFObject>();
		const pending = [names instanceof PDFDict ? file.at(names, 'Dests') : undefined];
		while (pending.length > 0) {
			const node = pending.pop();
			if (!(node instanceof PDFDict) || seen.has(node)) continue;
			seen.add(node);
			const kids = file.at(node, 'Kids');
			if (kids instanceof PDFArray) {
				for (const kid of kids.asArray()) pending.push(file.lookup(kid));
			}
			const pairs = file.at(node, 'Names');
			if (!(pairs instanceof PDFArray)) continue;
			for (let index = 0; index + 1 < pairs.size(); index += 2) {
				const name = file.lookup(pairs.get(index));
				if (name instanceof PDFString || name instanceof PDFHexString) {
					targets.set(name.decodeText(), pairs.get(index + 1));
				}
			}
		}
		return targets;
	}
}
