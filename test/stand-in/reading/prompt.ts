import type { FieldOfTemplate } from './template';
import { fieldName } from './labelValuePairs';

/**
 * The one thing a prompt can do here: "Also read: PO Number, Terms" asks for the values beside those labels. Any other wording is
 * taken in and changes nothing.
 */
export function fieldsAskedFor(prompt: string): FieldOfTemplate[] {
	const list = /\balso (?:read|extract)\s*:\s*([^\n]+)/i.exec(prompt)?.[1] ?? '';
	return list
		.split(/[,;]/)
		.map((label) => label.trim().replace(/\.$/, ''))
		.filter((label) => label !== '')
		.map((label) => ({
			name: fieldName(label),
			form: 'text',
			ways: [{ labels: [label], where: 'either' }],
		}));
}
