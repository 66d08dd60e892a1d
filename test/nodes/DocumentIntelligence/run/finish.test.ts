import { useBinaryMode } from '../../../n8n-core/runNode';
import { invoiceItems } from '../../samples';
import { useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

describe('Where Cogneris reports credits for some results only', () => {
	const unpriced = { kind: 'answer', data: { metadata: { a: 1 } }, creditsConsumed: null } as const;

	test('the sum says that it is a part', async () => {
		await service.standIn.queueFaults([unpriced]);
		const { credits } = await service.run({ operation: 'extract' }, await invoiceItems(3));
		expect(credits).toEqual([
			'Cogneris reported 2 credits for this run. For 1 document it reported none, so this is only a part.',
		]);
	});

	test('there is no sum without any', async () => {
		await service.standIn.queueFaults([unpriced]);
		const { credits } = await service.run({ operation: 'extract' }, await invoiceItems(1));
		expect(credits).toEqual([]);
	});
});
