import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { EXTENSION_LIST } from './fileTypes';
import type { InputFile } from './inputFiles';

/**
 * Rejects what the service would reject, before it costs a request (docs/service-contract.md, limits).
 *
 * @param maxBytes the operation's limit for one file
 * @returns what is wrong with the file, with its name, the limit and what to do; undefined when nothing is
 */
export function checkFile(file: InputFile, maxBytes: number): DocumentError | undefined {
	const { bytes } = file.content;
	if (bytes === 0) {
		return new DocumentError(
			`"${file.name}" is empty`,
			'Check the node before this one: a download may have stopped early.',
			{ fileName: file.name },
		);
	}
	if (file.type === undefined) return unsupported(file);
	if (bytes > maxBytes) {
		return new DocumentError(
			`"${file.name}" is too large: it is ${inMegabytes(bytes)} MB; the limit for this operation is ${maxBytes / MB} MB`,
			maxBytes < 500 * MB
				? 'Reduce the size of the file, for example by scanning at a lower resolution. Split accepts PDF files up to 500 MB.'
				: 'Split the file before this node.',
			{ fileName: file.name },
		);
	}
	return undefined;
}

function unsupported(file: InputFile): DocumentError {
	return new DocumentError(
		`"${file.name}" has an unsupported file type`,
		`The service reads ${EXTENSION_LIST}. Convert the file before this node. The option Ignore Unsupported Files skips such files.`,
		{ fileName: file.name },
	);
}

/** Rounded up, so that a file one byte over a limit is not shown as being exactly at it. */
function inMegabytes(bytes: number): string {
	return (Math.ceil((bytes / MB) * 100) / 100).toFixed(2);
}
