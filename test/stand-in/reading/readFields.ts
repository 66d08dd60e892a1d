import { titlesOn } from './chooseTemplate';
import { fieldFrom, notFound, type Field } from './field';
import { cellsBelow, findLabel, wordsRightOf, type LabelPlace } from './labels';
import { cellsOf, textOf, type Page, type Word } from './page';
import type { FieldOfTemplate, Template, Way } from './template';
import { templates } from './templates';
import { valueForms, type ValueForm } from './values';

export function readField({ form, ways }: FieldOfTemplate, pages: Page[]): Field {
	for (const way of ways) {
		const field = follow(way, form, pages);
		if (field) return field;
	}
	return notFound;
}

function follow(way: Way, form: ValueForm, pages: Page[]): Field | undefined {
	if ('labels' in way) return byLabel(way, form, pages);
	if ('sentence' in way) return bySentence(way.sentence, pages);
	if ('signs' in way) return bySign(way.signs, pages);
	if ('addressWindow' in way) return inAddressWindow(pages);
	return largestAtTop(pages);
}

/** How sure a reading is depends on how it was come by, not on what it says. */
const sureness = {
	right: 96,
	below: 91,
	sentence: 84,
	addressWindow: 74,
	largestAtTop: 62,
	sign: 78,
};

function byLabel(
	way: Extract<Way, { labels: string[] }>,
	form: ValueForm,
	pages: Page[],
): Field | undefined {
	for (const page of pages) {
		for (const label of way.labels) {
			for (const place of findLabel(page, label, way.startsCell ?? false)) {
				const right = rightOf(place, form);
				const found = right ?? (way.where === 'right' ? undefined : below(place, form));
				if (found) return found;
			}
		}
	}
	return undefined;
}

function rightOf(place: LabelPlace, form: ValueForm): Field | undefined {
	const words = wordsRightOf(place);
	if (form !== 'text') return matched(words, form, place.page, sureness.right);
	const cell = cellsOf(words)[0];
	const label = place.line[place.end - 1];
	if (!cell?.[0] || !label) return undefined;
	// A phrase far to the right belongs to the label only if a colon says so; otherwise it heads a column of its own.
	const near =
		cell[0].x0 - label.x1 <= 2.5 * label.size ||
		label.text.endsWith(':') ||
		place.line[place.end]?.text === ':';
	return near ? matched(cell, form, place.page, sureness.right) : undefined;
}

function below(place: LabelPlace, form: ValueForm): Field | undefined {
	for (const cell of cellsBelow(place)) {
		const found = matched(cell, form, place.page, sureness.below);
		if (found) return found;
	}
	return undefined;
}

/** The value has to begin the words; what follows it on the line is something else. */
function matched(
	words: Word[],
	form: ValueForm,
	page: Page,
	confidence: number,
): Field | undefined {
	const text = textOf(words);
	const value = new RegExp(`^${valueForms[form].source}`, valueForms[form].flags)
		.exec(text)?.[0]
		.replace(/^#/, '')
		.trim();
	if (!value || text.endsWith(':')) return undefined;
	return fieldFrom(value, confidence, page, wordsBetween(words, 0, value.length));
}

function bySentence(sentence: RegExp, pages: Page[]): Field | undefined {
	for (const page of pages) {
		const words = page.lines.flat();
		const text = page.lines.map(textOf).join('\n');
		const match = new RegExp(sentence.source, `${sentence.flags}d`).exec(text);
		const [from, to] = match?.indices?.[1] ?? [];
		const value = match?.[1]?.replace(/\s+/g, ' ').trim();
		if (!value || from === undefined || to === undefined) continue;
		return fieldFrom(value, sureness.sentence, page, wordsBetween(words, from, to));
	}
	return undefined;
}

function bySign(signs: Record<string, string>, pages: Page[]): Field | undefined {
	for (const page of pages) {
		for (const word of page.lines.flat()) {
			const sign = Object.keys(signs).find((candidate) => word.text.includes(candidate));
			if (sign !== undefined) return fieldFrom(signs[sign] ?? sign, sureness.sign, page, [word]);
		}
	}
	return undefined;
}

function largestAtTop(pages: Page[]): Field | undefined {
	const page = pages[0];
	if (!page) return undefined;
	const titles = templates.flatMap((template: Template) => titlesOn(pages, template).map(textOf));
	const cells = page.lines
		.filter((line) => (line[0]?.y1 ?? 0) < 0.35 * page.height)
		.flatMap(cellsOf)
		.filter(
			(cell) =>
				/\p{L}{2}/u.test(textOf(cell)) &&
				!titles.includes(textOf(cell)) &&
				!textOf(cell).endsWith(':'),
		);
	const largest = cells.toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];
	return largest && fieldFrom(textOf(largest), sureness.largestAtTop, page, largest);
}

function inAddressWindow(pages: Page[]): Field | undefined {
	const page = pages[0];
	for (const line of page?.lines ?? []) {
		const sender = cellsOf(line).find(
			(cell) => cell.filter(({ text }) => /^[·|•]$/.test(text)).length >= 2,
		);
		if (!page || !sender?.[0]) continue;
		const start = line.indexOf(sender[0]);
		const name = cellsBelow({ page, line, start, end: start + sender.length })[0];
		if (name) return fieldFrom(textOf(name), sureness.addressWindow, page, name);
	}
	return undefined;
}

/** Rounded, because a file may set one line in 9.96 and the next in 10. */
function sizeOf(cell: Word[]): number {
	return Math.round(Math.max(...cell.map(({ size }) => size)));
}

function wordsBetween(words: Word[], from: number, to: number): Word[] {
	let start = 0;
	return words.filter((word) => {
		const wordStart = start;
		start += word.text.length + 1;
		return wordStart < to && wordStart + word.text.length > from;
	});
}
