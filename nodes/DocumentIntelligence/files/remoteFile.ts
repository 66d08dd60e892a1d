import { DocumentError } from '../text/errors';
import type { FileContext } from './content';
import { download, type Downloaded, type DownloadLimits, type NotDownloaded } from './download';
import { describeFile, type InputFile } from './inputFiles';

/** A file behind a link. */
export interface RemoteFile {
	/** The link without its parameters, which may hold a signature. */
	name: string;
	/** The whole link. Never shown. */
	href: string;
	/** Fetches it into n8n's store. Throws a DocumentError that names the link. */
	fetch: (limits: DownloadLimits) => Promise<InputFile>;
}

/**
 * The links that a parameter holds, each once: separated by white space, or a list by expression.
 *
 * @param label what the editor calls the parameter
 */
export function remoteFiles(
	context: FileContext,
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
				`"${link}" is not a valid link`,
				'A link starts with https:// and names the file itself, for example https://example.com/invoice.pdf.',
			);
		}
		const name = `${url.origin}${url.pathname}`;
		return {
			name,
			href: url.href,
			fetch: async (limits) => await fetchFile(context, url, name, limits),
		};
	});
}

async function fetchFile(
	context: FileContext,
	url: URL,
	shown: string,
	limits: DownloadLimits,
): Promise<InputFile> {
	const file = await download(context, url.href, limits);
	if ('cause' in file) {
		if (file.cause === 'webPage') throw leadsToAPage(shown);
		throw new DocumentError(
			`The file behind ${shown} could not be downloaded: ${file.reason}`,
			`${WHAT_HELPS[file.cause]} Nothing was sent to the document service.`,
		);
	}
	return await describeFile(context, { binary: { ...file.binary, fileName: nameOf(file, url) } });
}

function leadsToAPage(shown: string): DocumentError {
	return new DocumentError(
		`${shown} leads to a web page, not to a document`,
		'Use the link that downloads the file itself. A page that only displays the file, or asks you to sign in, does not work.',
	);
}

const WHAT_HELPS: Readonly<Record<Exclude<NotDownloaded['cause'], 'webPage'>, string>> = {
	blocked:
		'Use a link to a public address, or ask an administrator of n8n to allow this one with N8N_SSRF_ALLOWED_HOSTNAMES.',
	notGiven:
		'Open the link in a private browser window: it must download the file itself, without asking you to sign in.',
	tooLarge: 'Reduce the size of the file.',
	tooSlow: 'Raise the Timeout option, or fetch the file with an HTTP Request node before this one.',
};

/** What the server calls the file, else the last part of the link. */
function nameOf({ fileName }: Downloaded, url: URL): string {
	const last = url.pathname.split('/').at(-1) ?? '';
	try {
		return fileName ?? decodeURIComponent(last);
	} catch {
		return last;
	}
}
