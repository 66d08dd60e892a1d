import type { FileInput, InputItem } from '../document/document';
import { filesOfItem } from '../files/inputFiles';
import { unlessAborted } from '../waiting/waiting';
import type { AnyDocument, Ended, Open } from './state';
import { readFiles, readRoute, readSettings } from './settings';
import { namedByFiles } from './wantedFiles';
import { checkDocument } from './load';
import type { Run } from './run';

/** The documents of all items in order. One that cannot be sent has ended. Makes no request. */
export async function plan(run: Run): Promise<Array<Open | Ended>> {
	const documents: Array<Open | Ended> = [];
	for (const itemIndex of run.context.getInputData().keys())
		documents.push(...(await planItem(run, itemIndex, documents.length)));
	return documents;
}

/** Never throws: an item that cannot be read is one document that failed. */
async function planItem(
	run: Run,
	itemIndex: number,
	firstPlace: number,
): Promise<Array<Open | Ended>> {
	const { context, operation, session, end } = run;
	const item: InputItem = {
		itemIndex,
		json: context.getInputData()[itemIndex]?.json ?? {},
		read: (name, fallback) =>
			context.getNodeParameter(name, itemIndex, fallback) as typeof fallback,
		files: async () => await filesOfItem(context, itemIndex, '*', ''),
	};
	let known: AnyDocument = {
		place: firstPlace,
		item,
		...namedByFiles([]),
		earlier: null,
		notes: [],
	};
	try {
		// Thousands of files take seconds, and a stop should not.
		end.canceled.throwIfAborted();
		// A store may hang.
		const files = await unlessAborted(readSources(run, item), end.canceled);
		const inputsOfDocuments = operation.documents(files, item);
		known = { ...known, ...namedByFiles(inputsOfDocuments[0] ?? []) };
		const route = readRoute(operation, item.read, session.account.isSandbox);
		const settings = readSettings(operation, item.read, route, files.flat(), run.isTestRun);
		const documents: Array<Open | Ended> = [];
		for (const [number, inputs] of inputsOfDocuments.entries()) {
			const place = firstPlace + number;
			const base = { ...known, ...namedByFiles(inputs), place, route, settings };
			documents.push(await checkDocument(run, base, inputs));
		}
		return documents;
	} catch (thrown) {
		// The parameters of an item apply to all of its documents, so they fail once.
		return [end.fail(known, thrown)];
	}
}

/** The files of each of the sources. */
async function readSources({ context, operation }: Run, item: InputItem): Promise<FileInput[][]> {
	const files: FileInput[][] = [];
	for (const source of operation.sources) files.push(await readFiles(context, item, source));
	return files;
}
