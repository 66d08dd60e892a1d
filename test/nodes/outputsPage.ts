import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { OutputSchema } from '../../nodes/DocumentIntelligence/parameters/hints';

const PAGE = join(__dirname, '..', '..', 'docs', 'outputs.md');

interface FieldRow {
	field: string;
	type: string;
	/** Written by hand, on the page. */
	meaning: string;
}

/** Each table of the page, by what the comments around it name. */
export function tablesOnPage(): Map<string, FieldRow[]> {
	const tables = readFileSync(PAGE, 'utf8').matchAll(TABLE);
	return new Map([...tables].map(([, name = '', , lines = '']) => [name, rowsIn(lines)]));
}

const TABLE = /<!-- fields of (.+?) -->\n\n((?:\|.*\n){2})((?:\|.*\n)+)/g;

function rowsIn(lines: string): FieldRow[] {
	return lines
		.trim()
		.split('\n')
		.map((line) => {
			const [, field = '', type = '', meaning = ''] = line.split('|').map((cell) => cell.trim());
			return { field: field.replaceAll('`', ''), type, meaning };
		});
}

/** Writes the names and types of a schema into its table. A meaning stays with its field. */
export function putOnPage(name: string, schema: OutputSchema): void {
	const known = tablesOnPage().get(name) ?? [];
	const lines = fieldsOf(schema).map(({ field, type }) => {
		const meaning = known.find((row) => row.field === field)?.meaning ?? '';
		return `| \`${field}\` | ${type} | ${meaning} |\n`;
	});
	const page = readFileSync(PAGE, 'utf8').replace(TABLE, (table, found: string, head: string) =>
		found === name ? `<!-- fields of ${name} -->\n\n${head}${lines.join('')}` : table,
	);
	writeFileSync(PAGE, page);
}

/** All fields, those in lists of objects included, such as `matches[].score`. */
export function fieldsOf(
	{ properties = {} }: OutputSchema,
	before = '',
): Array<Omit<FieldRow, 'meaning'>> {
	return Object.entries(properties).flatMap(([name, schema]) => {
		const { items } = schema;
		const field = before + name;
		return [
			{ field, type: typeOf(schema) },
			...fieldsOf(schema, `${field}.`),
			...(items === undefined ? [] : fieldsOf(items, `${field}[].`)),
		];
	});
}

function typeOf({ type, items }: OutputSchema): string {
	const list = `${items === undefined ? 'unknown' : typeOf(items)}[]`;
	return [type]
		.flat()
		.map((name) => (name === 'array' ? list : name))
		.join(' or ');
}
