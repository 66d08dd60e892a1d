import type { Copier } from './copier';
import { PDFArray, PDFDict, PDFNull, type PDFObject, PDFRef } from './library';
import { entry, type SourceFile } from './sourceFile';

function propertiesOf(file: SourceFile): PDFDict | undefined {
	const catalog = file.lookup(file.trailer.Root);
	const properties = catalog instanceof PDFDict ? file.at(catalog, 'OCProperties') : undefined;
	return properties instanceof PDFDict ? properties : undefined;
}

/** The layers that a file lists: some writers leave out the type of each. */
export function layersIn(file: SourceFile): Set<PDFObject> {
	const properties = propertiesOf(file);
	const listed = properties && file.at(properties, 'OCGs');
	const groups = listed instanceof PDFArray ? listed.asArray() : [];
	return new Set(
		groups.flatMap((group) => {
			const object = file.lookup(group);
			return object instanceof PDFDict ? [object] : [];
		}),
	);
}

/** Which layers of the part are shown, without the names and the order of those that it has not. */
export function layersOfPart(file: SourceFile, copier: Copier): PDFObject {
	const source = propertiesOf(file);
	if (source === undefined || copier.layers.size === 0) return PDFNull;
	const groups = [...copier.layers].flatMap((layer) => copier.placeOf(layer) ?? []);
	const given = file.at(source, 'D');
	const shown = PDFDict.withContext(copier.context);
	if (given instanceof PDFDict) {
		copier.setIn(shown, 'BaseState', copier.copy(file.at(given, 'BaseState')));
		copier.setIn(shown, 'Intent', copier.copy(file.at(given, 'Intent')));
		for (const key of ['ON', 'OFF', 'Locked']) {
			copier.setIn(shown, key, ofPart(file, copier, given, key));
		}
		const automatic = file.at(given, 'AS');
		const usages = automatic instanceof PDFArray ? automatic.asArray() : [];
		const copies = usages.flatMap((usage) => {
			const dict = file.lookup(usage);
			if (!(dict instanceof PDFDict)) return [];
			const copy = copier.copyDict(dict, new Set(['Event', 'Category']));
			copier.setIn(copy, 'OCGs', ofPart(file, copier, dict, 'OCGs'));
			return [copy];
		});
		if (copies.length > 0) copier.setIn(shown, 'AS', copier.arrayOf(copies));
	}
	copier.setIn(shown, 'Order', copier.arrayOf(groups));
	return copier.context.obj({ OCGs: copier.arrayOf(groups), D: shown });
}

function ofPart(file: SourceFile, copier: Copier, dict: PDFDict, key: string): PDFObject {
	const listed = file.lookup(entry(dict, key));
	if (!(listed instanceof PDFArray)) return PDFNull;
	return copier.arrayOf(
		listed.asArray().flatMap((layer) => {
			const place = layer instanceof PDFRef && copier.layers.has(layer);
			return place ? (copier.placeOf(layer) ?? []) : [];
		}),
	);
}
