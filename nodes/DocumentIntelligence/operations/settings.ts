import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { InputItem, Route, Settings, FileInput } from '../document/document';
import { filesOfItem } from '../files/inputFiles';
import { readLinks } from '../files/links';
import { parseNamePatterns } from '../files/fileNames';
import { FILES_FROM, readInputSource, type FileSource } from '../parameters/fileParameters';
import { checkParameters, readOutput } from '../parameters/menu';
import {
	FILE_NAMES,
	FILES_PER_REQUEST,
	REMEMBER_ONLY,
	REQUIRED_FIELDS,
	REUSE_RESULTS,
	SKIP_PROCESSED_FILES,
	TIMEOUT,
} from '../parameters/options';
import { parseNames, readNumber, readSwitch, type ReadParameter } from '../parameters/read';
import { readChecks } from './document/documentFields';
import { MAX_FILE_BYTES, type Operation } from './operation';
import { readStoredFile } from './storedFile/download';

/**
 * @param files of all documents of the item
 * @throws DocumentError for a parameter that cannot be read
 */
export function readSettings(
	operation: Operation,
	read: ReadParameter,
	route: Route,
	files: FileInput[],
): Settings {
	const { options, timeout = TIMEOUT } = operation;
	const output = readOutput(operation, read);
	checkParameters(operation, read);
	// Also where the option is hidden: a result that it cannot be applied to may be billed by then.
	if (options.includes(REQUIRED_FIELDS)) readChecks(read);
	const fileNames = read<unknown>(`options.${FILE_NAMES.name}`, null);
	const isOn = (option: INodeProperties) =>
		options.includes(option) && readSwitch(read, `options.${option.name}`, false);
	const isDirect = operation.kind === 'document' && route.via === 'direct';
	return {
		output,
		timeoutSeconds: readNumber(read, timeout),
		filesPerRequest: options.includes(FILES_PER_REQUEST) ? readNumber(read, FILES_PER_REQUEST) : 1,
		maxFileBytes: isDirect ? operation.maxFileBytes : MAX_FILE_BYTES,
		isWantedName: fileNames === null ? null : parseNamePatterns(fileNames),
		ignoresUnsupportedFiles:
			readSwitch(read, 'options.ignoreUnsupportedFiles', false) || isMixed(files, read),
		skipsProcessedFiles: isOn(SKIP_PROCESSED_FILES) || isOn(REMEMBER_ONLY),
		remembersOnly: isOn(REMEMBER_ONLY),
		reusesResults: isOn(REUSE_RESULTS),
	};
}

/** Whether its results may be kept in memory for a later run (docs/building-workflows.md). */
export function hasReusableResults({ options }: Operation): boolean {
	return options.includes(REUSE_RESULTS);
}

/** The files that an item's parameters name, each once, in order. */
export async function readFiles(
	context: IExecuteFunctions,
	{ itemIndex, json, read }: InputItem,
	from: FileSource,
): Promise<FileInput[]> {
	const source = readInputSource(from, read);
	if (source === 'storedFile') return [readStoredFile(read, json)];
	const { binaryField, url } = from;
	if (source === 'fileUrl') return readLinks(read<unknown>(url.name, ''), url.displayName);
	const value = read<unknown>(binaryField.name, '');
	return await filesOfItem(context, itemIndex, value, binaryField.displayName);
}

/** Whether `*` stands for supported and other files, as in a mail. */
function isMixed(files: FileInput[], read: ReadParameter): boolean {
	const isEveryFile = parseNames(read<unknown>(FILES_FROM.binaryField.name, '')).includes('*');
	return isEveryFile && files.some((file) => file.kind === 'file' && file.type !== undefined);
}
