import { fileTypeFromMimeType, type IBinaryData } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import type { FileContext } from '../files/content';
import { download } from '../files/download';
import { typeOfHead, typeOfMimeType } from '../files/fileTypes';
import type { ReadParameter } from '../parameters/readParameter';
import { itemJson } from '../results/fields';
import type { AnsweredFile, Answer } from '../service/envelope';
import { MB } from '../text/bytes';
import type { Document, DocumentOperation, Output, ResultContext } from './operation';

/** A file that a result links to. */
export interface ResultFile {
	url: string;
	/** What it is, to begin a message: `A cropped image of "scan.jpg"`. */
	subject: string;
	/** Beginning of the mime types that it may have, for example `image/`. */
	mimeTypes: string;
	/** What n8n calls it, from the mime type that it turns out to have. */
	nameFor: (mimeType: string) => string;
	/** For how long the download may take. */
	seconds: number;
	/** What else a user can do when it cannot be had. */
	alternative: string;
}

/** A file that is itself the answer for a document, as an item. */
export async function fileOutput(
	context: FileContext,
	document: Pick<Document, 'fileName' | 'nameOfFiles'>,
	{ bytes, mimeType: said }: AnsweredFile,
): Promise<Output> {
	const mimeType = said.startsWith('image/') ? said : (typeOfHead(bytes)?.mimeType ?? said);
	const name = nameOfPart(document, 0, mimeType);
	const binary = await context.helpers.prepareBinaryData(bytes, name, mimeType);
	return { json: { fileName: document.fileName, index: 0 }, binary: { data: binary } };
}

/** `scan.jpg` gives `scan-1.png`: the source, a number from 1, and the extension of the type. */
export function nameOfPart(
	{ fileName, nameOfFiles = '' }: Pick<Document, 'fileName' | 'nameOfFiles'>,
	index: number,
	mimeType: string,
): string {
	const stem =
		fileName?.replace(/\.[^.]+$/, '') || nameOfFiles.replace(/[^\w-]/g, '') || 'document';
	return `${stem}-${index + 1}.${extensionOf(mimeType)}`;
}

function extensionOf(mimeType: string): string {
	if (!mimeType.startsWith('image/')) return typeOfMimeType(mimeType)?.extensions[0] ?? 'bin';
	const subtype = /^image\/([a-z0-9-]{1,20})(\+|$)/.exec(mimeType)?.[1] ?? 'img';
	return subtype === 'jpeg' ? 'jpg' : subtype;
}

/** Larger than any picture or part of a document. */
const MAX_BYTES = 50 * MB;

/**
 * Fetches a file of a result into n8n's store, without the API key: such links are signed (docs/service-contract.md, Crop).
 *
 * @returns the file; a DocumentError where it cannot be had, since the rest of the result is there
 */
export async function fetchResultFile(
	context: FileContext,
	{ url, subject, mimeTypes, nameFor, seconds, alternative }: ResultFile,
): Promise<IBinaryData | DocumentError> {
	const notFetched = (reason: string) =>
		new DocumentError(
			`${subject} could not be downloaded: ${reason}`,
			`The document was processed and may already be billed, so running it again may be billed again. ${alternative}`,
		);
	const file = await download(context, url, { maxBytes: MAX_BYTES, seconds });
	if ('reason' in file) return notFetched(file.reason);
	const mimeType = file.mimeType.startsWith(mimeTypes)
		? file.mimeType
		: typeOfHead(file.head)?.mimeType;
	if (!mimeType?.startsWith(mimeTypes))
		return notFetched('the link leads to a different kind of file');
	const fileName = nameFor(mimeType);
	return {
		...file.binary,
		fileName,
		mimeType,
		fileType: fileTypeFromMimeType(mimeType),
		fileExtension: fileName.split('.').at(-1),
	};
}

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
	const { creditsConsumed, file } = answer;
	const [first] = documents;
	if (file !== undefined)
		return await Promise.all(
			documents.map(async (document) => [await fileOutput(context, document, file)]),
		);
	const isFull = first !== undefined && readOutput(first.item.read) === 'raw';
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
