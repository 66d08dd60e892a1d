import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { filesIn } from '../../samples';
import { useService } from '../../service';

const service = useService();

// What n8n cannot save of an input field is in hostile/inputFields.test.ts.
describe('What an item carries of its input', () => {
	let files: IBinaryKeyData;

	beforeAll(async () => {
		files = await filesIn({
			...{ document: 'invoice-us.pdf', picture: 'two-cards.jpg' },
			...{ selfie: 'portrait.png', card: 'id-card.png', bundle: 'bundle.pdf' },
		});
	});

	const run = async (operation: string, file: string, options: IDataObject) => {
		const items = [{ json: {}, binary: { attachment_0: files[file]!, other: files.card! } }];
		const parameters = { operation, binaryPropertyName: 'attachment_0', options };
		return (await service.run(parameters, items)).items.map(({ binary }) => binary);
	};

	test.each<[string, IDataObject, boolean]>([
		['classify', {}, true],
		['classify', { includeInputFile: false }, false],
		['extract', {}, false],
		['extract', { includeInputFile: true }, true],
	])('%s with %j: the file is passed on, %s', async (operation, options, passedOn) => {
		expect(await run(operation, 'document', options)).toEqual([
			passedOn ? { data: files.document } : undefined,
		]);
	});

	test('crop: the image is in data, the picture it was cut from beside it', async () => {
		const [alone] = await run('crop', 'picture', {});
		expect(Object.keys(alone ?? {})).toEqual(['data']);
		expect(alone?.data?.fileName).toBe('two-cards-1.png');

		const [both] = await run('crop', 'picture', { includeInputFile: true });
		expect(Object.keys(both ?? {}).sort()).toEqual(['data', 'input']);
		expect(both?.data?.fileName).toBe('two-cards-1.png');
		expect(both?.input).toEqual(files.picture);
	});

	test('faceMatch: files are passed on only if asked for, and keep the names of their fields', async () => {
		const item = { json: {}, binary: { me: files.selfie!, front: files.card! } };
		const parameters = { operation: 'faceMatch', selfieField: 'me', documentsField: 'front' };
		await service.standIn.queueFaults([{ kind: 'answer', data: { matches: [] }, times: 2 }]);
		for (const options of [{}, { includeInputFile: true }]) {
			const { items } = await service.run({ ...parameters, options }, [item]);
			const passedOn = 'includeInputFile' in options ? item.binary : undefined;
			expect(items.map(({ binary }) => binary)).toEqual([passedOn]);
		}
	});

	test.each<[string, number]>([
		['split', 2],
		['faceMatch', 1],
	])(
		'%s: what the next node changes in one item is not changed in others',
		async (operation, least) => {
			const binary: IBinaryKeyData =
				operation === 'split'
					? { data: files.bundle! }
					: { selfie: files.selfie!, documents: files.card! };
			const input = { json: { subject: 'Hello', deep: { a: [{ b: 1 }] } }, binary };
			const before = structuredClone(input);
			if (operation === 'faceMatch')
				await service.standIn.queueFaults([{ kind: 'answer', data: { matches: [] } }]);
			const options = { includeInputFields: true, includeInputFile: true };
			const { items } = await service.run({ operation, output: 'fields', options }, [input]);
			expect(items.length).toBeGreaterThanOrEqual(least);
			const [first, ...others] = items;
			const untouched = structuredClone(others);

			const own = first?.json.input as typeof input.json;
			expect(own).toEqual(before.json);
			own.subject = 'changed';
			own.deep.a[0]!.b = 2;
			own.deep.a.push({ b: 3 });
			for (const file of Object.values(first?.binary ?? {})) file.fileName = 'changed';
			expect(Object.keys(first?.binary ?? {})).toHaveLength(Object.keys(input.binary).length);
			(first?.pairedItem as { item: number }).item = 7;

			expect(others).toEqual(untouched);
			expect(input).toEqual(before);
		},
	);
});
