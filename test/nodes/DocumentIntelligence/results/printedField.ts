/** Where a field is on its page, as Cogneris says it. */
export const place = { page: 1, bbox: [0.1, 0.2, 0.3, 0.4], bbox_confidence: 95 };

/** A field of a response, with all that Cogneris says of one. */
export const field = (value: unknown, confidence: unknown = 97) => ({
	value,
	confidence,
	...place,
});
