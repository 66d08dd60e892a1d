import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { connectionLoss } from '../text/connectionLoss';
import { MB } from '../text/bytes';
import { plainMimeType, pluralize } from '../text/words';
import { contentOf, readHead, type FileContext } from './content';
import { fileNameIn } from './fileNames';
import { HEAD_BYTES } from './fileTypes';

/** The type that n8n's binary helper takes for a stream. */
type BinaryBody = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer | Uint8Array
>;

/** A file that has been fetched into n8n's store. */
export interface Downloaded {
	binary: IBinaryData;
	/** From the server's header, without parameters; may be empty. */
	mimeType: string;
	/** From the server's Content-Disposition header. */
	fileName?: string;
	/** The first bytes, which are more reliable than the server's headers. */
	head: Buffer;
}

/** Why there is no file. */
export interface NotDownloaded {
	/** Text for the end of a sentence. */
	reason: string;
	/** What the user can do, in whole sentences. */
	advice: string;
}

export interface DownloadLimits {
	maxBytes: number;
	/** From the request to the last byte. */
	seconds: number;
}

interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: BinaryBody;
}

const MAX_REDIRECTS = 5;

const WEB_PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

const BEGINS_AS_PAGE = /^\W*(!doctype\s+html|html)[\s>]/i;

const WEB_PAGE: NotDownloaded = {
	reason: 'the link leads to a web page',
	advice:
		'Use the link that downloads the file itself. A page that displays the file, or asks you to sign in, does not work.',
};

const BLOCKED: NotDownloaded = {
	reason: "n8n's SSRF protection blocked the request",
	advice:
		'Use a link to a public address, or ask an administrator of n8n to allow this one with N8N_SSRF_ALLOWED_HOSTNAMES.',
};

const refused = (reason: string): NotDownloaded => ({
	reason,
	advice:
		'Open the link in a private browser window: it must download the file itself, without asking you to sign in.',
});

const tooLarge = ({ maxBytes }: DownloadLimits): NotDownloaded => ({
	reason: `it is larger than ${maxBytes / MB} MB`,
	advice: 'Reduce the size of the file.',
});

const tooSlow = ({ seconds }: DownloadLimits): NotDownloaded => ({
	reason: `it took longer than ${pluralize(seconds, 'second')}`,
	advice:
		"Raise the option 'Timeout (Seconds)', or fetch the file with an HTTP Request node before this one.",
});

/**
 * Fetches a file behind a link into n8n's store, through n8n's own request helper and its protection of private
 * addresses, and without the credential: links to cropped images are signed for everyone who has them
 * (docs/internals/service-contract.md, Crop), and the servers of other links must not see the key.
 *
 * @param context its cancel signal ends the download
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
	let isAnswered = false;
	try {
		const response = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			maxRedirects: MAX_REDIRECTS,
			abortSignal: AbortSignal.any([deadline, over.signal, ...(cancel ? [cancel] : [])]),
		})) as StreamedResponse;
		isAnswered = true;
		return await storeFile(context, response, limits);
	} catch (thrown) {
		cancel?.throwIfAborted();
		if (deadline.aborted) return tooSlow(limits);
		if (connectionLoss(thrown).notSent === 'blocked') return BLOCKED;
		return refused(isAnswered ? 'the connection was lost' : 'the connection failed');
	} finally {
		// An answer that is not read to its end keeps its connection; destroying its body, which n8n's client wraps, does not close it.
		over.abort();
	}
}

async function storeFile(
	context: FileContext,
	{ statusCode, headers, body }: StreamedResponse,
	limits: DownloadLimits,
): Promise<Downloaded | NotDownloaded> {
	const mimeType = plainMimeType(headers['content-type']);
	if (statusCode !== 200) return refused(`the link was refused with status ${statusCode}`);
	if (Number(headers['content-length']) > limits.maxBytes) return tooLarge(limits);
	if (WEB_PAGE_TYPES.includes(mimeType)) return WEB_PAGE;
	let bytes = 0;
	const limited = body.map((chunk: Buffer) => {
		bytes += chunk.length;
		if (bytes > limits.maxBytes) throw new RangeError('Larger than allowed');
		return chunk;
	});
	try {
		const stored = mimeType || 'application/octet-stream';
		const binary = await context.helpers.prepareBinaryData(limited, undefined, stored);
		const head = await readHead(await contentOf(context, binary), HEAD_BYTES);
		if (BEGINS_AS_PAGE.test(head.toString('latin1', 0, 1024))) return WEB_PAGE;
		return { binary, mimeType, fileName: fileNameIn(headers['content-disposition'] ?? ''), head };
	} catch (lost) {
		if (bytes > limits.maxBytes) return tooLarge(limits);
		throw lost as Error;
	}
}
