import { grouped } from '../text/grouped';
import { freeName, type Scalar } from './fields';
import { FIELDS, type CellPath, type Path, type Step } from './paths';

/**
 * A name for each column, the shortest that no other has: of several columns that may have a name, the one with the
 * shortest path gets it. Underscores distinguish equal paths. The order of the columns does not matter.
 * @param taken names in use; the new ones are added
 */
export function nameColumns(
	cellPaths: ReadonlySet<CellPath>,
	taken: Set<string>,
): Map<CellPath, string> {
	const columns = [...cellPaths]
		.map((cellPath) => ({ cellPath, ...namesOf(cellPath) }))
		.sort(
			(first, second) => first.depth - second.depth || (first.cellPath < second.cellPath ? -1 : 1),
		);
	const owners = new Map<string, { cellPath?: CellPath; depth: number }>();
	for (const { cellPath, depth, names } of columns)
		for (const name of names) {
			const owner = owners.get(name) ?? { cellPath, depth };
			const isShared = owner.depth === depth && owner.cellPath !== cellPath;
			owners.set(name, isShared ? { depth } : owner);
		}
	const named = new Map<CellPath, string>();
	for (const { cellPath, names } of columns) {
		const candidate = names.find(
			(name) => owners.get(name)?.cellPath === cellPath && !taken.has(name),
		);
		if (candidate !== undefined) named.set(cellPath, candidate);
	}
	for (const name of named.values()) taken.add(name);
	for (const { cellPath, names } of columns) {
		const name = named.get(cellPath) ?? freeName(names.at(-1) ?? '', taken);
		named.set(cellPath, name);
		taken.add(name);
	}
	return new Map([...cellPaths].map((cellPath) => [cellPath, named.get(cellPath) ?? '']));
}

/** Shortest name to full path; the shortest of a table cell, like its `depth`, starts in the row. */
function namesOf(cellPath: CellPath): { names: string[]; depth: number } {
	const steps = JSON.parse(cellPath) as Step[];
	const stepNames = (part: Step[]) => part.flat().filter((step) => step !== 0);
	const path = stepNames(steps);
	const inRow = steps.includes(0) ? stepNames(steps.slice(steps.indexOf(0))).length : 0;
	const paths = inRow > 0 ? [path.slice(-inRow), path.slice(-inRow - 1)] : [];
	if (path[0] === FIELDS && path.length > 1) paths.push(path.slice(1));
	const names = [...paths, path].map((each) => each.join('_'));
	return { names, depth: inRow || path.length };
}

/** A value of a document, as its column sees it. */
export interface ColumnCell {
	path: Path;
	value: Scalar;
	/** `converted` is a number that was text, `text` has a digit and can be listed, `word` is left alone. */
	kind: 'converted' | 'number' | 'uncertain' | 'text' | 'word' | 'empty';
}

/** The column of a table that a value is in; undefined for a value that is in no table. */
export function columnOf(path: Path): string | undefined {
	const isCell = typeof path.at(-1) === 'string' && path.some((part) => typeof part === 'number');
	if (!isCell) return undefined;
	// Asked of each of thousands of values, for which `cellPathOf` takes too long.
	return path.map((part) => (typeof part === 'string' ? part : '')).join('\n');
}

/**
 * Finds text that a sum of its column would skip: in columns of which more than half of the filled cells are numbers, if
 * any of these was text.
 */
export function textsAmongNumbers<Cell extends ColumnCell>(
	cells: Iterable<Cell>,
	column: (cell: Cell) => string | undefined,
): Set<Cell> {
	const texts = new Set<Cell>();
	const filledIn = (cell: Cell) => (cell.kind === 'empty' ? undefined : column(cell));
	for (const filled of grouped(cells, filledIn).values()) {
		const converted = filled.filter(({ kind }) => kind === 'converted').length;
		const numbers = converted + filled.filter(({ kind }) => kind === 'number').length;
		if (converted === 0 || numbers * 2 <= filled.length) continue;
		for (const cell of filled) if (cell.kind === 'text') texts.add(cell);
	}
	return texts;
}
