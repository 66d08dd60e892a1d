import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { connectionLoss } from '../service/connectionLoss';
import { CHECK_STORAGE, DocumentError, messageOf } from '../text/errors';
import { MB, oneLine, plainMimeType, pluralize, quoted } from '../text/words';
import { contentOf, type FileContext } from './content';
import { decoded, fileNameIn, lastPart } from './fileNames';
import { detectType, WEB_PAGE } from './fileTypes';
import { describeFile, missingFile, type InputFile, type MissingFile } from './inputFiles';

const MAX_NAME_CHARACTERS = 300;

/** A file that has not been downloaded. */
export interface Link {
	kind: 'link';
	/** Its host and the last part of its path: all else may hold a signature or a token. */
	name: string;
	/** The whole link. Never shown. */
	href: string;
	/** The name of the file, if the server reports none. */
	lastName: string;
}

/** Blanks may be part of a link. */
const SEPARATOR = /[\r\n]+|\s+(?=https?:)/i;

/** @param parameter links separated by line breaks, or by blanks before the next `http`, or a list by expression */
export function readLinks(parameter: unknown, label: string): Array<Link | MissingFile> {
	const links = [parameter]
		.flat()
		.filter((entry) => typeof entry === 'string')
		// Text that does not begin with a link is one entry, so that messages do not quote a document word by word.
		.flatMap((text) => (/^\s*https?:/i.test(text) ? text.split(SEPARATOR) : [text]))
		.map((link) => link.trim())
		.filter((link) => link !== '');
	if (links.length > 0) return [...new Set(links)].map((link) => readLink(link, label));
	const empty = new DocumentError(
		`'${label}' is empty`,
		`Enter the link to the file. If an AI agent uses this node as a tool: Let the AI fill in '${label}' (the ✨ button).`,
	);
	return [missingFile(empty, true)];
}

function readLink(link: string, label: string): Link | MissingFile {
	const url = URL.canParse(link) ? new URL(link) : undefined;
	if (url === undefined || !['http:', 'https:'].includes(url.protocol))
		return missingFile(
			new DocumentError(
				`${quoted(link)} in '${label}' is not a valid link`,
				'A link starts with https:// and leads to the file itself, for example https://example.com/invoice.pdf.',
			),
		);
	const { href, origin, pathname } = url;
	const name = oneLine(`${origin}${pathname.replace(/^\/.+\//, '/…/')}`, MAX_NAME_CHARACTERS);
	return { kind: 'link', name, href, lastName: decoded(lastPart(pathname)) };
}

export interface DownloadLimits {
	maxBytes: number;
	/** From the request to the last byte. */
	seconds: number;
	/** Whether a redirect to this address may be followed. */
	mayFollow?: (href: string) => boolean;
}

/**
 * Follows a link of the input.
 * @throws DocumentError that names the link, or the reason of the context's signal
 */
export async function followLink(
	context: FileContext,
	{ name, href, lastName }: Link,
	limits: DownloadLimits,
): Promise<InputFile> {
	const file = await download(context, href, limits);
	if (file instanceof DownloadFailure)
		throw new DocumentError(
			`The file at ${name} could not be downloaded: ${file.message}`,
			`${file.description} This file was not sent to Cogneris.`,
		);
	const fileName = file.fileName ?? lastName;
	return await describeFile(context, { binary: { ...file, fileName } });
}

interface StreamedResponse {
	statusCode: number;
	headers: Record<string, string | undefined>;
	body: Exclude<
		Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
		Buffer | Uint8Array
	>;
}

/**
 * Why there is no file behind a link; the message is the end of a sentence. `refused`: its server has no file for this link,
 * for good. `notStored`: n8n has not stored the file. `failed`: any other reason, such as an outage.
 */
export class DownloadFailure extends DocumentError {
	constructor(
		message: string,
		readonly kind: 'refused' | 'notStored' | 'failed',
		advice = CHECK_LINK,
	) {
		super(message, advice);
	}
}

const CHECK_LINK =
	'Open the link in a private browser window: it must open or download the file itself, without asking you to sign in.';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const MAX_REDIRECTS = 5;

/** Follows redirects one by one. */
async function request(
	helpers: FileContext['helpers'],
	url: string,
	{ mayFollow = () => true }: DownloadLimits,
	abortSignal: AbortSignal,
): Promise<StreamedResponse | DownloadFailure> {
	let href = url;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
		const response = (await helpers.httpRequest({
			url: href,
			encoding: 'stream',
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
			abortSignal,
		})) as StreamedResponse;
		const { statusCode, headers } = response;
		if (statusCode === 200) return response;
		if (!REDIRECTS.has(statusCode) || headers.location === undefined) {
			const isOutage = statusCode === 429 || statusCode >= 500;
			const message = `the server responded with status ${statusCode}`;
			return new DownloadFailure(message, isOutage ? 'failed' : 'refused');
		}
		href = new URL(headers.location, href).href;
		if (!/^https?:/.test(href) || !mayFollow(href)) break;
	}
	return new DownloadFailure(
		'the server redirects too often, or to an address that is not followed',
		'refused',
	);
}

/**
 * Fetches a file behind a link into n8n's store with n8n's request helper, which protects private addresses, and without
 * the credential: other servers must not see the key.
 * @throws the reason of the context's signal
 */
export async function download(
	context: FileContext,
	url: string,
	limits: DownloadLimits,
): Promise<IBinaryData | DownloadFailure> {
	const { helpers, signal } = context;
	const { maxBytes, seconds } = limits;
	const deadline = AbortSignal.timeout(seconds * 1000);
	const finished = new AbortController();
	const tooLarge = new DownloadFailure(
		`it is larger than ${maxBytes / MB} MB`,
		'failed',
		'Reduce the size of the file.',
	);
	let bytes = 0;
	let body: StreamedResponse['body'] | undefined;
	try {
		const abortSignal = AbortSignal.any([deadline, finished.signal, signal]);
		const response = await request(helpers, url, limits, abortSignal);
		if (response instanceof DownloadFailure) return response;
		const { headers } = response;
		({ body } = response);
		const reportedType = plainMimeType(headers['content-type']) || 'application/octet-stream';
		if (Number(headers['content-length']) > maxBytes) return tooLarge;
		const limited = body.map((chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > maxBytes) throw new RangeError('Larger than allowed');
			return chunk;
		});
		const file = await helpers.prepareBinaryData(limited, undefined, reportedType);
		// The bytes are more reliable than the server's headers.
		const content = await contentOf(context, file);
		const { type, otherFormat } = await detectType('', reportedType, content);
		const isPage = reportedType.includes('html') || otherFormat?.what === WEB_PAGE;
		if (type === undefined && isPage)
			return new DownloadFailure('the link leads to a web page', 'refused');
		const fileName = fileNameIn(headers['content-disposition'] ?? '');
		return { ...file, fileName, mimeType: type?.mimeType ?? reportedType };
	} catch (thrown) {
		signal.throwIfAborted();
		if (bytes > maxBytes) return tooLarge;
		if (deadline.aborted)
			return new DownloadFailure(
				`it took longer than ${pluralize(seconds, 'second')}`,
				'failed',
				"Raise the option 'Timeout (Seconds)', or fetch the file with an HTTP Request node before this one.",
			);
		return failureFrom(thrown, body);
	} finally {
		// An answer that is not read to its end keeps its connection; destroying its body, which n8n's client wraps, does not close it.
		finished.abort();
	}
}

/** @param body of the response, if there was one */
function failureFrom(thrown: unknown, body?: StreamedResponse['body']): DownloadFailure {
	if (connectionLoss(thrown).notSent === 'blocked')
		return new DownloadFailure(
			"n8n's SSRF protection blocked the request",
			'failed',
			'Use a link to a public address, or ask an administrator of n8n to allow this one with N8N_SSRF_ALLOWED_HOSTNAMES.',
		);
	// A connection that is lost is a failure of the body, and a store that fails is not.
	if (body?.errored === null)
		return new DownloadFailure(
			`n8n could not store it: ${messageOf(thrown)}`,
			'notStored',
			CHECK_STORAGE,
		);
	return new DownloadFailure('the connection failed or was lost', 'failed');
}
