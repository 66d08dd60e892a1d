import { chooseTemplate, type Choice } from './chooseTemplate';
import { textOf, type Page } from './page';
import { readField } from './readFields';

export interface Segment {
	documentType: string;
	startPage: number;
	endPage: number;
	confidence: number;
}

/** The documents that were put one after another into one file. */
export function findSegments(pages: Page[]): Segment[] {
	const segments: Segment[] = [];
	let lastNumber: string | null = null;
	for (const page of pages) {
		const choice = chooseTemplate([page]);
		const number = numberOn(page, choice);
		const pageNumber = page.number ?? 1;
		const current = segments.at(-1);
		if (current && !beginsDocument(page, choice, number, current, lastNumber)) {
			current.endPage = pageNumber;
			continue;
		}
		lastNumber = number;
		segments.push({
			documentType: choice?.template.documentType ?? 'Unknown',
			startPage: pageNumber,
			endPage: pageNumber,
			confidence: choice?.confidence ?? 30,
		});
	}
	return segments;
}

function numberOn(page: Page, choice: Choice | undefined): string | null {
	const [field] = choice?.template.fields ?? [];
	return field ? readField(field, [page]).value : null;
}

/** "Page 1 of 3" decides; without it, another type with its title, or another number. */
function beginsDocument(
	{ lines }: Page,
	choice: Choice | undefined,
	number: string | null,
	current: Segment,
	lastNumber: string | null,
): boolean {
	const text = lines.map(textOf).join('\n');
	const pageOfDocument = /\b(?:page|seite)\s+(\d+)\s*(?:of|von|sur|\/)\s*\d+/i.exec(text)?.[1];
	if (pageOfDocument !== undefined) return Number(pageOfDocument) === 1;
	if (!choice) return false;
	const isSameType = choice.template.documentType === current.documentType;
	if (isSameType && number !== null && lastNumber !== null) return number !== lastNumber;
	return choice.titled || current.documentType === 'Unknown';
}
