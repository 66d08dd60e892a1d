import { findInLine } from './labels';
import { cellsOf, type Cell, type Page } from './page';
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
	const scored = templates.map((template) => {
		const titled = titlesOn(pages, template).length > 0;
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

/** The cells that name the document: set apart from running text, which has more words. */
export function titlesOn(pages: Page[], { titles }: Template): Cell[] {
	return pages
		.flatMap(({ lines }) => lines.flatMap(cellsOf))
		.filter((cell) => cell.length <= longestTitle)
		.filter((cell) => titles.some((title) => findInLine(cell, title).length > 0));
}

export function usualSize(pages: Page[]): number {
	const sizes = pages
		.flatMap(({ lines }) => lines.flatMap((line) => line.map((word) => word.size)))
		.toSorted((a, b) => a - b);
	return sizes[Math.floor(sizes.length / 2)] ?? 10;
}
