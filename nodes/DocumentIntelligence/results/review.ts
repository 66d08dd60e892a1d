import { lowConfidenceFields, type FieldTree } from './fields';

/**
 * What the Confidence Threshold option adds to a document: nothing when it is not set.
 *
 * @param threshold 0 to 100
 */
export function review(
	tree: FieldTree,
	threshold: number | undefined,
): { needsReview?: boolean; lowConfidenceFields?: string[] } {
	if (threshold === undefined) return {};
	const fields = lowConfidenceFields(tree, threshold);
	return { needsReview: fields.length > 0, lowConfidenceFields: fields };
}
