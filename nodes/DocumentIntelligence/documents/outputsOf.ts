import type { ReadParameter } from '../parameters/readParameter';
import { itemJson } from '../results/fields';
import type { Answer } from '../service/envelope';
import type { Document, DocumentOperation, Output, ResultContext } from './operation';

/** What the outputs of a request have in common. */
interface Shared extends Pick<ResultContext, 'context' | 'hints'> {
	/** The choice of Output for a document. */
	readOutput: (read: ReadParameter) => string;
}

/** The outputs of each document that an answer is about. */
export async function outputsOf(
	operation: DocumentOperation,
	answer: Answer,
	documents: Document[],
	{ context, hints, readOutput }: Shared,
): Promise<Output[][]> {
	const { creditsConsumed } = answer;
	const [first] = documents;
	const isFull =
		first !== undefined && readOutput(first.item.read) === 'raw' && answer.image === undefined;
	const isRead = !isFull || operation.assertProcessed !== undefined;
	const results = isRead ? operation.parse(answer, documents) : [];
	const outputs: Output[][] = [];
	for (const [position, document] of documents.entries()) {
		const { read } = document.item;
		const { subject } = document;
		const output = readOutput(read);
		const own = { context, document, subject, read, output, creditsConsumed, hints };
		operation.assertProcessed?.(results[position], own);
		if (!isFull) outputs.push(await operation.toOutputs(results[position], own));
		// A response is one item, however many documents it is about.
		else outputs.push(position === 0 ? [fullResult(answer, documents)] : []);
	}
	return outputs;
}

/** `data` exactly as returned. */
function fullResult({ data, stored = data }: Answer, documents: Document[]): Output {
	return { json: itemJson(stored), itemIndexes: documents.map(({ item }) => item.itemIndex) };
}
