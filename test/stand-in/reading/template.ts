import type { ValueForm } from './values';

/** One way of finding a field's value; a field tries its ways in order and takes the first that leads to a value. */
export type Way =
	| {
			labels: string[];
			where: 'right' | 'either';
			/** Set for words so common that they are a label only at the beginning of a cell. */
			startsCell?: boolean;
	  }
	/** A running sentence, with the value as its one group. */
	| { sentence: RegExp }
	/** The largest type in the upper part of the first page, titles apart: whose paper it is. */
	| { largestAtTop: true }
	/** The first line of an address under the small sender's line that shows in a window envelope. */
	| { addressWindow: true }
	/** A sign anywhere in the document stands for the value. */
	| { signs: Record<string, string> };

export interface FieldOfTemplate {
	name: string;
	form: ValueForm;
	ways: Way[];
}

export interface ColumnOfTemplate {
	name: string;
	labels: string[];
}

export interface Template {
	id: string;
	documentType: string;
	metadata: string;
	/** Phrases that name the document when they stand as a title, and weigh most. */
	titles: string[];
	/** Phrases that documents of the type tend to contain. */
	hints: string[];
	/** The first is the number of the document: another one means that another document begins. */
	fields: FieldOfTemplate[];
	table?: { name: string; columns: ColumnOfTemplate[]; required: string[] };
}
