import { findInLine } from './labels';
import { cellsOf, textOf, type Cell, type Page } from './page';
import type { Template } from './template';
import { templates } from './templates';

export interface Choice {
	template: Template;
	confidence: number;
	/** Whether the document calls itself what the template says. */
	titled: boolean;
}

const titleWeight = 4;
const mostHints = 6;
const leastScore = 4;
const longestTitle = 8;

/** The template whose title and typical phrases the pages show most of, if it is enough to tell. */
export function chooseTemplate(pages: Page[]): Choice | undefined {
	const size = usualSize(pages);
	const scored = templates.map((template) => {
		const titled = titlesOn(pages, template, size).length > 0;
		const hints = template.hints.filter((hint) =>
			pages.some(({ lines }) => lines.some((line) => findInLine(line, hint).length > 0)),
		);
		return {
			template,
			titled,
			score: (titled ? titleWeight : 0) + Math.min(hints.length, mostHints),
		};
	});
	const best = scored.toSorted((a, b) => b.score - a.score)[0];
	if (!best || best.score < leastScore) return undefined;
	return {
		template: best.template,
		titled: best.titled,
		confidence: Math.min(99, 55 + 4.5 * best.score),
	};
}

/** The cells that name the document: short, and set apart from the running text by size, by capitals or by standing alone. */
export function titlesOn(pages: Page[], template: Template, size = usualSize(pages)): Cell[] {
	return pages
		.flatMap(({ lines }) => lines.flatMap(cellsOf))
		.filter((cell) => cell.length <= longestTitle)
		.filter((cell) =>
			template.titles.some((title) => {
				const found = findInLine(cell, title)[0];
				if (!found) return false;
				const alone = found.end - found.start === cell.length;
				const capitals = textOf(cell) === textOf(cell).toUpperCase();
				const large = Math.max(...cell.map((word) => word.size)) >= 1.15 * size;
				return alone || large || (capitals && (found.start === 0 || found.end === cell.length));
			}),
		);
}

export function usualSize(pages: Page[]): number {
	const sizes = pages
		.flatMap(({ lines }) => lines.flatMap((line) => line.map((word) => word.size)))
		.toSorted((a, b) => a - b);
	return sizes[Math.floor(sizes.length / 2)] ?? 10;
}
