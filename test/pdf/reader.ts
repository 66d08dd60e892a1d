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
		const answer = this.queue.then(async () => await this.ask({ data, pages }));
		this.queue = answer.catch(() => undefined);
		return await answer;
	}

	private async ask(question: { data: Uint8Array; pages?: number[] }): Promise<PdfContent> {
		const answered = once(this.child, 'message');
		this.child.send(question);
		const [answer] = (await answered) as [{ content: PdfContent } | { unreadable: string }];
		if ('unreadable' in answer) throw new Error(answer.unreadable);
		return answer.content;
	}

	stop(): void {
		this.child.kill();
	}
}
