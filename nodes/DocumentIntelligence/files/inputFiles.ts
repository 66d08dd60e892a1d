import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { MAX_JSON_DEPTH } from '../text/jsonDepth';
import { DocumentError } from '../errors';
import { contentOf, readHead, type Content } from './content';
import { HEAD_BYTES, typeOfHead, typeOfMimeType, typeOfName, type FileType } from './fileTypes';

/** A file of an input item, located but not yet read or judged. */
interface LocatedFile {
	/** The binary field it came from; undefined when an expression gave the binary object itself. */
	field?: string;
	binary: IBinaryData;
}

/** A file as the service will get it. */
export interface InputFile extends LocatedFile {
	/** What the user calls it: n8n's file name, else the field. */
	name: string;
	/** Base name as uploaded; ends in an extension that the service takes whenever `type` is known. */
	uploadName: string;
	/** Undefined when neither name, mime type nor first bytes are of a kind the service takes. */
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

/** What file systems store of a name, in bytes. */
const MAX_NAME_BYTES = 255;

/**
 * The files of an item that a parameter means, ready to be judged. A DocumentError stands for a field that the item
 * does not have, so that its other files go on.
 *
 * @param leaveOut where given, files of a kind the service does not take are dropped and their names put there
 */
export async function filesOfItem(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: unknown,
	{ except, leaveOut }: { except?: ReadonlySet<string>; leaveOut?: string[] },
): Promise<Array<InputFile | DocumentError>> {
	const files: Array<InputFile | DocumentError> = [];
	const locatedFiles = locateFiles(context, itemIndex, parameter, except);
	for (const located of locatedFiles) {
		const file =
			located instanceof DocumentError
				? located
				: await describeFile(context, located).catch(() => noLongerThere(located));
		if (leaveOut !== undefined && !(file instanceof DocumentError) && file.type === undefined)
			leaveOut.push(`"${file.name}"`);
		else files.push(file);
	}
	return files.length > 0 ? files : [noFile(itemIndex, locatedFiles.length > 0)];
}

function noLongerThere(located: LocatedFile): DocumentError {
	return new DocumentError(
		`"${nameOf(located)}" can no longer be read from n8n's store`,
		'n8n removes the files of an execution together with it, so items that were pinned or copied have lost theirs. Run the nodes before this one again.',
	);
}

/** @param leftOut whether the item had files, of kinds the service does not take */
export function noFile(itemIndex: number, leftOut: boolean): DocumentError {
	return new DocumentError(
		`Item ${itemIndex} has no file that the service could read`,
		leftOut
			? 'All of its files were left out as unsupported. Take such items out with a Filter node before this one, or set On Error in the settings of this node to Continue.'
			: 'Make sure that the node before this one outputs files, and that the input field names them. Items without a document can be taken out with a Filter node.',
	);
}

/**
 * Finds the files that an "Input Binary Field" parameter means: a field name, several separated by commas,
 * `*` for every file of the item but those in `except`, or binary objects by expression (node-ui).
 */
function locateFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: unknown,
	except: ReadonlySet<string> = new Set(),
): Array<LocatedFile | DocumentError> {
	if (Array.isArray(parameter)) {
		return parameter.flatMap((entry) => locateFiles(context, itemIndex, entry, except));
	}
	if (typeof parameter !== 'string') return [locateObject(context, itemIndex, parameter)];
	const names = parameter
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	return names.flatMap((name) =>
		name === '*'
			? allFields(context, itemIndex).filter(({ field }) => !except.has(field))
			: [locateField(context, itemIndex, name)],
	);
}

/**
 * A binary object that an expression gave. `$binary` leaves out the bytes of files that n8n keeps in memory,
 * so a file of the item itself is looked up there.
 */
function locateObject(
	context: IExecuteFunctions,
	itemIndex: number,
	parameter: unknown,
): LocatedFile | DocumentError {
	const properties = Object.entries(parameter ?? {});
	const own = allFields(context, itemIndex).find(
		({ binary }) =>
			properties.length > 0 &&
			properties.every(([name, value]) => binary[name as keyof IBinaryData] === value),
	);
	if (own !== undefined) return own;
	if (isBinary(parameter)) return { binary: parameter };
	return new DocumentError(
		`Item ${itemIndex} has no file where the input field says one is`,
		'Enter the name of a binary field of the item, or an expression that gives a file, for example {{ $binary.data }}.',
	);
}

function locateField(
	context: IExecuteFunctions,
	itemIndex: number,
	field: string,
): LocatedFile | DocumentError {
	try {
		return { field, binary: context.helpers.assertBinaryData(itemIndex, field) };
	} catch {
		const present = allFields(context, itemIndex).map((file) => `"${file.field}"`);
		return new DocumentError(
			`Item ${itemIndex} has no file in the field "${field}"`,
			present.length === 0
				? 'The item carries no file at all. Make sure that the node before this one outputs files, for example by switching on its attachment or download option.'
				: `The item has files in ${present.join(', ')}. Enter one of these names, or * for every file of the item.`,
		);
	}
}

/** Every file of an item: its binary fields, or, where n8n keeps files inside the JSON, whatever is a file there. */
function allFields(context: IExecuteFunctions, itemIndex: number): Array<Required<LocatedFile>> {
	const item = context.getInputData()[itemIndex];
	return Object.entries(item?.binary ?? {})
		.map(([field, binary]) => ({ field, binary }))
		.concat(Object.keys(item?.binary ?? {}).length === 0 ? filesInJson(item?.json ?? {}) : []);
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

/** Learns what the upload needs to know of a file: its size, and a name that says its kind. */
export async function describeFile(
	context: IExecuteFunctions,
	located: LocatedFile,
): Promise<InputFile> {
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

/** With the extension that is missing, and cut before it, between characters, where the whole would be too long. */
function uploadName(name: string, missingExtension: string | undefined): string {
	const whole = missingExtension === undefined ? name : `${name}.${missingExtension}`;
	const extension = /\.[^.]+$/.exec(whole)?.[0] ?? '';
	let room = MAX_NAME_BYTES - Buffer.byteLength(extension);
	let stem = '';
	for (const character of whole.slice(0, whole.length - extension.length)) {
		room -= Buffer.byteLength(character);
		if (room < 0) break;
		stem += character;
	}
	return stem + extension;
}

/** How many of the other names a message lists. */
const MAX_LISTED_NAMES = 2;

/** Documents in words for messages: the name of the first file in quotes, then others that go with it. */
export function subjectOf(documents: Array<{ parts: Array<{ file: InputFile }> }>): string {
	const names = documents.flatMap(({ parts }) => parts).map(({ file }) => `"${file.name}"`);
	const [first = '', ...others] = names;
	const more =
		others.length > MAX_LISTED_NAMES ? ` and ${others.length - MAX_LISTED_NAMES} more` : '';
	return others.length === 0
		? first
		: `${first} (with ${others.slice(0, MAX_LISTED_NAMES).join(', ')}${more})`;
}
