import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What pdf.js, which shares no code with the library that cuts, finds in a file. */
export interface PdfContent {
	pages: PageContent[];
	layers: Array<{ name: string; visible: boolean }>;
}

export interface PageContent {
	text: string;
	/** In degrees. */
	rotate: number;
	/** The crop box, in points. */
	view: number[];
	userUnit: number;
	annotations: AnnotationContent[];
	/** All that drawing the page does, as JSON; the same for pages that look the same. */
	operators: string;
}

interface AnnotationContent {
	subtype: string;
	hasAppearance: boolean;
	rect: number[];
	contents?: string;
	flags: number;
	/** The text that begins in it. */
	covers: string;
}

/** A page as it is shown. */
export interface RenderedPage {
	width: number;
	height: number;
	/** Red, green, blue and opacity of each. */
	pixels: Uint8ClampedArray;
}

/** Reads PDFs with pdf.js in a process of its own: it is an ES module, which jest cannot load. */
export class PdfReader {
	private readonly child: ChildProcess = fork(join(__dirname, 'readerProcess.mjs'), {
		execArgv: [],
		serialization: 'advanced',
	});
	private queue: Promise<unknown> = Promise.resolve();

	/** What is on these pages, or on all. Throws if pdf.js cannot read the file. */
	async read(data: Uint8Array, pages?: number[]): Promise<PdfContent> {
		return await this.inTurn<PdfContent>({ data, pages });
	}

	/** The first page, with its annotations. */
	async render(data: Uint8Array, scale: number): Promise<RenderedPage> {
		return await this.inTurn<RenderedPage>({ render: data, scale });
	}

	private async inTurn<Content>(question: object): Promise<Content> {
		const answer = this.queue.then(async () => await this.ask<Content>(question));
		this.queue = answer.catch(() => undefined);
		return await answer;
	}

	private async ask<Content>(question: object): Promise<Content> {
		const answered = once(this.child, 'message');
		this.child.send(question);
		const [answer] = (await answered) as [{ content: Content } | { unreadable: string }];
		if ('unreadable' in answer) throw new Error(answer.unreadable);
		return answer.content;
	}

	stop(): void {
		this.child.kill();
	}
}
