import { dirname, join } from 'node:path';
import type { AnnotationContent, PdfContent, ReadAnswer } from './reader';

const packageFolder = dirname(require.resolve('pdfjs-dist/package.json'));

async function read(data: Uint8Array): Promise<PdfContent> {
	const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs');
	const loading = pdfjs.getDocument({
		data,
		verbosity: pdfjs.VerbosityLevel.ERRORS,
		standardFontDataUrl: join(packageFolder, 'standard_fonts/'),
		stopAtErrors: true,
	});
	try {
		const document = await loading.promise;
		const pages: PdfContent['pages'] = [];
		for (let number = 1; number <= document.numPages; number++) {
			const page = await document.getPage(number);
			const { items } = await page.getTextContent();
			const { fnArray, argsArray } = await page.getOperatorList();
			const annotations = (await page.getAnnotations()) as PdfJsAnnotation[];
			pages.push({
				text: items
					.map((item) => ('str' in item ? item.str : ''))
					.join(' ')
					.trim(),
				rotate: page.rotate,
				view: page.view,
				userUnit: page.userUnit,
				annotations: annotations.map(readAnnotation),
				operators: withoutIds(
					fnArray.map((operator, index) => [operator, argsArray[index] as unknown]),
				),
			});
			page.cleanup();
		}
		const layers = await document.getOptionalContentConfig();
		return {
			pages,
			layers: [...(layers as Iterable<[string, PdfJsLayer]>)].map(([, { name, visible }]) => ({
				name,
				visible,
			})),
		};
	} finally {
		await loading.destroy();
	}
}

interface PdfJsLayer {
	name: string;
	visible: boolean;
}

interface PdfJsAnnotation extends AnnotationContent {
	contentsObj?: { str: string };
}

function readAnnotation(annotation: PdfJsAnnotation): AnnotationContent {
	const { subtype, hasAppearance, rect, contentsObj } = annotation;
	return { subtype, hasAppearance, rect, contents: contentsObj?.str };
}

/** pdf.js names what it draws after object numbers, which are others in a part. */
function withoutIds(operators: unknown): string {
	return JSON.stringify(operators).replace(/"(?:g_\w+|img_\w+|\d+R\w*)"/g, '"id"');
}

process.on('message', (bytes: Uint8Array) => {
	read(new Uint8Array(bytes)).then(
		(content) => answer({ content }),
		(error: Error) => answer({ unreadable: error.message }),
	);
});

function answer(message: ReadAnswer) {
	process.send?.(message);
}
