import { tokensOf, type Tokens } from './tokens';

/** One meaning of the printed digits, without loss. */
export interface Reading {
	/** With the sign; 12.50 is 1250 with a scale of 2. */
	digits: bigint;
	/** How many decimals are printed. */
	scale: number;
	/** The mark before the decimals, also before a dash in their place. */
	decimal?: string;
	/** The mark between the groups. */
	group?: string;
}

export interface Amount {
	/** Money has a currency, or shows a group mark and a decimal mark. */
	kind: 'money' | 'percentage' | 'plain';
	/** Its code, or a sign that several currencies share. */
	currency?: string;
	/** Every possible meaning; none if the text is printed like an amount and cannot be read. */
	readings: Reading[];
	/** Whether the digits can be grouped or decimal, or no number at all, unless other money shows which. */
	isOpen: boolean;
}

/** Reads text as an amount; an identifier by its form is none, and neither is other text. */
export function readAmount(printed: string): Amount | 'identifier' | undefined {
	const tokens = tokensOf(printed);
	if (isIdentifier(tokens)) return 'identifier';
	const readings = signedReadings(tokens);
	if (!isAmount(tokens, readings)) return undefined;
	const { unit, currency, number } = tokens;
	if (isTwofold(tokens)) return { kind: unit, readings: [], isOpen: false };
	// A percentage never is in the thousands.
	if (unit === 'percentage')
		return { kind: unit, readings: readings.filter(({ group }) => !group), isOpen: false };
	const [first, second] = readings;
	const hasBothMarks = first?.group !== undefined && first.decimal !== undefined;
	const kind = unit === 'plain' && hasBothMarks ? 'money' : unit;
	// Several groups may be a list or an identifier, unless a dash for decimals follows: 2,468:-
	const isGroups = /[., ]/.test(first?.group ?? '') && !number.endsWith('-');
	const isOpen = second !== undefined || (kind === 'plain' && isGroups);
	return { kind, currency: currency?.name, readings, isOpen };
}

/** Letters glued to a whole number: CAD204, 204-CAD. */
const GLUED = /^\p{Lu}{2,}-?\d+$|^\d+-?\p{Lu}{2,}$/u;

/** Leading zeros, seven or more digits, a plus sign, and lists of numbers. */
function isIdentifier({ text, unit, layout, number }: Tokens): boolean {
	if (unit === 'plain' && GLUED.test(text)) return true;
	if (unit !== 'plain' || !/^[-+]?N$/.test(layout)) return false;
	if (/^0\d|^\d{7,}$/.test(number)) return true;
	const readings = readingsOf(number);
	if (readings.length === 0) return !/\..*,|,.*\./.test(number);
	// Telephone numbers have no two decimals.
	const isPhone = ({ group, decimal, scale }: Reading) => !decimal || (!group && scale > 2);
	return layout.startsWith('+') && readings.some(isPhone);
}

/** Text with a currency or a percent sign, or in the shape of a number, whether it can be read or not. */
function isAmount({ unit, layout, number, isWord }: Tokens, readings: Reading[]): boolean {
	const hasMarks = /\D/.test(number);
	// A whole number next to a word is none.
	if (isWord) return hasMarks && readings.length > 0;
	if (unit !== 'plain') return true;
	if (readingsOf(number).length === 0) return false;
	return hasMarks ? /^[-+()N]*$/.test(layout) : /^(?:-?N|N-|\(N\))$/.test(layout);
}

/** A month (10.2026), or two numbers of four or more digits. */
const MONTH_OR_TWO_NUMBERS =
	/^(?:(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d|(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])|\d{4,}[.,]\d{4,})$/;

/** Has two meanings that no mark decides; a hyphen between a letter and a digit may be no minus sign. */
function isTwofold({ text, unit, number, isMixed }: Tokens): boolean {
	const isMonth = unit === 'plain' && MONTH_OR_TWO_NUMBERS.test(number);
	return isMonth || isMixed || GLUED.test(text) || /\p{L}-\d|\d-\p{L}/u.test(text);
}

/** The readings with their sign; none if the text has more than a sign, or the sign is not certain. */
function signedReadings({ layout, unit, number }: Tokens): Reading[] {
	if (layout === 'N' || layout === '+N') return readingsOf(number);
	const readings = readingsOf(number);
	const negative = readings.map((reading) => ({ ...reading, digits: -reading.digits }));
	if (layout === '-N') return negative;
	// Without decimals, a dash may stand for them, and brackets for a footnote.
	const isAfterDecimals = readings.every(({ scale }) => scale > 0);
	if (layout === 'N-') return isAfterDecimals ? negative : [];
	return layout === '(N)' && isAfterDecimals && unit !== 'percentage' ? negative : [];
}

/** Every way to read the digits: with the last mark before decimals, or all marks between groups. */
function readingsOf(number: string): Reading[] {
	if (number === '') return [];
	const [, marked = '', dash] = /^(.*?)(?:([.,:/])-+)?$/.exec(number) ?? [];
	const [, before = '', mark, decimals = ''] = /^(.*)([.,])(\d+)$/.exec(marked) ?? [];
	const candidates =
		dash === undefined
			? [readingOf(marked), mark === undefined ? undefined : readingOf(before, decimals, mark)]
			: [readingOf(marked, '', /[.,]/.test(dash) ? dash : undefined)];
	return candidates.filter((reading) => reading !== undefined);
}

/** Groups of three or, in India, groups of two before the last. */
const WHOLE =
	/^(?:|0|[1-9]\d*|[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*|[1-9]\d?(,)\d\d(?:,\d\d)*,\d{3})$/;

function readingOf(whole: string, decimals = '', decimal?: string): Reading | undefined {
	const [match, group = undefined, lakhGroup] = WHOLE.exec(whole) ?? [];
	const mark = group ?? lakhGroup;
	if (match === undefined || (mark !== undefined && mark === decimal)) return undefined;
	const digits = BigInt(whole.replace(/\D/g, '') + decimals);
	return { digits, scale: decimals.length, decimal, group: mark };
}
