import { pageText } from './fields';
import { cellsOf, textOf, type Page } from './page';
import { templates, type Template } from './templates';

export interface Choice {
	template: Template;
	confidence: number;
}

const titleWeight = 4;
const mostHints = 6;
const leastScore = 4;

/** The template whose title and typical phrases the pages show most of, if it is enough to tell. */
export function chooseTemplate(pages: Page[]): Choice | undefined {
	const cells = pages.flatMap(({ lines }) => lines.flatMap(cellsOf)).map(textOf);
	const text = pages.map(pageText).join('\n').toLowerCase();
	const scored = templates.map((template) => {
		const hints = new Set(text.match(template.hints));
		const titled = cells.some((cell) => template.title.test(cell));
		return { template, score: (titled ? titleWeight : 0) + Math.min(hints.size, mostHints) };
	});
	const [best] = scored.toSorted((a, b) => b.score - a.score);
	if (!best || best.score < leastScore) return undefined;
	return { template: best.template, confidence: Math.min(99, 55 + 4.5 * best.score) };
}
