import type { IDataObject } from 'n8n-workflow';

import { listOf, numberOf } from '../text/json';
import { Field, partsOf, type FieldTree } from './fields';
import type { Path } from './paths';

/** Where a value is printed. */
export interface Place {
	/** Counted from 1. */
	page: number;
	/** Left, top, right and bottom, as fractions of the page. */
	box: [number, number, number, number];
}

/** The places of a value, or of the smallest field around it that has any. */
export function placesOf(tree: FieldTree, path: Path, around: Place[] = []): Place[] {
	if (tree instanceof Field) {
		const places = placesIn(tree.details);
		return placesOf(tree.value, path, places.length > 0 ? places : around);
	}
	const [step, ...inner] = path;
	const [, part] = partsOf(tree).find(([name]) => name === step) ?? [];
	return part === undefined ? around : placesOf(part, inner, around);
}

/** A bounding box is four numbers; several boxes are a list of these. What lies outside of the page is cut off. */
function placesIn({ page, boundingBox }: IDataObject): Place[] {
	const number = numberOf(page) ?? 0;
	const edges = listOf(boundingBox)
		.flat(Infinity)
		.map((edge) => Math.min(1, Math.max(0, numberOf(edge) ?? NaN)));
	const places: Place[] = [];
	for (let at = 0; at + 4 <= edges.length; at += 4) {
		const [left = 0, top = 0, right = 0, bottom = 0] = edges.slice(at, at + 4);
		if (Number.isInteger(number) && number > 0 && left < right && top < bottom)
			places.push({ page: number, box: [left, top, right, bottom] });
	}
	return places;
}
