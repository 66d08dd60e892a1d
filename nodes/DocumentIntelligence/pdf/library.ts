// All that is used of other packages. The build replaces the compiled file by a bundle that holds what is used of them
// (gulpfile.js), as a verified package has no runtime dependencies.
export {
	decodePDFRawStream,
	PDFContext,
	PDFDict,
	PDFHexString,
	PDFRawStream,
	PDFString,
} from '@cantoo/pdf-lib';
// The version is pinned for this import, which reaches inside: the library deciphers only while it reads a whole file.
// Upstream would have to export `CipherTransformFactory` from its index, as it does `PDFSecurity`, which enciphers.
export { CipherTransformFactory } from '../../../node_modules/@cantoo/pdf-lib/cjs/core/crypto';
export { Inflate } from 'fflate';
