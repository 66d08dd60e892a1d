import type { IDataObject } from 'n8n-workflow';

import { listOf, numberOf } from '../text/json';
import { Field, partsOf, type FieldTree } from './fields';
import type { Path } from './paths';

/** Where a value is printed. */
interface Place {
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

/** A bounding box is four numbers, or a list of several boxes. What lies outside of the page is cut off. */
function placesIn({ page, boundingBox }: IDataObject): Place[] {
	const number = numberOf(page) ?? 0;
	if (!Number.isInteger(number) || number < 1) return [];
	const all = listOf(boundingBox);
	return (all.some(Array.isArray) ? all : [all]).flatMap((box) => {
		const edges = listOf(box).map((edge) => Math.min(1, Math.max(0, numberOf(edge) ?? NaN)));
		const [left = 1, top = 1, right = 0, bottom = 0] = edges;
		return left < right && top < bottom ? { page: number, box: [left, top, right, bottom] } : [];
	});
}
