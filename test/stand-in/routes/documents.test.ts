import { sampleDocument, useStandIn } from '../useStandIn';

const service = useStandIn();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each<[boolean, unknown]>([
	[true, expect.stringMatching(UUID)],
	[false, null],
])('with fraud screening %s, an extraction differs in nothing but its ID', async (on, id) => {
	await service.standIn.configure({ fraudScreening: on });
	const { data } = await service.upload('/Document/extraction', 'invoice-us.pdf');
	expect(data).toMatchObject({ fraudBlocked: false, fraudRequestId: id, quality: null });
	expect(data.metadata).not.toBeNull();
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

	test.each([
		[
			'metadata',
			{ metadata: { segments: [{ documentType: 'Invoice', startPage: 1, endPage: 1 }] } },
		],
		['pageRange', { metadata: { segments: [{ detectedType: 'Invoice', pageRange: '1' }] } }],
		[
			'items',
			{
				metadata: {
					documents: {
						items: [{ documentType: { value: 'Invoice' }, pageRange: { value: '1' } }],
					},
				},
			},
		],
		['beside', { segments: [{ documentType: 'Invoice', startPage: 1, endPage: 1 }] }],
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
	const compare = async () => {
		const form = new FormData();
		for (const field of ['selfie', 'documents'])
			form.append(
				field,
				new Blob([new Uint8Array(sampleDocument('portrait.png'))]),
				`${field}.png`,
			);
		const { data } = await service.send('POST', '/Document/facematch', { body: form });
		return data as {
			extractions: Array<{ sourceDocumentId: string; cropSignedUrl: string | null }>;
			matches: Array<{ selfieDocumentId: string; matched: boolean }>;
		};
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

test.each([
	['/Document/extraction', 'SUBSCRIPTION_REQUIRED'],
	['/Document/crop', 'request_not_allowed'],
])('a key without a subscription is refused at %s with %s', async (path, code) => {
	service.key = 'xtkt_live_unsubscribed_0001';
	const refused = await service.upload(path, 'two-cards.jpg');
	expect([refused.status, refused.code]).toEqual([403, code]);
});
