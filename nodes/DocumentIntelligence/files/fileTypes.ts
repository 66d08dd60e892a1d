import { plainMimeType } from '../text/words';

export interface FileType {
	/** Without the dot; the first is appended to a name that has none. */
	extensions: readonly [string, ...string[]];
	mimeType: string;
	/** Matches the start of a file, one character per byte. */
	head: RegExp;
}

/** Enough bytes to detect a type; Word files are only recognizable some way in. */
export const HEAD_BYTES = 1024 * 1024;

/** The types that the service accepts (docs/internals/service-contract.md, Limits). */
const FILE_TYPES: readonly FileType[] = [
	// Readers accept a PDF header anywhere in the first kilobyte, and scanners rely on it.
	{ extensions: ['pdf'], mimeType: 'application/pdf', head: /^[^]{0,1019}%PDF-/ },
	{ extensions: ['png'], mimeType: 'image/png', head: /^\x89PNG\r\n\x1A\n/ },
	{ extensions: ['jpg', 'jpeg'], mimeType: 'image/jpeg', head: /^\xFF\xD8\xFF/ },
	{ extensions: ['tiff', 'tif'], mimeType: 'image/tiff', head: /^(II\*\0|MM\0\*)/ },
	// Text may start with BM, but not with the reserved zeros after the size.
	{ extensions: ['bmp'], mimeType: 'image/bmp', head: /^BM[^]{4}\0{4}/ },
	// The container of all old Office files, with the UTF-16 name of Word's stream.
	{
		extensions: ['doc'],
		mimeType: 'application/msword',
		head: /^\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1[^]*W\0o\0r\0d\0D\0o\0c\0u\0m\0e\0n\0t\0/,
	},
	// A ZIP archive with an entry in the folder `word`.
	{
		extensions: ['docx'],
		mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
		head: /^PK\x03\x04([^]*PK\x03\x04)?[^]{26}word\//,
	},
];

export const EXTENSION_LIST = FILE_TYPES.flatMap(({ extensions }) => extensions)
	.map((extension) => `.${extension}`)
	.join(', ');

export function typeOfName(fileName: string): FileType | undefined {
	const extension = /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? '';
	return FILE_TYPES.find(({ extensions }) => extensions.includes(extension));
}

export function typeOfMimeType(mimeType: string): FileType | undefined {
	return FILE_TYPES.find((type) => type.mimeType === plainMimeType(mimeType));
}

export function typeOfHead(bytes: Buffer): FileType | undefined {
	const text = bytes.toString('latin1', 0, HEAD_BYTES);
	return FILE_TYPES.find(({ head }) => head.test(text));
}
