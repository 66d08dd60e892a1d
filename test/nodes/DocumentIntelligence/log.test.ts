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

/** What is no count. */
const textsIn = (counts: object): unknown[] =>
	Object.values(counts).filter((value) => typeof value !== 'number');

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

	expect(logged).toHaveLength(1);
	const [level, message, counts = {}] = logged[0]!;
	expect([level, message]).toEqual(['debug', 'Document Intelligence finished']);
	expect(counts).toMatchObject({ documents: 2, processed: 2, failed: 0 });
	expect(counts).toMatchObject({ requests: 3, retries: 1, rejections: 0 });
	expect(textsIn(counts)).toEqual(['extract']);
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

	expect(node.debugLines).toHaveLength(2);
	const [, [message, counts = {}] = []] = node.debugLines;
	expect(message).toBe('Document Intelligence Trigger polled');
	expect(counts).toMatchObject({ requests: 2, retries: 0, rejections: 0 });
	expect(textsIn(counts)).toEqual([]);
	expect(node.items).toMatchObject([{ jobId }]);
	expect(JSON.stringify(node.debugLines)).not.toMatch(/\.pdf|xtkt_/);
});
