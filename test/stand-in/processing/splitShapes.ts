import type { Segment } from '../reading/segments';

/** Ways of saying the same: the contract leaves open how an answer of Split looks (docs/service-contract.md, Split). */
export const splitShapes = {
	startEnd: (segments) => ({ segments }),
	text: (segments) => ({
		documents: segments.map(({ documentType, startPage, endPage, confidence }) => ({
			pages: startPage === endPage ? `${startPage}` : `${startPage}-${endPage}`,
			label: documentType.toLowerCase(),
			confidence: confidence / 100,
		})),
	}),
	commas: (segments) =>
		segments.map(({ documentType, startPage, endPage }) => ({
			type: documentType,
			page_range: pagesFrom(startPage, endPage).join(','),
		})),
	list: (segments) => ({
		result: {
			parts: segments.map(({ documentType, startPage, endPage }) => ({
				detectedType: documentType,
				pages: pagesFrom(startPage, endPage),
			})),
		},
	}),
	fromTo: (segments) => ({
		pageCount: segments.at(-1)?.endPage ?? 0,
		splits: segments.map(({ documentType, startPage, endPage, confidence }) => ({
			classification: { type: documentType, confidence },
			from: String(startPage),
			to: String(endPage),
		})),
	}),
	nested: (segments) => ({
		segments: segments.map(({ documentType, startPage, endPage }) => ({
			document_type: documentType,
			pageRange: { firstPage: startPage, lastPage: endPage },
		})),
	}),
} satisfies Record<string, (segments: Segment[]) => unknown>;

export type SplitShape = keyof typeof splitShapes;

function pagesFrom(first: number, last: number): number[] {
	return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
