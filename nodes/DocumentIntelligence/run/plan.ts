import type { IExecuteFunctions } from 'n8n-workflow';

import type {
	DocumentBase,
	Ended,
	FileInput,
	FilePart,
	InputItem,
	Open,
	Origin,
} from '../document/document';
import { readFiles, readRoute, readSettings } from '../operations/settings';
import { checkFiles, checkPlan, namedByFiles } from './load';
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
	const item = inputItem(context, itemIndex);
	let origin: Origin = {
		place: firstPlace,
		item,
		...namedByFiles([]),
		route: null,
		notes: [],
	};
	try {
		// Thousands of files take seconds, and a stop should not.
		end.canceled.throwIfAborted();
		const files = await Promise.all(
			operation.sources.map(async (source) => await readFiles(context, item, source)),
		);
		const inputsOfDocuments = operation.documents(files, item);
		origin = { ...origin, ...namedByFiles(inputsOfDocuments[0] ?? []) };
		const route = readRoute(operation, item.read, session.account.isSandbox);
		const settings = readSettings(operation, item.read, route, files.flat());
		const documents: Array<Open | Ended> = [];
		for (const [number, inputs] of inputsOfDocuments.entries()) {
			const named = namedByFiles(inputs);
			const place = firstPlace + number;
			const base = { ...origin, ...named, place, route, settings };
			documents.push(await planDocument(run, base, inputs));
		}
		return documents;
	} catch (thrown) {
		// The choices of an item hold for all of its documents: the first one says what is wrong with them.
		return [end.fail(origin, thrown)];
	}
}

async function planDocument(
	run: Run,
	base: DocumentBase,
	inputs: Array<FilePart<FileInput>>,
): Promise<Open | Ended> {
	const hasLinks = inputs.some(({ file }) => file.kind === 'link');
	if (!hasLinks) return await checkFiles(run, base, inputs);
	const failure = checkPlan(run, base, inputs);
	return failure === undefined
		? { ...base, state: 'planned', inputs }
		: run.end.fail(base, failure);
}

function inputItem(context: IExecuteFunctions, itemIndex: number): InputItem {
	const read: InputItem['read'] = (name, fallback) =>
		context.getNodeParameter(name, itemIndex, fallback) as typeof fallback;
	return { itemIndex, json: context.getInputData()[itemIndex]?.json ?? {}, read };
}
