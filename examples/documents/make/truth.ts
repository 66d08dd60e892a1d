/** What truth.json says about one file. Values are the strings printed in the document, to the character. */
export interface Truth {
	documentType: string;
	/** Absent for what has no pages: images and plain text. */
	pages?: number;
	fields?: Record<string, string>;
	lineItems?: LineItem[];
	/** What the amounts and dates of an invoice mean, whatever its country prints. */
	meaning?: Meaning;
	/** The documents inside a bundle, first and last page counted from 1. */
	segments?: Segment[];
	/** Size in pixels. */
	image?: { width: number; height: number };
	/** The documents to be found in an image. The values of an only one stand above as well, as for any other file. */
	documents?: DocumentInImage[];
}

export interface LineItem {
	description: string;
	quantity: string;
	unitPrice: string;
	amount: string;
}

export interface Meaning {
	/** Dates as YYYY-MM-DD. */
	fields: { invoiceDate: string; dueDate: string; subtotal: number; tax: number; total: number };
	/** In the order of the line items. */
	lineItems: Array<{ quantity: number; unitPrice: number; amount: number }>;
}

export interface Segment {
	documentType: string;
	firstPage: number;
	lastPage: number;
	/** The same document as a file of its own: its fields are told there. */
	file: string;
}

/** The upright box around a thing: left, top, right, bottom, in pixels. */
export type Box = [left: number, top: number, right: number, bottom: number];

export interface DocumentInImage {
	documentType: string;
	box: Box;
	fields: Record<string, string>;
	lineItems?: LineItem[];
}

/** A finished file, what is true about it, and every text it shows. */
export interface MadeDocument {
	file: string;
	bytes: Uint8Array;
	printed: string[];
	truth: Truth;
}

/** Stops the making when the truth claims a text that the document does not show. */
export function checkPrinted({ file, printed, truth }: MadeDocument): void {
	// A value may be broken at the end of a line.
	const all = printed.join(' ');
	const shown = [truth, ...(truth.documents ?? [])];
	const claimed = shown.flatMap((part) => [
		...Object.values(part.fields ?? {}),
		...(part.lineItems ?? []).flatMap((item) => Object.values(item) as string[]),
	]);
	const missing = claimed.filter((text) => !all.includes(text));
	if (missing.length > 0) throw new Error(`${file} does not show ${missing.join(' | ')}`);
}
