import type { IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { fileParameters } from '../parameters/fileParameters';
import { fetchResultFile, nameOfPart } from './resultFile';
import { oneDocumentPerFile, type DocumentOperation, type Output } from './operation';
import {
	DOWNLOAD_IMAGES,
	INCLUDE_INPUT_FILE,
	readNumber,
	readSwitch,
	SKIP_PROCESSED_FILES,
	TIMEOUT,
} from '../parameters/options';
import { beside, itemJson } from '../results/fields';
import { isObject, listOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';

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

	parse: ({ data }) => [croppedIn(data)],

	async toOutputs(cropped, { context, document, subject, read, hints }) {
		const { fileName } = document;
		if ('unknown' in cropped) return [{ json: beside(cropped.unknown, { fileName }) }];
		const downloadImages = readSwitch(read, 'downloadImages', true);
		const outputs: Output[] = [];
		// One after the other: the links are read as they come, so one image at a time is in flight.
		for (const [index, found] of cropped.documents.entries()) {
			const json = { fileName, index, ...found };
			const image =
				downloadImages && found.imageUrl
					? await fetchResultFile(context, {
							url: found.imageUrl,
							subject: `A cropped image of ${subject}`,
							mimeTypes: 'image/',
							nameFor: (mimeType) => nameOfPart(document, index, mimeType),
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

/** What Crop has found; where the answer is of another form, the answer itself. */
type Cropped = { documents: CroppedDocument[] } | { unknown: IDataObject };

/** Names of which an answer has one, also where nothing was found (docs/service-contract.md, results). */
const NAMES = ['documents', 'imageUrls', 'compositeImageUrl'];

/** The documents found; where the service only lists images, one for each of these. */
function croppedIn(data: unknown): Cropped {
	const { documents = data, imageUrls } = objectOf(data);
	const found = objectsOf(documents);
	const images = listOf(imageUrls).flatMap((entry) => textOf(entry) ?? []);
	const own = found.length > 0 ? found : images.map((imageUrl): IDataObject => ({ imageUrl }));
	if (own.length === 0 && !isNothing(data)) return { unknown: itemJson(data) };
	return {
		documents: own.map(({ type, side, confidence, box2D, imageUrl }) => ({
			type: textOf(type),
			side: textOf(side),
			confidence: numberOf(confidence),
			box: Array.isArray(box2D) ? box2D : null,
			imageUrl: textOf(imageUrl),
		})),
	};
}

/** Whether an answer says that nothing was found. */
function isNothing(data: unknown): boolean {
	if (data === null || data === undefined) return true;
	if (!isObject(data)) return Array.isArray(data) && data.length === 0;
	return Object.keys(data).length === 0 || NAMES.some((name) => name in data);
}
