import { fileNameIn } from '../files/download';
import { safeName } from '../files/fileNames';
import { FILE_REFERENCE } from '../parameters/fileParameters';
import type { ServiceRequest, ServiceResponse } from '../service/client';
import { notUnderstood } from '../service/envelope';
import { fetchContent } from '../service/jobs/calls';
import { plainMimeType } from '../text/mimeType';
import type { OwnOperation } from './operation';
import { readStoredFile } from './storedFile';

/** If the service does not say it. */
const UNKNOWN_TYPE = 'application/octet-stream';

export const download: OwnOperation<ServiceResponse> = {
	value: 'download',
	name: 'Download',
	description: 'Download a stored file: an uploaded one, or the result of a job',
	action: 'Download file',
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
		return await fetchContent(session, reference, subject, settings, readFile);
	},

	async toOutputs({ headers, body }, { context, document: { item } }) {
		const { reference, name } = readStoredFile(item.read, item.json);
		const contentType = plainMimeType(headers['content-type']) || UNKNOWN_TYPE;
		const path = fileNameIn(headers['content-disposition'] ?? '') ?? name;
		const fileName = safeName(path.split(/[/\\]/).at(-1) ?? '');
		const binary = await context.helpers.prepareBinaryData(body, fileName, contentType);
		const json = { reference, fileName, contentType, sizeBytes: body.length };
		return [{ json, binary: { data: { ...binary, fileName } } }];
	},
};

/** Neither empty files nor web pages are stored, but a gateway answers with them. */
function readFile(response: ServiceResponse, { subject }: ServiceRequest) {
	const { status, headers, body } = response;
	const isPage = plainMimeType(headers['content-type']) === 'text/html';
	return body.length === 0 || isPage ? notUnderstood(status, subject, true) : response;
}
