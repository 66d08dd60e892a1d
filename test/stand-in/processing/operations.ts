import { randomUUID } from 'node:crypto';
import { notReadable } from '../http/responses';
import type { JobOperation } from '../state/jobs';
import type { Service } from '../state/service';
import { chooseTemplate, usualSize } from '../reading/chooseTemplate';
import { formatOf, hasText, readText, readTextIfAny } from '../reading/documentText';
import { findDocuments, type DocumentBox } from '../reading/findDocuments';
import { labelValuePairs } from '../reading/labelValuePairs';
import { cellsOf, textOf, type Page } from '../reading/page';
import { openPicture } from '../reading/picture';
import { readField } from '../reading/readFields';
import { readTable } from '../reading/readTable';
import { findSegments, type Segment } from '../reading/segments';
import type { Template } from '../reading/template';
import { pictureSimilarity } from '../reading/similarity';
import { onlyFile, type UploadedFile, type UploadedForm } from '../http/form';

/** What an accepted call comes to: the envelope's data and what is billed for it. */
export interface ProcessingResult {
	data: object;
	creditsConsumed: number;
}

interface Operation {
	path: string;
	/** Its name among the jobs, if it can be one. */
	job?: JobOperation;
	/** How much is kept of a file: as much as the contract allows one to be. */
	keptMegabytes?: number;
	run: (form: UploadedForm, service: Service, template?: Template) => Promise<ProcessingResult>;
}

export const operations: Operation[] = [
	{ path: '/Document/extraction', job: 'Extraction', run: extract },
	{ path: '/Document/classifier', job: 'Classification', run: classify },
	{ path: '/Document/zero-shot', job: 'ZeroShot', run: readWithoutTemplate },
	{ path: '/Document/crop', job: 'Crop', run: crop },
	{ path: '/Document/split', job: 'Split', keptMegabytes: 500, run: split },
	{ path: '/Document/facematch', run: matchFaces },
];

/** With the given template, or with the one that fits the document best. */
async function extract(
	form: UploadedForm,
	{ settings }: Service,
	given?: Template,
): Promise<ProcessingResult> {
	const pages = await readText(onlyFile(form));
	const template = given ?? chooseTemplate(pages)?.template;
	if (!template)
		throw notReadable(
			'No template fits the document. Set one up in the platform first.',
			'TEMPLATE_NOT_FOUND',
		);
	const { documentType, fields, table } = template;
	const read: Record<string, unknown> = {};
	for (const field of fields) read[field.name] = readField(field, pages);
	if (table) read[table.name] = { items: readTable(table, pages) };
	return {
		data: {
			id: randomUUID(),
			createdDate: new Date().toISOString(),
			metadata: { documentType, fields: read },
			fraudBlocked: false,
			fraudRequestId: settings.fraudScreening ? randomUUID() : null,
			quality: null,
		},
		creditsConsumed: pages.length,
	};
}

async function classify(form: UploadedForm): Promise<ProcessingResult> {
	const results = [];
	let creditsConsumed = 0;
	for (const file of form.files) {
		const pages = await readTextIfAny(file);
		const choice = chooseTemplate(pages);
		const { documentType, confidence } = choice
			? { ...choice, documentType: choice.template.documentType }
			: await typeByShape(file);
		results.push({
			fileName: file.fileName,
			documentType,
			confidence,
			pages: await pageCount(file, pages),
			templateId: choice?.template.id ?? null,
			templateMetadata: choice?.template.metadata ?? null,
		});
		creditsConsumed += Math.max(1, pages.length);
	}
	return { data: { results }, creditsConsumed };
}

async function readWithoutTemplate(form: UploadedForm): Promise<ProcessingResult> {
	const pages = await readText(onlyFile(form));
	if (!hasText(pages)) throw notReadable('The document has no text that could be read.');
	const choice = chooseTemplate(pages);
	return {
		data: {
			id: randomUUID(),
			documentType: choice?.template.documentType ?? largestText(pages),
			confidence: choice?.confidence ?? 45,
			metadata: labelValuePairs(pages),
		},
		creditsConsumed: pages.length,
	};
}

async function crop(form: UploadedForm, { images }: Service): Promise<ProcessingResult> {
	const file = onlyFile(form);
	if ((await formatOf(file.path)) !== 'image')
		throw notReadable(`"${file.fileName}" is not an image.`, 'IMAGE_NOT_READABLE');
	const picture = await openPicture(file.path);
	const { width = 1, height = 1 } = await picture.metadata();
	const documents = [];
	for (const { confidence, ...box } of await findDocuments(picture)) {
		const cut = await picture.clone().extract(box).png().toBuffer();
		documents.push({
			// Thousandths of the picture: top, left, bottom, right.
			box2D: [
				Math.round((1000 * box.top) / height),
				Math.round((1000 * box.left) / width),
				Math.round((1000 * (box.top + box.height)) / height),
				Math.round((1000 * (box.left + box.width)) / width),
			],
			mask: [],
			side: 'front',
			type: typeOfShape(box) === 'Unknown' ? 'document' : 'card',
			confidence,
			imageUrl: images.offer(cut, 'image/png'),
		});
	}
	return {
		data: {
			imageUrls: documents.map(({ imageUrl }) => imageUrl),
			compositeImageUrl: null,
			documents,
		},
		creditsConsumed: 1,
	};
}

async function split(form: UploadedForm): Promise<ProcessingResult> {
	const file = onlyFile(form);
	const isImage = (await formatOf(file.path)) === 'image';
	const segments = isImage ? [await imageSegment(file)] : findSegments(await readText(file));
	return {
		data: { id: randomUUID(), metadata: { segments } },
		creditsConsumed: Math.max(...segments.map(({ endPage }) => endPage)),
	};
}

/** An image is one document of one page. */
async function imageSegment(file: UploadedFile): Promise<Segment> {
	return { ...(await typeByShape(file)), startPage: 1, endPage: 1 };
}

/** From here on the pictures count as showing the same person. */
const matchingScore = 0.75;
/** From here on something on the document looks enough like a portrait. */
const faceScore = 0.5;

async function matchFaces(
	form: UploadedForm,
	{ images, settings }: Service,
): Promise<ProcessingResult> {
	const selfie = form.files.find(({ field }) => field === 'selfie')!;
	const selfiePicture = await openPicture(selfie.path);
	const selfieDocumentId = randomUUID();
	const extractions = [];
	const matches = [];
	for (const file of form.files.filter(({ field }) => field === 'documents')) {
		const sourceDocumentId = randomUUID();
		const isImage = (await formatOf(file.path)) === 'image';
		const picture = isImage ? await openPicture(file.path) : undefined;
		const score = picture ? await pictureSimilarity(selfiePicture, picture) : 0;
		const hasFace = score >= faceScore;
		const { documentType } = await typeByShape(file);
		const cropSignedUrl =
			picture && hasFace && settings.faceCrops
				? images.offer(await picture.png().toBuffer(), 'image/png')
				: null;
		extractions.push({ sourceDocumentId, hasFace, documentType, cropSignedUrl });
		const matched = score >= matchingScore;
		matches.push({ sourceDocumentId, selfieDocumentId, score, matched, tooManyFaces: false });
	}
	return {
		data: { requestId: randomUUID(), extractions, matches },
		creditsConsumed: matches.length,
	};
}

async function pageCount(file: UploadedFile, pages: Page[]): Promise<number | null> {
	if (pages.length > 0) return pages.every(({ number }) => number !== null) ? pages.length : null;
	return (await formatOf(file.path)) === 'image' ? 1 : null;
}

/** All that can be told of an image without reading it: a card has the proportions of a card. */
async function typeByShape(
	file: UploadedFile,
): Promise<{ documentType: string; confidence: number }> {
	if ((await formatOf(file.path)) !== 'image') return { documentType: 'Unknown', confidence: 5 };
	const boxes = await openPicture(file.path)
		.then(findDocuments)
		.catch(() => []);
	const documentType = boxes.map(typeOfShape).find((type) => type !== 'Unknown') ?? 'Unknown';
	return { documentType, confidence: documentType === 'Unknown' ? 5 : 40 };
}

/** 85.60 mm by 53.98 mm, as identity cards and driver licenses are made. */
const cardProportion = 85.6 / 53.98;

function typeOfShape({ width, height }: Pick<DocumentBox, 'width' | 'height'>): string {
	const proportion = Math.max(width, height) / Math.min(width, height);
	return Math.abs(proportion - cardProportion) < 0.06 ? 'Identity Card' : 'Unknown';
}

/** A document that fits no template is called by the words it prints largest. */
function largestText(pages: Page[]): string {
	const cells = pages.flatMap(({ lines }) => lines.flatMap(cellsOf));
	const largest = cells.toSorted((a, b) => (b[0]?.size ?? 0) - (a[0]?.size ?? 0))[0];
	return largest && (largest[0]?.size ?? 0) > 1.15 * usualSize(pages) ? textOf(largest) : 'Unknown';
}
