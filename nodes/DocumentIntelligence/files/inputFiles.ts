import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { cutToBytes, MAX_FILE_NAME_BYTES } from '../text/fileNames';
import { MAX_JSON_DEPTH } from '../text/jsonDepth';
import { DocumentError } from '../text/errors';
import { contentOf, readHead, type Content, type FileContext } from './content';
import { HEAD_BYTES, typeOfHead, typeOfMimeType, typeOfName, type FileType } from './fileTypes';

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

/** What to say of a file that n8n's store does not give. */
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
	const wanted = new Set([value].flat(Infinity).flatMap(namesIn));
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
	const fileName = context.getInputData()[itemIndex]?.json.fileName;
	return [
		own.length === 0 && typeof fileName === 'string' && fileName !== ''
			? noFileOf(fileName)
			: noFile(own.length === 0, wanted.size === 0, parameter),
	];
}

/** Texts hold names separated by commas; whatever else an expression gives stays as it is. */
function namesIn(entry: unknown): unknown[] {
	if (typeof entry !== 'string') return [entry];
	return entry
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
}

const OUTPUT_FILES =
	'Make sure that the previous node outputs files, for example by turning on its option to download attachments.';

/** An item that speaks of a file and has none, as Split gives them for a bundle that it cannot cut. */
function noFileOf(fileName: string): DocumentError {
	return new DocumentError(
		`The item of "${fileName}" has no file`,
		'The previous node output the data without the file. Split does this, with a hint, when it cannot cut a file. Remove such items with a Filter or If node, or set On Error to Continue.',
		{ fileName },
	);
}

function noFile(
	isItemEmpty: boolean,
	isParameterEmpty: boolean,
	{ label, single = false, except }: FieldParameter,
): DocumentError {
	if (isItemEmpty) {
		return new DocumentError(
			'The item has no file',
			`${OUTPUT_FILES} Use a Filter node to remove items without a file.`,
		);
	}
	if (isParameterEmpty) {
		return new DocumentError(
			`${label} is empty`,
			`Enter the name of a binary field${single ? '' : ', or * for every file of the item'}.`,
		);
	}
	return new DocumentError(
		`No file besides the one in ${inQuotes([...(except ?? [])])}`,
		`Add the other file to the item, or enter its field in ${label}.`,
	);
}

/**
 * A binary object that an expression gave. It may lack the bytes of a file that n8n keeps in memory, so a file of the
 * item is looked up there; of several that look alike, each is used before one is used twice.
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
		`${label} does not resolve to a file`,
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
	const present = fields.filter((field) => !except?.has(field));
	const shown = present.length === 0 ? fields : present;
	const isOne = shown.length === 1;
	let advice = `Enter ${isOne ? 'this name' : 'these names'} in ${label}, or * for every ${except === undefined ? 'file of the item' : 'other file'}.`;
	if (present.length === 0)
		advice = `Add the other file to the item, or enter its field in ${label}.`;
	else if (single) {
		// The only file there is may be another one: a selfie that is a document matches itself.
		advice = `If ${isOne ? 'it' : 'one of them'} is the file that ${label} asks for, enter its name there; otherwise the item does not have it.`;
	}
	return new DocumentError(
		`No file in the field "${name}"`,
		fields.length === 0
			? `The item has no files. ${OUTPUT_FILES}`
			: `The item has ${isOne ? 'a file' : 'files'} in ${inQuotes(shown)}. ${advice}`,
	);
}

/** So that the same file is found when it is named twice. */
function remember(file: LocatedFile, known: LocatedFile[]): LocatedFile {
	known.push(file);
	return file;
}

function inQuotes(names: string[]): string {
	return names.map((name) => `"${name}"`).join(', ');
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
