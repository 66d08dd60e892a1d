import { plainMimeType } from '../text/mimeType';

/** A file type that the service supports. */
export interface FileType {
	/** Without the dot; the first is added to a name that has none. */
	extensions: readonly [string, ...string[]];
	mimeType: string;
	/** Whether a file that begins with these bytes is of this type. */
	beginsWith: (head: Buffer) => boolean;
}

/** How much of a file is needed to tell its type: Word files are only recognizable some way in. */
export const HEAD_BYTES = 1024 * 1024;

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const OLE_CONTAINER = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const startsWith =
	(...signatures: Buffer[]) =>
	(head: Buffer) =>
		signatures.some((signature) => head.subarray(0, signature.length).equals(signature));

/** The two letters are not enough, as texts may begin with them: the reserved bytes are 0, and a known header follows. */
function isBitmap(head: Buffer): boolean {
	return (
		startsWith(Buffer.from('BM', 'latin1'))(head) &&
		head.length >= 18 &&
		head.readUInt32LE(6) === 0 &&
		[12, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14))
	);
}

/** Bytes of a zip entry's header before the entry's name. */
const ZIP_HEADER = 30;

function hasWordFolder(head: Buffer): boolean {
	if (!startsWith(ZIP)(head)) return false;
	for (let entry = 0; entry !== -1; entry = head.indexOf(ZIP, entry + 1)) {
		if (head.toString('latin1', entry + ZIP_HEADER, entry + ZIP_HEADER + 5) === 'word/')
			return true;
	}
	return false;
}

/** The extensions that the service accepts (docs/service-contract.md, limits), with what else is known of each type. */
const FILE_TYPES: readonly FileType[] = [
	{
		extensions: ['pdf'],
		mimeType: 'application/pdf',
		// Readers accept a PDF header anywhere in the first kilobyte, and scanners use that.
		beginsWith: (head) => head.subarray(0, 1024).includes('%PDF-'),
	},
	{
		extensions: ['png'],
		mimeType: 'image/png',
		beginsWith: startsWith(Buffer.from('89504e470d0a1a0a', 'hex')),
	},
	{
		extensions: ['jpg', 'jpeg'],
		mimeType: 'image/jpeg',
		beginsWith: startsWith(Buffer.from('ffd8ff', 'hex')),
	},
	{
		extensions: ['tiff', 'tif'],
		mimeType: 'image/tiff',
		beginsWith: startsWith(Buffer.from('49492a00', 'hex'), Buffer.from('4d4d002a', 'hex')),
	},
	{
		extensions: ['bmp'],
		mimeType: 'image/bmp',
		beginsWith: isBitmap,
	},
	{
		extensions: ['doc'],
		mimeType: 'application/msword',
		beginsWith: (head) =>
			startsWith(OLE_CONTAINER)(head) && head.includes(Buffer.from('WordDocument', 'utf16le')),
	},
	{
		extensions: ['docx'],
		mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
		beginsWith: hasWordFolder,
	},
];

/** ".pdf, .png, …" for messages. */
export const EXTENSION_LIST = FILE_TYPES.flatMap(({ extensions }) => extensions)
	.map((extension) => `.${extension}`)
	.join(', ');

/** The type that a name's extension says, in upper or lower case; undefined where the service does not support it. */
export function typeOfName(fileName: string): FileType | undefined {
	const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase();
	return FILE_TYPES.find(
		({ extensions }) => extension !== undefined && extensions.includes(extension),
	);
}

/** The type that a mime type says. */
export function typeOfMimeType(mimeType: string): FileType | undefined {
	return FILE_TYPES.find((type) => type.mimeType === plainMimeType(mimeType));
}

export function typeOfHead(head: Buffer): FileType | undefined {
	return FILE_TYPES.find(({ beginsWith }) => beginsWith(head));
}
