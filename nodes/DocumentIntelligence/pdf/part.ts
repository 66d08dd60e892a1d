import { Annotations } from './annotations';
import { Copier } from './copier';
import { letOthersRun } from './eventLoop';
import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRawStream, PDFRef } from './library';
import { layersIn, layersOfPart } from './layers';
import { NamedDestinations, type PageTree, type SourcePage } from './pageTree';
import { ContentIndex } from './resources';
import { entry, type SourceFile } from './sourceFile';
import { writePdf } from './writePdf';

/** Entries of a page that speak of nothing but itself; those that it inherits are copied as well. */
const OF_THE_PAGE = new Set([
	...['BleedBox', 'TrimBox', 'ArtBox', 'BoxColorInfo', 'Contents', 'Group', 'Tabs', 'UserUnit'],
	...['Dur', 'Trans', 'VP'],
]);

/** Makes parts of a file. What belongs to a page is decided here and in the modules it uses (docs/pdf-library.md). */
export class PartMaker {
	private readonly index: ContentIndex;
	private readonly destinations: NamedDestinations;
	private readonly layers: ReadonlySet<PDFObject>;

	constructor(
		private readonly file: SourceFile,
		private readonly tree: PageTree,
	) {
		this.index = new ContentIndex(file);
		this.destinations = new NamedDestinations(file);
		this.layers = layersIn(file);
	}

	/** A PDF of these pages. Throws `TooComplex`. */
	async make(pages: SourcePage[]): Promise<Buffer | 'damaged'> {
		const { file } = this;
		const copier = new Copier(file, this.index, this.tree.nodes, this.layers);
		const { context } = copier;
		const own = new Set(pages.flatMap(({ ref }) => ref ?? []));
		const annotations = new Annotations(file, copier, this.destinations, own);
		const tree = context.nextRef();
		const refs = pages.map(({ ref }) => copier.reserve(ref));
		// Reserved before anything is copied, so that what refers to one of them finds it.
		for (const { dict } of pages) {
			for (const annotation of await annotations.of(dict)) {
				if (annotation instanceof PDFRef) copier.reserve(annotation);
			}
		}
		for (const [index, page] of pages.entries()) {
			const ref = refs[index] ?? context.nextRef();
			const copy = await this.copyPage(page, copier, annotations, ref);
			copy.set(PDFName.of('Parent'), tree);
			context.assign(ref, copy);
			await copier.finishPending();
		}
		context.assign(tree, context.obj({ Type: 'Pages', Kids: refs, Count: refs.length }));
		const catalog = context.obj({ Type: 'Catalog', Pages: tree });
		const source = file.lookup(file.trailer.Root);
		if (source instanceof PDFDict) {
			copier.setIn(catalog, 'Lang', copier.copy(entry(source, 'Lang')));
			copier.setIn(catalog, 'AcroForm', annotations.form(file.at(source, 'AcroForm')));
			await copier.finishPending();
			copier.setIn(catalog, 'OCProperties', layersOfPart(file, copier));
		}
		await copier.finishPending();
		return copier.isDamaged ? 'damaged' : await writePdf(context, context.register(catalog));
	}

	private async copyPage(
		{ dict, inherited }: SourcePage,
		copier: Copier,
		annotations: Annotations,
		ref: PDFRef,
	): Promise<PDFDict> {
		const { file } = this;
		const page = copier.copyDict(dict, OF_THE_PAGE);
		for (const [key, value] of inherited) {
			if (key !== 'Resources') copier.setIn(page, key, copier.copy(value));
		}
		const given = file.lookup(inherited.get('Resources'));
		const resources = given instanceof PDFDict ? given : PDFDict.withContext(file.context);
		page.set(PDFName.of('Resources'), copier.resources.of(resources));
		const own = await annotations.of(dict);
		for (const content of this.contentsOf(dict)) copier.resources.drawPage(content, resources);
		const copies: PDFObject[] = [];
		for (const annotation of own) {
			for (const look of annotations.looksOf(annotation)) {
				copier.resources.draw(look, resources, resources);
			}
			copies.push(annotations.copy(annotation, ref));
			await letOthersRun();
		}
		if (copies.length > 0) page.set(PDFName.of('Annots'), copier.arrayOf(copies));
		page.set(PDFName.of('Type'), PDFName.of('Page'));
		return page;
	}

	private contentsOf(page: PDFDict): PDFRawStream[] {
		const contents = this.file.at(page, 'Contents');
		const items = contents instanceof PDFArray ? contents.asArray() : [contents];
		return items.flatMap((item) => {
			const stream = this.file.lookup(item);
			return stream instanceof PDFRawStream ? [stream] : [];
		});
	}
}
