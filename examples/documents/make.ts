import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { madeNotes } from './make/notes';
import { madePdfs } from './make/pdfs';
import { madePictures } from './make/pictures';
import { checkPrinted, type MadeDocument, type Truth } from './make/truth';
import { madeWordFile } from './make/word';

async function make(): Promise<void> {
	const made: MadeDocument[] = [...(await madePdfs()), await madeWordFile(), ...(await madePictures()), madeNotes()];
	const truths: Record<string, Truth> = {};
	for (const document of made) {
		checkPrinted(document);
		truths[document.file] = document.truth;
		await writeFile(join(__dirname, document.file), document.bytes);
	}
	await writeFile(join(__dirname, 'truth.json'), `${JSON.stringify(truths, null, '\t')}\n`);
}

void make();
