import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { connectionLoss } from '../text/connectionLoss';
import { DocumentError } from '../text/errors';
import { MB, oneLine, plainMimeType, pluralize, quoted } from '../text/words';
import { contentOf, readHead, type FileContext } from './content';
import { decoded, fileNameIn, lastPart } from './fileNames';
import { typeOfHead } from './fileTypes';
import { describeFile, type InputFile } from './inputFiles';

const MAX_NAME_CHARACTERS = 300;

export interface RemoteFile {
	/** Its host and the last part of its path: all else may hold a signature or a token. */
	name: string;
	/** The whole link. Never shown. */
	href: string;
	/** Fetches it into n8n's store. Throws a DocumentError that names the link. */
	fetch: (limits: DownloadLimits) => Promise<InputFile>;
}

export interface DownloadLimits {
	maxBytes: number;
	/** From the request to the last byte. */
	seconds: number;
}

/** @param parameter links separated by white space, or a list by expression */
export function remoteFiles(
	context: FileContext,
	parameter: unknown,
	label: string,
): Array<RemoteFile | DocumentError> {
	const links = [parameter]
		.flat()
		.flatMap((entry) => (typeof entry === 'string' ? linksIn(entry) : []))
		.filter((link) => link !== '');
	if (links.length > 0) return [...new Set(links)].map((link) => remoteFile(context, link, label));
	return [
		new DocumentError(
			`'${label}' is empty`,
			`Enter the link to the file. If an AI agent uses this node as a tool: Let the AI fill in '${label}' (the ✨ button).`,
		),
	];
}

/** A text that does not begin with a link is one entry: of a whole document, messages would quote each word. */
function linksIn(text: string): string[] {
	return /^\s*https?:/i.test(text) ? text.split(/\s+/) : [text.trim()];
}

function remoteFile(context: FileContext, link: string, label: string): RemoteFile | DocumentError {
	const url = URL.canParse(link) ? new URL(link) : undefined;
	if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
		return new DocumentError(
			`${quoted(link)} in '${label}' is not a valid link`,
			'A link starts with https:// and leads to the file itself, for example https://example.com/invoice.pdf.',
		);
	}
	const { href, origin, pathname } = url;
	const name = oneLine(`${origin}${pathname.replace(/^\/.+\//, '/…/')}`, MAX_NAME_CHARACTERS);
	return {
		name,
		href,
		async fetch(limits) {
			const file = await download(context, href, limits);
			if (file instanceof DocumentError)
				throw new DocumentError(
					`The file at ${name} could not be downloaded: ${file.message}`,
					`${file.description} Nothing was sent to Cogneris.`,
				);
			const fileName = file.fileName ?? decoded(lastPart(pathname));
			return await describeFile(context, { binary: { ...file, fileName } });
		},
	};
}

interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: Exclude<
		Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
		Buffer | Uint8Array
	>;
}

const BEGINS_AS_PAGE = /^\W*(!doctype\s+html|html)[\s>]/i;

const refused = (reason: string) =>
	new DocumentError(
		reason,
		'Open the link in a private browser window: it must open or download the file itself, without asking you to sign in.',
	);

const WEB_PAGE = refused('the link leads to a web page');

/**
 * Fetches a file behind a link into n8n's store with n8n's request helper, which protects private addresses, and without
 * the credential: other servers must not see the key.
 * @returns the file, or a DocumentError whose message is the end of a sentence
 * @throws the reason of the cancel signal
 */
export async function download(
	context: FileContext,
	url: string,
	{ maxBytes, seconds }: DownloadLimits,
): Promise<IBinaryData | DocumentError> {
	const deadline = AbortSignal.timeout(seconds * 1000);
	const cancel = context.getExecutionCancelSignal?.();
	const over = new AbortController();
	const tooLarge = new DocumentError(
		`it is larger than ${maxBytes / MB} MB`,
		'Reduce the size of the file.',
	);
	let bytes = 0;
	try {
		const { statusCode, headers, body } = (await context.helpers.httpRequest({
			url,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			maxRedirects: 5,
			abortSignal: AbortSignal.any([deadline, over.signal, ...(cancel ? [cancel] : [])]),
		})) as StreamedResponse;
		if (statusCode !== 200) return refused(`the server responded with status ${statusCode}`);
		const saidType = plainMimeType(headers['content-type']) || 'application/octet-stream';
		if (saidType === 'text/html') return WEB_PAGE;
		if (Number(headers['content-length']) > maxBytes) return tooLarge;
		const limited = body.map((chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > maxBytes) throw new RangeError('Larger than allowed');
			return chunk;
		});
		const stored = await context.helpers.prepareBinaryData(limited, undefined, saidType);
		const head = await readHead(await contentOf(context, stored));
		if (BEGINS_AS_PAGE.test(head.toString('latin1', 0, 1024))) return WEB_PAGE;
		const fileName = fileNameIn(headers['content-disposition'] ?? '');
		// The first bytes are more reliable than the server's headers.
		return { ...stored, fileName, mimeType: typeOfHead(head)?.mimeType ?? saidType };
	} catch (thrown) {
		cancel?.throwIfAborted();
		if (bytes > maxBytes) return tooLarge;
		if (deadline.aborted)
			return new DocumentError(
				`it took longer than ${pluralize(seconds, 'second')}`,
				"Raise the option 'Timeout (Seconds)', or fetch the file with an HTTP Request node before this one.",
			);
		if (connectionLoss(thrown).notSent === 'blocked')
			return new DocumentError(
				"n8n's SSRF protection blocked the request",
				'Use a link to a public address, or ask an administrator of n8n to allow this one with N8N_SSRF_ALLOWED_HOSTNAMES.',
			);
		return refused('the connection failed or was lost');
	} finally {
		// An answer that is not read to its end keeps its connection; destroying its body, which n8n's client wraps, does not close it.
		over.abort();
	}
}
