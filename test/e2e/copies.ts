import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const invoice = join(__dirname, '..', '..', 'examples', 'documents', 'invoice-us.pdf');

/** A folder with copies of a small invoice under these names. */
export async function copies(folder: string, names: string[]): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const name of names) await copyFile(invoice, join(folder, name));
}
