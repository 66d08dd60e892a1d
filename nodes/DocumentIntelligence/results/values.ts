import { readAmount, type AmountReading, type DecimalMark, type Scope } from './amounts';
import { isDottedMonthFirst, readDate, type DateOrder, type DateReading } from './dates';
import { Field, isFieldObject, type FieldObject, type FieldTree } from './fields';
import { fieldName, plainName, type Path } from './review';

/** How printed texts become numbers and dates. */
export interface ValueSettings {
	/** For documents whose certain values do not decide. */
	decimalMark: DecimalMark | 'detect';
	dateOrder: DateOrder | 'detect';
	/** Names or paths of fields that stay as printed. */
	textFields: string[];
}

/** A value that stayed as printed because it can be read in two ways. */
export interface UncertainValue {
	path: Path;
	text: string;
	/** The setting that would decide; undefined where none does. */
	decides?: 'decimalMark' | 'dateOrder';
}

export interface TypedValues {
	tree: FieldObject;
	/** In the order of the document. */
	uncertain: UncertainValue[];
}

/**
 * The document with its printed numbers and dates as numbers and as `YYYY-MM-DD`, where it is certain what they mean;
 * everything else is as it was.
 */
export function typedValues(document: FieldObject, settings: ValueSettings): TypedValues {
	const readings = new Map<string, Reading>();
	const read = (text: string): Reading => {
		const known = readings.get(text) ?? readText(text);
		readings.set(text, known);
		return known;
	};
	const exempt = new Set(settings.textFields.map((name) => plainName(name)));
	const marks = { money: new Set<DecimalMark>(), numbers: new Set<DecimalMark>() };
	const orders = new Set<DateOrder>();
	let areDotsDayFirst = true;
	mapTexts(document, exempt, (text) => {
		const { date, amount, refutesDots = false } = read(text);
		if (refutesDots) areDotsDayFirst = false;
		if (date?.kind === 'certain' && date.shows !== undefined) orders.add(date.shows);
		const shown = amount?.kind === 'certain' ? amount.shows : undefined;
		if (shown !== undefined) for (const scope of shown.scopes) marks[scope].add(shown.mark);
		return text;
	});
	const markFor = (scopes: Scope[]) => {
		const shown = scopes.map((scope) => marks[scope]).find(({ size }) => size > 0);
		return decided(settings.decimalMark, shown ?? new Set());
	};
	const order = decided(settings.dateOrder, orders);
	const uncertain: UncertainValue[] = [];
	const tree = mapTexts(document, exempt, (text, path) => {
		const decide = <Convention extends string>(
			values: Partial<Record<Convention, string | number>>,
			convention: Convention | undefined,
			decides: UncertainValue['decides'],
		) => {
			const isDecidable = Object.keys(values).length > 0;
			// Groups of digits are no number with the other decimal mark, so that text is a list.
			if (isDecidable && convention !== undefined) return values[convention] ?? text;
			uncertain.push({ path, text, ...(isDecidable ? { decides } : {}) });
			return text;
		};
		const { date, amount } = read(text);
		if (date?.kind === 'certain') {
			const { value: dayFirst, monthFirst } = date;
			if (areDotsDayFirst || monthFirst === undefined) return dayFirst;
			// The rule and the document contradict each other.
			return decide({ dayFirst, monthFirst }, decided(settings.dateOrder, new Set()), 'dateOrder');
		}
		if (date !== undefined) return decide(date.value, order, 'dateOrder');
		if (amount === undefined) return text;
		if (amount.kind === 'certain') return amount.value;
		return decide(amount.value, markFor(amount.decidedBy), 'decimalMark');
	});
	return { tree, uncertain };
}

/** What a text may be; nothing of what is only a text. */
interface Reading {
	date?: DateReading;
	amount?: AmountReading;
	/** Whether it shows that not every date with dots is day first. */
	refutesDots?: boolean;
}

/** No number or date is longer, and a text of megabytes is not searched for one. */
const MAX_LENGTH = 100;

function readText(text: string): Reading {
	if (text.length > MAX_LENGTH || !/\d/.test(text)) return {};
	const date = readDate(text);
	if (date !== undefined) return { date };
	return { amount: readAmount(text), refutesDots: isDottedMonthFirst(text) };
}

/** What the document shows; the setting only where it shows neither or both, as it holds for documents of other countries too. */
function decided<Convention>(
	setting: Convention | 'detect',
	shown: ReadonlySet<Convention>,
): Convention | undefined {
	const [first, ...others] = shown;
	if (first !== undefined && others.length === 0) return first;
	return setting === 'detect' ? undefined : setting;
}

type Change = (text: string, path: Path) => string | number;

function mapTexts(document: FieldObject, exempt: ReadonlySet<string>, change: Change): FieldObject {
	const isExempt = (name: string, path: Path) =>
		exempt.has(plainName(name)) || exempt.has(plainName(fieldName(path)));
	const visitEntries = (tree: FieldObject, path: Path): FieldObject =>
		Object.fromEntries(
			Object.entries(tree).map(([name, entry]) => {
				const inner = [...path, name];
				return [name, isExempt(name, inner) ? entry : visit(entry, inner)];
			}),
		);
	const visit = (tree: FieldTree, path: Path): FieldTree => {
		if (typeof tree === 'string') return change(tree, path);
		if (Array.isArray(tree))
			return tree.map((entry, position) => visit(entry, [...path, position]));
		if (tree instanceof Field) {
			return new Field(visit(tree.value, path), tree.details);
		}
		return isFieldObject(tree) ? visitEntries(tree, path) : tree;
	};
	return visitEntries(document, []);
}
