import type { IDataObject } from 'n8n-workflow';

import { fileNameIn, lastPart, safeName } from '../files/fileNames';
import { FILE_REFERENCE } from '../parameters/fileParameters';
import { identifierIn, type ReadParameter } from '../parameters/read';
import type { ServiceResponse } from '../service/client';
import { notUnderstood } from '../service/envelope';
import { fetchContent } from '../service/jobs/calls';
import { textOf } from '../text/json';
import { plainMimeType } from '../text/words';
import { NO_FILE, type FileReference, type OwnOperation } from './operation';

/** Named by the item's fileName if the reference is the item's too, otherwise by the last part of the reference. */
export function readStoredFile(read: ReadParameter, json: IDataObject): FileReference {
	const reference = identifierIn(
		read<unknown>(FILE_REFERENCE.name, ''),
		FILE_REFERENCE.displayName,
		'Enter the reference that Stored File: Upload or Job: Submit returned, for example {{ $json.reference }}.',
	);
	const ownName = json.reference === reference ? (textOf(json.fileName)?.trim() ?? '') : '';
	return { reference, name: ownName || (reference.split('/').findLast(Boolean) ?? reference) };
}

export const download: OwnOperation<ServiceResponse> = {
	...NO_FILE,
	value: 'download',
	name: 'Download',
	description: 'Download a stored file, such as an uploaded file or the raw result of a job',
	action: 'Download file',
	parameters: [FILE_REFERENCE],

	documents: async ({ read, json }) =>
		await Promise.resolve([[{ formField: 'file', file: readStoredFile(read, json) }]]),

	async ask({ session, document: { reference = '' }, subject, settings }) {
		return await fetchContent(session, reference, subject, settings, (response) => {
			const { status, headers, body } = response;
			// Neither empty files nor web pages are stored, but a gateway answers with them.
			const isPage = plainMimeType(headers['content-type']) === 'text/html';
			return body.length === 0 || isPage ? notUnderstood(status, subject) : response;
		});
	},

	async toOutputs({ headers, body }, { context, document }) {
		const { reference } = document;
		const contentType = plainMimeType(headers['content-type']) || 'application/octet-stream';
		const said = fileNameIn(headers['content-disposition'] ?? '') ?? document.fileName ?? '';
		const fileName = safeName(lastPart(said));
		const binary = await context.helpers.prepareBinaryData(body, fileName, contentType);
		const json = { reference, fileName, contentType, sizeBytes: body.length };
		return [{ json, binary: { data: { ...binary, fileName } } }];
	},
};
