import { chooseTemplate, titlesOn } from './chooseTemplate';
import { textOf, type Page } from './page';
import { readField } from './readFields';
import type { Template } from './template';

export interface Segment {
	documentType: string;
	startPage: number;
	endPage: number;
	confidence: number;
}

interface PageSigns {
	template: Template | undefined;
	confidence: number;
	titled: boolean;
	/** The document's own number, where its template has one. */
	number: string | null;
	/** From "Page 2 of 3". */
	pageOfDocument: number | null;
	continued: boolean;
	imageOnly: boolean;
}

/** The documents that were put one after another into one file. */
export function findSegments(pages: Page[]): Segment[] {
	const segments: Array<Segment & { number: string | null }> = [];
	for (const page of pages) {
		const signs = signsOf(page);
		const current = segments.at(-1);
		const pageNumber = page.number ?? 1;
		if (current && !beginsDocument(signs, current)) {
			current.endPage = pageNumber;
			continue;
		}
		segments.push({
			documentType: signs.template?.documentType ?? 'Unknown',
			startPage: pageNumber,
			endPage: pageNumber,
			confidence: signs.template ? signs.confidence : 30,
			number: signs.number,
		});
	}
	return segments.map(({ documentType, startPage, endPage, confidence }) => ({
		documentType,
		startPage,
		endPage,
		confidence,
	}));
}

function beginsDocument(signs: PageSigns, current: Segment & { number: string | null }): boolean {
	if (signs.imageOnly) return true;
	if (signs.pageOfDocument !== null) return signs.pageOfDocument === 1;
	if (signs.continued) return false;
	if (!signs.template) return false;
	if (signs.template.documentType !== current.documentType)
		return signs.titled || current.documentType === 'Unknown';
	if (signs.number !== null && current.number !== null) return signs.number !== current.number;
	return signs.titled;
}

function signsOf(page: Page): PageSigns {
	const choice = chooseTemplate([page]);
	const text = page.lines.map(textOf).join('\n');
	const titles = choice ? titlesOn([page], choice.template).map(textOf) : [];
	const numberField = choice?.template.fields.find(
		({ name }) => name === choice.template.numberField,
	);
	const ofPages = /\b(?:page|seite|pagina)\s+(\d+)\s*(?:of|von|sur|van|\/)\s*\d+/i.exec(text)?.[1];
	return {
		template: choice?.template,
		confidence: choice?.confidence ?? 0,
		titled: choice?.titled ?? false,
		number: numberField ? readField(numberField, [page]).value : null,
		pageOfDocument: ofPages === undefined ? null : Number(ofPages),
		continued: /\b(?:continued|fortsetzung|suite)\b/i.test(
			[...titles, text.split('\n')[0] ?? ''].join(' '),
		),
		imageOnly: page.imageOnly,
	};
}
