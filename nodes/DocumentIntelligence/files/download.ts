import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { connectionLoss } from '../service/connectionLoss';
import { pluralize } from '../text/words';
import { MB } from '../text/bytes';
import { contentOf, readHead, type FileContext } from './content';
import { plainMimeType } from '../text/mimeType';
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
	/** The first bytes, which are more reliable than the server's headers. */
	head: Buffer;
}

/** Why there is no file. */
export interface NotDownloaded {
	cause: 'tooLarge' | 'tooSlow' | 'blocked' | 'webPage' | 'notGiven';
	/** Text for the end of a sentence. */
	reason: string;
}

/** Where a download is given up. */
export interface DownloadLimits {
	maxBytes: number;
	/** From the first byte asked for to the last one there. */
	seconds: number;
}

interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: BinaryBody;
}

const MAX_REDIRECTS = 5;

const NOT_FOUND_OUT = 'application/octet-stream';

const WEB_PAGES = new Set(['text/html', 'application/xhtml+xml']);

const BEGINS_AS_PAGE = /^\W*(\?xml[^>]*>\s*<)?(!doctype\s+html|html)[\s>]/i;

const WEB_PAGE: NotDownloaded = { cause: 'webPage', reason: 'the link leads to a web page' };

/**
 * Fetches a file behind a link into n8n's store, through n8n's own request helper and its protection of private
 * addresses, and without the credential: links to cropped images are signed for everyone who has them
 * (docs/service-contract.md, Crop), and to the servers of other links the key must not be shown.
 *
 * @param context its cancel signal ends the download
 * @returns the file, or why there is none
 * @throws the reason of the cancel signal
 */
export async function download(
	context: FileContext,
	url: string,
	limits: DownloadLimits,
): Promise<Downloaded | NotDownloaded> {
	const deadline = AbortSignal.timeout(limits.seconds * 1000);
	const cancel = context.getExecutionCancelSignal?.();
	const over = new AbortController();
	const failed = (reason: string): NotDownloaded => {
		cancel?.throwIfAborted();
		return deadline.aborted
			? { cause: 'tooSlow', reason: `it took longer than ${pluralize(limits.seconds, 'second')}` }
			: { cause: 'notGiven', reason };
	};
	let response: StreamedResponse;
	try {
		response = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			maxRedirects: MAX_REDIRECTS,
			abortSignal: AbortSignal.any([deadline, over.signal, ...(cancel ? [cancel] : [])]),
		})) as StreamedResponse;
	} catch (thrown) {
		return connectionLoss(thrown).notSent === 'blocked' ? BLOCKED : failed('the connection failed');
	}
	try {
		return refusalOf(response, limits) ?? (await storeFile(context, response, limits));
	} catch {
		return failed('the connection was lost');
	} finally {
		// An answer that is not read to its end keeps its connection; destroying its body, which n8n's client wraps, does not close it.
		over.abort();
	}
}

const BLOCKED: NotDownloaded = {
	cause: 'blocked',
	reason: "n8n's SSRF protection blocked the request",
};

function tooLarge({ maxBytes }: DownloadLimits): NotDownloaded {
	return { cause: 'tooLarge', reason: `it is larger than ${maxBytes / MB} MB` };
}

/** Why the status and the headers alone rule the file out. */
function refusalOf(
	{ statusCode, headers }: StreamedResponse,
	limits: DownloadLimits,
): NotDownloaded | undefined {
	if (statusCode !== 200)
		return { cause: 'notGiven', reason: `the link was refused with status ${statusCode}` };
	if (Number(headers['content-length']) > limits.maxBytes) return tooLarge(limits);
	return WEB_PAGES.has(plainMimeType(headers['content-type'])) ? WEB_PAGE : undefined;
}

async function storeFile(
	context: FileContext,
	{ headers, body }: StreamedResponse,
	limits: DownloadLimits,
): Promise<Downloaded | NotDownloaded> {
	let bytes = 0;
	const limited = body.map((chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > limits.maxBytes) throw new RangeError('Larger than allowed');
		return chunk;
	});
	const mimeType = plainMimeType(headers['content-type']);
	try {
		const binary = await context.helpers.prepareBinaryData(
			limited,
			undefined,
			mimeType || NOT_FOUND_OUT,
		);
		const head = await readHead(await contentOf(context, binary), HEAD_BYTES);
		if (BEGINS_AS_PAGE.test(head.toString('latin1', 0, 1024))) return WEB_PAGE;
		const fileName = fileNameIn(headers['content-disposition'] ?? '');
		return { binary, mimeType, fileName, head };
	} catch (lost) {
		if (bytes > limits.maxBytes) return tooLarge(limits);
		throw lost as Error;
	}
}

/** The name in a Content-Disposition header; the encoded form, which may hold any letter, takes precedence. */
export function fileNameIn(disposition: string): string | undefined {
	const encoded = /filename\*=(?:utf-8)?'[^']*'([^;]+)/i.exec(disposition)?.[1];
	try {
		if (encoded !== undefined) return decodeURIComponent(encoded.trim());
	} catch {
		// Badly encoded; the plain form may still be present.
	}
	return (
		/filename="([^"]+)"/i.exec(disposition)?.[1] ??
		/filename=([^;"]+)/i.exec(disposition)?.[1]?.trim()
	);
}
