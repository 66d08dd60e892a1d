import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { MB } from '../text/bytes';
import { DocumentError } from '../text/errors';
import { cutToBytes, MAX_FILE_NAME_BYTES } from './fileNames';
import { MAX_JSON_DEPTH } from '../text/json';
import { oneLine, quoted } from '../text/words';
import { contentOf, readHead, type Content, type FileContext } from './content';
import {
	EXTENSION_LIST,
	HEAD_BYTES,
	typeOfHead,
	typeOfMimeType,
	typeOfName,
	type FileType,
} from './fileTypes';

/** A file of an input item, located but not yet read or checked. */
interface LocatedFile {
	/** The binary field it came from; undefined when an expression gave the binary object itself. */
	field?: string;
	binary: IBinaryData;
}

/** A file as the service will get it. */
export interface InputFile extends LocatedFile {
	/** Its name for the user: n8n's file name, else the field. */
	name: string;
	/** Base name as uploaded; ends in a supported extension whenever `type` is known. */
	uploadName: string;
	/** Undefined when neither name, mime type nor first bytes are of a supported type. */
	type: FileType | undefined;
	mimeType: string;
	content: Content;
}

/** Mime types that say nothing about a file. */
const GENERIC_MIME_TYPES = new Set([
	'',
	'application/octet-stream',
	'binary/octet-stream',
	'text/plain',
]);

/** The parameter that names the files of an item. */
export interface FieldParameter {
	/** What the editor calls it. */
	label: string;
	/** Whether it means one file, so that messages do not suggest `*`. */
	single?: boolean;
	/** Fields that another parameter of the item has taken. */
	except?: ReadonlySet<string>;
}

/**
 * The files of an item that a parameter means, each once, ready to be checked; at least one entry. A DocumentError
 * stands for a field that the item does not have, so that its other files go on.
 */
export async function filesOfItem(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	parameter: FieldParameter,
): Promise<Array<InputFile | DocumentError>> {
	const files: Array<InputFile | DocumentError> = [];
	for (const located of locateFiles(context, itemIndex, value, parameter)) {
		files.push(
			located instanceof DocumentError
				? located
				: await describeFile(context, located).catch(() => noLongerThere(located)),
		);
	}
	return files;
}

/** A file that is missing in n8n's store. */
export function noLongerThere(located: LocatedFile): DocumentError {
	return new DocumentError(
		`"${nameOf(located)}" can no longer be read from n8n's store`,
		'n8n deletes the files of an execution along with it, so pinned or copied items no longer have theirs. Run the earlier nodes again.',
	);
}

/**
 * Finds the files that an "Input Binary Field" parameter means: a field name, several separated by commas, `*` for
 * every file of the item, or binary objects by expression. A file that is named twice is sent once.
 */
function locateFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	value: unknown,
	parameter: FieldParameter,
): Array<LocatedFile | DocumentError> {
	const { except = new Set() } = parameter;
	const own = allFields(context, itemIndex);
	const known: LocatedFile[] = [...own];
	const wanted = new Set([value].flat(Infinity).flatMap(fieldNames));
	const located = new Set<LocatedFile | DocumentError>();
	for (const entry of wanted) {
		if (entry === '*') own.forEach((file) => located.add(file));
		else if (typeof entry === 'string')
			located.add(locateField(context, itemIndex, entry, known, parameter));
		else located.add(locateObject(entry, known, located, parameter));
	}
	const files = [...located].filter(
		(file) => file instanceof DocumentError || file.field === undefined || !except.has(file.field),
	);
	if (files.length > 0) return files;
	if (own.length === 0) return [noFile(context.getInputData()[itemIndex]?.json.fileName)];
	return [wanted.size === 0 ? noField(parameter) : noOtherFile(parameter)];
}

/** Texts hold names separated by commas; whatever else an expression gives stays as it is. */
function fieldNames(entry: unknown): unknown[] {
	if (typeof entry !== 'string') return [entry];
	return entry
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
}

/** @param fileName of the item, as Split returns it for a bundle that it cannot cut */
function noFile(fileName: unknown): DocumentError {
	if (typeof fileName === 'string' && fileName !== '') {
		return new DocumentError(
			`The item of "${oneLine(fileName, 100)}" has no file`,
			'The previous node returned the data without the file. Split does this, with a note, when it cannot cut a file. Remove such items with a Filter or If node, or set On Error to Continue.',
			{ fileName },
		);
	}
	return new DocumentError(
		'The item has no file',
		'Make sure that the previous node outputs files, for example by turning on its option to download attachments. Use a Filter node to remove items without a file.',
	);
}

function noField({ label, single = false }: FieldParameter): DocumentError {
	return new DocumentError(
		`'${label}' is empty`,
		`Enter the name of a binary field${single ? '' : ', or * for every file of the item'}.`,
	);
}

function noOtherFile({ label, except }: FieldParameter): DocumentError {
	return new DocumentError(
		`No file besides the one in ${listed([...(except ?? [])])}`,
		`Add the other file to the item, or enter its field in '${label}'.`,
	);
}

/**
 * A binary object that an expression gave. It may lack the bytes of a file that n8n keeps in memory, so a file of the
 * item is looked up there; of several that are alike, each is used before one is used twice.
 */
function locateObject(
	value: unknown,
	known: LocatedFile[],
	located: ReadonlySet<LocatedFile | DocumentError>,
	{ label }: FieldParameter,
): LocatedFile | DocumentError {
	const properties = Object.entries(value ?? {});
	const alike = known.filter(
		({ binary }) =>
			properties.length > 0 &&
			properties.every(([name, property]) => binary[name as keyof IBinaryData] === property),
	);
	const found = alike.find((file) => !located.has(file)) ?? alike[0];
	if (found !== undefined) return found;
	if (isBinary(value)) return remember({ binary: value }, known);
	return new DocumentError(
		`'${label}' does not resolve to a file`,
		'Enter the name of a binary field of the item, or an expression that returns a file, for example {{ $binary.data }}.',
	);
}

function locateField(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	known: LocatedFile[],
	parameter: FieldParameter,
): LocatedFile | DocumentError {
	// As n8n writes the path of a file inside the JSON, and as allFields does.
	const path = name.replace(/\[(\w+)\]/g, '.$1');
	const exact =
		known.find(({ field }) => field === name) ?? known.find(({ field }) => field === path);
	if (exact !== undefined) return exact;
	try {
		const binary = context.helpers.assertBinaryData(itemIndex, name);
		return remember({ field: name, binary }, known);
	} catch {
		const [alike, ...others] = known.filter(
			({ field }) => field?.toLowerCase() === path.toLowerCase(),
		);
		if (alike !== undefined && others.length === 0) return alike;
		return noFileIn(
			name,
			known.flatMap(({ field }) => field ?? []),
			parameter,
		);
	}
}

function noFileIn(
	name: string,
	fields: string[],
	{ label, single = false, except }: FieldParameter,
): DocumentError {
	const message = `No file in the field ${quoted(name)}`;
	if (fields.length === 0) return new DocumentError(message, noFile(undefined).description);
	const present = fields.filter((field) => !except?.has(field));
	const others = `or * for every ${except === undefined ? 'file of the item' : 'other file'}`;
	let advice = `Enter one of these in '${label}', ${others}.`;
	// The only file may be another one: a selfie that is a document matches itself.
	if (single) advice = `If one of them is the file for '${label}', enter its field there.`;
	if (present.length === 0)
		advice = `Add the other file to the item, or enter its field in '${label}'.`;
	const shown = listed(present.length === 0 ? fields : present);
	return new DocumentError(message, `The item has files in: ${shown}. ${advice}`);
}

/** So that the same file is found when it is named twice. */
function remember(file: LocatedFile, known: LocatedFile[]): LocatedFile {
	known.push(file);
	return file;
}

/** How many fields a message lists. */
const MAX_LISTED_FIELDS = 10;

function listed(fields: string[]): string {
	const more = fields.length - MAX_LISTED_FIELDS;
	const shown = fields.slice(0, MAX_LISTED_FIELDS).map((field) => `"${field}"`);
	return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Every file of an item: its binary fields, or, where n8n keeps files inside the JSON, whatever is a file there. */
function allFields(context: IExecuteFunctions, itemIndex: number): Array<Required<LocatedFile>> {
	const { binary = {}, json = {} } = context.getInputData()[itemIndex] ?? {};
	const fields = Object.entries(binary).map(([field, file]) => ({ field, binary: file }));
	if (fields.length > 0) return fields;
	// Elsewhere, JSON of a file's shape is somebody's data: its id may be that of another execution's file.
	return context.getWorkflowSettings().binaryMode === 'combined' ? filesInJson(json) : [];
}

function filesInJson(value: object, path = '', depth = 0): Array<Required<LocatedFile>> {
	if (depth > MAX_JSON_DEPTH) return [];
	return Object.entries(value).flatMap(([key, entry]: [string, unknown]) => {
		const field = path === '' ? key : `${path}.${key}`;
		if (isBinary(entry)) return [{ field, binary: entry }];
		return typeof entry === 'object' && entry !== null ? filesInJson(entry, field, depth + 1) : [];
	});
}

function isBinary(value: unknown): value is IBinaryData {
	if (typeof value !== 'object' || value === null) return false;
	const { mimeType, data, id } = value as Record<string, unknown>;
	return typeof mimeType === 'string' && (typeof data === 'string' || typeof id === 'string');
}

/** Finds out what the upload needs to know of a file: its size, and a name with the extension of its type. */
export async function describeFile(context: FileContext, located: LocatedFile): Promise<InputFile> {
	const { binary } = located;
	const content = await contentOf(context, binary);
	const name = nameOf(located);
	const byName = typeOfName(name);
	const type =
		byName ?? typeOfMimeType(binary.mimeType) ?? typeOfHead(await readHead(content, HEAD_BYTES));
	return {
		...located,
		name,
		uploadName: uploadName(name, byName === undefined ? type?.extensions[0] : undefined),
		type,
		mimeType: GENERIC_MIME_TYPES.has(binary.mimeType)
			? (type?.mimeType ?? binary.mimeType)
			: binary.mimeType,
		content,
	};
}

/** n8n's file name without folders, and without the control characters that could end a header line; else the field. */
function nameOf({ binary, field }: LocatedFile): string {
	const path: unknown = binary.fileName;
	const baseName = typeof path === 'string' ? (path.split(/[/\\]/).at(-1) ?? '') : '';
	return baseName.replace(/\p{Cc}/gu, '').trim() || (field ?? 'file');
}

/** The name with the extension that it lacks; one that is too long is shortened before the extension, between characters. */
function uploadName(name: string, missingExtension: string | undefined): string {
	const whole = missingExtension === undefined ? name : `${name}.${missingExtension}`;
	const extension = /\.[^.]+$/.exec(whole)?.[0] ?? '';
	const stem = whole.slice(0, whole.length - extension.length);
	return cutToBytes(stem, MAX_FILE_NAME_BYTES - Buffer.byteLength(extension)) + extension;
}

/**
 * Rejects what the service would reject, before it costs a request (docs/service-contract.md, limits).
 *
 * @param maxBytes the operation's limit for one file
 */
export function checkFile(
	{ name, type, content }: InputFile,
	maxBytes: number,
): DocumentError | undefined {
	const { bytes } = content;
	const refused = (message: string, suggestedFix: string) =>
		new DocumentError(`"${name}" ${message}`, suggestedFix, { fileName: name });
	if (bytes === 0)
		return refused(
			'is empty',
			'Check the node before this one: a download may have stopped early.',
		);
	if (type === undefined) {
		return refused(
			'has an unsupported file type',
			`Supported are ${EXTENSION_LIST}. Convert the file before this node. To skip such files, add the option 'Ignore Unsupported Files'.`,
		);
	}
	if (bytes <= maxBytes) return undefined;
	// Rounded up, so that a file one byte over a limit is not shown as being exactly at it.
	const megabytes = (Math.ceil((bytes / MB) * 100) / 100).toFixed(2);
	return refused(
		`is too large: it is ${megabytes} MB, and the limit for this operation is ${maxBytes / MB} MB`,
		maxBytes < 500 * MB
			? 'Reduce the size of the file, for example by scanning at a lower resolution. Split accepts PDF files up to 500 MB.'
			: 'Split the file before this node.',
	);
}

/** How many of the other names a message lists. */
const MAX_LISTED_NAMES = 2;

/** Several things as messages name them: the first, then others that go with it. */
export function subjectOf([first = '', ...others]: string[]): string {
	const more =
		others.length > MAX_LISTED_NAMES ? ` and ${others.length - MAX_LISTED_NAMES} more` : '';
	return others.length === 0
		? first
		: `${first} (with ${others.slice(0, MAX_LISTED_NAMES).join(', ')}${more})`;
}
