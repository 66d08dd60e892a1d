import { orObstacle, Budget, MB, Obstacle, type Reason, startSlice } from './budget';
import type { Highlight } from './marking/highlights';
import { type Dict, isDict } from './objects';
import { type OpenedFile, Part, type SourcePage } from './part';
import { readTables } from './readTables';
import { scanFile } from './scanFile';
import { SourceFile } from './sourceFile';

/** Deciphering takes a second for 8 MB. */
const MAX_ENCRYPTED_BYTES = 50 * MB;

const MAX_PAGES = 100_000;

/** `damaged` if it is beyond repair or has no pages, `locked` if it needs a password. */
export type NotCutReason = 'notPdf' | 'tooLarge' | Exclude<Reason, 'wrongTable'>;

export interface Bundle {
	readonly pageCount: number;
	/**
	 * The pieces of a PDF of these pages, counted from 1, in this order, with what they use and their highlights; one call at a
	 * time. `noPages` if none exists, `damaged` if something they use cannot be read, `tooComplex` if it is over a bound in
	 * `budget.ts`.
	 */
	cut(
		pages: number[],
		highlights?: Highlight[],
	): Promise<Uint8Array[] | 'noPages' | 'damaged' | 'tooComplex'>;
}

export async function readBundle(bytes: Buffer): Promise<Bundle | NotCutReason> {
	await startSlice();
	const budget = new Budget(bytes.length);
	const openBy = async (locate: typeof readTables) =>
		await readPages(await SourceFile.open(await locate(bytes, budget)));
	const result = await orObstacle(async () => {
		const byTables = await orObstacle(
			async () => await openBy(readTables),
			'wrongTable',
			'damaged',
		);
		return byTables instanceof Obstacle ? await openBy(scanFile) : byTables;
	});
	if (result instanceof Obstacle) return result.reason === 'wrongTable' ? 'damaged' : result.reason;
	const { pages } = result;
	return {
		pageCount: pages.length,
		async cut(numbers, highlights) {
			const chosen = numbers.flatMap((number) => pages[number - 1] ?? []);
			if (chosen.length === 0) return 'noPages';
			await startSlice();
			const part = await orObstacle(async () => await new Part(result).make(chosen, highlights));
			if (!(part instanceof Obstacle)) return part;
			return part.reason === 'tooComplex' ? 'tooComplex' : 'damaged';
		},
	};
}

/** Entries that a page inherits from the nodes above it. */
const INHERITED = ['Resources', 'MediaBox', 'CropBox', 'Rotate'];

/** Throws `damaged` if a page or a list of pages cannot be read, because the numbers of all later pages would be wrong. */
async function readPages(file: SourceFile): Promise<OpenedFile> {
	if (file.cipher && file.bytes.length > MAX_ENCRYPTED_BYTES)
		throw new Obstacle('tooLargeEncrypted');
	const pages: SourcePage[] = [];
	const nodes = new Set<Dict>();
	const top: SourcePage['inherited'] = new Map();
	const catalog = await file.catalog();
	const pending = [{ node: catalog.get('Pages'), above: top }];
	for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
		const dict = await file.lookup(next.node);
		if (!isDict(dict)) throw new Obstacle('damaged');
		const isKnown = nodes.has(dict);
		nodes.add(dict);
		const inherited = new Map(next.above);
		for (const key of INHERITED) {
			const entry = dict.get(key) ?? null;
			const value = await orObstacle(async () => await file.lookup(entry), 'damaged');
			// One that cannot be read is not replaced by that of a node above.
			if (value !== undefined) inherited.set(key, entry);
		}
		const kids = await file.at(dict, 'Kids');
		if (Array.isArray(kids)) {
			if (isKnown) throw new Obstacle('damaged');
			if (kids.length + pending.length + pages.length > MAX_PAGES) throw new Obstacle('tooComplex');
			for (const kid of [...kids].reverse()) pending.push({ node: kid, above: inherited });
		} else if ((await file.nameAt(dict, 'Type')) === 'Pages') {
			throw new Obstacle('damaged');
		} else {
			pages.push({ dict, inherited });
		}
		await file.budget.yieldToN8n();
	}
	if (pages.length === 0) throw new Obstacle('damaged');
	return { file, pages, nodes, names: new Map() };
}
