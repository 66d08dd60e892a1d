import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { DocumentError, NO_LONGER_STORED } from '../text/errors';
import { MAX_JSON_DEPTH, objectOf } from '../text/json';
import { MB, oneLine, quoted } from '../text/words';
import { unlessAborted } from '../waiting/waiting';
import { contentHash, contentOf, knownHash, type Content, type FileContext } from './content';
import { lastPart, nameOfType, uploadNameOf } from './fileNames';
import { ADVICE, EXTENSION_LIST, detectType, type DetectedType } from './fileTypes';

/** A file of an input item, located but not yet read or checked. */
interface LocatedFile {
	/** The binary field it came from; undefined if an expression returned the binary object itself. */
	field?: string;
	binary: IBinaryData;
}

export interface InputFile extends LocatedFile, DetectedType {
	kind: 'file';
	/** Its name for the user: n8n's file name, else the field. */
	name: string;
	/** Base name as uploaded; ends in a supported extension whenever `type` is known. */
	uploadName: string;
	mimeType: string;
	content: Content;
}

/** Stands for a file that is not there, and says why. */
export interface MissingFile {
	kind: 'missing';
	failure: DocumentError;
	/** Whether the item has no file at all. */
	isOfEmptyItem: boolean;
}

export function missingFile(failure: DocumentError, isOfEmptyItem = false): MissingFile {
	return { kind: 'missing', failure, isOfEmptyItem };
}

/**
 * The files of an item that a parameter selects, each once; at least one entry.
 * @param value field names separated by commas, `*` for every file of the item, or binary objects by expression
 * @param label of the parameter in the editor
 */
export async function filesOfItem(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	label: string,
): Promise<Array<InputFile | MissingFile>> {
	const files: Array<InputFile | MissingFile> = [];
	const isEmpty = Object.keys(context.getInputData()[itemIndex]?.binary ?? {}).length === 0;
	for (const located of locateFiles(context, itemIndex, value, label)) {
		files.push(
			located instanceof DocumentError
				? missingFile(located, isEmpty)
				: await describeFile(context, located).catch((thrown: unknown) =>
						missingFile(thrown instanceof DocumentError ? thrown : noLongerThere(located)),
					),
		);
	}
	return files;
}

function noLongerThere(located: LocatedFile): DocumentError {
	return new DocumentError(
		`"${nameOf(located)}" can no longer be read from n8n's file storage`,
		NO_LONGER_STORED,
	);
}

/** @throws DocumentError if it can no longer be read, or the reason of the signal */
export async function digestOf(file: InputFile, signal: AbortSignal): Promise<string> {
	const { content } = file;
	try {
		return knownHash(content) ?? (await unlessAborted(contentHash(content, signal), signal));
	} catch {
		signal.throwIfAborted();
		throw noLongerThere(file);
	}
}

const GET_FILES =
	'Make sure that the previous node outputs files, for example by turning on its option to download attachments. Use a Filter node to remove items without a file. Split, for example, returns no file if it could not cut the PDF.';

const MAX_LISTED_CHARACTERS = 300;

function locateFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	label: string,
): Array<LocatedFile | DocumentError> {
	const { binary = {}, json = {} } = context.getInputData()[itemIndex] ?? {};
	const available = Object.entries(binary).map(([field, file]) => ({ field, binary: file }));
	// Elsewhere, JSON of a file's shape is somebody's data: its id may be that of another execution's file.
	if (context.getWorkflowSettings().binaryMode === 'combined') available.push(...filesInJson(json));
	const fields = available.map(({ field }) => `"${field}"`).join(', ');
	const advice = `The item has files in: ${oneLine(fields, MAX_LISTED_CHARACTERS)}. If one of them is the right one, enter its name in '${label}'.`;
	const missing = (message: string) =>
		new DocumentError(message, available.length === 0 ? GET_FILES : advice);

	const wanted = [value].flat(Infinity).flatMap(fieldNames);
	const located = new Set<LocatedFile | DocumentError>();
	for (const entry of new Set(wanted)) {
		if (entry === '*') available.forEach((file) => located.add(file));
		else if (typeof entry === 'string')
			located.add(fileIn(entry, available) ?? missing(`No file in the field ${quoted(entry)}`));
		else
			located.add(
				fileLike(entry, available, located) ?? missing(`'${label}' does not resolve to a file`),
			);
	}
	if (located.size > 0) return [...located];
	return [available.length > 0 ? missing(`'${label}' is empty`) : noFile(json.fileName)];
}

/** @param fileName of the item, as Split returns it for a bundle that it cannot cut */
function noFile(fileName: unknown): DocumentError {
	if (typeof fileName !== 'string') return new DocumentError('The item has no file', GET_FILES);
	return new DocumentError(`The item for ${quoted(fileName)} has no file`, GET_FILES, { fileName });
}

/** The files in a JSON, where n8n keeps them in a workflow with the binary mode `combined`. */
function filesInJson(value: object, path = '', depth = 0): Array<Required<LocatedFile>> {
	if (depth > MAX_JSON_DEPTH) return [];
	return Object.entries(value).flatMap(([key, entry]: [string, unknown]) => {
		const field = path === '' ? key : `${path}.${key}`;
		if (isBinary(entry)) return [{ field, binary: entry }];
		return typeof entry === 'object' && entry !== null ? filesInJson(entry, field, depth + 1) : [];
	});
}

function isBinary(value: unknown): value is IBinaryData {
	const { mimeType, data, id } = objectOf(value);
	return typeof mimeType === 'string' && (typeof data === 'string' || typeof id === 'string');
}

/** A longer text is content: an item with so many fields is meant by `*`. */
const MAX_NAMES_CHARACTERS = 2000;

/** Texts hold names separated by commas; whatever else an expression returns stays as it is. */
function fieldNames(entry: unknown): unknown[] {
	if (typeof entry !== 'string') return [entry];
	// Messages must not quote content as names: of a data URL, it follows the comma.
	const isContent = /^\s*data:/i.test(entry) || entry.length > MAX_NAMES_CHARACTERS;
	const names = isContent ? [entry] : entry.split(',');
	return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** The file in the field of this name, else in the only one whose name differs in capitals or in how its path is written. */
function fileIn(name: string, available: LocatedFile[]): LocatedFile | undefined {
	const plain = (field = '') => field.replace(/\[(\w+)\]/g, '.$1').toLowerCase();
	const [first, ...duplicates] = available.filter(({ field }) => plain(field) === plain(name));
	return (
		available.find(({ field }) => field === name) ?? (duplicates.length === 0 ? first : undefined)
	);
}

/**
 * The file of a binary object that an expression returned. It may lack the bytes, so it is looked up among those of the
 * item; if several match, an unused one is preferred.
 */
function fileLike(
	value: unknown,
	available: LocatedFile[],
	located: ReadonlySet<LocatedFile | DocumentError>,
): LocatedFile | undefined {
	const properties = Object.entries(value ?? {});
	const alike = [...available, ...located].filter(
		(file): file is LocatedFile =>
			'binary' in file &&
			properties.length > 0 &&
			properties.every(([name, property]) => file.binary[name as keyof IBinaryData] === property),
	);
	const match = alike.find((file) => !located.has(file)) ?? alike[0];
	return match ?? (isBinary(value) ? { binary: value } : undefined);
}

/** What `data` holds of a file that n8n keeps outside the item. */
const STORES = new Set(['filesystem', 'filesystem-v2', 's3', 'azure', 'database']);

/** @throws DocumentError for a file without its bytes */
export async function describeFile(
	context: Pick<FileContext, 'helpers'>,
	located: LocatedFile,
): Promise<InputFile> {
	const { binary } = located;
	const name = nameOf(located);
	if (binary.id === undefined && STORES.has(binary.data))
		throw new DocumentError(
			`The binary field "${located.field ?? name}" has no id, so n8n cannot find its file`,
			'A Code node must pass on binary data as a whole: return { json: …, binary: item.binary } instead of copying data, mimeType and fileName.',
		);
	const content = await contentOf(context, binary);
	const identity = await detectType(name, binary.mimeType, content);
	return {
		...located,
		kind: 'file',
		name,
		uploadName: uploadNameOf(nameOfType(name, identity.type)),
		...identity,
		mimeType: identity.type?.mimeType ?? binary.mimeType,
		content,
	};
}

/** n8n's file name without folders, and without the control characters that could end a header line; else the field. */
function nameOf({ binary, field = 'file' }: LocatedFile): string {
	const name = lastPart(String(binary.fileName ?? ''));
	return name.replace(/\p{Cc}/gu, '').trim() || field;
}

/** For a file that is sent although its bytes are not what its name says. */
export function remarkOnType({ name, uploadName, declared, type, otherFormat }: InputFile) {
	if (type === undefined || declared === undefined) return undefined;
	if (otherFormat !== undefined) return `"${name}" (${otherFormat.what})`;
	return declared === type ? undefined : `"${name}" (sent as "${uploadName}")`;
}

/** Rejects what Cogneris would reject, before it costs a request (docs/internals/service-contract.md, limits). */
export function checkFile(file: InputFile, maxBytes: number) {
	const { name, declared, type, otherFormat, content } = file;
	const { bytes } = content;
	const unsuitable = (message: string, suggestedFix: string) =>
		new DocumentError(`"${name}" ${message}`, suggestedFix, { fileName: name });
	if (bytes === 0)
		return unsuitable(
			'is empty',
			'Check the node before this one: a download may have stopped early.',
		);
	if (type === undefined && declared !== undefined && otherFormat !== undefined)
		return unsuitable(
			`contains ${otherFormat.what} instead of a document`,
			ADVICE[otherFormat.kind],
		);
	if (type === undefined) {
		return unsuitable(
			'has an unsupported file type',
			`Supported types: ${EXTENSION_LIST}. Convert the file before this node. To skip such files, add the option 'Ignore Unsupported Files'.`,
		);
	}
	if (bytes <= maxBytes) return undefined;
	// Rounded up, so that a file one byte over a limit is not shown as being exactly at it.
	const megabytes = (Math.ceil((bytes / MB) * 100) / 100).toFixed(2);
	return unsuitable(
		`is too large: it is ${megabytes} MB, and the limit for this operation is ${maxBytes / MB} MB`,
		'Reduce the size of the file, for example by scanning at a lower resolution. A PDF with several documents can be split first: with a live key and direct processing, Split cuts files of up to 200 MB.',
	);
}
