import { readAmount, type DecimalMark } from './amounts';
import { readDate, type DateOrder } from './dates';
import { Field, isFieldObject, type FieldObject, type FieldTree } from './fields';

/** How printed texts become numbers and dates. */
export interface ValueSettings {
	/** `detect`: certain values of the same document decide. */
	decimalMark: DecimalMark | 'detect';
	dateOrder: DateOrder | 'detect';
	/** Names or paths of fields that stay as printed, in lower case. */
	textFields: ReadonlySet<string>;
}

export interface TypedValues {
	tree: FieldObject;
	/** Texts that may be a number or a date, and stayed as printed because nothing decides which. */
	uncertain: string[];
}

/** What the certain values of a document show of its conventions. */
interface Shown {
	marks: Set<DecimalMark>;
	orders: Set<DateOrder>;
}

/**
 * The document with its printed numbers and dates as numbers and as `YYYY-MM-DD`, where it is certain what they mean;
 * everything else is as it was.
 */
export function typedValues(document: FieldObject, settings: ValueSettings): TypedValues {
	const shown: Shown = { marks: new Set(), orders: new Set() };
	mapTexts(document, settings.textFields, (text) => {
		const date = readDate(text);
		const amount = date === undefined ? readAmount(text) : undefined;
		if (date?.kind === 'certain' && date.shows !== undefined) shown.orders.add(date.shows);
		if (amount?.kind === 'certain' && amount.shows !== undefined) shown.marks.add(amount.shows);
		return text;
	});
	const mark = decided(settings.decimalMark, shown.marks);
	const order = decided(settings.dateOrder, shown.orders);
	const uncertain = new Set<string>();
	const tree = mapTexts(document, settings.textFields, (text) => {
		const reading = readDate(text) ?? readAmount(text);
		if (reading === undefined) return text;
		if (reading.kind === 'certain') return reading.value;
		const key = order !== undefined && order in reading.value ? order : mark;
		const value =
			key === undefined ? undefined : (reading.value as Record<string, string | number>)[key];
		if (value === undefined) uncertain.add(text);
		return value ?? text;
	});
	return { tree, uncertain: [...uncertain] };
}

/** The setting, else what the document shows, where it does not show both. */
function decided<Convention>(
	setting: Convention | 'detect',
	shown: ReadonlySet<Convention>,
): Convention | undefined {
	if (setting !== 'detect') return setting;
	const [first, ...others] = shown;
	return others.length === 0 ? first : undefined;
}

type Change = (text: string) => string | number;

function mapTexts(document: FieldObject, exempt: ReadonlySet<string>, change: Change): FieldObject {
	const visitEntries = (tree: FieldObject, path: string): FieldObject =>
		Object.fromEntries(
			Object.entries(tree).map(([name, entry]) => {
				const inner = path === '' ? name : `${path}.${name}`;
				const isExempt = exempt.has(name.toLowerCase()) || exempt.has(inner.toLowerCase());
				return [name, isExempt ? entry : visit(entry, inner)];
			}),
		);
	const visit = (tree: FieldTree, path: string): FieldTree => {
		if (typeof tree === 'string') return change(tree);
		if (Array.isArray(tree)) return tree.map((entry) => visit(entry, path));
		if (tree instanceof Field) {
			return new Field(visit(tree.value, path), tree.confidence, tree.page, tree.boundingBox);
		}
		return isFieldObject(tree) ? visitEntries(tree, path) : tree;
	};
	return visitEntries(document, '');
}
