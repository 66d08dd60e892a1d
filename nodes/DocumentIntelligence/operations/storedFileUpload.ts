import { FILES_TO_STORE, uploadParameters } from '../parameters/fileParameters';
import { INCLUDE_INPUT_FILE } from '../parameters/options';
import { storeFile, type StoredFile } from '../service/jobs/calls';
import { oneDocumentPerFile, storeForm, type OwnOperation } from './operation';

export const upload: OwnOperation<StoredFile> = {
	value: 'upload',
	name: 'Upload',
	description: 'Store a file with Cogneris for 7 days and return a reference to it',
	action: 'Upload file',
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters: uploadParameters,
	parameters: [],
	options: [],
	isFree: true,
	documents: oneDocumentPerFile('file', FILES_TO_STORE),

	ask: async ({ session, document, subject, settings }) =>
		await storeFile(session, storeForm(document), subject, settings),

	toOutputs({ reference, contentType, sizeBytes, expiresAt }, { document: { fileName, parts } }) {
		const [part] = parts;
		return [
			{
				json: {
					reference,
					fileName,
					contentType: contentType ?? part?.file.mimeType ?? null,
					sizeBytes: sizeBytes ?? part?.file.content.bytes ?? null,
					expiresAt,
				},
			},
		];
	},
};
