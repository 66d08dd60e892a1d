import { fileTypeFromMimeType, type IBinaryData, type IDataObject } from 'n8n-workflow';

import outputSchema from '../../__schema__/v1.0.0/document/crop.json';
import type { Output } from '../../document/document';
import { DocumentError } from '../../text/errors';
import { MB } from '../../text/words';
import { StorageFailure } from '../../files/content';
import { download, DownloadFailure } from '../../files/links';
import { mayFollow } from '../../service/account';
import {
	BrokenLink,
	nameOfPart,
	Undelivered,
	ONE_FILE,
	simplified,
	type ResultContext,
	type DocumentOperation,
} from '../operation';
import {
	DOWNLOAD_IMAGES,
	PROCESSED_BEFORE,
	INCLUDE_INPUT_FILE,
	TIMEOUT,
} from '../../parameters/options';
import { readNumber, readSwitch, type ReadParameter } from '../../parameters/read';
import { Slots } from '../../waiting/waiting';
import { isEmpty, listOf, numberOf, objectOf, objectsOf, textOf } from '../../text/json';

export const crop: DocumentOperation<CroppedDocument[]> = {
	value: 'crop',
	name: 'Crop',
	description: 'Crop a photo or scan to the documents in it',
	action: 'Crop documents from image',
	outputSchema,
	binary: 'the image of the document, named like photo-2.png; fileName is that of the photo',
	outputNotes: 'A photo in which no document is found has no output.',
	path: '/Document/crop',
	jobOperation: 'Crop',
	...ONE_FILE,
	options: [
		DOWNLOAD_IMAGES,
		{
			...INCLUDE_INPUT_FILE,
			description:
				'Whether to add the input file to the output, in the binary field data, or in input if data has a cropped image',
		},
		...PROCESSED_BEFORE,
	],
	outputs: [simplified('One item per document in the photo, with its image or a link to it')],
	mayReturn: 'image/',

	parse: croppedIn,

	followsLinks: downloadsImages,

	async toOutputs(documents, context) {
		const { document, read, notes } = context;
		const { fileName } = document;
		if (documents.length === 0) notes.add('nothingFound', document.subject);
		const isOn = downloadsImages(read);
		const numbered = documents.map((cropped, index) => ({ index, ...cropped }));
		return await new Slots(IMAGES_AT_A_TIME).map(numbered, async (cropped): Promise<Output> => {
			const json = { fileName, ...cropped };
			if (!isOn || !cropped.imageUrl) return { json };
			const image = await fetchImage(context, cropped.imageUrl, cropped.index);
			return image instanceof DocumentError ? image : { json, binary: { data: image } };
		});
	},
};

function downloadsImages(read: ReadParameter): boolean {
	return readSwitch(read, 'options.downloadImages', true);
}

/** More than the documents of most photos, so that images that hang take one Timeout together. */
const IMAGES_AT_A_TIME = 20;

type CroppedDocument = ReturnType<typeof readDocument>;

/** The documents; if the answer only lists images, one for each of these. Undefined if none can be read. */
function croppedIn(data: unknown): CroppedDocument[] | undefined {
	const { documents = data, imageUrls } = objectOf(data);
	const images = listOf(imageUrls).flatMap((entry) => textOf(entry) ?? []);
	const listed = objectsOf(documents).map(readDocument);
	if (listed.length === 0 && images.length > 0)
		return images.map((imageUrl) => readDocument({ imageUrl }));
	const isRead = listed.some((cropped) => Object.values(cropped).some((value) => value !== null));
	return Array.isArray(documents) && (isRead || documents.every(isEmpty)) ? listed : undefined;
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

/*
 * What to do about an image that could not be downloaded, before the sentence on what that may cost: while a server is down,
 * the result is kept; for a link that is refused, the photo is processed anew.
 */

const OPTION_FOR_LINKS =
	"the option 'Download Images' and turn it off to get only the links in imageUrl";

const ONLY_LINKS = `Add ${OPTION_FOR_LINKS}, which may expire.`;

const WAIT = `Wait until the server responds again, or add ${OPTION_FOR_LINKS}.`;

const GET_NEW_LINKS = `The link may have expired. Execute again to get new links, or add ${OPTION_FOR_LINKS}.`;

/** Larger than any picture of a document. */
const MAX_IMAGE_BYTES = 50 * MB;

/**
 * Without the API key, as such links are signed (docs/internals/service-contract.md, Crop).
 * @returns the image, or a failure of this image alone
 * @throws StorageFailure if n8n cannot store it, which fails the result as a whole
 */
async function fetchImage(
	{ files, document, read, session }: ResultContext,
	url: string,
	index: number,
): Promise<IBinaryData | DocumentError> {
	const notFetched = (Failure: typeof Undelivered, reason: string, advice: string) =>
		new Failure(
			`A cropped image of ${document.subject} could not be downloaded: ${reason}`,
			advice,
			{},
			'document',
		);
	const expired = (reason: string) => notFetched(BrokenLink, reason, GET_NEW_LINKS);
	const isFollowed = (href: string) => mayFollow(href, session.account);
	if (!isFollowed(url))
		return notFetched(
			Undelivered,
			'its link does not begin with https:// or leads to a private address',
			ONLY_LINKS,
		);
	const seconds = readNumber(read, TIMEOUT);
	const limits = { maxBytes: MAX_IMAGE_BYTES, seconds, mayFollow: isFollowed };
	const first = await download(files, url, limits);
	// Once more, because the image may be billed and its link may expire.
	const file = first instanceof DownloadFailure ? await download(files, url, limits) : first;
	if (file instanceof DownloadFailure) {
		if (file.kind === 'notStored') throw new StorageFailure(file.message);
		if (file.kind === 'refused') return expired(file.message);
		return notFetched(Undelivered, file.message, WAIT);
	}
	if (!file.mimeType.startsWith('image/')) return expired('the link does not lead to an image');
	const fileName = nameOfPart(document, index, file.mimeType);
	const fileType = fileTypeFromMimeType(file.mimeType);
	return { ...file, fileName, fileType, fileExtension: fileName.split('.').at(-1) };
}
