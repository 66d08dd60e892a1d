import { FIELDS } from './columns';
import { Field, isFieldObject, type FieldTree } from './fields';
import { fieldName, plainName, withoutPrefix, type Path } from './review';

/** A name that no field of a document has. */
export interface UnknownName {
	name: string;
	/** The field that is probably meant, as the Fields output shows it, without `fields` and positions. */
	nearest?: string;
}

/**
 * The names that no field of a document has, in their order.
 *
 * @param how whether a position in a table may be part of a name, and whether a name alone means a cell of a table, too
 */
export function unknownNames(
	tree: FieldTree,
	names: string[],
	how: { positions?: boolean; alone?: boolean },
): UnknownName[] {
	if (names.length === 0) return [];
	const fields = fieldsIn(tree);
	const known = new Set(
		[...fields].flatMap(([field, last]) => [
			plainName(field),
			...(how.alone === true ? [plainName(last)] : []),
		]),
	);
	const isKnown = (name: string) => {
		const written = how.positions === true ? name.replace(/\[\d+\]/g, '') : name;
		return known.has(withoutPrefix(plainName(written)));
	};
	return names
		.filter((name) => !isKnown(name))
		.map((name) => ({ name, nearest: nearestOf(name, fields) }));
}

/** Each field once, also those without a value, with the last part of its name. */
function fieldsIn(tree: FieldTree): Map<string, string> {
	const fields = new Map<string, string>();
	const visit = (part: FieldTree, path: Path): void => {
		if (part instanceof Field) return visit(part.value, path);
		if (Array.isArray(part)) return part.forEach((entry) => visit(entry, path));
		if (!isFieldObject(part)) return;
		for (const [name, entry] of Object.entries(part)) {
			const inner = [...path, name];
			fields.set(fieldName(inner), name);
			visit(entry, inner);
		}
	};
	visit(tree, []);
	return fields;
}

/** Shorter names are too much alike. */
const MIN_LENGTH_OF_TYPOS = 4;

function nearestOf(name: string, fields: ReadonlyMap<string, string>): string | undefined {
	const wanted = letters(withoutPrefix(name));
	const candidates = [...fields]
		.filter(([field]) => field !== FIELDS)
		.map(([field, last]) => ({ field, spellings: [letters(field), letters(last)] }));
	const found =
		candidates.find(({ spellings }) => spellings.includes(wanted)) ??
		candidates.find(
			({ spellings }) =>
				wanted.length >= MIN_LENGTH_OF_TYPOS &&
				spellings.some((spelling) => differByOne(spelling, wanted)),
		);
	return found?.field;
}

/** What is left of a name where spaces, signs, positions and upper case do not count. */
function letters(name: string): string {
	return name
		.toLowerCase()
		.replace(/\[\d+\]/g, '')
		.replace(/[\s_.-]/g, '');
}

/** Whether one character more, less or another makes one text of the other. */
function differByOne(one: string, other: string): boolean {
	const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
	let same = 0;
	while (same < shorter.length && shorter[same] === longer[same]) same++;
	const rest = shorter.slice(longer.length === shorter.length ? same + 1 : same);
	return rest === longer.slice(same + 1);
}
