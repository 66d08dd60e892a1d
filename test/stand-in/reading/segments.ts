import { chooseTemplate } from './chooseTemplate';
import { pageText } from './fields';
import type { Page } from './page';

export interface Segment {
	documentType: string;
	startPage: number;
	endPage: number;
	confidence: number;
}

/** The documents that were put one after another into one file: "Page 1 of 3" begins one, and so does a page that says no number and is of a known kind. */
export function findSegments(pages: Page[]): Segment[] {
	const segments: Segment[] = [];
	for (const page of pages) {
		const choice = chooseTemplate([page]);
		const number = page.number ?? 1;
		const [, ofDocument] = /\bpage (\d+) of \d+/i.exec(pageText(page)) ?? [];
		const begins = ofDocument === undefined ? choice !== undefined : ofDocument === '1';
		const current = segments.at(-1);
		if (current && !begins) current.endPage = number;
		else
			segments.push({
				documentType: choice?.template.documentType ?? 'Unknown',
				startPage: number,
				endPage: number,
				confidence: choice?.confidence ?? 30,
			});
	}
	return segments;
}
