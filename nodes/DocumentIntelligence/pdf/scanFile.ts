import { orObstacle, type Budget } from './budget';
import { CrossReference } from './crossReference';
import { type Dict, endOfData, isDict } from './objects';

/** The number and generation of an object, before `obj`. */
const HEADER = /(?:^|[^\d.+-])(\d{1,10})[\s\0]+(\d{1,5})[\s\0]*$/;

/** How far before `obj` a header may begin, and how far after it the data of a stream, in bytes. */
const [MAX_HEADER_BYTES, MAX_DICT_BYTES] = [40, 2000];

/** An object up to its data. The word "stream" alone may be part of a title or of the name of a font. */
const BEFORE_DATA = /^[^]*?(?:>>[\s\0]*stream|endobj)/;

/** The length of a stream, if it is not an object of its own. */
const LENGTH = /\/Length\s+(\d{1,10})(?!\s+\d+\s+R|\d)/;

/** Cost of a check for the header of an object or for a trailer, in bytes. */
const [COST_OF_HEADER, COST_OF_TRAILER] = [200, 1000];

/** Scans a file with damaged tables; the last copy of an object counts. */
export async function scanFile(bytes: Buffer, budget: Budget): Promise<CrossReference> {
	const scan = new FileScan(new CrossReference(bytes, budget));
	await scan.forEach('obj', async (at) => await scan.readObject(at));
	await scan.forEach('trailer', async (at) => await scan.readTrailer(at, at + 'trailer'.length));
	scan.addTrailers();
	return scan.objects;
}

class FileScan {
	private readonly trailers: Array<{ offset: number; dict: Dict }> = [];

	constructor(readonly objects: CrossReference) {}

	/** @param read returns where to go on, which is after the word unless it says otherwise */
	async forEach(word: string, read: (at: number) => Promise<number | void>): Promise<void> {
		const { bytes, budget } = this.objects;
		for (let from = 0; from <= bytes.length;) {
			const at = bytes.indexOf(word, from);
			budget.spend((at < 0 ? bytes.length : at) - from);
			await budget.yieldToN8n();
			if (at < 0) return;
			from = (await read(at)) ?? at + word.length;
		}
	}

	/** @returns the end of its data, which are skipped, because they may look like objects */
	async readObject(word: number): Promise<number | undefined> {
		const { bytes, budget } = this.objects;
		// Usually the end of "endobj".
		if (bytes[word - 1] === 'd'.charCodeAt(0)) return undefined;
		budget.spend(COST_OF_HEADER);
		const before = Math.max(0, word - MAX_HEADER_BYTES);
		const header = HEADER.exec(bytes.toString('latin1', before, word));
		if (header === null) return undefined;
		const offset = before + header.index + header[0].search(/\d/);
		const [number, generation] = [Number(header[1]), Number(header[2])];
		if (number > 0) this.objects.set(number, { at: offset, generation });
		const start = word + 'obj'.length;
		const ahead = bytes.toString('latin1', start, start + MAX_DICT_BYTES);
		const head = BEFORE_DATA.exec(ahead)?.[0];
		budget.spend(head?.length ?? MAX_DICT_BYTES);
		if (!head?.endsWith('stream')) return undefined;
		if (/\/ObjStm\b/.test(head)) this.objects.streams.push({ number, offset });
		if (/\/XRef\b/.test(head)) await this.readTrailer(offset, start);
		const length = Number(LENGTH.exec(head)?.[1]);
		return endOfData(bytes, start + head.length, length, budget)?.after;
	}

	/** Remembers what is at `start` if it is a dictionary. */
	async readTrailer(offset: number, start: number): Promise<void> {
		this.objects.budget.spend(COST_OF_TRAILER);
		const dict = await orObstacle(() => this.objects.parserAt(start).value(), 'damaged');
		if (isDict(dict)) this.trailers.push({ offset, dict });
	}

	/** The last one in the file is the newest. */
	addTrailers(): void {
		this.trailers.sort((first, second) => second.offset - first.offset);
		for (const { dict } of this.trailers) this.objects.addTrailer(dict);
	}
}
