import type { FileContext } from '../files/content';
import { typeOfHead, typeOfMimeType } from '../files/fileTypes';
import { itemJson } from '../results/fields';
import type { Answer } from '../service/envelope';
import type { Document, DocumentOperation, Output, DocumentContext } from './operation';

/** A file that is itself the answer for a document, as an item. */
export async function fileOutput(
	context: FileContext,
	document: Document,
	{ bytes, mimeType: said }: NonNullable<Answer['file']>,
): Promise<Output> {
	const mimeType = said.startsWith('image/') ? said : (typeOfHead(bytes)?.mimeType ?? said);
	const name = nameOfPart(document, 0, mimeType);
	const binary = await context.helpers.prepareBinaryData(bytes, name, mimeType);
	return { json: { fileName: document.fileName, index: 0 }, binary: { data: binary } };
}

/** The source, a number from 1, and the extension of the type: the first part of `scan.jpg` is `scan-1.png`. */
export function nameOfPart(
	{ fileName, nameOfFiles = '' }: Document,
	index: number,
	mimeType: string,
) {
	const stem =
		fileName?.replace(/\.[^.]+$/, '') || nameOfFiles.replace(/[^\w-]/g, '') || 'document';
	const subtype = /^image\/([a-z0-9-]{1,20})(\+|$)/.exec(mimeType)?.[1];
	return `${stem}-${index + 1}.${typeOfMimeType(mimeType)?.extensions[0] ?? subtype ?? 'bin'}`;
}

/**
 * The outputs of each document that an answer is about.
 *
 * @param contexts those of the documents of the request, in their order
 */
export async function outputsOf(
	operation: DocumentOperation,
	answer: Answer,
	contexts: DocumentContext[],
): Promise<Output[][]> {
	const { creditsConsumed, file, data, stored = data } = answer;
	const documents = contexts.map(({ document }) => document);
	const itemIndexes = documents.map(({ item }) => item.itemIndex);
	if (file !== undefined)
		return await Promise.all(
			contexts.map(async ({ context, document }) => [await fileOutput(context, document, file)]),
		);
	const isRaw = contexts[0]?.output === 'raw';
	const isRead = !isRaw || operation.assertProcessed !== undefined;
	const results = isRead ? operation.parse(answer, documents) : [];
	const outputs: Output[][] = [];
	for (const [position, context] of contexts.entries()) {
		const own = { ...context, creditsConsumed };
		operation.assertProcessed?.(results[position], own);
		if (!isRaw) outputs.push(await operation.toOutputs(results[position], own));
		// A response is one item, however many documents it is about.
		else outputs.push(position === 0 ? [{ json: itemJson(stored), itemIndexes }] : []);
	}
	return outputs;
}
