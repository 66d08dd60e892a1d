import outputSchema from '../../__schema__/v1.0.0/storedFile/download.json';
import { storeBytes } from '../../files/content';
import { fileNameIn, lastPart, nameOfType, safeName } from '../../files/fileNames';
import { detectByBytes, typeOfMimeType } from '../../files/fileTypes';
import { FILE_REFERENCE, readStoredFile } from '../../parameters/fileParameters';
import { fetchContent } from '../../service/api';
import { plainMimeType } from '../../text/words';
import { NO_FILE, type CallOperation } from '../operation';

export const download: CallOperation = {
	...NO_FILE,
	value: 'download',
	name: 'Download',
	description: 'Download an uploaded file or the raw result of a job. Word files come back as PDF.',
	action: 'Download file',
	outputSchema,
	binary: 'the file',
	parameters: [
		{
			...FILE_REFERENCE,
			description:
				'The reference that Upload or Submit returned, or the outputReference from Job: Get to download the raw result of a job. Files are kept for 7 days.',
		},
	],

	documents: (_, { read, json }) => [[{ formField: 'file', file: readStoredFile(read, json) }]],

	async execute({ session, document, settings, files }) {
		const { reference = '' } = document.stored ?? {};
		const { headers, body } = await fetchContent(
			session,
			reference,
			document.subject,
			settings,
			(response) => response,
		);
		const sentType = plainMimeType(headers['content-type']);
		const sentName = fileNameIn(headers['content-disposition'] ?? '') ?? document.fileName ?? '';
		// Cogneris converts all files but images to PDF, and keeps the extension (docs/internals/service-contract.md, stored files).
		const type = detectByBytes(undefined, body).type ?? typeOfMimeType(sentType);
		const contentType = type?.mimeType ?? (sentType || 'application/octet-stream');
		const fileName = nameOfType(safeName(lastPart(sentName)), type);
		const binary = await storeBytes(files, body, fileName, contentType);
		const json = { reference, fileName, contentType, sizeBytes: body.length };
		return [{ json, binary: { data: { ...binary, fileName } } }];
	},
};
