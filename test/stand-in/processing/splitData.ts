import type { SplitForm } from '../settings';
import type { Segment } from '../reading/segments';

/** The segments in one of the forms that the contract leaves open (docs/internals/service-contract.md, Split). */
export function splitData(segments: Segment[], form: SplitForm): Record<string, unknown> {
	switch (form) {
		case 'metadata':
			return { metadata: { segments } };
		case 'pageRange':
			return { metadata: { segments: segments.map(withPageRange) } };
		case 'items':
			return { metadata: { documents: { items: segments.map(withFields) } } };
		case 'beside':
			return { segments };
	}
}

function withPageRange({ documentType, confidence, ...pages }: Segment) {
	return { detectedType: documentType, confidence, pageRange: rangeOf(pages) };
}

function withFields({ documentType, confidence, ...pages }: Segment) {
	return {
		documentType: { value: documentType, confidence },
		pageRange: { value: rangeOf(pages), confidence },
	};
}

function rangeOf({ startPage, endPage }: Pick<Segment, 'startPage' | 'endPage'>): string {
	return startPage === endPage ? String(startPage) : `${startPage}-${endPage}`;
}
