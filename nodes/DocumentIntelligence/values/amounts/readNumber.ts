import type { Decimal } from '../../text/decimals';

/** One meaning of the printed digits, with as many decimals as are printed. */
export interface Reading extends Decimal {
	/** The mark before the decimals, also before a dash in their place. */
	decimal?: string;
	/** The mark between the groups. */
	group?: string;
}

/** `2.468,-`, `2,468:-` and `2,468/-`: only a point or a comma is a decimal mark. */
const DASH_FOR_DECIMALS = /^(.*?)([.,:/])[-=]+$/;

/** `2.468,13`. */
const LAST_MARK = /^(.*)([.,])(\d+)$/;

/** Every way to read the digits: with the last mark before decimals, or all marks between groups. */
export function readNumber(number: string): Reading[] {
	if (number === '') return [];
	const [dashed, whole = '', dashMark = ''] = DASH_FOR_DECIMALS.exec(number) ?? [];
	// `2.468.-` ends like `86.-`, although its point is between groups.
	if (dashed !== undefined)
		return readingOf(
			whole,
			'',
			/[.,]/.test(dashMark) && !whole.includes('.') ? dashMark : undefined,
		);
	const [marked, digits = '', mark, decimals] = LAST_MARK.exec(number) ?? [];
	return [...readingOf(number), ...(marked === undefined ? [] : readingOf(digits, decimals, mark))];
}

/** `2468`, `0`, and nothing before the mark of `.375`. */
const UNGROUPED = /^(?:|0|[1-9]\d*)$/;

/** `2'468'013`. */
const GROUPS_OF_THREE = /^[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*$/;

/** `24,68,013`. */
const INDIAN_GROUPS = /^[1-9]\d?(,)\d\d(?:,\d\d)*,\d{3}$/;

/** One reading, or none if the digits before the decimals are not grouped like that. */
function readingOf(whole: string, decimals = '', decimal?: string): Reading[] {
	const [, group] = GROUPS_OF_THREE.exec(whole) ?? INDIAN_GROUPS.exec(whole) ?? [];
	if (group === undefined && !UNGROUPED.test(whole)) return [];
	// `2.468.13`: one mark has no two roles.
	if (group !== undefined && group === decimal) return [];
	const digits = BigInt(whole.replace(/\D/g, '') + decimals);
	return [{ digits, scale: decimals.length, decimal, group }];
}
