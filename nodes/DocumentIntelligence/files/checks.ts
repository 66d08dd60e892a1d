import { DocumentError } from '../errors';
import { MB } from '../text/bytes';
import { EXTENSION_LIST } from './fileTypes';
import type { InputFile } from './inputFiles';

/**
 * What the service would refuse is refused here, before it costs a request (docs/service-contract.md, limits).
 *
 * @param maxBytes the operation's limit for one file
 * @returns what is wrong with the file, with its name, the limit and the way out; undefined when nothing is
 */
export function checkFile(file: InputFile, maxBytes: number): DocumentError | undefined {
	const { bytes } = file.content;
	if (bytes === 0) {
		return new DocumentError(
			`"${file.name}" is empty`,
			'The file has no content. Check the node before this one: a download may have stopped early.',
		);
	}
	if (file.type === undefined) return unsupported(file);
	if (bytes > maxBytes) {
		return new DocumentError(
			`"${file.name}" is too large: it has ${inMegabytes(bytes)} MB, and this operation takes up to ${maxBytes / MB} MB`,
			maxBytes < 500 * MB
				? 'Reduce the file, for example by scanning with fewer dots per inch. Of a long PDF, the Split operation, which takes up to 500 MB, says on which pages each document stands, so that it can be divided there before this node.'
				: 'Divide the file before this node.',
		);
	}
	return undefined;
}

function unsupported(file: InputFile): DocumentError {
	return new DocumentError(
		`"${file.name}" is not a kind of file that the service reads`,
		`It takes ${EXTENSION_LIST}. Convert the file before this node. The option Ignore Unsupported Files skips such files.`,
	);
}

/** Rounded up, so that a file one byte over a limit is not shown as being exactly at it. */
function inMegabytes(bytes: number): string {
	return (Math.ceil((bytes / MB) * 100) / 100).toFixed(2);
}
