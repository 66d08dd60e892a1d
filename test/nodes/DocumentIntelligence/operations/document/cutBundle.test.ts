import {
	cutBundle,
	withBundle,
} from '../../../../../nodes/DocumentIntelligence/operations/document/cutBundle';
import type { Content, FileContext } from '../../../../../nodes/DocumentIntelligence/files/content';
import type { InputFile } from '../../../../../nodes/DocumentIntelligence/files/inputFiles';
import { MAX_BUNDLE_BYTES } from '../../../../../nodes/DocumentIntelligence/pdf/openBundle';
import type { Segment } from '../../../../../nodes/DocumentIntelligence/results/segments';
import { corpus, scan } from '../../../../pdf/corpus';
import { rawPdf, twoPages } from '../../../../pdf/rawPdf';

function contentOf(bytes: Buffer): Content {
	return {
		bytes: bytes.length,
		open: async function* () {
			await Promise.resolve();
			for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
		},
	};
}

const plain = contentOf(corpus.plain!.file());

const never = async () => await new Promise<never>(() => undefined);

const free = { signal: new AbortController().signal };

/** Work that ends when it is told to, or if nobody does, never. */
function working(stop?: AbortController, content = plain) {
	const work = { hasBegun: false, end: () => undefined as void };
	const result = withBundle(stop ?? free, content, async () => {
		work.hasBegun = true;
		await new Promise<void>((resolve) => (work.end = resolve));
	});
	return Object.assign(work, { result });
}

const settle = async () => await new Promise((resolve) => setTimeout(resolve, 50));

/** Until all of these have begun, however busy the machine is, and others would have. */
async function begun(...all: Array<ReturnType<typeof working>>): Promise<void> {
	do await settle();
	while (!all.every(({ hasBegun }) => hasBegun));
	await settle();
}

/** Cuts a file into documents of these pages, each stored like this. */
async function cutInto(
	pages: number[][],
	content: Content,
	store: () => Promise<object> = async () => await Promise.resolve({}),
	signal = free.signal,
) {
	const context = { helpers: { prepareBinaryData: store }, signal };
	const segments = pages.map((own) => ({ documentType: null, pages: own }));
	const file = { content, name: 'a.pdf', uploadName: 'a.pdf', mimeType: 'application/pdf' };
	return await cutBundle(
		segments as Segment[],
		file as InputFile,
		context as unknown as FileContext,
	);
}

test('a file over a bound says so, and over that of all files, it is not read', async () => {
	const large = { bytes: MAX_BUNDLE_BYTES + 1 } as Content;
	expect(await withBundle(free, large, jest.fn())).toBe('it is larger than 200 MB');
	const encrypted = corpus['opens without a password, RC4 128']!.file();
	const content = contentOf(Buffer.concat([encrypted, Buffer.alloc(50 * 1024 * 1024, '\n')]));
	expect(await withBundle(free, content, jest.fn())).toBe('it is encrypted and larger than 50 MB');
});

describe('Two files are in memory at a time', () => {
	test('in the order of arrival', async () => {
		const all = [working(), working(), working()];
		const [first, second, third] = all;
		await begun(first!, second!);
		expect(third?.hasBegun).toBe(false);
		first!.end();
		await begun(third!);
		all.forEach(({ end }) => end());
		for (const { result } of all) expect(await result).toBeUndefined();
	});

	/** That no slot is taken for good. */
	const expectFree = async () =>
		expect(await withBundle(free, plain, async () => await Promise.resolve('cut'))).toBe('cut');

	test('those that fail leave their turn to the next', async () => {
		const fail = async () => await Promise.reject(new Error('disk full'));
		for (let number = 0; number < 3; number++)
			await expect(withBundle(free, plain, fail)).rejects.toThrow('disk full');
		await expectFree();
	});

	test('a store that hangs keeps no slot for good', async () => {
		async function* open() {
			yield await never();
		}
		const content = { ...plain, open };
		const hanging = [1, 2, 3].map(async () => await withBundle(free, content, jest.fn(), 20));
		for (const result of await Promise.all(hanging))
			expect(result).toMatch(/^n8n could not read it again: /);
		await expectFree();
	});

	test('a store that hangs while a part is written keeps no slot for good', async () => {
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		const spy = jest.spyOn(AbortSignal, 'timeout');
		const hang = jest.fn(async () => {
			spy.mockImplementationOnce(() => timeout(20));
			return await never();
		});
		const hanging = [1, 2, 3].map(async () => await cutInto([[1], [2]], plain, hang));
		for (const each of await Promise.allSettled(hanging))
			expect(each).toMatchObject({
				reason: { message: 'The operation was aborted due to timeout' },
			});
		expect(hang).toHaveBeenCalledTimes(3);
		spy.mockRestore();
		await expectFree();
	});
});

describe('A stop', () => {
	test('ends the wait of its execution, and only files whose turn it is have one to pass on', async () => {
		const stop = new AbortController();
		const other = working();
		const [hanging, waiting, after, last] = [working(stop), working(stop), working(), working()];
		await begun(other, hanging);
		stop.abort();
		for (const { result } of [hanging, waiting]) await expect(result).rejects.toThrow('aborted');
		await begun(after);
		expect([hanging, waiting, after, last].map(({ hasBegun }) => hasBegun)).toEqual([
			...[true, false],
			...[true, false],
		]);
		other.end();
		after.end();
		await begun(last);
		last.end();
		expect(await last.result).toBeUndefined();
	});

	test('ends the reading of a file', async () => {
		const stop = new AbortController();
		let chunks = 0;
		async function* open() {
			while (chunks < 100) {
				if (++chunks === 3) stop.abort();
				yield await Promise.resolve(Buffer.from('%PDF-1.4'));
			}
		}
		await expect(working(stop, { bytes: 100_000_000, open }).result).rejects.toThrow('aborted');
		await settle();
		expect(chunks).toBeLessThan(5);
	});

	test('ends the cutting of a file', async () => {
		const stop = new AbortController();
		const store = jest.fn(async () => {
			stop.abort();
			return await Promise.resolve({});
		});
		const cut = cutInto([[1], [2], [3]], plain, store, stop.signal);
		await expect(cut).rejects.toThrow('aborted');
		await settle();
		expect(store).toHaveBeenCalledTimes(1);
	});
});

test('parts that Extract could not take are named', async () => {
	const content = contentOf(scan(2, 5_300_000));
	for (const pages of [[[1], [1, 2]], [[1, 2]]]) {
		const { documents, remarks } = await cutInto(pages, content);
		expect(documents.every(({ binary }) => binary !== undefined)).toBe(true);
		expect(remarks).toContain(
			`document ${pages.length}: over 10 MB, the limit of the other operations`,
		);
	}
});

test('a document that cannot be cut is named with the reason, and the others have their files', async () => {
	const content = { dict: '/Filter /UnknownDecode', data: '' };
	const file = contentOf(rawPdf(twoPages({ content })));
	const { documents, remarks } = await cutInto([[1], [2]], file);
	expect(documents.map(({ binary }) => binary !== undefined)).toEqual([false, true]);
	expect(remarks).toEqual(['document 1: the content of its pages is damaged']);
});
