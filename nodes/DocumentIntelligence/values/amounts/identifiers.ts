import type { Reading } from './readNumber';
import type { Tokens } from './tokens';

/** Letters glued to a whole number: `INV864` and `INV-864`, or `CAD204`, whose letters are a currency. */
export const GLUED = /^\p{Lu}{2,}-?\d+$|^\d+-?\p{Lu}{2,}$/u;

/** Groups before check digits: `900.123.456-7`. */
const CHECKED = /^\d{1,3}(?:\.\d{3})+-\d{1,3}$/;

/** The number of a telephone or of a company, and others of seven digits: `912 345 678`, `0086`, `8640135`. */
const LONG = /^(?:\d{1,3}(?: \d{3}){2,}|0\d.*|\d{7,})$/;

/** Whether a text is an identifier by its form: a plain number that is none of an amount. */
export function isIdentifier({ text, kind, layout, number, readings }: Tokens): boolean {
	if (kind !== 'plain') return false;
	if (GLUED.test(text) || CHECKED.test(text)) return true;
	if (!/^[-+]?N$/.test(layout)) return false;
	if (LONG.test(number)) return true;
	// `+41 44 864` and `+49.8912340` are telephone numbers, which have no two decimals: `+16.00`.
	const isPhone = ({ group, decimal, scale }: Reading) => !decimal || (!group && scale > 2);
	return layout.startsWith('+') && readings.some(isPhone);
}
