import { useBinaryMode } from '../../../n8n-core/runNode';
import { invoiceItems } from '../../samples';
import { useService } from '../../service';

const service = useService();

beforeAll(async () => await useBinaryMode('filesystem'));

test('what a request without a result cost counts once, however many files it had', async () => {
	await service.standIn.queueFaults([
		{ kind: 'envelopeError', status: 400, creditsConsumed: 16, match: '1.pdf', times: 99 },
	]);
	const { items, credits } = await service.run(
		{ operation: 'classify', options: { filesPerRequest: 3 } },
		await invoiceItems(3),
		{ onError: 'continueRegularOutput' },
	);
	expect(items.map(({ json }) => json.error !== undefined)).toEqual([true, true, true]);
	expect(credits).toEqual(['Cogneris reported 16 credits for this run.']);
});
