// All imports from packages, which the build bundles (gulpfile.js): a verified package has no runtime dependencies.
export {
	decodePDFRawStream,
	PDFContext,
	PDFHexString,
	PDFRawStream,
	PDFString,
} from '@cantoo/pdf-lib';
// The version is pinned for this internal file: the library exports no way to decipher only a part of a file.
export { CipherTransformFactory } from '../../../node_modules/@cantoo/pdf-lib/cjs/core/crypto';
export { Inflate } from 'fflate';
