import type { IExecuteFunctions } from 'n8n-workflow';

import { DocumentError } from '../errors';
import { download, type Downloaded, type NotDownloaded } from './download';
import { describeFile, type InputFile } from './inputFiles';

/** A file behind a link. */
export interface RemoteFile {
	/** Fetches it into n8n's store. Throws a DocumentError that names the link. */
	fetch: (limits: FetchLimits) => Promise<InputFile>;
}

/** Where a download breaks off. */
export interface FetchLimits {
	maxBytes: number;
	/** From the first byte asked for to the last one there. */
	seconds: number;
}

/**
 * The links that a parameter holds, each once: separated by white space, or a list by expression.
 *
 * @param label what the editor calls the parameter
 */
export function remoteFiles(
	context: IExecuteFunctions,
	parameter: unknown,
	label: string,
): Array<RemoteFile | DocumentError> {
	const links = (Array.isArray(parameter) ? parameter : [parameter])
		.flatMap((entry) => (typeof entry === 'string' ? entry.split(/\s+/) : []))
		.filter((link) => link !== '');
	if (links.length === 0) {
		return [
			new DocumentError(
				`No link in ${label}`,
				'Enter the link to the file, or choose Binary Field as Input Source if the item carries the file itself.',
			),
		];
	}
	return [...new Set(links)].map((link) => {
		const url = URL.canParse(link) ? new URL(link) : undefined;
		if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
			return new DocumentError(
				`"${link}" is not a link that can be followed`,
				'A link starts with https:// and names the file itself, for example https://example.com/invoice.pdf.',
			);
		}
		return { fetch: async (limits) => await fetchFile(context, url, limits) };
	});
}

async function fetchFile(context: IExecuteFunctions, url: URL, limits: FetchLimits) {
	// Without its parameters, which may hold a signature.
	const shown = `${url.origin}${url.pathname}`;
	const file = await download(context, url.href, limits);
	if ('reason' in file) {
		throw new DocumentError(
			`The file behind ${shown} could not be fetched: ${file.reason}`,
			`${WHAT_HELPS[file.cause]} Nothing was sent to the document service.`,
		);
	}
	if (WEB_PAGES.has(file.mimeType) || BEGINS_AS_PAGE.test(file.head.toString('latin1', 0, 1024))) {
		throw new DocumentError(
			`${shown} leads to a web page, not to a document`,
			'Use the link that downloads the file itself. Pages that show a file, or ask to sign in first, do not give it to others.',
		);
	}
	return await describeFile(context, { binary: { ...file.binary, fileName: nameOf(file, url) } });
}

const WHAT_HELPS: Readonly<Record<NotDownloaded['cause'], string>> = {
	blocked:
		'Use a link to a public address, or ask whoever runs this n8n to allow this one with N8N_SSRF_ALLOWED_HOSTNAMES.',
	notGiven:
		'Open the link in a private browser window: the file itself has to come, without signing in.',
	tooLarge: 'Reduce the file.',
	tooSlow: 'Raise the Timeout option, or fetch the file with an HTTP Request node before this one.',
};

const WEB_PAGES = new Set(['text/html', 'application/xhtml+xml']);

const BEGINS_AS_PAGE = /^\W*(\?xml[^>]*>\s*<)?(!doctype\s+html|html)[\s>]/i;

/** What the server calls the file, else the last part of the link. */
function nameOf({ fileName }: Downloaded, url: URL): string {
	const last = url.pathname.split('/').at(-1) ?? '';
	try {
		return fileName ?? decodeURIComponent(last);
	} catch {
		return last;
	}
}
