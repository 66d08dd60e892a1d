import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { runItems } from '../../../nodes/DocumentIntelligence/run/runItems';
import { PolledNode } from '../../n8n-core/polledNode';
import { samplePath } from '../../stand-in/useStandIn';
import { fastLimiters } from '../clock';
import { useService } from '../service';
import { invoiceItems } from '../samples';

const service = useService();

test('the line of a run has counts, and no name, content or key', async () => {
	const logged: Array<[level: string, message: string, counts?: object]> = [];
	const logger = Object.fromEntries(
		['error', 'warn', 'info', 'debug'].map((level) => [
			level,
			(...line: [string, object]) => logged.push([level, ...line]),
		]),
	);
	const limiters = fastLimiters(100);
	const node: INodeType = {
		description: new DocumentIntelligence().description,
		async execute() {
			return await runItems(
				Object.create(this, { logger: { value: logger } }) as IExecuteFunctions,
				limiters,
			);
		},
	};
	await service.standIn.queueFaults([{ kind: 'retryable503' }]);
	await service.run({ operation: 'extract' }, await invoiceItems(2), {
		types: { node, credential: new DocumentIntelligenceApi() },
	});

	expect(logged).toEqual([['debug', 'Document Intelligence finished', expect.any(Object)]]);
	const [, , counts = {}] = logged[0] ?? [];
	expect(counts).toMatchObject({
		operation: 'extract',
		documents: 2,
		processed: 2,
		failed: 0,
		requests: 3,
		retries: 1,
		rejections: 0,
	});
	const others = Object.entries(counts).filter(
		([name, value]) => name !== 'operation' && typeof value !== 'number',
	);
	expect(others).toEqual([]);
	expect(JSON.stringify(logged)).not.toMatch(/\d\.pdf|xtkt_/);
});

test('so has the line of a poll', async () => {
	const { apiKey } = service.credential;
	const node = new PolledNode({ credential: service.credential, limiters: fastLimiters(100) });
	await node.activate();
	await service.standIn.configure({ clockSkewMs: 60_000 });
	const job = { operation: 'Extraction', file: samplePath('invoice-us.pdf') } as const;
	const [jobId = ''] = await service.standIn.addJobs(apiKey, [job]);
	expect(await node.tick()).toBe(1);

	const [, [message, counts = {}] = []] = node.debugLines;
	expect(node.debugLines).toHaveLength(2);
	expect(message).toBe('Document Intelligence Trigger polled');
	expect(counts).toMatchObject({ requests: 2, retries: 0, rejections: 0 });
	expect(Object.values(counts).filter((value) => typeof value !== 'number')).toEqual([]);
	expect(node.items).toMatchObject([{ jobId }]);
	expect(JSON.stringify(node.debugLines)).not.toMatch(/\.pdf|xtkt_/);
});
