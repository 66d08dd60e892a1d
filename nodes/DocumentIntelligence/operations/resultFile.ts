import { fileTypeFromMimeType, type IBinaryData } from 'n8n-workflow';

import type { FileContext } from '../files/content';
import { download } from '../files/download';
import { typeOfHead, typeOfMimeType } from '../files/fileTypes';
import { itemJson } from '../results/fields';
import type { AnsweredFile, Answer } from '../service/envelope';
import { MB } from '../text/bytes';
import { DocumentError } from '../text/errors';
import type { Document, DocumentOperation, Output, DocumentContext } from './operation';

/** A file that is itself the answer for a document, as an item. */
export async function fileOutput(
	context: FileContext,
	document: Document,
	{ bytes, mimeType: said }: AnsweredFile,
): Promise<Output> {
	const mimeType = said.startsWith('image/') ? said : (typeOfHead(bytes)?.mimeType ?? said);
	const name = nameOfPart(document, 0, mimeType);
	const binary = await context.helpers.prepareBinaryData(bytes, name, mimeType);
	return { json: { fileName: document.fileName, index: 0 }, binary: { data: binary } };
}

/** The source, a number from 1, and the extension of the type: the first part of `scan.jpg` is `scan-1.png`. */
function nameOfPart({ fileName, nameOfFiles = '' }: Document, index: number, mimeType: string) {
	const stem =
		fileName?.replace(/\.[^.]+$/, '') || nameOfFiles.replace(/[^\w-]/g, '') || 'document';
	const subtype = /^image\/([a-z0-9-]{1,20})(\+|$)/.exec(mimeType)?.[1];
	return `${stem}-${index + 1}.${typeOfMimeType(mimeType)?.extensions[0] ?? subtype ?? 'bin'}`;
}

/** Larger than any picture of a document. */
const MAX_BYTES = 50 * MB;

/**
 * Fetches the image of a part of a document into n8n's store, without the API key: such links are signed
 * (docs/internals/service-contract.md, Crop).
 *
 * @param seconds what is left of the time that all images of the document may take
 * @returns a DocumentError if there is no image, as the rest of the result is there
 */
export async function fetchImage(
	context: FileContext,
	document: Document,
	{ url, index, seconds }: { url: string; index: number; seconds: number },
): Promise<IBinaryData | DocumentError> {
	const notFetched = (reason: string) =>
		new DocumentError(
			`A cropped image of ${document.subject} could not be downloaded: ${reason}`,
			'The document was processed and may already be billed, so running it again may be billed again. Turn off Download Images to get the links in imageUrl instead; they expire after a short time.',
		);
	if (seconds <= 0) return notFetched("the 'Timeout (Seconds)' was reached");
	const file = await download(context, url, { maxBytes: MAX_BYTES, seconds });
	if ('reason' in file) return notFetched(file.reason);
	const mimeType = [file.mimeType, typeOfHead(file.head)?.mimeType].find((type) =>
		type?.startsWith('image/'),
	);
	if (mimeType === undefined) return notFetched('the link leads to a different kind of file');
	const fileName = nameOfPart(document, index, mimeType);
	const fileExtension = fileName.split('.').at(-1);
	return {
		...file.binary,
		fileName,
		mimeType,
		fileType: fileTypeFromMimeType(mimeType),
		fileExtension,
	};
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
	const { creditsConsumed, file } = answer;
	const documents = contexts.map(({ document }) => document);
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
		else outputs.push(position === 0 ? [rawOutput(answer, documents)] : []);
	}
	return outputs;
}

/** `data` exactly as returned. */
function rawOutput({ data, stored = data }: Answer, documents: Document[]): Output {
	return { json: itemJson(stored), itemIndexes: documents.map(({ item }) => item.itemIndex) };
}
