import { extname } from 'node:path';
import { HttpError, successEnvelope } from '../http/responses';
import {
	classify,
	crop,
	extract,
	matchFaces,
	readWithoutTemplate,
	split,
	type ProcessingResult,
} from '../processing/operations';
import type { UploadedFile, UploadedForm } from '../http/form';
import type { Route } from '../http/route';
import type { Settings } from '../settings';
import type { Service } from '../state/service';
import type { SignedImages } from '../state/signedImages';

interface Operation {
	path: string;
	/** Form fields that carry files; a repeated one takes any number, the others exactly one. */
	fileFields: Array<{ name: string; repeated: boolean }>;
	textFields: string[];
	maxFileBytes: number;
	run(form: UploadedForm, images: SignedImages, settings: Settings): Promise<ProcessingResult>;
}

const megabyte = 1024 * 1024;
const extensions = ['.pdf', '.png', '.jpg', '.jpeg', '.tiff', '.tif', '.bmp', '.doc', '.docx'];
const oneFile = [{ name: 'file', repeated: false }];

const operations: Operation[] = [
	{
		path: '/Document/extraction',
		fileFields: oneFile,
		textFields: ['ComplementaryPrompt'],
		maxFileBytes: 10 * megabyte,
		run: extract,
	},
	{
		path: '/Document/classifier',
		fileFields: [{ name: 'files', repeated: true }],
		textFields: [],
		maxFileBytes: 10 * megabyte,
		run: classify,
	},
	{
		path: '/Document/zero-shot',
		fileFields: oneFile,
		textFields: [],
		maxFileBytes: 10 * megabyte,
		run: readWithoutTemplate,
	},
	{
		path: '/Document/crop',
		fileFields: oneFile,
		textFields: [],
		maxFileBytes: 10 * megabyte,
		run: crop,
	},
	{
		path: '/Document/split',
		fileFields: oneFile,
		textFields: [],
		maxFileBytes: 500 * megabyte,
		run: async (form, _, { splitShape }) => await split(form, splitShape),
	},
	{
		path: '/Document/facematch',
		fileFields: [
			{ name: 'selfie', repeated: false },
			{ name: 'documents', repeated: true },
		],
		textFields: [],
		maxFileBytes: 10 * megabyte,
		run: matchFaces,
	},
];

/** `POST /Document/*`: a document in, its result in the same response. */
export function documentRoutes(service: Service): Route[] {
	return operations.map((operation) => ({
		method: 'POST',
		path: operation.path,
		maxFileBytes: operation.maxFileBytes,
		async respond({ form }) {
			checkForm(operation, form);
			const { data, creditsConsumed, messages } = await operation.run(
				form,
				service.images,
				service.settings,
			);
			return successEnvelope(data, creditsConsumed, messages);
		},
	}));
}

/** The checks the service makes on a whole form; strict about names it does not know, so that a client's slip shows. */
function checkForm(operation: Operation, form: UploadedForm) {
	for (const { field } of form.files) {
		if (!operation.fileFields.some(({ name }) => name === field)) throw unknownField(field);
	}
	for (const { field } of form.texts) {
		if (!operation.textFields.includes(field)) throw unknownField(field);
	}
	for (const { name, repeated } of operation.fileFields) {
		const files = form.files.filter(({ field }) => field === name);
		if (files.length === 0)
			throw new HttpError(400, 'FILE_REQUIRED', `The form field "${name}" has to carry a file.`, {
				field: name,
			});
		if (files.length > 1 && !repeated)
			throw new HttpError(400, 'TOO_MANY_FILES', `The form field "${name}" takes one file.`, {
				field: name,
			});
		for (const file of files) checkFile(file, operation.maxFileBytes);
	}
}

function checkFile({ field, fileName, bytes }: UploadedFile, maxFileBytes: number) {
	if (bytes === 0)
		throw new HttpError(400, 'FILE_EMPTY', `The file "${fileName}" is empty.`, { field });
	if (!extensions.includes(extname(fileName).toLowerCase())) {
		throw new HttpError(
			400,
			'FILE_EXTENSION_NOT_ALLOWED',
			`The extension of "${fileName}" is not one of ${extensions.join(' ')}.`,
			{ field },
		);
	}
	if (bytes > maxFileBytes) {
		throw new HttpError(
			400,
			'FILE_TOO_LARGE',
			`The file "${fileName}" is larger than ${maxFileBytes / megabyte} MB.`,
			{ field },
		);
	}
}

function unknownField(field: string): HttpError {
	return new HttpError(400, 'UNEXPECTED_FIELD', `The form field "${field}" is not known here.`, {
		field,
	});
}
