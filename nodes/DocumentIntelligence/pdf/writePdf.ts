import type { Budget } from './budget';
import { isDict, Name, Ref, Stream, Text, type Value } from './objects';

/** Writes a file whose first object has the number 1; its text is charged to the budget, because it fills memory. */
export async function writePdf(
	objects: ReadonlyArray<Value | Stream>,
	root: Ref,
	budget: Budget,
): Promise<Buffer> {
	const chunks: Uint8Array[] = [];
	let length = 0;
	const push = (part: string | Uint8Array) => {
		const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
		chunks.push(bytes);
		length += bytes.length;
	};
	push('%PDF-1.7\n%\x81\x81\x81\x81\n');
	const rows = ['0000000000 65535 f \n'];
	for (const [index, object] of objects.entries()) {
		rows.push(`${String(length).padStart(10, '0')} 00000 n \n`);
		const isStream = object instanceof Stream;
		const value = isStream ? new Map(object.dict).set('Length', object.bytes.length) : object;
		const text = `${index + 1} 0 obj\n${serialize(value)}`;
		budget.spend(text.length);
		push(text);
		for (const part of isStream ? ['\nstream\n', object.bytes, '\nendstream'] : []) push(part);
		push('\nendobj\n');
		await budget.yieldToN8n();
	}
	const start = length;
	push(`xref\n0 ${rows.length}\n${rows.join('')}trailer\n`);
	push(`<</Size ${rows.length} /Root ${serialize(root)}>>\nstartxref\n${start}\n%%EOF\n`);
	const file = Buffer.allocUnsafe(length);
	let at = 0;
	for (const chunk of chunks) {
		file.set(chunk, at);
		at += chunk.length;
		await budget.yieldToN8n();
	}
	return file;
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
