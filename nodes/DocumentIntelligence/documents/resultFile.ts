import { fileTypeFromMimeType, type IBinaryData } from 'n8n-workflow';

import { DocumentError } from '../errors';
import type { FileContext } from '../files/content';
import { download } from '../files/download';
import { typeOfHead } from '../files/fileTypes';
import { MB } from '../text/bytes';

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
