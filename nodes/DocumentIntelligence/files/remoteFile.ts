import { DocumentError } from '../text/errors';
import { quoted } from '../text/words';
import type { FileContext } from './content';
import { download, type DownloadLimits, type NotDownloaded } from './download';
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
	const links = [parameter]
		.flat()
		.flatMap((entry) => (typeof entry === 'string' ? entry.split(/\s+/) : []))
		.filter((link) => link !== '');
	if (links.length === 0) {
		return [
			new DocumentError(
				`'${label}' is empty`,
				`Enter the link to the file. In a tool of an AI agent: Let the AI fill in '${label}' (the ✨ button).`,
			),
		];
	}
	return [...new Set(links)].map((link) => {
		const url = URL.canParse(link) ? new URL(link) : undefined;
		if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
			return new DocumentError(
				`${quoted(link)} in '${label}' is not a valid link`,
				'A link starts with https:// and leads to the file itself, for example https://example.com/invoice.pdf.',
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
		throw new DocumentError(
			file.cause === 'webPage'
				? `${shown} leads to a web page, not to a document`
				: `The file behind ${shown} could not be downloaded: ${file.reason}`,
			`${WHAT_HELPS[file.cause]} Nothing was sent to Cogneris.`,
		);
	}
	const fileName = file.fileName ?? lastPart(url);
	return await describeFile(context, { binary: { ...file.binary, fileName } });
}

const WHAT_HELPS: Readonly<Record<NotDownloaded['cause'], string>> = {
	blocked:
		'Use a link to a public address, or ask an administrator of n8n to allow this one with N8N_SSRF_ALLOWED_HOSTNAMES.',
	notGiven:
		'Open the link in a private browser window: it must download the file itself, without asking you to sign in.',
	tooLarge: 'Reduce the size of the file.',
	tooSlow:
		"Raise the option 'Timeout (Seconds)', or fetch the file with an HTTP Request node before this one.",
	webPage:
		'Use the link that downloads the file itself. A page that displays the file, or asks you to sign in, does not work.',
};

function lastPart({ pathname }: URL): string {
	const last = pathname.split('/').at(-1) ?? '';
	try {
		return decodeURIComponent(last);
	} catch {
		return last;
	}
}
