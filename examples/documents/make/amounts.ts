/** How a country prints numbers. Not Intl: its thin spaces differ between releases and are missing in the PDF fonts. */
export interface NumberStyle {
	group: string;
	point: string;
	/** Around an amount of money, e.g. `$` in front or ` €` behind. */
	before: string;
	after: string;
}

export function printAmount(cents: number, style: NumberStyle): string {
	const whole = String(Math.floor(cents / 100));
	const groups = whole.replace(/\B(?=(\d{3})+$)/g, style.group);
	return `${style.before}${groups}${style.point}${String(cents % 100).padStart(2, '0')}${style.after}`;
}

export function printQuantity(quantity: number, style: NumberStyle): string {
	return String(quantity).replace('.', style.point);
}
