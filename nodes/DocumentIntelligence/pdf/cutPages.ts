import { TooComplex } from './bounds';
import { DamagedTable } from './crossReference';
import type { Bundle, NotCutReason } from './openBundle';
import { readPageTree } from './pageTree';
import { PartMaker } from './part';
import { Locked, SourceFile } from './sourceFile';
import { MAX_ENCRYPTED_BUNDLE_BYTES } from './openBundle';
import type { SourcePage } from './pageTree';

// The library reads streams and writes objects; what a file has in it and what belongs to a page is decided in this
// folder, as every library reads copies that the file no longer uses and copies more than a page (docs/pdf-library.md).

interface Opened {
	pages: SourcePage[];
	maker: PartMaker;
}

/** Reads a file that starts like a PDF. */
export async function readBundle(bytes: Buffer): Promise<Bundle | NotCutReason> {
	let opened: Opened | NotCutReason;
	try {
		opened = (await openByTables(bytes)) ?? (await openRepaired(bytes));
	} catch (thrown) {
		return reasonOf(thrown);
	}
	if (typeof opened === 'string') return opened;
	let current = opened;
	const pageCount = current.pages.length;
	const make = async (numbers: number[]) => {
		const chosen = numbers.flatMap((number) => current.pages[number - 1] ?? []);
		return chosen.length === 0 ? 'noPages' : await current.maker.make(chosen);
	};
	return {
		pageCount,
		async cut(numbers) {
			try {
				try {
					return await make(numbers);
				} catch (thrown) {
					if (!(thrown instanceof DamagedTable)) throw thrown;
					// The table was right about the pages, but not about something on them.
					const repaired = await openRepaired(bytes);
					if (typeof repaired === 'string') return 'damaged';
					if (repaired.pages.length !== pageCount) return 'damaged';
					current = repaired;
					return await make(numbers);
				}
			} catch (thrown) {
				return reasonOf(thrown) === 'tooComplex' ? 'tooComplex' : 'damaged';
			}
		},
	};
}

/** The file as its tables say, or `undefined` where they are damaged. */
async function openByTables(bytes: Buffer): Promise<Opened | 'tooLarge' | undefined> {
	// Offsets count from the header, or, as many writers have it, from the start of the file.
	for (const origin of new Set([0, bytes.indexOf('%PDF-')])) {
		try {
			const opened = await open(await SourceFile.open(bytes, origin));
			if (opened !== undefined) return opened;
		} catch (thrown) {
			if (!(thrown instanceof DamagedTable)) throw thrown;
		}
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

function reasonOf(thrown: unknown): NotCutReason {
	if (thrown instanceof Locked) return 'locked';
	if (thrown instanceof TooComplex) return 'tooComplex';
	if (thrown instanceof DamagedTable) return 'damaged';
	throw thrown;
}
