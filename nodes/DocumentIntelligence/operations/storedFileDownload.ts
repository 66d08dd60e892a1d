import type { IDataObject } from 'n8n-workflow';

import { fileNameIn, lastPart, safeName } from '../files/fileNames';
import { FILE_REFERENCE } from '../parameters/fileParameters';
import { identifierIn, type ReadParameter } from '../parameters/read';
import type { ServiceRequest, ServiceResponse } from '../service/client';
import { notUnderstood } from '../service/envelope';
import { fetchContent } from '../service/jobs/calls';
import { textOf } from '../text/json';
import { plainMimeType } from '../text/words';
import type { FileReference, OwnOperation } from './operation';

/** Whether Input Source is a stored file. */
export function readsStoredFile(read: ReadParameter): boolean {
	return read<unknown>('inputSource', '') === 'storedFile';
}

/**
 * The stored file of an item. Its name is the item's fileName if the reference is the item's too, as Upload and Submit
 * output it; else the last part of the reference.
 *
 * @throws DocumentError
 */
export function readStoredFile(read: ReadParameter, json: IDataObject): FileReference {
	const reference = identifierIn(
		read<unknown>(FILE_REFERENCE.name, ''),
		FILE_REFERENCE.displayName,
		'Enter the reference that Stored File: Upload or Job: Submit has output, for example {{ $json.reference }}.',
	);
	const ownName = json.reference === reference ? (textOf(json.fileName)?.trim() ?? '') : '';
	return { reference, name: ownName || (reference.split('/').findLast(Boolean) ?? reference) };
}

export const download: OwnOperation<ServiceResponse> = {
	value: 'download',
	name: 'Download',
	description: 'Download a stored file: an uploaded one, or the result of a job',
	action: 'Download file',
	sources: [],
	parameters: [FILE_REFERENCE],
	options: [],
	isFree: true,

	documents: () => [[]],

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
		const contentType = plainMimeType(headers['content-type']) || 'application/octet-stream';
		const path = fileNameIn(headers['content-disposition'] ?? '') ?? name;
		const fileName = safeName(lastPart(path));
		const binary = await context.helpers.prepareBinaryData(body, fileName, contentType);
		const json = { reference, fileName, contentType, sizeBytes: body.length };
		return [{ json, binary: { data: { ...binary, fileName } } }];
	},
};

/** Neither empty files nor web pages are stored, but a gateway answers with them. */
function readFile(response: ServiceResponse, { subject }: ServiceRequest) {
	const { status, headers, body } = response;
	const isPage = plainMimeType(headers['content-type']) === 'text/html';
	return body.length === 0 || isPage ? notUnderstood(status, subject) : response;
}
