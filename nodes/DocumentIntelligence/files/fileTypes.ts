import { plainMimeType } from '../text/words';
import { readHead, type Content } from './content';

export interface FileType {
	/** Without the dot; the first is appended to a name that has none. */
	extensions: readonly [string, ...string[]];
	mimeType: string;
	/** Matches the start of a file, one character per byte. */
	head: Pick<RegExp, 'test'>;
	/** What readers accept as well. */
	tolerated?: RegExp;
}

/** Enough bytes to detect a type; Word files are only recognizable some way in. */
const HEAD_BYTES = 1024 * 1024;

/** Enough bytes to see that most files are what they are declared to be. */
const START_BYTES = 8;

/** The types that the service accepts (docs/internals/service-contract.md, Limits). */
const FILE_TYPES: readonly FileType[] = [
	{
		extensions: ['pdf'],
		mimeType: 'application/pdf',
		head: /^%PDF-/,
		// Anywhere in the first kilobyte: scanners, PHP warnings and mail headers put text in front.
		tolerated: /^[^]{0,1019}%PDF-/,
	},
	{ extensions: ['png'], mimeType: 'image/png', head: /^\x89PNG\r\n\x1A\n/ },
	{ extensions: ['jpg', 'jpeg'], mimeType: 'image/jpeg', head: /^\xFF\xD8\xFF/ },
	{ extensions: ['tiff', 'tif'], mimeType: 'image/tiff', head: /^(II\*\0|MM\0\*)/ },
	// Text may start with BM, but not with the reserved zeros after the size.
	{ extensions: ['bmp'], mimeType: 'image/bmp', head: /^BM[^]{4}\0{4}/ },
	{ extensions: ['doc'], mimeType: 'application/msword', head: { test: isWord97 } },
	{
		extensions: ['docx'],
		mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
		// A ZIP archive of an Office file, in which the folder `word` comes before those of embedded sheets and slides.
		head: /^PK\x03\x04([^]{26}(\[Content_Types\]\.xml|_rels\/|docProps\/|customXml\/)((?!PK\x03\x04[^]{26}(xl|ppt)\/)[^])*PK\x03\x04)?[^]{26}word\/[\w/.-]+\.(xml|rels)/,
	},
];

/** Whether the root of an OLE container, the first entry of its directory, has the class of a Word document. */
function isWord97(text: string): boolean {
	if (!text.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1') || text.length < 512) return false;
	const bytes = Buffer.from(text, 'latin1');
	const directory = (bytes.readUInt32LE(48) + 1) * 2 ** bytes.readUInt16LE(30);
	const classId = bytes.toString('hex', directory + 80, directory + 96);
	return /^0[06]09020000000000c000000000000046$/.test(classId);
}

const UNPACK = 'Unpack it before this node, for example with a Compression node.';

/** What to do with a file of another format that has the name of a supported type, unless it is sent. */
export const ADVICE = {
	archive: UNPACK,
	zip: UNPACK,
	text: 'Open it in a text editor: it often says why there is no document. Check the node or the link that returned it.',
	base64: "Convert it with a Convert to File node: 'Move Base64 String to File'.",
	sent: '',
};

/** A format that is not supported. */
export interface OtherFormat {
	kind: keyof typeof ADVICE;
	/** As in "It is …". */
	what: string;
	head: RegExp;
}

/** What comes first in the archive that an Office file is. */
const OFFICE_PART = String.raw`(\[Content_Types\]\.xml|(_rels|docProps|customXml|word|xl|ppt)\/)`;

/** Header lines, the last of which only mails have: others stand in front of PDFs as well. */
const MAIL =
	/^(From [^\n]*\n)?([\w-]+:[^\n]*\n([ \t][^\n]*\n)*)*?(From|To|Date|Subject|Received|Return-Path|Message-ID|MIME-Version):/i;

/** An element of HTML, behind comments and declarations. */
const PAGE =
	/^(<!--[^-]*(-(?!->)[^-]*)*-->\s*|<\?[^>]*>\s*)*<(!doctype html|html|head|body|title|meta|script)[\s>]/i;

export const WEB_PAGE = 'a web page';

/** The first that fits counts. */
const OTHER_FORMATS: readonly OtherFormat[] = [
	{ kind: 'archive', what: 'a gzip archive', head: /^\x1F\x8B/ },
	{ kind: 'archive', what: 'a RAR archive', head: /^Rar!\x1A\x07/ },
	{ kind: 'archive', what: 'a 7z archive', head: /^7z\xBC\xAF\x27\x1C/ },
	{ kind: 'archive', what: 'a TAR archive', head: /^([^]{257}ustar|[^\0][^]{99}([0-7 ]{7}\0){3})/ },
	{ kind: 'sent', what: 'an Office file', head: new RegExp(`^PK\x03\x04[^]{26}${OFFICE_PART}`) },
	{ kind: 'zip', what: 'a ZIP archive', head: /^PK(\x03\x04|\x05\x06|\x07\x08)/ },
	{ kind: 'sent', what: 'an Office file', head: /^\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1/ },
	{ kind: 'sent', what: 'a HEIC photo', head: /^[^]{4}ftyp(hei[cmsx]|hev[cmsx]|mif1|msf1)/ },
	{
		kind: 'sent',
		what: 'a signed file',
		head: /^0[^]{1,8}\x06\t\*\x86H\x86\xF7\r\x01\x07/,
	},
	{ kind: 'sent', what: 'a saved email', head: MAIL },
	{ kind: 'text', what: WEB_PAGE, head: PAGE },
	{ kind: 'text', what: 'an XML message', head: /^<\?xml[^>]*>\s*<Error>/ },
	{ kind: 'text', what: 'JSON', head: /^(\{\s*["}]|\[\s*[[{"\]])/ },
	{ kind: 'base64', what: 'base64 text', head: /^"?(data:[^,]{0,100},)?JVBERi0/ },
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

/** What a file is. Without a type, it is not sent. */
export interface DetectedType {
	/** What its name says, or for a name without an extension, its MIME type. */
	declared: FileType | undefined;
	type: FileType | undefined;
	/** What its bytes are, if they are certainly nothing that is supported. */
	otherFormat?: OtherFormat;
}

export async function detectType(
	name: string,
	mimeType: string,
	content: Content,
): Promise<DetectedType> {
	const hasExtension = /\.[a-z]\w{0,9}$/i.test(name);
	const declared = typeOfName(name) ?? (hasExtension ? undefined : typeOfMimeType(mimeType));
	const start = await readHead(content, START_BYTES);
	if (declared?.head.test(start.toString('latin1'))) return { declared, type: declared };
	return { declared, ...detectByBytes(declared, await readHead(content, HEAD_BYTES)) };
}

/** By its bytes if they show a type, else as it is declared, unless the bytes are certainly of another format. */
export function detectByBytes(
	declared: FileType | undefined,
	bytes: Buffer,
): Pick<DetectedType, 'type' | 'otherFormat'> {
	const text = bytes.toString('latin1', 0, HEAD_BYTES);
	const typed = FILE_TYPES.find(({ head }) => head.test(text));
	if (typed !== undefined) return { type: typed };
	// Text may begin with a byte order mark and white space.
	const start = text.replace(/^(\xEF\xBB\xBF)?\s*/, '');
	const otherFormat = OTHER_FORMATS.find(({ head }) => head.test(start));
	const pdf = FILE_TYPES.find(({ tolerated }) => tolerated?.test(text));
	if (otherFormat === undefined) return { type: pdf ?? declared };
	const { kind } = otherFormat;
	if (pdf && pdf === declared && kind !== 'archive' && kind !== 'zip') return { type: pdf };
	// Files with a name of Word have many formats.
	if (declared?.mimeType.includes('word') && kind !== 'archive') return { type: declared };
	return { type: kind === 'sent' ? declared : undefined, otherFormat };
}
