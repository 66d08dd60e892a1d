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

export interface AnnotationContent {
	subtype: string;
	hasAppearance: boolean;
	rect: number[];
	contents?: string;
}

export type ReadAnswer = { content: PdfContent } | { unreadable: string };

/** Reads PDFs with pdf.js in a process of its own: it is an ES module, which jest cannot load. */
export class PdfReader {
	private readonly child: ChildProcess = fork(join(__dirname, 'readerProcess.ts'), {
		execArgv: ['--import', 'tsx'],
		serialization: 'advanced',
	});
	private queue: Promise<unknown> = Promise.resolve();

	/** What is in the file; throws where pdf.js cannot read it. */
	async read(bytes: Uint8Array): Promise<PdfContent> {
		const answer = this.queue.then(async () => await this.ask(bytes));
		this.queue = answer.catch(() => undefined);
		return await answer;
	}

	private async ask(bytes: Uint8Array): Promise<PdfContent> {
		const answered = once(this.child, 'message');
		this.child.send(bytes);
		const [answer] = (await answered) as [ReadAnswer];
		if ('unreadable' in answer) throw new Error(answer.unreadable);
		return answer.content;
	}

	stop(): void {
		this.child.kill();
	}
}
