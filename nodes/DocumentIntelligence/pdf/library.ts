// All that is used of the library. The build replaces the compiled file by a bundle that holds the library itself
// (gulpfile.js), as a verified package has no runtime dependencies.
export {
	decodePDFRawStream,
	PDFArray,
	PDFBool,
	PDFContext,
	PDFDict,
	PDFHexString,
	PDFInvalidObject,
	PDFName,
	PDFNull,
	PDFNumber,
	PDFObject,
	PDFObjectStream,
	PDFRawStream,
	PDFRef,
	PDFString,
} from '@cantoo/pdf-lib';
// The library deciphers only while it reads a whole file, and does not export what does it.
export { CipherTransformFactory } from '../../../node_modules/@cantoo/pdf-lib/cjs/core/crypto';
