import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { Truth } from '../documents/make/truth';
import {
	addUp,
	differences,
	isAmbiguousDate,
	readRows,
	showRows,
	sums,
	type Row,
} from '../spreadsheet';
import { documents } from './example';

/** Shows the spreadsheet, and throws if it differs from the invoices, which only the stand-in reads without mistakes. */
export async function reportRows(spreadsheet: string, isStandIn: boolean): Promise<void> {
	const rows = await readRows(spreadsheet);
	console.log(`\n${showRows(rows, process.stdout.columns)}\n`);
	console.log(`${rows.length} rows in ${relative(process.cwd(), spreadsheet)}`);
	console.log(addUp(rows));
	if (isStandIn) await compareWithTruth(rows);
}

async function compareWithTruth(rows: Row[]): Promise<void> {
	const truth = JSON.parse(await readFile(join(documents, 'truth.json'), 'utf8')) as Record<
		string,
		Truth
	>;
	const invoices = Object.entries(truth).filter(([file]) => /^invoice-.*\.pdf$/.test(file));
	const found = differences(rows, invoices);
	if (found.length > 0)
		throw new Error(
			`the spreadsheet differs from the invoices, ${found.length} times:\n${found.slice(0, 20).join('\n')}`,
		);
	console.log(`Every value is as printed on the ${invoices.length} invoices.`);

	console.log(
		'\nSUM of the column amount per invoice and per currency, and the net total that is printed:',
	);
	for (const { subject, inSpreadsheet, inDocuments } of sums(rows, invoices)) {
		if (inSpreadsheet !== inDocuments)
			throw new Error(
				`the amounts of ${subject} add up to ${inSpreadsheet} instead of ${inDocuments}`,
			);
		console.log(`  ${subject.padEnd(18)} ${money(inSpreadsheet)} = ${money(inDocuments)}`);
	}
	const ambiguous = invoices.filter(([, { fields = {} }]) =>
		Object.values(fields).some(isAmbiguousDate),
	);
	for (const [file] of ambiguous)
		console.log(`The dates of ${file} are as printed: set the option Date Order to read them.`);
}

function money(amount: number): string {
	return amount.toLocaleString('en', { minimumFractionDigits: 2 }).padStart(10);
}
