import { DocumentError } from '../text/errors';
import { quoted } from '../text/words';
import type { FileContext } from './content';
import { download, type DownloadLimits } from './download';
import { decoded, lastPart } from './fileNames';
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
	if (links.length > 0) return [...new Set(links)].map((link) => remoteFile(context, link, label));
	return [
		new DocumentError(
			`'${label}' is empty`,
			`Enter the link to the file. In a tool of an AI agent: Let the AI fill in '${label}' (the ✨ button).`,
		),
	];
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
	const name = `${origin}${pathname}`;
	return {
		name,
		href,
		async fetch(limits) {
			const file = await download(context, href, limits);
			if ('reason' in file) {
				throw new DocumentError(
					`The file behind ${name} could not be downloaded: ${file.reason}`,
					`${file.advice} Nothing was sent to Cogneris.`,
				);
			}
			const fileName = file.fileName ?? decoded(lastPart(pathname));
			return await describeFile(context, { binary: { ...file.binary, fileName } });
		},
	};
}
