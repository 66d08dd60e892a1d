import { readAmount, type DecimalMark, type Reading } from './amounts';
import { readDate, type DateOrder } from './dates';
import { Field, isFieldObject, type FieldObject, type FieldTree } from './fields';
import { fieldName, plainName, type Path } from './review';

export interface ValueSettings {
	/** For documents whose certain values do not decide. */
	decimalMark: DecimalMark | 'detect';
	dateOrder: DateOrder | 'detect';
	/** Names or paths of fields that are left as printed. */
	textFields: string[];
}

/** A value that is left as printed, although it looks like a number or a date. */
export interface UncertainValue {
	path: Path;
	/** The setting that would decide, if any. */
	decides?: 'decimalMark' | 'dateOrder';
}

/** Converts certain numbers and, to `YYYY-MM-DD`, dates; lists uncertain values in their order. */
export function typedValues(document: FieldObject, settings: ValueSettings) {
	const kept = new Set(settings.textFields.map(plainName));
	const isKept = (path: Path) =>
		[String(path.at(-1)), fieldName(path)].some((name) => kept.has(plainName(name)));
	const readings = new Map<string, ReturnType<typeof readText>>();
	mapTexts(document, isKept, (text) => {
		readings.set(text, readings.get(text) ?? readText(text));
		return text;
	});
	const amounts = [...readings.values()].map(({ amount }) => amount);
	const dates = [...readings.values()].map(({ date }) => date);
	const readPrinted = reader(amounts, settings.decimalMark);
	const readDay = reader(dates, settings.dateOrder);
	const uncertain: UncertainValue[] = [];
	const tree = mapTexts(document, isKept, (text, path) => {
		const { date, amount } = readings.get(text) ?? {};
		const isAlone = amount && MAYBE_NO_AMOUNT.test(wordsOf(path));
		const read = (date && readDay(date)) ?? (amount && readPrinted(amount, isAlone));
		if (read === undefined || read.value !== undefined) return read?.value ?? text;
		const decides = date === undefined ? 'decimalMark' : 'dateOrder';
		uncertain.push({ path, ...(read.isOpen && { decides }) });
		return text;
	});
	return { tree: tree as FieldObject, uncertain };
}

/** Uses the one convention that all values show, else the setting; `isOpen` if that would decide. */
function reader<Convention extends string>(
	readings: Array<Reading<Convention> | undefined>,
	setting: Convention | 'detect',
) {
	const shown = readings.flatMap((reading) => (reading?.shows === undefined ? [] : [reading]));
	const strong = new Set(shown.filter(({ isWeak }) => !isWeak).map(({ shows }) => shows));
	const isOne = strong.size === 1 && shown.every(({ shows }) => strong.has(shows));
	const decided = (isOne ? shown[0]?.shows : undefined) ?? setting;
	return ({ values, usual, isWeak }: Reading<Convention>, isAlone = false) => {
		const isContradicted = isWeak && !isAlone && strong.size > 0 && !strong.has(usual);
		if (usual !== undefined && !isContradicted) return { value: values[usual] };
		const convention = isContradicted || isAlone ? setting : decided;
		if (convention !== 'detect') return { value: values[convention] };
		return { isOpen: Object.keys(values).length > 0 };
	};
}

function readText(text: string): { date?: Reading<DateOrder>; amount?: Reading<DecimalMark> } {
	// No number or date is longer, and megabytes of text are not searched for one.
	if (text.length > 100 || !/\p{Nd}/u.test(text)) return {};
	const plain = text
		.replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
		// Arabic and Persian digits.
		.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) % 16))
		.replace(/[\u200b-\u200f\u061c\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
		.replace(/[\p{Zs}\t]+/gu, ' ')
		.trim();
	const date = readDate(plain);
	return date === undefined ? { amount: readAmount(plain) } : { date };
}

/** The words a name ends with (`invoiceNumber`, `Kundennr`) or starts with (`numero_facture`). */
const IDENTIFIER = new RegExp(
	'(?:number|nummer|numer[oi]|codigo|codice|code|reference|referen[tz]ie?|account|(?<!(?:^| )s)konto|phone|' +
		'telefoo?n|versione?|versie|nr|leitzahl|kennung|kennzeichen|aktenzeichen|kenmerk|bankrekening)s?$|' +
		'(?:^| )(?:no|num|ids?|(?:tax|vat|ust)id|refs?|iban|bic|swift|blz|tel|fax|mobile?|mobiel|movil|zip|plz|' +
		'(?<!date )time|(?:start|end|uhr)?zeit|(?:start|eind)?tijd|dni|nif|cif|siren|siret)$|' +
		'^(?:numero|num|codigo|codice|code|cuenta|compte|conto|referencia|riferimento|telefono|telephone|' +
		'cellulare|heure|hora|ora|identifi[a-z]+|partita iva|version|cap$)(?: |$)',
);

/** A tax or its number, and coordinates: other amounts are no evidence for these. */
const MAYBE_NO_AMOUNT = /(?:^| )(?:vat|mwst|ust|tva|iva|btw|(?:lat|long)itud(?:e|ine)?)$/;

/** The last name's words: `invoiceNumber`, `INVOICE_NUMBER` and `Invoice number:` are alike. */
function wordsOf(path: Path): string {
	const name = String(path.findLast((part) => typeof part === 'string'));
	const parts = name
		.replace(/n[°º]|№|#/gi, ' numero ')
		.normalize('NFD')
		.replace(/\p{M}/gu, '')
		.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ');
	return (parts.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ');
}

function mapTexts(
	tree: FieldTree,
	isKept: (path: Path) => boolean,
	change: (text: string, path: Path) => string | number,
	path: Path = [],
): FieldTree {
	if (isKept(path)) return tree;
	if (typeof tree === 'string') {
		// Money and percentages are not identifiers, whatever the name of their field.
		const isIdentifier = !/[%\p{Sc}]/u.test(tree) && IDENTIFIER.test(wordsOf(path));
		return isIdentifier ? tree : change(tree, path);
	}
	const visit = (inner: FieldTree, ...parts: Path) =>
		mapTexts(inner, isKept, change, [...path, ...parts]);
	if (Array.isArray(tree)) return tree.map((entry, place) => visit(entry, place));
	if (tree instanceof Field) return new Field(visit(tree.value), tree.details);
	if (!isFieldObject(tree)) return tree;
	return Object.fromEntries(
		Object.entries(tree).map(([name, entry]) => [name, visit(entry, name)]),
	);
}
