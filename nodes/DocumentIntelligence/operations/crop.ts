import { fileTypeFromMimeType, type IBinaryData, type IDataObject } from 'n8n-workflow';

import { DocumentError } from '../text/errors';
import { MB } from '../text/words';
import { download } from '../files/remoteFile';
import {
	nameOfPart,
	ONE_FILE,
	simplified,
	type DocumentContext,
	type DocumentOperation,
} from './operation';
import { FILE_OPTIONS, DOWNLOAD_IMAGES, TIMEOUT } from '../parameters/options';
import { readNumber, readSwitch } from '../parameters/read';
import { beside, itemJson } from '../results/fields';
import { listOf, numberOf, objectOf, objectsOf, textOf } from '../text/json';

export const crop: DocumentOperation<CroppedDocument[] | IDataObject> = {
	value: 'crop',
	name: 'Crop',
	description: 'Crop and straighten the documents in a photo or scan',
	action: 'Crop documents from image',
	path: '/Document/crop',
	jobOperation: 'Crop',
	...ONE_FILE,
	options: [DOWNLOAD_IMAGES, ...FILE_OPTIONS],
	outputs: [
		simplified('One item per document found in the image, with its picture or a link to it'),
	],
	mayReturnImage: true,

	parse: ({ data }) => [croppedIn(data)],

	async toOutputs(found, context) {
		const { document, subject, read, hints } = context;
		const { fileName } = document;
		if (!Array.isArray(found)) return [{ json: beside(found, { fileName }) }];
		if (found.length === 0) hints.add('nothingFound', subject);
		const isOn = readSwitch(read, `options.${DOWNLOAD_IMAGES.name}`, true);
		return await Promise.all(
			found.map(async (own, index) => {
				const json = { fileName, index, ...own };
				if (!isOn || !own.imageUrl) return { json };
				const image = await fetchImage(context, own.imageUrl, index);
				return image instanceof DocumentError ? image : { json, binary: { data: image } };
			}),
		);
	},
};

type CroppedDocument = ReturnType<typeof readDocument>;

/** Names of which an answer that is not empty has one, also if nothing was found (docs/internals/service-contract.md, Crop). */
const NAMES = ['documents', 'imageUrls', 'compositeImageUrl'];

/** The documents found; if the answer only lists images, one for each of these; if it has another form, all of it. */
function croppedIn(data: unknown): CroppedDocument[] | IDataObject {
	const { documents = data, imageUrls } = objectOf(data);
	const found = objectsOf(documents);
	const images = listOf(imageUrls).flatMap((entry) => textOf(entry) ?? []);
	const own = found.length > 0 ? found : images.map((imageUrl): IDataObject => ({ imageUrl }));
	const names = Object.keys(Object(data) as object);
	const isRead = own.length > 0 || names.length === 0 || NAMES.some((name) => names.includes(name));
	return isRead ? own.map(readDocument) : itemJson(data);
}

function readDocument({ type, side, confidence, box2D, imageUrl }: IDataObject) {
	return {
		type: textOf(type),
		side: textOf(side),
		confidence: numberOf(confidence),
		box: Array.isArray(box2D) ? box2D : null,
		imageUrl: textOf(imageUrl),
	};
}

/** Larger than any picture of a document. */
const MAX_IMAGE_BYTES = 50 * MB;

/** Without the API key, as such links are signed (docs/internals/service-contract.md, Crop). An error is one document's. */
async function fetchImage(
	{ context, document, read }: DocumentContext,
	url: string,
	index: number,
): Promise<IBinaryData | DocumentError> {
	const limits = { maxBytes: MAX_IMAGE_BYTES, seconds: readNumber(read, TIMEOUT) };
	const first = await download(context, url, limits);
	// Once more, because the image is paid for and its link expires.
	const file = first instanceof DocumentError ? await download(context, url, limits) : first;
	const isFile = !(file instanceof DocumentError);
	if (!isFile || !file.mimeType.startsWith('image/')) {
		const reason = isFile ? 'the link does not lead to an image' : file.message;
		return new DocumentError(
			`A cropped image of ${document.subject} could not be downloaded: ${reason}`,
			"The document was processed and may already be billed, so processing it again may cost credits again. Turn off 'Download Images' to get the links in imageUrl instead; they expire after a short time.",
		);
	}
	const fileName = nameOfPart(document, index, file.mimeType);
	const fileType = fileTypeFromMimeType(file.mimeType);
	return { ...file, fileName, fileType, fileExtension: fileName.split('.').at(-1) };
}
