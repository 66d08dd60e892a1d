// All that is used of the library. The build replaces the compiled file by a bundle that holds the library itself
// (gulpfile.js), as a verified package has no runtime dependencies.
export {
	decodePDFRawStream,
	PDFArray,
	PDFContext,
	PDFDict,
	PDFDocument,
	PDFHexString,
	PDFInvalidObject,
	PDFName,
	PDFNull,
	type PDFObject,
	PDFParser,
	PDFRawStream,
	PDFRef,
	PDFStreamWriter,
	PDFString,
} from '@cantoo/pdf-lib';
