// Plain JavaScript: a loader for TypeScript takes seconds for pdf.js.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';

const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/**
 * @param {{ data: Uint8Array, pages?: number[] }} question
 * @returns {Promise<import('./reader').PdfContent>}
 */
async function read({ data, pages: numbers }) {
	const loading = pdfjs.getDocument({
		data: new Uint8Array(data),
		verbosity: pdfjs.VerbosityLevel.ERRORS,
		standardFontDataUrl: join(packageFolder, 'standard_fonts/'),
		stopAtErrors: true,
	});
	try {
		const document = await loading.promise;
		const all = Array.from({ length: document.numPages }, (_, index) => index + 1);
		const pages = [];
		for (const number of numbers ?? all) pages.push(await readPage(await document.getPage(number)));
		const layers = [...(await document.getOptionalContentConfig())];
		return { pages, layers: layers.map(([, { name, visible }]) => ({ name, visible })) };
	} finally {
		await loading.destroy();
	}
}

/** The first page, with its annotations, as RGBA; @param {{ render: Uint8Array, scale: number }} question */
async function render({ render: data, scale }) {
	const loading = pdfjs.getDocument({
		data: new Uint8Array(data),
		verbosity: pdfjs.VerbosityLevel.ERRORS,
		standardFontDataUrl: join(packageFolder, 'standard_fonts/'),
	});
	try {
		const document = await loading.promise;
		const page = await document.getPage(1);
		const viewport = page.getViewport({ scale });
		const [width, height] = [Math.round(viewport.width), Math.round(viewport.height)];
		const { canvas, context } = document.canvasFactory.create(width, height);
		await page.render({ canvas, canvasContext: context, viewport }).promise;
		return { width, height, pixels: context.getImageData(0, 0, width, height).data };
	} finally {
		await loading.destroy();
	}
}

async function readPage(page) {
	const { items } = await page.getTextContent();
	const { fnArray, argsArray } = await page.getOperatorList();
	const annotations = await page.getAnnotations();
	page.cleanup();
	return {
		text: items
			.map(({ str = '' }) => str)
			.join(' ')
			.trim(),
		rotate: page.rotate,
		view: page.view,
		userUnit: page.userUnit,
		annotations: annotations.map(
			({ subtype, hasAppearance, rect, contentsObj, annotationFlags }) => ({
				...{ subtype, hasAppearance, rect, contents: contentsObj?.str, flags: annotationFlags },
				covers: items
					.filter(({ transform }) => transform && isWithin(rect, transform.slice(4)))
					.map(({ str }) => str)
					.join(' ')
					.trim(),
			}),
		),
		operators: withoutIds(fnArray.map((operator, index) => [operator, argsArray[index]])),
	};
}

function isWithin([x0, y0, x1, y1], [x, y]) {
	return x >= x0 && x <= x1 && y >= y0 && y <= y1;
}

/** pdf.js names what it draws after object numbers, which are others in a part. */
function withoutIds(operators) {
	return JSON.stringify(operators).replace(/"(?:g_\w+|img_\w+|\d+R\w*)"/g, '"id"');
}

process.on('message', (question) => {
	(question.render ? render(question) : read(question)).then(
		(content) => process.send({ content }),
		(error) => process.send({ unreadable: error.message }),
	);
});
