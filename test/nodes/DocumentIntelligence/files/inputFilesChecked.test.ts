import { checkFile } from '../../../../nodes/DocumentIntelligence/files/inputFiles';
import { typeOfName } from '../../../../nodes/DocumentIntelligence/files/fileTypes';
import type { InputFile } from '../../../../nodes/DocumentIntelligence/files/inputFiles';
import { storeFile, useBinaryMode, type BinaryMode } from '../../../n8n-core/runNode';
import { MB, pdfOfSize, sampleBytes, sha256 } from '../../samples';
import { failureOf, useService } from '../../service';

const service = useService();

const TEN_MB = 10 * MB;

describe.each<BinaryMode>(['filesystem', 'default'])(
	'Sizes, with files kept in n8n’s mode "%s"',
	(mode) => {
		beforeAll(async () => await useBinaryMode(mode));

		test('exactly 10 MB is sent, whole', async () => {
			const content = pdfOfSize(TEN_MB);
			const binary = await storeFile(content, 'ten.pdf', 'application/pdf');
			const { items } = await service.run({ operation: 'classify' }, [
				{ json: {}, binary: { data: binary } },
			]);
			expect(items).toEqual([
				{
					json: expect.objectContaining({ fileName: 'ten.pdf', documentType: 'Invoice' }) as object,
					binary: { data: binary },
					pairedItem: { item: 0 },
				},
			]);
			expect(await service.files()).toEqual([
				{
					name: 'files',
					fileName: 'ten.pdf',
					contentType: 'application/pdf',
					bytes: TEN_MB,
					sha256: sha256(content),
				},
			]);
		});

		test.each([
			[
				'one byte over 10 MB',
				pdfOfSize(TEN_MB + 1),
				'"scan.pdf" is too large: it is 10.01 MB; the limit for this operation is 10 MB',
				/Split/,
			],
			[
				'twice the limit',
				pdfOfSize(2 * TEN_MB),
				'"scan.pdf" is too large: it is 20.00 MB; the limit for this operation is 10 MB',
				/Split/,
			],
			['nothing at all', Buffer.alloc(0), '"scan.pdf" is empty', /download may have stopped early/],
		])('%s is refused, and nothing is sent', async (_, content, message, description) => {
			const binary = await storeFile(content, 'scan.pdf', 'application/pdf');
			const { items } = await service.run(
				{ operation: 'extract' },
				[{ json: {}, binary: { data: binary } }],
				{ onError: 'continueRegularOutput' },
			);
			const failure = failureOf(items[0]);
			expect(failure.message).toBe(message);
			expect(failure.description).toMatch(description);
			expect(await service.calls()).toEqual([]);
		});
	},
);

test.each([
	['classify', 400],
	['crop', 400],
	['extract', 400],
	['zeroShot', 400],
	['split', 200],
])('the limit of %s for 10 MB and a byte', async (operation, status) => {
	await useBinaryMode('filesystem');
	const binary = await storeFile(pdfOfSize(TEN_MB + 1), 'long.pdf', 'application/pdf');
	const { items } = await service.run({ operation }, [{ json: {}, binary: { data: binary } }], {
		onError: 'continueRegularOutput',
	});
	const statuses = (await service.calls()).map((call) => call.status);
	expect({ statuses, refused: items.map(({ json }) => json.error !== undefined) }).toEqual(
		status === 200 ? { statuses: [200], refused: [false] } : { statuses: [], refused: [true] },
	);
});

test.each([
	['selfie', { selfie: TEN_MB + 1, documents: 2000 }],
	['document', { selfie: 2000, documents: TEN_MB + 1 }],
])('a %s that is too large keeps all files of its item back', async (part, sizes) => {
	await useBinaryMode('filesystem');
	const binary = {
		selfie: await storeFile(pdfOfSize(sizes.selfie), 'selfie.pdf', 'application/pdf'),
		documents: await storeFile(pdfOfSize(sizes.documents), 'document.pdf', 'application/pdf'),
	};
	const { items } = await service.run({ operation: 'faceMatch' }, [{ json: {}, binary }], {
		onError: 'continueRegularOutput',
	});
	expect(failureOf(items[0]).message).toContain(`"${part}.pdf" is too large`);
	expect(items).toHaveLength(1);
	expect(await service.calls()).toEqual([]);
});

test('base64 that a Code node wrapped into lines has its right size and bytes', async () => {
	await useBinaryMode('default');
	const content = sampleBytes('invoice-us.pdf');
	const wrapped = content.toString('base64').replace(/.{76}/g, '$&\r\n');
	const binary = { data: wrapped, mimeType: 'application/pdf', fileName: 'wrapped.pdf' };
	await service.run({ operation: 'classify' }, [{ json: {}, binary: { data: binary } }]);
	expect(await service.files()).toEqual([
		{
			name: 'files',
			fileName: 'wrapped.pdf',
			contentType: 'application/pdf',
			bytes: content.length,
			sha256: sha256(content),
		},
	]);
});

describe('What is said of a file', () => {
	/** As far as the check looks at it. */
	const file = (name: string, bytes: number) =>
		({ name, type: typeOfName(name), content: { bytes } }) as InputFile;

	test.each([
		['a.pdf', 1, 10, undefined, undefined],
		['a.pdf', 10 * MB, 10, undefined, undefined],
		['a.pdf', 0, 10, '"a.pdf" is empty', /^Check the node before/],
		['a.txt', 0, 10, '"a.txt" is empty', /^Check the node before/],
		[
			'a.txt',
			20 * MB,
			10,
			'"a.txt" has an unsupported file type',
			/^The service reads \.pdf, .*\.docx\. Convert .*Ignore Unsupported Files skips such files\.$/,
		],
		[
			'a.pdf',
			10 * MB + 1,
			10,
			'"a.pdf" is too large: it is 10.01 MB; the limit for this operation is 10 MB',
			/^Reduce .*Split/,
		],
		['a.pdf', 500 * MB, 500, undefined, undefined],
		[
			'a.pdf',
			510.5 * MB,
			500,
			'"a.pdf" is too large: it is 510.50 MB; the limit for this operation is 500 MB',
			/^Split the file before this node\.$/,
		],
	])('%s of %d bytes, where up to %d MB are taken', (name, bytes, most, message, description) => {
		const refusal = checkFile(file(name, bytes), most * MB);
		expect(refusal?.message).toBe(message);
		if (description !== undefined) expect(refusal?.description).toMatch(description);
		expect(refusal?.details).toEqual(message === undefined ? undefined : { fileName: name });
	});
});
