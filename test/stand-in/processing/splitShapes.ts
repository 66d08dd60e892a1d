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
	list: (segments) => ({
		results: segments.map(({ documentType, startPage, endPage }) => ({
			detectedType: documentType,
			pages: pagesFrom(startPage, endPage),
		})),
	}),
	nested: (segments) => ({
		metadata: {
			segments: segments.map(({ documentType, startPage, endPage }) => ({
				type: documentType,
				pageRange: { from: startPage, to: endPage },
			})),
		},
	}),
} satisfies Record<string, (segments: Segment[]) => unknown>;

export type SplitShape = keyof typeof splitShapes;

function pagesFrom(first: number, last: number): number[] {
	return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
