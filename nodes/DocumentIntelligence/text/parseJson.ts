/** Numbers that a double may not hold exactly: of 16 or more digits, or with an exponent. */
const LONG_NUMBER = /-?\d[\d.]{15,}(?:[eE][+-]?\d+)?|-?\d[\d.]*[eE][+-]?\d+/g;

/**
 * JSON whose numbers keep all of their digits: one that a JavaScript number cannot hold exactly becomes a text, as
 * it is written. Whole numbers beyond 2^53 always do: account numbers are such numbers. A byte order mark in front is
 * skipped.
 *
 * @throws SyntaxError as JSON.parse does
 */
export function parseJson(text: string): unknown {
	const json = text.replace(/^\uFEFF/, '');
	// Parsed unchanged first: the quotes added below could make invalid JSON valid.
	const value: unknown = JSON.parse(json);
	if (json.search(LONG_NUMBER) < 0) return value;
	const quoted = quoteInexactNumbers(json);
	return quoted === json ? value : JSON.parse(quoted);
}

function quoteInexactNumbers(json: string): string {
	let inString = false;
	return json
		.split('"')
		.map((piece) => {
			if (inString) {
				inString = endsInEscape(piece);
				return piece;
			}
			inString = true;
			return piece.replace(LONG_NUMBER, (number) => (isExact(number) ? number : `"${number}"`));
		})
		.join('"');
}

/** Whether the quote after this part of a string is escaped. */
function endsInEscape(piece: string): boolean {
	let end = piece.length;
	while (piece[end - 1] === '\\') end--;
	return (piece.length - end) % 2 === 1;
}

function isExact(number: string): boolean {
	const double = Number(number);
	if (/^-?\d+$/.test(number)) return Number.isSafeInteger(double);
	if (!Number.isFinite(double)) return false;
	const shown = String(double);
	return shown === number || normalize(shown) === normalize(number);
}

/** The same text for every way to write a decimal: its digits without zeros around them, and the power of ten behind them. */
function normalize(decimal: string): string {
	const [, sign = '', whole = '', fraction = '', power = '0'] = DECIMAL.exec(decimal) ?? [];
	const digits = whole + fraction;
	let [begin, end] = [0, digits.length];
	while (digits[begin] === '0') begin++;
	if (begin === end) return '0';
	while (digits[end - 1] === '0') end--;
	const shift = Number(power) - fraction.length + digits.length - end;
	return `${sign}${digits.slice(begin, end)}e${shift}`;
}

const DECIMAL = /^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/;
