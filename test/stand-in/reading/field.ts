import { boxAround, type Page, type Word } from './page';

/** A value as the service reports it; the place is left out where the document has none. */
export interface Field {
	value: string | null;
	confidence: number;
	page?: number;
	bbox?: [number, number, number, number];
	bbox_confidence?: number;
}

export const notFound: Field = { value: null, confidence: 0 };

export function fieldFrom(value: string, confidence: number, page: Page, words: Word[]): Field {
	if (page.number === null || words.length === 0) return { value, confidence };
	const { x0, y0, x1, y1 } = boxAround(words);
	return {
		value,
		confidence,
		page: page.number,
		bbox: [
			fraction(x0, page.width),
			fraction(y0, page.height),
			fraction(x1, page.width),
			fraction(y1, page.height),
		],
		bbox_confidence: Math.max(0, confidence - 2),
	};
}

function fraction(distance: number, whole: number): number {
	return Math.round(Math.min(1, Math.max(0, distance / whole)) * 10_000) / 10_000;
}
