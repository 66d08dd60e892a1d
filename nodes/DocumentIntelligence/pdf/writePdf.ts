import type { Budget } from './budget';
import { isDict, Name, Ref, Stream, Text, type Value } from './objects';

/**
 * Writes a file whose first object has the number 1; its text is charged to the budget, because it fills memory.
 * @returns its pieces, in which the data of streams are those of the source, so that they are not in memory twice
 */
export async function writePdf(
	objects: ReadonlyArray<Value | Stream>,
	root: Ref,
	budget: Budget,
): Promise<Uint8Array[]> {
	const pieces: Uint8Array[] = [];
	let length = 0;
	let text = '%PDF-1.7\n%\x81\x81\x81\x81\n';
	const push = (bytes: Uint8Array) => {
		pieces.push(bytes);
		length += bytes.length;
	};
	const rows = ['0000000000 65535 f \n'];
	for (const [index, object] of objects.entries()) {
		rows.push(`${String(length + text.length).padStart(10, '0')} 00000 n \n`);
		const isStream = object instanceof Stream;
		const value = isStream ? new Map(object.dict).set('Length', object.bytes.length) : object;
		const head = `${index + 1} 0 obj\n${serialize(value)}`;
		budget.spend(head.length);
		text += head;
		if (isStream) {
			push(Buffer.from(`${text}\nstream\n`, 'latin1'));
			push(object.bytes);
			text = '\nendstream';
		}
		text += '\nendobj\n';
		await budget.yieldToN8n();
	}
	const start = length + text.length;
	text += `xref\n0 ${rows.length}\n${rows.join('')}trailer\n`;
	text += `<</Size ${rows.length} /Root ${serialize(root)}>>\nstartxref\n${start}\n%%EOF\n`;
	push(Buffer.from(text, 'latin1'));
	return pieces;
}

/** A value as it is written in a file. */
export function serialize(value: Value): string {
	if (Array.isArray(value)) return `[${value.map(serialize).join(' ')}]`;
	if (isDict(value))
		return `<<${[...value].map(([key, entry]) => `${nameOf(key)} ${serialize(entry)}`).join(' ')}>>`;
	if (value instanceof Ref) return `${value.number} ${value.generation} R`;
	if (value instanceof Name) return nameOf(value.text);
	if (value instanceof Text) return value.source;
	const text = String(value);
	// PDF has no exponents.
	return typeof value === 'number' && text.includes('e') ? value.toFixed(20) : text;
}

const nameOf = (text: string) =>
	`/${text.replace(/[^!-~]|[#%()/<>[\]{}]/g, (character) => `#${Buffer.from(character, 'latin1').toString('hex')}`)}`;
