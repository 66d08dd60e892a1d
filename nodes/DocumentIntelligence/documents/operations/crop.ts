import type { IDataObject } from 'n8n-workflow';

import { DocumentError } from '../../errors';
import { MB } from '../../text/bytes';
import { fileParameters } from '../../parameters/fileParameters';
import { fetchResultFile } from '../resultFile';
import { oneDocumentPerFile, type DocumentOperation, type Output } from '../operation';
import {
	DOWNLOAD_IMAGES,
	INCLUDE_INPUT_FILE,
	readNumber,
	readSwitch,
	SKIP_PROCESSED_FILES,
	TIMEOUT,
} from '../../parameters/options';
import type { Answer } from '../../service/envelope';
import { listOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';

export const crop: DocumentOperation<Cropped> = {
	value: 'crop',
	name: 'Crop',
	description: 'Crop and straighten the documents in a photo or scan',
	action: 'Crop documents from image',
	path: '/Document/crop',
	jobOperation: 'Crop',
	maxFileBytes: 10 * MB,
	timeoutSeconds: TIMEOUT.default,
	includeInputFile: INCLUDE_INPUT_FILE,
	fileParameters,
	parameters: [],
	options: [DOWNLOAD_IMAGES, SKIP_PROCESSED_FILES],
	outputs: [
		{
			name: 'Simplified',
			value: 'fields',
			description: 'One item per document found in the image, with the cropped image',
		},
	],
	documents: oneDocumentPerFile('file'),
	mayReturnImage: true,

	parse: ({ data, image }) => [image ?? documentsIn(data)],

	async toOutputs(cropped, { context, document, subject, read, hints }) {
		const { fileName } = document;
		const nameFor = (index: number) => (mimeType: string) =>
			imageName(fileName ?? '', index, mimeType);
		if (!Array.isArray(cropped)) {
			const { bytes, mimeType } = cropped;
			const name = nameFor(0)(mimeType);
			const binary = await context.helpers.prepareBinaryData(bytes, name, mimeType);
			return [{ json: { fileName, index: 0 }, binary: { data: binary } }];
		}
		const downloadImages = readSwitch(read, 'downloadImages', true);
		const outputs: Output[] = [];
		// One after the other: the links are read as they come, so one image at a time is in flight.
		for (const [index, found] of cropped.entries()) {
			const json = { fileName, index, ...found };
			const image =
				downloadImages && found.imageUrl
					? await fetchResultFile(context, {
							url: found.imageUrl,
							subject: `A cropped image of ${subject}`,
							mimeTypes: 'image/',
							nameFor: nameFor(index),
							seconds: readNumber(read, TIMEOUT),
							alternative:
								'Turn off Download Images to get the links in imageUrl instead; they expire after a short time.',
						})
					: undefined;
			if (image instanceof DocumentError) outputs.push(image);
			else outputs.push(image === undefined ? { json } : { json, binary: { data: image } });
		}
		if (outputs.length === 0) hints.nothingCropped.push(subject);
		return outputs;
	},
};

/** A document found in the picture (docs/service-contract.md, results). */
interface CroppedDocument {
	type: string | null;
	side: string | null;
	confidence: number | null;
	box: unknown[] | null;
	imageUrl: string | null;
}

/** What Crop is answered with: the documents found, or a picture of the only one. */
type Cropped = CroppedDocument[] | NonNullable<Answer['image']>;

/** The documents found; where the service only lists images, one for each of these. */
function documentsIn(data: unknown): CroppedDocument[] {
	const { documents, imageUrls } = objectOf(data);
	const found = objectsOf(documents);
	const images = listOf(imageUrls).flatMap((entry) => textOf(entry) ?? []);
	return (found.length > 0 ? found : images.map((imageUrl): IDataObject => ({ imageUrl }))).map(
		({ type, side, confidence, box2D, imageUrl }) => ({
			type: textOf(type),
			side: textOf(side),
			confidence: numberOf(confidence),
			box: Array.isArray(box2D) ? box2D : null,
			imageUrl: textOf(imageUrl),
		}),
	);
}

/** `scan.jpg` gives `scan-1.png`: the source, a number from 1, and the extension of the image. */
function imageName(fileName: string, index: number, mimeType: string): string {
	const stem = fileName.replace(/\.[^.]+$/, '') || 'document';
	const subtype = /^image\/([a-z0-9-]{1,20})(\+|$)/.exec(mimeType)?.[1] ?? 'img';
	const extension = subtype === 'jpeg' ? 'jpg' : subtype;
	return `${stem}-${index + 1}.${extension}`;
}
