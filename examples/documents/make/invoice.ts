import { printAmount, printQuantity, type NumberStyle } from './amounts';
import type { LineItem, Meaning } from './truth';

/** What was sold, in cents. Everything printed follows from it. */
export interface Sale {
	numbers: NumberStyle;
	fields: {
		invoiceNumber: string;
		invoiceDate: string;
		dueDate: string;
		purchaseOrder?: string;
		supplier: string;
		customer: string;
		currency: string;
	};
	/** The dates among the fields, as YYYY-MM-DD. */
	days: { invoiceDate: string; dueDate: string };
	taxPercent: number;
	lines: SaleLine[];
}

export interface SaleLine {
	description: string;
	quantity: number;
	unitCents: number;
}

/** An invoice as it is printed: the layout draws these strings, truth.json repeats them. */
export interface Invoice {
	fields: Sale['fields'] & { subtotal: string; tax: string; total: string };
	lineItems: LineItem[];
	meaning: Meaning;
}

export function invoiceFor(sale: Sale): Invoice {
	const print = (cents: number) => printAmount(cents, sale.numbers);
	const amounts = sale.lines.map((line) => Math.round(line.quantity * line.unitCents));
	const subtotal = amounts.reduce((sum, amount) => sum + amount, 0);
	const tax = Math.round((subtotal * sale.taxPercent) / 100);
	return {
		fields: { ...sale.fields, subtotal: print(subtotal), tax: print(tax), total: print(subtotal + tax) },
		lineItems: sale.lines.map((line, index) => ({
			description: line.description,
			quantity: printQuantity(line.quantity, sale.numbers),
			unitPrice: print(line.unitCents),
			amount: print(amounts[index] ?? 0),
		})),
		meaning: {
			fields: { ...sale.days, subtotal: subtotal / 100, tax: tax / 100, total: (subtotal + tax) / 100 },
			lineItems: sale.lines.map((line, index) => ({
				quantity: line.quantity,
				unitPrice: line.unitCents / 100,
				amount: (amounts[index] ?? 0) / 100,
			})),
		},
	};
}
