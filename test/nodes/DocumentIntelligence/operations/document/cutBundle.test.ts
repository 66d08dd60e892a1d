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

function contextWith(signal = new AbortController().signal): Pick<FileContext, 'signal'> {
	return { signal };
}

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

/** Work that ends when it is told to, or if nobody does, never. */
function working(stop?: AbortController, content = plain) {
	const work = {
		hasBegun: false,
		end: () => undefined as void,
		result: Promise.resolve('' as unknown),
	};
	work.result = withBundle(contextWith(stop?.signal), content, async () => {
		work.hasBegun = true;
		await new Promise<void>((resolve) => (work.end = resolve));
	});
	return work;
}

const settle = async () => await new Promise((resolve) => setTimeout(resolve, 50));

/** Until all of these have begun, however busy the machine is, and others would have. */
async function begun(...all: Array<ReturnType<typeof working>>): Promise<void> {
	do await settle();
	while (!all.every(({ hasBegun }) => hasBegun));
	await settle();
}

test('a store that hangs keeps no slot for good', async () => {
	const content: Content = {
		bytes: 1000,
		async *open() {
			await new Promise(() => undefined);
			yield Buffer.alloc(0);
		},
	};
	const hanging = [1, 2, 3].map(
		async () => await withBundle(contextWith(), content, jest.fn(), 20),
	);
	expect(await Promise.all(hanging)).toEqual(
		Array(3).fill(expect.stringMatching(/^n8n could not read it again: /)),
	);
	expect(await withBundle(contextWith(), plain, async () => await Promise.resolve('cut'))).toBe(
		'cut',
	);
});

test('a store that hangs while a part is written keeps no slot for good', async () => {
	const { signal } = new AbortController();
	const timeout = AbortSignal.timeout.bind(AbortSignal);
	const spy = jest.spyOn(AbortSignal, 'timeout');
	const hang = jest.fn(async () => {
		spy.mockImplementationOnce(() => timeout(20));
		await new Promise(() => undefined);
	});
	const hanging = [1, 2, 3].map(async () => await cutInto([[1], [2]], plain, signal, hang));
	for (const each of await Promise.allSettled(hanging))
		expect(each).toMatchObject({ reason: { message: 'The operation was aborted due to timeout' } });
	expect(hang).toHaveBeenCalledTimes(3);
	spy.mockRestore();
	expect(await withBundle(contextWith(), plain, async () => await Promise.resolve('cut'))).toBe(
		'cut',
	);
});

test('a file over the bound is not read at all', async () => {
	const content: Content = {
		bytes: MAX_BUNDLE_BYTES + 1,
		open: () => {
			throw new Error('It is read.');
		},
	};
	const work = jest.fn();
	expect(await withBundle(contextWith(), content, work)).toBe('it is larger than 200 MB');
	expect(work).not.toHaveBeenCalled();
});

test('an encrypted file over its bound says so', async () => {
	const encrypted = corpus['opens without a password, RC4 128']!.file();
	const file = Buffer.concat([encrypted, Buffer.alloc(50 * 1024 * 1024, '\n')]);
	expect(await withBundle(contextWith(), contentOf(file), jest.fn())).toBe(
		'it is encrypted and larger than 50 MB',
	);
});

test('two files are in memory at a time, in the order of arrival', async () => {
	const all = [working(), working(), working()];
	const [first, second, third] = all;
	await begun(first!, second!);
	expect(third?.hasBegun).toBe(false);
	first!.end();
	await begun(third!);
	all.forEach(({ end }) => end());
	expect(await Promise.all(all.map(async ({ result }) => await result))).toEqual([
		undefined,
		undefined,
		undefined,
	]);
});

test('those that fail leave their turn to the next', async () => {
	const fail = async () => await Promise.reject(new Error('disk full'));
	for (let number = 0; number < 3; number++)
		await expect(withBundle(contextWith(), plain, fail)).rejects.toThrow('disk full');
});

test('a stop ends the wait of its execution, and only files whose turn it is have one to pass on', async () => {
	const stop = new AbortController();
	const other = working();
	const [hanging, waiting, after, last] = [working(stop), working(stop), working(), working()];
	await begun(other, hanging);
	stop.abort();
	for (const { result } of [hanging, waiting]) await expect(result).rejects.toThrow('aborted');
	await begun(after);
	expect([hanging, waiting, after, last].map(({ hasBegun }) => hasBegun)).toEqual([
		true,
		false,
		true,
		false,
	]);
	other.end();
	after.end();
	await begun(last);
	last.end();
	expect(await last.result).toBeUndefined();
});

test('a stop ends the reading of a file', async () => {
	const stop = new AbortController();
	let chunks = 0;
	const content: Content = {
		bytes: 100_000_000,
		open: async function* () {
			for (;;) {
				chunks += 1;
				if (chunks === 3) stop.abort();
				await Promise.resolve();
				yield Buffer.from('%PDF-1.4');
			}
		},
	};
	await expect(working(stop, content).result).rejects.toThrow('aborted');
	await settle();
	expect(chunks).toBeLessThan(5);
});

/** Cuts a file into documents of these pages, each stored like this. */
async function cutInto(pages: number[][], content: Content, signal: AbortSignal, store: jest.Mock) {
	const context = { helpers: { prepareBinaryData: store }, signal };
	const segments = pages.map((own) => ({ documentType: null, pages: own }));
	const file = { content, name: 'a.pdf', uploadName: 'a.pdf', mimeType: 'application/pdf' };
	return await cutBundle(
		segments as Segment[],
		file as InputFile,
		context as unknown as FileContext,
	);
}

const stored = () => jest.fn(async () => await Promise.resolve({}));

test('a stop ends the cutting of a file', async () => {
	const stop = new AbortController();
	const store = jest.fn(async () => {
		stop.abort();
		return await Promise.resolve({});
	});
	const cut = cutInto([[1], [2], [3]], plain, stop.signal, store);
	await expect(cut).rejects.toThrow('aborted');
	await settle();
	expect(store).toHaveBeenCalledTimes(1);
});

test('parts that Extract could not take are named', async () => {
	const { signal } = new AbortController();
	const content = contentOf(scan(2, 5_300_000));
	for (const pages of [[[1], [1, 2]], [[1, 2]]]) {
		const { documents, remarks } = await cutInto(pages, content, signal, stored());
		expect(documents.every(({ binary }) => binary !== undefined)).toBe(true);
		expect(remarks).toContain(
			`document ${pages.length}: over 10 MB, the limit of the other operations`,
		);
	}
});

test('a document that cannot be cut is named with the reason, and the others have their files', async () => {
	const content = { dict: '/Filter /UnknownDecode', data: '' };
	const file = contentOf(rawPdf(twoPages({ content })));
	const { signal } = new AbortController();
	const { documents, remarks } = await cutInto([[1], [2]], file, signal, stored());
	expect(documents.map(({ binary }) => binary !== undefined)).toEqual([false, true]);
	expect(remarks).toEqual(['document 1: the content of its pages is damaged']);
});
