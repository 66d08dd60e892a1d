/** The forms in which values are printed. What is found is handed on as printed, never rewritten. */
export const valueForms = {
	date: /(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4}(?!\d)|\d{1,2}(?:st|nd|rd|th|er)?\.?\s+(?:de\s+)?\p{L}{3,10}\.?,?\s+(?:de\s+)?\d{4}|\p{L}{3,10}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?\s+\d{4})/u,
	money:
		/(?:(?:[€$£¥]|[A-Z]{3})\s?)?[-–]?(?:\d{1,3}(?:[ .,'’]\d{3})+|\d+)(?:[.,]\d{1,2})?(?![.,]?\d)(?:\s?(?:[€$£¥]|EUR\b|USD\b|GBP\b|CHF\b|AUD\b))?(?!\s?%)/,
	number: /#?(?=\S*\d)[\p{L}\d](?:[\p{L}\d/_.-]*[\p{L}\d])?/u,
	text: /\S.*/,
} as const;

export type ValueForm = keyof typeof valueForms;
