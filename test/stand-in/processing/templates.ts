import type { Template } from '../reading/template';
import { invoice, templates as readable } from '../reading/templates';

/** A template as the account's list of templates has it. */
export interface AccountTemplate {
	id: string;
	name: string;
	description: string;
	/** How it reads a document. */
	template: Template;
}

/** The templates that the stand-in can tell apart by itself, and as many more as make up the count. */
export function accountTemplates(count: number | null): AccountTemplate[] {
	const own = readable.map((template) => ({
		id: template.id,
		name: template.documentType,
		description: template.metadata,
		template,
	}));
	return Array.from(
		{ length: count ?? own.length },
		(_, index) => own[index] ?? supplier(index + 1),
	);
}

/** Reads as invoices are read, and calls what it reads by its own name. */
function supplier(number: number): AccountTemplate {
	const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
	const name = `Supplier ${number} Invoice`;
	return {
		id,
		name,
		description: `Invoices of supplier ${number}`,
		template: { ...invoice, id, documentType: name },
	};
}
