import type { IDataObject } from 'n8n-workflow';

import type { OutputSchema } from '../../nodes/DocumentIntelligence/parameters/hints';

/** What all of these values are, as n8n draws it before the first run. `null` comes last, because n8n draws the first type. */
export function schemaOf(values: unknown[]): OutputSchema {
	const types = [...new Set(values.map(typeOf))].sort(
		(one, other) =>
			Number(one === 'null') - Number(other === 'null') || one.localeCompare(other, 'en'),
	);
	const [first = 'null', ...more] = types;
	const entries = values.filter(Array.isArray).flat() as unknown[];
	return {
		type: more.length > 0 ? types : first,
		...(types.includes('object') && { properties: propertiesOf(values.filter(isObject)) }),
		...(entries.length > 0 && { items: schemaOf(entries) }),
	};
}

/** One entry for each name that any of the objects has. */
function propertiesOf(objects: IDataObject[]): Record<string, OutputSchema> {
	const entries = objects.flatMap((object) => Object.entries(object));
	const names = new Set(entries.flatMap(([name, value]) => (value === undefined ? [] : [name])));
	return Object.fromEntries(
		[...names].map((name) => [
			name,
			schemaOf(objects.flatMap((object) => (object[name] === undefined ? [] : [object[name]]))),
		]),
	);
}

function isObject(value: unknown): value is IDataObject {
	return typeOf(value) === 'object';
}

function typeOf(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}
