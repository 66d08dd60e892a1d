import { useStandIn } from '../useStandIn';

const service = useStandIn();

test('with fraud screening, an extraction differs in nothing but its ID', async () => {
	const expected = { fraudBlocked: false, fraudRequestId: null, quality: null, metadata: {} };
	expect((await service.upload('/Document/extraction', 'invoice-us.pdf')).data).toMatchObject(
		expected,
	);
	await service.standIn.configure({ fraudScreening: true });
	expect((await service.upload('/Document/extraction', 'invoice-us.pdf')).data).toMatchObject({
		...expected,
		fraudRequestId: expect.any(String) as string,
	});
});

test('a blocked document is a 200 without fields, and a warning is one with fields', async () => {
	await service.standIn.queueFaults([{ kind: 'qualityBlock' }, { kind: 'qualityWarn' }]);
	const blocked = await service.upload('/Document/extraction', 'invoice-us.pdf');
	const warned = await service.upload('/Document/extraction', 'invoice-us.pdf');
	expect([blocked.status, warned.status]).toEqual([200, 200]);
	expect(blocked.data).toMatchObject({ metadata: null, quality: { overall: 2 } });
	expect(warned.data).toMatchObject({ metadata: {}, quality: { overall: 1 } });
});

describe('Split', () => {
	const split = async (name: string) => (await service.upload('/Document/split', name)).data;

	const segment = { documentType: 'Invoice', startPage: 1, endPage: 1 };
	const item = { documentType: { value: 'Invoice' }, pageRange: { value: '1' } };
	test.each([
		['metadata', { metadata: { segments: [segment] } }],
		['pageRange', { metadata: { segments: [{ detectedType: 'Invoice', pageRange: '1' }] } }],
		['items', { metadata: { documents: { items: [item] } } }],
		['beside', { segments: [segment] }],
	] as const)('lists segments in the form "%s"', async (splitForm, expected) => {
		await service.standIn.configure({ splitForm });
		expect(await split('invoice-us.pdf')).toMatchObject(expected);
	});

	test.each(['two-cards.jpg', 'letter.docx'])('takes %s, and finds one segment', async (name) => {
		await service.standIn.configure({ splitForm: 'beside' });
		expect((await split(name)).segments).toMatchObject([{ startPage: 1, endPage: 1 }]);
	});
});

test.each([
	['sent', 'Müller & Söhne.pdf'],
	['stored', 'M_ller___S_hne.pdf'],
] as const)('a classification names a file as it was %s', async (classifiedNames, fileName) => {
	await service.standIn.configure({ classifiedNames });
	const { data } = await service.upload(
		'/Document/classifier',
		'invoice-de.pdf',
		'Müller & Söhne.pdf',
		'files',
	);
	expect(data.results).toMatchObject([{ fileName }]);
});

test('a comparison of faces can have a link to each face, and the selfie among its documents', async () => {
	const compare = async () =>
		(await service.compareFaces()).data as {
			extractions: Array<{ sourceDocumentId: string; cropSignedUrl: string | null }>;
			matches: Array<{ selfieDocumentId: string; matched: boolean }>;
		};
	expect((await compare()).extractions).toMatchObject([{ hasFace: true, cropSignedUrl: null }]);

	await service.standIn.configure({ faceCrops: true, selfieExtraction: true });
	const { extractions, matches } = await compare();
	expect(matches).toMatchObject([{ matched: true }]);
	expect(extractions.map(({ sourceDocumentId }) => sourceDocumentId)).toContain(
		matches[0]?.selfieDocumentId,
	);
	const face = await fetch(extractions.at(-1)?.cropSignedUrl ?? '');
	expect([face.status, face.headers.get('content-type')]).toEqual([200, 'image/png']);
});
