import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { connectionLoss } from '../http/connectionLoss';
import { pluralize } from '../text/pluralize';
import { MB } from '../text/bytes';
import { contentOf, readHead } from './content';
import { plainMimeType } from '../http/mimeType';
import { HEAD_BYTES } from './fileTypes';

/** The type that n8n's binary helper takes for a stream. */
type BinaryBody = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer | Uint8Array
>;

/** A file that has been fetched into n8n's store. */
export interface Downloaded {
	binary: IBinaryData;
	/** As the server says, without parameters; empty when it does not say. */
	mimeType: string;
	/** As the server says, in the Content-Disposition header. */
	fileName?: string;
	/** The first bytes, which say more than servers do. */
	head: Buffer;
}

/** Why there is no file. */
export interface NotDownloaded {
	cause: 'tooLarge' | 'tooSlow' | 'blocked' | 'notGiven';
	/** In words, for the end of a sentence. */
	reason: string;
}

interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: BinaryBody;
}

const MAX_REDIRECTS = 5;

/**
 * Fetches a file behind a link into n8n's store, through n8n's own request helper and its protection of private
 * addresses, and without the credential: links to cropped images are signed for everyone who has them (service
 * contract, crop), and to the servers of other links the key must not be shown.
 *
 * @param limits the download breaks off where it grows or takes longer than this
 * @returns the file, or why it cannot be had
 */
export async function download(
	context: IExecuteFunctions,
	url: string,
	{ maxBytes, seconds }: { maxBytes: number; seconds: number },
): Promise<Downloaded | NotDownloaded> {
	const deadline = AbortSignal.timeout(seconds * 1000);
	const cancel = context.getExecutionCancelSignal();
	const notGiven = (reason: string): NotDownloaded => ({ cause: 'notGiven', reason });
	const blocked: NotDownloaded = {
		cause: 'blocked',
		reason: "n8n's protection of private addresses does not let requests to it out",
	};
	const tooSlow: NotDownloaded = {
		cause: 'tooSlow',
		reason: `it took longer than ${pluralize(seconds, 'second')}`,
	};
	const tooLarge: NotDownloaded = {
		cause: 'tooLarge',
		reason: `it is larger than ${maxBytes / MB} MB`,
	};
	let response: StreamedResponse;
	try {
		response = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			maxRedirects: MAX_REDIRECTS,
			abortSignal: cancel === undefined ? deadline : AbortSignal.any([cancel, deadline]),
		})) as StreamedResponse;
	} catch (thrown) {
		if (connectionLoss(thrown).blocked) return blocked;
		return deadline.aborted ? tooSlow : notGiven('the connection failed');
	}
	const { statusCode, headers, body } = response;
	if (statusCode !== 200) return notGiven(`the link was refused with status ${statusCode}`);
	if (Number(headers['content-length']) > maxBytes) return tooLarge;

	let bytes = 0;
	const limited = body.map((chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > maxBytes) throw new RangeError('Larger than allowed');
		return chunk;
	});
	const mimeType = plainMimeType(headers['content-type']);
	try {
		const binary = await context.helpers.prepareBinaryData(
			limited,
			undefined,
			mimeType || 'application/octet-stream',
		);
		return {
			binary,
			mimeType,
			fileName: fileNameIn(headers['content-disposition'] ?? ''),
			head: await readHead(await contentOf(context, binary), HEAD_BYTES),
		};
	} catch {
		if (bytes > maxBytes) return tooLarge;
		return deadline.aborted ? tooSlow : notGiven('the connection was lost');
	}
}

/** The name in a Content-Disposition header; the encoded form, which may hold any letter, goes first. */
function fileNameIn(disposition: string): string | undefined {
	const encoded = /filename\*=(?:utf-8)?'[^']*'([^;]+)/i.exec(disposition)?.[1];
	try {
		if (encoded !== undefined) return decodeURIComponent(encoded.trim());
	} catch {
		// Badly encoded: the plain form may still be there.
	}
	return (
		/filename="([^"]+)"/i.exec(disposition)?.[1] ??
		/filename=([^;"]+)/i.exec(disposition)?.[1]?.trim()
	);
}
