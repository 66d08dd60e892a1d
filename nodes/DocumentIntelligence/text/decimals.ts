/** An exact decimal number: 12.50 has the digits 1250 and a scale of 2. */
export interface Decimal {
	readonly digits: bigint;
	readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

/** Reads digits with or without a decimal point, a minus sign and a percent sign; undefined for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
	const match = /^(-?\d+)(?:\.(\d+))?( *%)?$/.exec(text);
	if (match === null) return undefined;
	const [, whole = '', decimals = '', percent] = match;
	const number = { digits: BigInt(whole + decimals), scale: decimals.length };
	return percent === undefined ? number : hundredths(number);
}

/** What a number with a percent sign is. */
export function hundredths({ digits, scale }: Decimal): Decimal {
	return { digits, scale: scale + 2 };
}

export function add(left: Decimal, right: Decimal): Decimal {
	const scale = Math.max(left.scale, right.scale);
	return { digits: round(left, scale).digits + round(right, scale).digits, scale };
}

export function multiply(left: Decimal, right: Decimal): Decimal {
	return { digits: left.digits * right.digits, scale: left.scale + right.scale };
}

export function negative({ digits, scale }: Decimal): Decimal {
	return { digits: -digits, scale };
}

/** Halves are rounded away from zero. */
export function round({ digits, scale }: Decimal, decimals: number): Decimal {
	if (scale <= decimals)
		return { digits: digits * 10n ** BigInt(decimals - scale), scale: decimals };
	const unit = 10n ** BigInt(scale - decimals);
	const half = digits < 0n ? -unit / 2n : unit / 2n;
	// A division of whole numbers drops what is left over.
	return { digits: (digits + half) / unit, scale: decimals };
}

/** With a point and all decimals, for example `-0.50`. */
export function decimalText({ digits, scale }: Decimal): string {
	const [sign, size] = digits < 0n ? ['-', -digits] : ['', digits];
	const text = String(size).padStart(scale + 1, '0');
	const whole = text.slice(0, text.length - scale);
	return `${sign}${whole}${scale > 0 ? `.${text.slice(-scale)}` : ''}`;
}

/** As a JavaScript number, which keeps 15 significant digits; undefined if it would lose one. */
export function exactNumber(decimal: Decimal): number | undefined {
	const significant = String(decimal.digits).replace(/^-|0+$/g, '');
	return significant.length > 15 ? undefined : Number(decimalText(decimal));
}
