import type { IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/bytes';
import { fileParameters } from '../parameters/fileParameters';
import { Slots } from '../service/session';
import { fetchImage } from './resultFile';
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
import { listOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';

export const crop: DocumentOperation<Cropped> = {
	value: 'crop',
	name: 'Crop',
	description: 'Crop and straighten the documents in a photo or scan',
	action: 'Crop documents from image',
	path: '/Document/crop',
	jobOperation: 'Crop',
	maxFileBytes: 10 * MB,
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
		if (cropped.documents.length === 0) hints.add('nothingFound', subject);
		const downloadImages = readSwitch(read, 'downloadImages', true);
		const end = Date.now() + 1000 * readNumber(read, TIMEOUT);
		const downloads = new Slots(MAX_DOWNLOADS);
		const outputOf = async (found: CroppedDocument, index: number): Promise<Output> => {
			const json = { fileName, index, ...found };
			if (!downloadImages || !found.imageUrl) return { json };
			const seconds = Math.ceil((end - Date.now()) / 1000);
			const image = await fetchImage(context, document, { url: found.imageUrl, index, seconds });
			return image instanceof DocumentError ? image : { json, binary: { data: image } };
		};
		return await Promise.all(
			cropped.documents.map((found, index) => downloads.use(() => outputOf(found, index))),
		);
	},
};

/** How many images of a document are downloaded at a time. */
const MAX_DOWNLOADS = 5;

/** What Crop has found; if the answer is of another form, the answer itself. */
type Cropped = { documents: CroppedDocument[] } | { unknown: IDataObject };

type CroppedDocument = ReturnType<typeof readDocument>;

/** Names of which an answer that is not empty has one, also if nothing was found (docs/internals/service-contract.md, Crop). */
const NAMES = ['documents', 'imageUrls', 'compositeImageUrl'];

/** The documents found; if the answer only lists images, one for each of these. */
function croppedIn(data: unknown): Cropped {
	const { documents = data, imageUrls } = objectOf(data);
	const found = objectsOf(documents);
	const images = listOf(imageUrls).flatMap((entry) => textOf(entry) ?? []);
	const own = found.length > 0 ? found : images.map((imageUrl): IDataObject => ({ imageUrl }));
	const isRead =
		own.length > 0 ||
		NAMES.some((name) => name in objectOf(data)) ||
		Object.keys(Object(data) as object).length === 0;
	return isRead ? { documents: own.map(readDocument) } : { unknown: itemJson(data) };
}

/** A document found in the picture, as items show it. */
function readDocument({ type, side, confidence, box2D, imageUrl }: IDataObject) {
	return {
		type: textOf(type),
		side: textOf(side),
		confidence: numberOf(confidence),
		box: Array.isArray(box2D) ? box2D : null,
		imageUrl: textOf(imageUrl),
	};
}
