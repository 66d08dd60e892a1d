import { fileNameIn } from '../files/download';
import { safeName } from '../files/partName';
import { FILE_REFERENCE } from '../parameters/fileParameters';
import { TIMEOUT } from '../parameters/options';
import { fetchFile, type FileContent } from '../service/jobs/calls';
import type { OwnOperation } from './operation';
import { readStoredFile } from './storedFile';

/** If the service does not say it. */
const UNKNOWN_TYPE = 'application/octet-stream';

export const download: OwnOperation<FileContent> = {
	value: 'download',
	name: 'Download',
	description: 'Download a stored file: an uploaded one, or the result of a job',
	action: 'Download file',
	timeoutSeconds: TIMEOUT.default,
	fileParameters: [],
	parameters: [FILE_REFERENCE],
	options: [],
	isFree: true,

	documents: ({ read, json }) => {
		readStoredFile(read, json);
		return [[]];
	},

	nameOf: ({ read, json }) => {
		const { name } = readStoredFile(read, json);
		return { subject: `"${name}"`, fileName: name };
	},

	ask: async ({ session, document: { item, subject }, settings }) => {
		const { reference } = readStoredFile(item.read, item.json);
		return await fetchFile(session, reference, subject, settings);
	},

	async toOutputs({ bytes, mimeType, disposition }, { context, document: { item } }) {
		const { reference, name } = readStoredFile(item.read, item.json);
		const contentType = mimeType || UNKNOWN_TYPE;
		const path = fileNameIn(disposition) ?? name;
		const fileName = safeName(path.split(/[/\\]/).at(-1) ?? '');
		const binary = await context.helpers.prepareBinaryData(bytes, fileName, contentType);
		const json = { reference, fileName, contentType, sizeBytes: bytes.length };
		return [{ json, binary: { data: { ...binary, fileName } } }];
	},
};
