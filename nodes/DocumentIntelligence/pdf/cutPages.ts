import { attemptAsync, DamagedObject, DamagedTable, Locked, TooComplex } from './failures';
import { type Bundle, MAX_ENCRYPTED_BUNDLE_BYTES, type NotCutReason } from './openBundle';
import { readPageTree, type SourcePage } from './pageTree';
import { PartMaker } from './part';
import { SourceFile } from './sourceFile';

// The library decodes, deciphers and writes objects; what a file has in it and what belongs to a page is decided in
// this folder: every library reads copies that the file no longer uses, and copies more than a page
// (docs/pdf-library.md).

interface Opened {
	pages: SourcePage[];
	maker: PartMaker;
}

/** Reads a file that starts like a PDF. */
export async function readBundle(bytes: Buffer): Promise<Bundle | NotCutReason> {
	const opened = await attemptAsync(
		async () => (await openByTables(bytes)) ?? (await openRepaired(bytes)),
		Locked,
		TooComplex,
		DamagedTable,
	);
	if (opened instanceof Error) return reasonOf(opened);
	if (typeof opened === 'string') return opened;
	let { pages, maker } = opened;
	const pageCount = pages.length;
	const make = async (numbers: number[]) => {
		const chosen = numbers.flatMap((number) => pages[number - 1] ?? []);
		if (chosen.length === 0) return 'noPages';
		const part = await attemptAsync(async () => await maker.make(chosen), DamagedTable);
		if (!(part instanceof DamagedTable)) return part;
		// The table was right about the pages, but not about something on them.
		const repaired = await openRepaired(bytes);
		if (typeof repaired === 'string' || repaired.pages.length !== pageCount) return 'damaged';
		({ pages, maker } = repaired);
		return await maker.make(numbers.flatMap((number) => pages[number - 1] ?? []));
	};
	return {
		pageCount,
		async cut(numbers) {
			const part = await attemptAsync(
				async () => await make(numbers),
				Locked,
				TooComplex,
				DamagedTable,
			);
			if (part instanceof TooComplex) return 'tooComplex';
			return part instanceof Error ? 'damaged' : part;
		},
	};
}

/** The file as its tables say, or `undefined` where they are damaged. */
async function openByTables(bytes: Buffer): Promise<Opened | 'tooLarge' | undefined> {
	// Offsets count from the header, or, as many writers have it, from the start of the file.
	for (const origin of new Set([0, bytes.indexOf('%PDF-')])) {
		const opened = await attemptAsync(
			async () => await open(await SourceFile.open(bytes, origin)),
			DamagedTable,
			DamagedObject,
		);
		if (opened !== undefined && !(opened instanceof Error)) return opened;
	}
	return undefined;
}

async function openRepaired(bytes: Buffer): Promise<Opened | NotCutReason> {
	const file = await SourceFile.repair(bytes);
	if (file.cipher === undefined && looksEncrypted(bytes)) return 'locked';
	return (await open(file)) ?? 'damaged';
}

async function open(file: SourceFile): Promise<Opened | 'tooLarge' | undefined> {
	if (file.cipher !== undefined && file.bytes.length > MAX_ENCRYPTED_BUNDLE_BYTES)
		return 'tooLarge';
	const tree = await readPageTree(file);
	return tree && { pages: tree.pages, maker: new PartMaker(file, tree) };
}

/** Whether the trailer that says how to decipher the file is lost: the pages would be noise. */
function looksEncrypted(bytes: Buffer): boolean {
	for (let at = bytes.indexOf('/Standard'); at >= 0; at = bytes.indexOf('/Standard', at + 1)) {
		const around = bytes.toString('latin1', Math.max(0, at - 1000), at + 1000);
		if (['O', 'U', 'P'].every((key) => new RegExp(`/${key}\\s*[<(\\d-]`).test(around))) return true;
	}
	return false;
}

function reasonOf(failure: Error): NotCutReason {
	if (failure instanceof Locked) return 'locked';
	return failure instanceof TooComplex ? 'tooComplex' : 'damaged';
}
